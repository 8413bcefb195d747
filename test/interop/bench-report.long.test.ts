/**
 * Tests the report of `npm run bench -- --report`, and the check that an engine returns the right rows before it is
 * timed. No test asserts a speed.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import type { BenchRow } from "../bench/bench-row.ts";
import { BenchDays } from "../bench/days.ts";
import { withSection, withSpeed } from "../bench/documents.ts";
import { asksOf } from "../bench/rivals/asks.ts";
import { Contest } from "../bench/rivals/contest.ts";
import { edgetape } from "../bench/rivals/edgetape.ts";
import type { Rival } from "../bench/rivals/rival.ts";
import { testFolder } from "../support/test-folder.ts";

const run = promisify(execFile);

const folder = testFolder("edgetape-report-");
let reports = 0;

/** Runs the bench as a user does and returns its report. */
async function report(...args: string[]): Promise<string> {
  const path = join(folder, `${++reports}.md`);
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { bench: string } };
  const [program = "", ...command] = manifest.scripts.bench.split(" ");
  expect(program).toBe("node");
  const { stdout } = await run(process.execPath, [...command, ...args, "--report", path], {
    maxBuffer: 1 << 24,
  });
  const text = readFileSync(path, "utf8");
  expect(stdout).toContain(text);
  return text;
}

/** Returns the cells after `name` in the first table row that begins with `name`, or an empty array. */
function cellsOf(text: string, name: string): string[] {
  const line = text.split("\n").find((each) => each.startsWith(`| ${name} |`));
  return (line ?? "")
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());
}

describe("bench --report", () => {
  it("shows the machine, all versions and the figures of every rival", async () => {
    const json = join(folder, "rivals.json");
    const text = await report("--only", "rivals", "--rows", "30000", "--rounds", "1", "--json", json);
    expect(text).toMatch(/\d+ × .*GiB of memory/);
    expect(text).toMatch(
      /node v24\.\d+.*SQLite [\d.]+.*workerd [\d.]+.*duckdb\/node-api .*hyparquet .*parquet-wasm /,
    );
    expect(text).toContain("--only rivals --rows 30000");
    expect(text).toContain("| first page | page in the middle | last page | five minutes | Parquet answer |");
    const five = /^(– |[\d.,]+ ms( \([\d.,e-]+ ×\))? ?){5}$/;
    for (const name of [
      "edgetape",
      "DuckDB on the security's file, JSON in SQL",
      "hyparquet, told the row numbers",
      "parquet-wasm, told the row groups",
      "SQLite, clustered, JSON in SQL",
      "floor: edgetape's look-up of the positions",
      "floor: reading the bytes",
      "floor: ZSTD alone",
      "floor: JSON.stringify of ready rows",
    ]) {
      expect(`${cellsOf(text, name).join(" ")} `, name).toMatch(five);
    }

    const rows = JSON.parse(readFileSync(json, "utf8")) as BenchRow[];
    const run = { rows, date: "2026-11-30", command: "npm run bench", tables: text };
    const readme = withSpeed(readFileSync("README.md", "utf8"), run);
    for (const name of ["edgetape", "DuckDB on a file of the security alone", "`JSON.stringify` alone"])
      expect(readme).toMatch(new RegExp(`\\| ${name}[^|]*\\| [\\d.]+ ms`));
    expect(readme).toContain("\n## How it is built\n");
    const tables = withSection(readFileSync("test/bench/README.md", "utf8"), "Results", text);
    expect(tables.endsWith(`## Results\n\n${text.trimEnd()}\n`)).toBe(true);
    expect(withSection(tables, "Results", text)).toBe(tables);
  });

  it("shows how answer times grow with the day's rows and the page number, and how fast packs are built", async () => {
    const text = await report(
      "--only",
      "growth",
      "--only",
      "builder",
      "--rows",
      "20000,30000",
      "--rounds",
      "1",
    );
    expect(text).toContain("| 20,000 rows | 30,000 rows |");
    for (const name of ["first page", "last page", "five minutes", "Parquet answer", "share: manifest"]) {
      expect(cellsOf(text, name).length, name).toBeGreaterThanOrEqual(2);
    }
    for (const name of ["page 1", "page 2", "last page"]) expect(text).toContain(`\n| ${name} |`);
    expect(cellsOf(text, "DuckDB, read_csv, ORDER BY, COPY")[0]).toMatch(/rows\/s/);
  });

  it("refuses an unknown bench", async () => {
    await expect(report("--only", "luck")).rejects.toThrow("There is no bench luck");
  });
});

describe("a rival whose rows differ from edgetape's", () => {
  it("ends the bench instead of being timed", async () => {
    await using days = new BenchDays({ dayRows: [30_000], packs: [] });
    const [day] = await days.all();
    if (day === undefined) throw new Error("the bench prepared no day");
    const [ask] = await asksOf(day);
    if (ask === undefined) throw new Error("the bench prepared no request");
    const honest = edgetape({ day });
    const other = day.pack.index.entries.find(({ symbol, rows }) => symbol !== ask.symbol && rows > 0);
    const liar: Rival = {
      name: "liar",
      rows: async (asked) =>
        Buffer.from(await honest.rows(asked))
          .toString()
          .replace(",0,", ",1,"),
      parquet: async (symbol, path) =>
        edgetape({ day: { ...day, entry: other ?? day.entry } }).parquet?.(symbol, path),
    };
    const path = join(folder, "section.parquet");
    const lied = new Contest([honest, liar], 1);
    await expect(lied.rows(ask, async () => [])).rejects.toThrow("liar");
    await expect(lied.files(ask.symbol, path, [])).rejects.toThrow("liar");
    const agreed = new Contest([honest, { ...honest, name: "twin" }], 1);
    expect((await agreed.rows(ask, async () => [])).map(({ name }) => name)).toEqual(["edgetape", "twin"]);
    expect((await agreed.files(ask.symbol, path, [])).map(({ name }) => name)).toEqual(["edgetape", "twin"]);
  });
});
