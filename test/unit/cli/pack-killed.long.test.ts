import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edgetape } from "../../support/edgetape.ts";
import { printedRandom } from "../../support/random.ts";
import { temporaryFolder } from "../pack-builder/deliveries.ts";

const PACKS = [
  "20230711.parquet",
  "20230711_trades.parquet",
  "20230711_quotes.parquet",
  "20230711_aucde.parquet",
];
/** All files that a build writes: the packs, and the quality sheet as JSON and as a page. */
const WRITTEN = [...PACKS, "20230711_quality.html", "20230711_quality.json"].sort();
const DAY = ["--date", "20230711", "--out"];
const build = (source: string, out: string) => edgetape(["pack", "build", source, ...DAY, out]);

describe("edgetape pack build killed at any moment", () => {
  it("leaves no damaged pack, keeps the previous packs, and completes when it is run again", async () => {
    const random = printedRandom("kill");
    const source = temporaryFolder();
    const sampled = await edgetape(["sample", ...DAY, source, "--rows", "60000", "--csv"]);
    expect(sampled.status, sampled.stderr).toBe(0);
    const out = temporaryFolder();
    const packs = PACKS.map((name) => join(out, name));
    const killed = async () => {
      const args = ["src/cli/main.ts", "pack", "build", source, ...DAY, out];
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      const ended = new Promise((resolve) => child.on("close", resolve));
      const timer = setTimeout(() => child.kill("SIGKILL"), random.integer(50, 2500));
      await ended;
      clearTimeout(timer);
    };
    for (let round = 0; round < 6; round++) {
      await killed();
      for (const pack of packs.filter(existsSync).filter((path) => !path.endsWith("_aucde.parquet"))) {
        expect((await edgetape(["pack", "verify", pack])).status).toBe(0);
      }
    }
    expect((await build(source, out)).status).toBe(0);
    const whole = packs.map((pack) => readFileSync(pack));
    expect(readdirSync(out).sort()).toEqual(WRITTEN);
    for (let round = 0; round < 4; round++) {
      await killed();
      expect(packs.map((pack) => readFileSync(pack))).toEqual(whole);
    }
    expect((await build(source, out)).status).toBe(0);
    expect(readdirSync(out).sort()).toEqual(WRITTEN);
    expect(packs.map((pack) => readFileSync(pack))).toEqual(whole);
  });
});
