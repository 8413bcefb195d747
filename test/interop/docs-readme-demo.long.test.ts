/**
 * The commands of README.md from top to bottom, as they are pasted into a terminal beside `npm start`: nothing is
 * put in but another port and the path of `edgetape`. What stands in a line of text is taken from there, so that text and test stay the same.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Demo } from "../../src/cli/demo/welcome.ts";
import { freePort, npmStart, pressCtrlC, type Start, untilServed } from "../support/npm-start.ts";
import { pythonWith } from "../support/python.ts";

const run = promisify(execFile);
const README = readFileSync("README.md", "utf8");
const pandas = pythonWith("pandas");

/** The folder of a checkout, as far as the commands look at it; the demo's files are its own. */
const folder = mkdtempSync(join(tmpdir(), "edgetape-readme-demo-"));
let demo: Demo;
let running: Start;
/** What was pasted so far: an `export` counts for what follows. */
const pasted: string[] = [];

beforeAll(async () => {
  for (const name of ["src", "node_modules", "package.json"]) symlinkSync(resolve(name), join(folder, name));
  const port = await freePort();
  const demoFile = join(folder, ".edgetape", "demo.json");
  running = npmStart(
    "--port",
    String(port),
    "--state",
    join(folder, ".edgetape", "state"),
    "--out",
    demoFile,
  );
  demo = await untilServed(running, demoFile);
}, 300_000);
afterAll(async () => {
  if (running !== undefined) await pressCtrlC(running);
  rmSync(folder, { recursive: true, force: true });
});

/** The block of the README that begins like this. */
function block(begins: RegExp): string {
  const blocks = [...README.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, text = ""]) => text);
  const found = blocks.find((text) => begins.test(text));
  if (found === undefined) throw new Error(`README.md has no block that begins like ${begins}`);
  return found;
}

/** A command in the README's running text. */
function inline(command: RegExp): string {
  const found = [
    ...README.replaceAll(/^```[\s\S]*?^```$/gm, "")
      .replaceAll(/\s*\n/g, " ")
      .matchAll(/`([^`]+)`/g),
  ].find(([, text = ""]) => command.test(text));
  if (found?.[1] === undefined) throw new Error(`README.md has no command like ${command}`);
  return found[1];
}

/** Pastes commands into the terminal; its settings last, and so do earlier exports. */
async function paste(text: string): Promise<string> {
  // npx looks for the command in a real checkout, which this folder only stands for.
  const edgetape = `node ${resolve("src/cli/edgetape.mjs")}`;
  const here = text.replaceAll("http://127.0.0.1:8787", demo.baseUrl).replaceAll("npx edgetape", edgetape);
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("EDGETAPE_"));
  const env = { ...Object.fromEntries(kept), PATH: `${resolve("node_modules/.bin")}:${process.env.PATH}` };
  const { stdout } = await run("bash", ["-euo", "pipefail", "-c", [...pasted, here].join("\n")], {
    ...{ cwd: folder, env, maxBuffer: 1 << 26 },
  });
  pasted.push(...(here.match(/^export .*$/gm) ?? []));
  return stdout;
}

describe("README.md beside the demo, from top to bottom", () => {
  it("asks for five orders of the demo's newest day", async () => {
    await paste(block(/^export EDGETAPE_URL=/));
    const { code, data } = JSON.parse(await paste(block(/^curl -s /)));
    expect([code, data.tradedate, data.items.length]).toEqual([200, demo.days.at(-1), 5]);
  });

  it("reads a whole day with the standard library of Python", async () => {
    writeFileSync(join(folder, "walk.py"), block(/^import csv, json/));
    await paste(inline(/^python3 walk\.py /));
    const rows = readFileSync(join(folder, "orders.csv"), "utf8").trimEnd().split("\n");
    expect(rows.length).toBeGreaterThan(1_000);
    expect(rows[0]).toMatch(new RegExp(`^600519,${demo.days.at(-1)},`));
  });

  it.skipIf(pandas === null)("reads, syncs and downloads with the Python client", async () => {
    writeFileSync(join(folder, "client.py"), block(/^from edgetape import Client/));
    const print = `print(len(frame), len(report.fetched), len(paths))`;
    writeFileSync(join(folder, "client.py"), `${block(/^from edgetape import Client/)}${print}\n`);
    // Installed from the checkout by a test of its own; here it is read from there.
    const said = await paste(`PYTHONPATH=src/client/python ${pandas} client.py`);
    const [rows, fetched, paths] = said.trim().split(" ").map(Number);
    expect(rows).toBeGreaterThan(1_000);
    expect(fetched).toBe(1);
    expect(paths).toBeGreaterThan(0);
    expect(await paste("PYTHONPATH=src/client/python python3 -m edgetape doctor")).toContain(
      "all its stores answer",
    );
  });

  it("builds, verifies and publishes a day of a delivery", async () => {
    await paste(inline(/^export EDGETAPE_TOKEN=/));
    await paste(inline(/^npx edgetape sample /));
    const text = block(/^npx edgetape pack build /);
    expect(await paste(text)).toContain("20230711");
    const shown = await paste("npx edgetape days --month 202307");
    expect(shown).toContain("20230711");
  });
});
