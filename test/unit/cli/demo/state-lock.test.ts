import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, it, vi } from "vitest";
import { lockState } from "../../../../src/cli/demo/demo-state.ts";

const folder = mkdtempSync(join(tmpdir(), "edgetape-lock-"));
const lockFile = join(folder, "demo.lock");
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface StartedDemo {
  child: ChildProcess;
  /** Returns the next line of output, or how the process ended. */
  line(): Promise<string>;
}

/** Writes a script with the file name of the demo. It prints "ready", and acquires the lock when it receives input. */
function writeDemo(): string {
  mkdirSync(folder, { recursive: true });
  const script = join(folder, "start.ts");
  const source = join(import.meta.dirname, "../../../../src/cli/demo/demo-state.ts");
  writeFileSync(
    script,
    `import { lockState } from ${JSON.stringify(source)};
    console.log("ready");
    process.stdin.once("data", () => {
      lockState(${JSON.stringify(folder)}).then(() => console.log("held"), (error) => console.log(error.message));
    });
    setInterval(() => {}, 1000);`,
  );
  return script;
}

/** Runs `script`. The script must be complete, because a process that reads half a script ends silently. */
function startDemo(script: string): StartedDemo {
  const child = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    line: async () => (await lines.next()).value ?? `ended without a word (${child.exitCode})`,
  };
}

describe("the lock of a state folder", () => {
  it("creates the folder, contains the process id of its holder, and is deleted on release", async () => {
    const unlock = await lockState(folder);
    expect(readFileSync(lockFile, "utf8")).toBe(String(process.pid));
    unlock();
    expect(() => readFileSync(lockFile)).toThrow();
  });

  it.each(["999999999", "", "nonsense", String(process.pid)])(
    "is replaced when its holder %j is not a running demo",
    async (holder) => {
      (await lockState(folder))();
      writeFileSync(lockFile, holder);
      const unlock = await lockState(folder);
      expect(readFileSync(lockFile, "utf8")).toBe(String(process.pid));
      unlock();
    },
  );

  it("is acquired by only one of six concurrent demos, even if an old lock exists", async () => {
    (await lockState(folder))();
    writeFileSync(lockFile, "999999999");
    const script = writeDemo();
    const demos = Array.from({ length: 6 }, () => startDemo(script));
    try {
      // All demos are ready before any of them gets the command, even on a slow machine.
      for (const demo of demos) expect(await demo.line()).toBe("ready");
      for (const { child } of demos) child.stdin?.write("go\n");
      const lines = await Promise.all(demos.map((demo) => demo.line()));
      expect(lines.filter((line) => line === "held")).toHaveLength(1);
      expect(lines.filter((line) => line.startsWith("Another demo (process"))).toHaveLength(5);
      const winner = demos[lines.indexOf("held")]?.child.pid;
      expect(readFileSync(lockFile, "utf8")).toBe(String(winner));
      expect(readdirSync(folder).sort()).toEqual(["demo.lock", "start.ts"]);
    } finally {
      for (const { child } of demos) child.kill("SIGKILL");
    }
  }, 120_000);

  it("is replaced even if a demo was killed while it replaced an older lock", async () => {
    (await lockState(folder))();
    writeFileSync(lockFile, "999999999");
    const takeover = `${lockFile}.takeover`;
    writeFileSync(takeover, "999999999");
    const now = vi.spyOn(Date, "now").mockReturnValue(Date.now() + 60_000);
    (await lockState(folder))();
    now.mockRestore();
    expect(readdirSync(folder)).toEqual([]);
  });
});
