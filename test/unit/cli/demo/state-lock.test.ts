import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { lockState } from "../../../../src/cli/demo/state-lock.ts";

const folder = mkdtempSync(join(tmpdir(), "edgetape-lock-"));
const lockFile = join(folder, "demo.lock");
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a script named like the demo's that takes the lock, says so, and holds it until it is killed. */
function demoThatHolds(): ChildProcess {
  mkdirSync(folder, { recursive: true });
  const script = join(folder, "start.ts");
  const source = join(import.meta.dirname, "../../../../src/cli/demo/state-lock.ts");
  writeFileSync(
    script,
    `import { lockState } from ${JSON.stringify(source)};
    lockState(${JSON.stringify(folder)}).then(() => console.log("held"), (error) => console.log(error.message));
    setInterval(() => {}, 1000);`,
  );
  return spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((settle) => {
    child.stdout?.once("data", (text) => settle(String(text).trim()));
    child.once("close", (status, signal) => settle(`ended without a word (${status ?? signal})`));
  });
}

describe("the lock of a state folder", () => {
  it("names its holder, makes the folder, and is gone when given back", async () => {
    const unlock = await lockState(folder);
    expect(readFileSync(lockFile, "utf8")).toBe(String(process.pid));
    unlock();
    expect(() => readFileSync(lockFile)).toThrow();
  });

  it.each(["999999999", "", "nonsense", String(process.pid)])(
    "takes over a lock whose holder %j is no running demo",
    async (holder) => {
      (await lockState(folder))();
      writeFileSync(lockFile, holder);
      const unlock = await lockState(folder);
      expect(readFileSync(lockFile, "utf8")).toBe(String(process.pid));
      unlock();
    },
  );

  it("is held by one of eight demos that start at once, also over a lock that was left behind", async () => {
    (await lockState(folder))();
    writeFileSync(lockFile, "999999999");
    const demos = Array.from({ length: 8 }, demoThatHolds);
    const lines = await Promise.all(demos.map(firstLine));
    for (const demo of demos) demo.kill("SIGKILL");
    expect(lines.filter((line) => line === "held")).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith("Another demo (process"))).toHaveLength(7);
  });
});
