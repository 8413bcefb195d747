/**
 * Runs every command of README.md in order in one shell while `npm start` runs. Also runs the programs of the
 * documentation that need the demo. Only the port differs. pip has no network, so pandas and the build backend come
 * from this machine's Python.
 */
import { spawn } from "node:child_process";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Demo } from "../../src/cli/demo/welcome.ts";
import { DAY } from "../../src/docs/day-snippets.ts";
import { onOneDay, withExample } from "../../src/docs/example-day.ts";
import type { Snippet } from "../../src/docs/snippets.ts";
import { TUTORIAL } from "../../src/docs/tutorial-snippets.ts";
import { freePort, npmStart, pressCtrlC, type Start, untilServed } from "../support/npm-start.ts";
import { canImport, foldersOf, PYTHON, pythonWith } from "../support/python.ts";
import { testFolder } from "../support/test-folder.ts";

const BLOCKS = [...readFileSync("README.md", "utf8").matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", text = ""]) => ({ language, text }),
);
const pandas = pythonWith("pandas");
const arrow = pythonWith("pandas", "pyarrow");
const base = [arrow ?? PYTHON, PYTHON].find((command) => canImport(command, "ensurepip"));
/** A Python with hatchling, which builds the wheel. Without network, pip cannot download hatchling. */
const builder = pythonWith("hatchling");
const withFrames = arrow !== null && base === arrow && builder !== null;

/** The working directory of the commands. They do not run in the checkout, because they write files. */
const folder = testFolder("edgetape-readme-");
let demo: Demo;
let running: Start;

beforeAll(async () => {
  for (const name of ["src", "node_modules", "package.json"]) symlinkSync(resolve(name), join(folder, name));
  const port = await freePort();
  const demoFile = join(folder, ".edgetape", "demo.json");
  const state = join(folder, ".edgetape", "state");
  running = npmStart("--port", String(port), "--state", state, "--out", demoFile);
  demo = await untilServed(running, demoFile);
});
afterAll(async () => {
  if (running !== undefined) await pressCtrlC(running);
});

/** Runs a program to its end and returns its standard output. Throws with all of its output when it fails. */
function output(command: string, argv: string[], more: Record<string, string>): Promise<string> {
  const kept = Object.entries(process.env).filter(([name]) => !/^EDGETAPE_|_proxy$/i.test(name));
  const child = spawn(command, argv, { cwd: folder, env: { ...Object.fromEntries(kept), ...more } });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  return new Promise((settle, fail) => {
    child.on("error", fail);
    child.on("close", (code) =>
      code === 0 ? settle(stdout) : fail(new Error(`status ${code}\n${stdout}\n${stderr}`)),
    );
  });
}

/** Returns a block as part of the shell script. A Python block is run by `python3` in the shell's environment. */
function pasted({ language, text }: (typeof BLOCKS)[number], at: number): string {
  const body = language === "python" ? `python3 - <<'PYTHON_BLOCK'\n${text}PYTHON_BLOCK\n` : text;
  return `printf '\\n== block ${at}\\n'\n${body}`
    .replaceAll("http://127.0.0.1:8787", demo.baseUrl)
    .replaceAll("npx edgetape", `node ${resolve("src/cli/edgetape.mjs")}`);
}

describe("README.md", () => {
  it("begins with `npm ci && npm start`, and has only shell and Python code blocks", () => {
    expect(BLOCKS[0]?.text).toBe("npm ci && npm start\n");
    expect(new Set(BLOCKS.map(({ language }) => language))).toEqual(new Set(["sh", "python"]));
    expect(existsSync("test/interop/start.long.test.ts")).toBe(true);
    expect(readFileSync(".ci/run", "utf8")).toMatch(
      /^part npm npm ci\b[\s\S]*^part quick npm test\b[\s\S]*^part long npm run test:long\b/m,
    );
  });

  it("has commands that work against the demo when they are pasted in order", async () => {
    // Without pip, pandas and pyarrow, the client is imported from the checkout, and code that needs DataFrames is
    // skipped.
    const needsFrames = (text: string) => /\.to_df\(\)|read_history\(/.test(text);
    const chosen = BLOCKS.slice(1).filter(
      ({ text }) => withFrames || !(text.includes("pip install") || needsFrames(text)),
    );
    if (!withFrames)
      console.warn(
        `SKIPPED: the DataFrame of README.md, because no Python on this machine has pip, pandas, pyarrow and hatchling`,
      );
    const site = withFrames
      ? [foldersOf(arrow, "pandas", "numpy", "pyarrow"), foldersOf(builder, "hatchling", "pluggy")].join(":")
      : resolve("src/client/python");
    const programs = [process.execPath, base ?? PYTHON].filter((path) => path.includes("/")).map(dirname);
    const printed = await output("bash", ["-euo", "pipefail", "-c", chosen.map(pasted).join("")], {
      PATH: [...programs, process.env.PATH].join(":"),
      PYTHONPATH: site,
      PIP_NO_INDEX: "1",
      PIP_NO_BUILD_ISOLATION: "0",
      PIP_CONFIG_FILE: "/dev/null",
    });
    const answers = printed.split(/\n== block \d+\n/).slice(1);
    expect(answers).toHaveLength(chosen.length);
    const answerOf = (begins: RegExp) => answers[chosen.findIndex(({ text }) => begins.test(text))] ?? "";

    const { code, data } = JSON.parse(answerOf(/curl -s/));
    expect([code, data.tradedate, data.items.length]).toEqual([200, demo.days.at(-1), 5]);
    if (withFrames) {
      expect(answerOf(/to_df/)).toMatch(/exchange_order_id[\s\S]* [1-9]\d* [1-9]\d*\n$/);
      expect(answerOf(/pip install/)).toContain("edgetape");
    }
    if (withFrames) {
      expect(answerOf(/client\.history/)).toMatch(/^2 files, [1-9]\d* trades, [1-9]\d* daily files\n$/);
    }
    expect(answerOf(/edgetape sample/)).toContain("20230711 is served as revision 1");
    const operated = answerOf(/edgetape doctor/);
    for (const said of ["20230711", "customer-1", "flagship", "0 failed"]) expect(operated).toContain(said);
  });
});

describe("the documentation's programs", () => {
  /** Removes white space and signs, and replaces every number with zero, because the numbers depend on the day. */
  const formOf = (printed: string) => printed.replaceAll(/[\d.,]*\d/g, "0").replaceAll(/\s+|[-+](?=0)/g, "");

  it("set the same variables as the README", () => {
    const [first = ""] = TUTORIAL.tutorial_setup.text.split("\npython3");
    // The README reads the base URL from a file, because --port changes it. The pages contain the URL itself.
    const readme = BLOCKS.map(({ text }) => text)
      .join("")
      .replace(/\$\(node -p 'require\(\S+\)\.baseUrl'\)/, "http://127.0.0.1:8787");
    for (const line of withExample(first, { base: "http://127.0.0.1:8787", days: onOneDay("") }).split(
      "\n",
    )) {
      expect(readme).toContain(line);
    }
  });

  /** Runs the Python pieces as one program and returns its output, which must have the form that the pages show. */
  async function printedBy(snippets: Readonly<Record<string, Snippet>>, command: string): Promise<string> {
    const facts = { base: demo.baseUrl, days: onOneDay(demo.days.at(-1) ?? "") };
    const pieces = Object.values(snippets).filter(
      ({ language, needs = [] }) => language === "python" && needs.every((name) => canImport(command, name)),
    );
    const program = pieces.map(({ text }) => `print("== piece")\n${withExample(text, facts)}\n`).join("");
    const printed = await output(command, ["-W", "error", "-c", program], {
      EDGETAPE_URL: demo.baseUrl,
      EDGETAPE_KEY: demo.keys.flagship ?? "",
      PYTHONPATH: resolve("src/client/python"),
    });
    const shown = pieces.map(({ prints = "" }) => formOf(withExample(prints, facts)));
    expect(printed.split("== piece\n").slice(1).map(formOf)).toEqual(shown);
    return printed;
  }

  it.skipIf(pandas === null)(
    "compute the factor of the tutorial and print what the tutorial shows",
    async () => {
      const printed = await printedBy(TUTORIAL, pandas ?? PYTHON);
      expect(printed).toMatch(/^[1-9]\d? days, mean rank IC [-+][01]\.\d\d$/m);
    },
  );

  it.skipIf(pandas === null)("join the datasets of a day and print what the pages show", async () => {
    const printed = await printedBy(DAY, arrow ?? pandas ?? PYTHON);
    const [, fills, shares] = /^(\d+) fills of (\d+) shares,/m.exec(printed) ?? [];
    expect(Number(fills)).toBeGreaterThan(1);
    expect(Number(shares)).toBeGreaterThan(100);
  });
});
