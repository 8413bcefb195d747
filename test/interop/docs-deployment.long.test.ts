/**
 * Runs the `edgetape` commands of the deployment guide in order against a local service, and compares the options of
 * its `wrangler` commands with the help of the installed wrangler.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { DATASET_NAMES } from "../../src/datasets/registry.ts";
import { deliver } from "../support/deliveries.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";
import { startReceiver } from "../support/webhook-receiver.ts";

const run = promisify(execFile);
const GUIDE = readFileSync("src/cli/README.md", "utf8");
const BLOCKS = [...GUIDE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
const LINES = BLOCKS.flatMap((block) => block.trimEnd().split("\n"));

const service = await testService({ nowAt: "2026-03-12T10:00:00+08:00" });
const receiver = await startReceiver();
const folder = testFolder("edgetape-guide-");
mkdirSync(join(folder, "backups"));
deliver(folder, "20260311", 2_000, { datasets: DATASET_NAMES });
deliver(join(folder, "drop"), "20260310", 2_000, { datasets: DATASET_NAMES });
afterAll(() => receiver[Symbol.asyncDispose]());

/** Returns whether a command needs a Cloudflare account. The test runs all other commands. */
const isPlatform = (line: string) => /wrangler|^npm run deploy$|EDGETAPE_(URL|TOKEN)=/.test(line);

/** Returns a command with this machine's paths, and with short waits for the drop folder. */
function here(line: string): string {
  return line
    .replaceAll("npx edgetape", `node ${resolve("src/cli/edgetape.mjs")}`)
    .replaceAll("/data/drop", `drop --date 20260310 --stable 0.1 --poll 0.05`);
}

describe("the deployment guide", () => {
  it("is linked from the README", () => {
    expect(readFileSync("README.md", "utf8")).toContain("src/cli/README.md");
  });

  it("has commands that work in order, from an empty deployment to a restored one", async () => {
    const mine = LINES.filter((line) => !isPlatform(line));
    expect(mine.length).toBeGreaterThan(12);
    // doctor and acceptance may report failures, because the deployment is empty at first and has the tests' settings.
    const script = mine
      .map((line) =>
        /edgetape (doctor|acceptance)/.test(line) ? `${here(line)} || echo "status $?"` : here(line),
      )
      .join("\n");
    const env = {
      ...process.env,
      EDGETAPE_URL: service.baseUrl,
      EDGETAPE_TOKEN: service.adminToken,
      EDGETAPE_WEBHOOK_URL: receiver.url,
    };
    const { stdout } = await run("bash", ["-euo", "pipefail", "-c", script], {
      cwd: folder,
      env,
      maxBuffer: 1 << 26,
    });
    for (const said of [
      "The trading calendar is empty",
      "365 days loaded, of which 242 are trading days",
      "20260311 is served as revision 1",
      "customer-1",
      "0 failed",
      "The plain webhook accepted the message.",
      "20260310 is served as revision 1; trades are served as revision 1; quotes are served as revision 1.",
      "is complete",
      "is restored.",
    ]) {
      expect(stdout).toContain(said);
    }
    expect(receiver.received.map(({ body }) => body.event)).toEqual(["webhook.test", "nightly.published"]);
  });

  it("has a cron line that creates the backup folder and keeps every night's backup", async () => {
    const line = /^[\d *]+ {2}(.*edgetape backup create .*)$/m.exec(GUIDE)?.[1] ?? "";
    // The command that cron runs. Absolute paths are moved into this test's folder.
    const command = here(line).replaceAll(/(?<= )\/(?=opt|etc|data)/g, `${folder}/`);
    expect(command).toMatch(new RegExp(`^cd ${folder}/opt/\\S+ && \\. ${folder}/etc/\\S+ && `));
    for (const made of ["opt/edgetape", "etc"]) mkdirSync(join(folder, made), { recursive: true });
    const exports = { EDGETAPE_URL: service.baseUrl, EDGETAPE_TOKEN: service.adminToken };
    const lines = Object.entries(exports).map(([name, value]) => `export ${name}='${value}'\n`);
    writeFileSync(join(folder, "etc/edgetape.env"), lines.join(""));
    const out = join(folder, "data/backups");
    expect(existsSync(out)).toBe(false);
    for (const nights of [1, 2]) {
      await run("sh", ["-c", command]);
      expect(readdirSync(out)).toHaveLength(nights);
    }
    for (const name of readdirSync(out)) {
      expect(name).toMatch(/^edgetape-.*\.jsonl\.gz$/);
      const verify = here(`npx edgetape backup verify '${join(out, name)}'`);
      expect((await run("sh", ["-c", verify])).stdout).toContain("is complete");
    }
  });

  it("uses only commands and options that the installed wrangler has", async () => {
    const commands = [...GUIDE.matchAll(/npx wrangler ([^\n`|)"]+)/g)].map(([, args = ""]) => args.trim());
    expect(new Set(commands.map((args) => args.split(" ")[0]))).toEqual(
      new Set(["login", "d1", "r2", "secret", "tail", "rollback"]),
    );
    const wrangler = resolve("node_modules/wrangler/bin/wrangler.js");
    for (const args of new Set(commands)) {
      const named = args.split(" ").filter((word) => /^[a-z0-9-]+$/.test(word) && !word.startsWith("--"));
      const depth = { d1: named[1] === "time-travel" ? 3 : 2, r2: 3, secret: 2 }[named[0] ?? ""] ?? 1;
      const { stdout } = await run(process.execPath, [wrangler, ...named.slice(0, depth), "--help"], {
        env: { ...process.env, WRANGLER_SEND_METRICS: "false", WRANGLER_HIDE_BANNER: "true", NO_COLOR: "1" },
      });
      expect(stdout).toContain(`wrangler ${named.slice(0, depth).join(" ")}`);
      for (const option of args.match(/--[a-z-]+/g) ?? [])
        expect([args, stdout]).toEqual([args, expect.stringContaining(option)]);
    }
  });
});
