import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { edgetape } from "../../support/edgetape.ts";
import { printedRandom } from "../../support/random.ts";
import { temporaryFolder } from "../pack-builder/deliveries.ts";

const build = (source: string, out: string) =>
  edgetape(["pack", "build", source, "--date", "20230711", "--out", out]);

describe("edgetape pack build", () => {
  it("leaves no pack, or the one before, whenever it is killed; run again it completes", async () => {
    const random = printedRandom("kill");
    const source = temporaryFolder();
    const sampled = await edgetape([
      "sample",
      "--date",
      "20230711",
      "--rows",
      "60000",
      "--out",
      source,
      "--csv",
    ]);
    expect(sampled.status, sampled.stderr).toBe(0);
    const out = temporaryFolder();
    const pack = join(out, "20230711.parquet");
    const killed = async () => {
      const args = ["src/cli/main.ts", "pack", "build", source, "--date", "20230711", "--out", out];
      const child = spawn(process.execPath, args, { stdio: "ignore" });
      const ended = new Promise((resolve) => child.on("close", resolve));
      const timer = setTimeout(() => child.kill("SIGKILL"), random.integer(50, 1500));
      await ended;
      clearTimeout(timer);
    };
    for (let round = 0; round < 6; round++) {
      await killed();
      if (existsSync(pack)) expect((await edgetape(["pack", "verify", pack])).status).toBe(0);
    }
    expect((await build(source, out)).status).toBe(0);
    const whole = readFileSync(pack);
    expect(readdirSync(out)).toEqual(["20230711.parquet"]);
    for (let round = 0; round < 4; round++) {
      await killed();
      expect(readFileSync(pack).equals(whole)).toBe(true);
    }
    expect((await build(source, out)).status).toBe(0);
    expect(readdirSync(out)).toEqual(["20230711.parquet"]);
    expect(readFileSync(pack).equals(whole)).toBe(true);
  });
});
