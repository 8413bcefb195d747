/** `npm start` as a new user runs it: one real start, the printed request, Ctrl-C, and a second start. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Finding } from "../../src/admin/wire.ts";
import type { Demo } from "../../src/cli/demo/welcome.ts";
import type { DataStatus } from "../../src/operations/wire.ts";
import { commandsOf } from "../support/edgetape.ts";
import {
  askDemo,
  freePort,
  npmStart,
  pause,
  pressCtrlC,
  type Start,
  untilServed,
} from "../support/npm-start.ts";
import { testFolder } from "../support/test-folder.ts";

const folder = testFolder("edgetape-start-");
const state = join(folder, "state");
/** The demo file, with the service's URL and keys. By default, it is stored in the state folder. */
const demoFile = join(state, "demo.json");
const started: Start[] = [];

function start(...options: string[]): Start {
  const start = npmStart(...options);
  started.push(start);
  return start;
}

/** Returns `pid` and the process ids of all its descendants. */
function familyOf(pid: number): number[] {
  const pairs = parents();
  const family = [pid];
  for (const member of family) {
    for (const [child, parent] of pairs) if (parent === member) family.push(child);
  }
  return family;
}

/** Returns each process id with the id of its parent. Reads /proc where it exists, because `ps` may be missing. */
function parents(): [number, number][] {
  if (!existsSync("/proc/self/stat")) {
    const rows = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" }).trim().split("\n");
    return rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]);
  }
  return readdirSync("/proc").flatMap((name): [number, number][] => {
    try {
      const stat = readFileSync(`/proc/${Number(name)}/stat`, "utf8");
      return [[Number(name), Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])]];
    } catch {
      return [];
    }
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const port = await freePort();
afterAll(async () => {
  for (const start of started) await pressCtrlC(start);
});

describe("npm start", () => {
  let first: Demo;
  let running: Start;

  it("publishes five sample days, creates eight demo keys, and prints the addresses once the newest day is served", async () => {
    running = start("--port", String(port), "--state", state);
    first = await untilServed(running, demoFile);
    expect(first.baseUrl).toBe(`http://127.0.0.1:${port}`);
    expect(Object.keys(first.keys).sort()).toEqual(
      ["expired", "flagship", "free", "professional", "revoked", "standard", "trial", "weekly"].sort(),
    );
    expect(first.days).toHaveLength(5);
    expect([...first.days].sort()).toEqual(first.days);
    for (const shown of [first.baseUrl, ...Object.values(first.keys), ...first.days]) {
      expect(running.output()).toContain(shown);
    }
    expect(running.output()).not.toContain(first.adminToken);
    const published = [...running.output().matchAll(/Publishing the sample day (\d{8})/g)];
    expect(published.map(([, day]) => day)).toEqual(first.days.toReversed());
    const printed = running.output().indexOf("Stop with Ctrl-C");
    expect(published.map(({ index }) => index < printed)).toEqual([true, false, false, false, false]);
    expect(running.output()).toContain(`${first.baseUrl}/docs/`);
  });

  it("checks the quality of every sample day, and stores the quality sheets with the state", async () => {
    const newest = first.days.at(-1) ?? "";
    const apikey = first.keys.flagship;
    const asked = [...new Set(first.days.map((day) => day.slice(0, 6)))].map(async (month) => {
      const asked = { apiname: "data_status", apikey, params: { month } };
      return (await askDemo<DataStatus>(first, asked)).data.days;
    });
    const days = (await Promise.all(asked)).flat().filter(({ tradedate }) => first.days.includes(tradedate));
    expect(days.map(({ tradedate }) => tradedate).sort()).toEqual(first.days);
    for (const { datasets } of days) {
      for (const { quality } of Object.values(datasets)) {
        expect(quality).toEqual({ verdict: "passed", summary: "passed" });
      }
    }
    const sheets = join(state, "demo-packs");
    expect(readdirSync(sheets).sort()).toEqual(
      first.days.flatMap((day) => [`${day}_quality.html`, `${day}_quality.json`]),
    );
    expect(running.output()).toContain(
      `Quality check of ${newest}: passed, see ${join(sheets, `${newest}_quality.html`)}`,
    );
    const { status } = await commandsOf(first).run`day quality ${newest} --folder ${sheets}`;
    expect(status).toBe(0);
  });

  it("prints export lines with the service's URL, a key and the operator's token", () => {
    const exports = running.output().match(/^export .*$/gm) ?? [];
    const shown = execFileSync(
      "sh",
      ["-c", `${exports.join("\n")}\nenv | grep -E "^EDGETAPE_(KEY|TOKEN|URL)=" | sort`],
      {
        encoding: "utf8",
      },
    );
    expect(shown.trim().split("\n")).toEqual([
      `EDGETAPE_KEY=${first.keys.flagship}`,
      `EDGETAPE_TOKEN=${first.adminToken}`,
      `EDGETAPE_URL=${first.baseUrl}`,
    ]);
  });

  it("starts a service that passes edgetape doctor", async () => {
    const { status, stdout } = await commandsOf(first).run`doctor --json`;
    const { findings } = JSON.parse(stdout) as { findings: Finding[] };
    // In December, the library may lack the holidays of the next year.
    expect(findings.filter(({ check, level }) => check !== "calendar" || level === "failed")).toEqual([]);
    expect(status).toBe(0);
  });

  it("prints a curl command that works when it is pasted into a shell", ({ skip }) => {
    if (spawnSync("curl", ["--version"]).error !== undefined) {
      console.warn("NOT TESTED: the printed curl command, because this machine has no curl");
      skip();
    }
    const pasted =
      running
        .output()
        .split("\n")
        .find((line) => line.startsWith("curl ")) ?? "";
    const answer = JSON.parse(execFileSync("sh", ["-c", pasted], { encoding: "utf8" }));
    expect(answer.code).toBe(200);
    expect(answer.data.items).toHaveLength(5);
    expect(answer.data.items[0].slice(0, 3)).toEqual(["600519", first.days.at(-1), "093000000"]);
  });

  it.each(["600519", "300750"])(
    "serves %s on every sample day to the keys whose plan covers that day",
    async (symbol) => {
      const code = async (name: string, tradedate: string) => {
        const params = { symbol, tradedate, page_size: 1 };
        const asked = { apiname: "level2_order_history", apikey: first.keys[name], params };
        return (await askDemo(first, asked)).code;
      };
      for (const day of first.days) expect(await code("flagship", day)).toBe(200);
      const [oldest = "", older = "", newest = ""] = first.days;
      for (const name of ["professional", "weekly"]) {
        expect(await code(name, newest)).toBe(200);
        expect(await code(name, older)).toBe(403);
      }
      expect(await code("trial", oldest)).toBe(200);
      for (const name of ["free", "standard", "expired", "revoked"])
        expect(await code(name, newest)).toBe(403);
    },
  );

  it("refuses a second start with the same folder or the same port, and says which one is in use", async () => {
    const sameState = start("--port", String(await freePort()), "--state", state);
    expect(await sameState.exited).toBe(1);
    expect(sameState.output()).toMatch(/Another demo \(process \d+\) uses .*state/);
    const samePort = start("--port", String(port), "--state", join(folder, "other"));
    expect(await samePort.exited).toBe(1);
    expect(samePort.output()).toContain(`Port ${port} is in use`);
    // The file of the first start still exists, because refused starts change nothing.
    expect(existsSync(demoFile)).toBe(true);
  });

  it("runs one service when two processes start concurrently on one port, and the other process reports that the port is in use", async () => {
    const shared = await freePort();
    const two = ["one", "two"].map((name) => {
      const place = join(folder, name);
      return { start: start("--port", String(shared), "--state", place, "--empty"), place };
    });
    const ends = two.map(async (each) => ({ ...each, code: await each.start.exited }));
    const { start: ended, code } = await Promise.race(ends);
    expect(code).toBe(1);
    expect(ended.output().match(/^npm start: .*$/m)?.[0]).toBe(
      `npm start: Port ${shared} is in use; give another one: npm start -- --port ${shared + 1}`,
    );
    const [other] = two.filter((each) => each.start !== ended);
    if (other === undefined) throw new Error("the other start was not found");
    const { baseUrl, adminToken } = await untilServed(other.start, join(other.place, "demo.json"));
    expect((await commandsOf({ baseUrl, adminToken }).run`account list`).stdout).toBe("no accounts\n");
    await pressCtrlC(other.start);
  });

  it("leaves the demo file of another state folder unchanged, and prints the path of its own demo file", async () => {
    const before = readFileSync(demoFile, "utf8");
    const otherState = join(folder, "other");
    const other = start("--port", String(await freePort()), "--state", otherState, "--empty");
    const { adminToken } = await untilServed(other, join(otherState, "demo.json"));
    expect(adminToken).not.toBe(first.adminToken);
    expect(other.output()).toContain(`For scripts: ${join(otherState, "demo.json")}`);
    const token = /^export EDGETAPE_TOKEN=.*$/m.exec(other.output())?.[0];
    const pasted = execFileSync("sh", ["-c", `${token}\nprintf %s "$EDGETAPE_TOKEN"`], { encoding: "utf8" });
    expect(pasted).toBe(adminToken);
    expect(readFileSync(demoFile, "utf8")).toBe(before);
    await pressCtrlC(other);
    expect(existsSync(join(otherState, "demo.json"))).toBe(false);
    expect(readFileSync(demoFile, "utf8")).toBe(before);
  });

  it("leaves no process and no demo file after Ctrl-C", async () => {
    const family = familyOf(running.child.pid ?? 0);
    expect(family.length).toBeGreaterThan(4);
    await pressCtrlC(running);
    while (family.some(isRunning)) await pause(50);
    expect(existsSync(demoFile)).toBe(false);
  });

  it("reuses the keys and days on the next start, and publishes nothing", async () => {
    const again = start("--port", String(port), "--state", state);
    const second = await untilServed(again, demoFile);
    expect(second).toEqual(first);
    expect(again.output()).not.toMatch(/Publishing|Quality check/);
    expect(again.output()).not.toContain("Preparing the database");
    const family = familyOf(again.child.pid ?? 0);
    // A SIGKILL of npm also ends all its children.
    process.kill(again.child.pid ?? 0, "SIGKILL");
    while (family.some(isRunning)) await pause(50);
  });
});
