/** Prints figures: lines for the terminal, Markdown tables for the report, and the machine they were measured on. */
import { readFileSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import { arch, cpus, platform, totalmem } from "node:os";
import type { BenchRow } from "./bench-row.ts";

/** The libraries on which the figures depend besides our own code. */
const VERSIONS_OF = [
  "workerd",
  "miniflare",
  "@duckdb/node-api",
  "hyparquet",
  "hyparquet-writer",
  "parquet-wasm",
  "apache-arrow",
];

/** Returns one line about the machine and one about the versions. */
export function setting(now: Date): string[] {
  const { sqlite, v8, zstd } = process.versions as Record<string, string | undefined>;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB of memory`;
  const versions = VERSIONS_OF.map((name) => `${name} ${versionOf(name)}`);
  return [
    `${now.toISOString().slice(0, 10)}, ${cpus().length} × ${cpus()[0]?.model ?? "?"}, ${memory}, ${platform()} ${arch()}`,
    `node ${process.version} (V8 ${v8}, SQLite ${sqlite}, ZSTD ${zstd}), ${versions.join(", ")}`,
  ];
}

/** Returns the figures of one bench as a Markdown table per title; `name` is the title of figures without one. */
export function tablesOf(name: string, rows: readonly BenchRow[]): string {
  const titles = [...new Set(rows.map(({ table }) => table ?? name))];
  return titles
    .map((title) => {
      const own = rows.filter(({ table }) => (table ?? name) === title);
      return own.some(({ column }) => column !== undefined) ? matrixOf(title, own) : listOf(title, own);
    })
    .join("\n");
}

/** Returns a figure as a line for the terminal. */
export function lineOf({ name, column, value, unit, ratio, against }: BenchRow): string {
  const what = column === undefined ? name : `${name}: ${column}`;
  const beside = ratio === undefined ? "" : `   ${figureOf(ratio)} × ${against ?? ""}`;
  return `  ${what.padEnd(58)} ${figureOf(value).padStart(12)} ${unit.padEnd(10)}${beside}`;
}

/** Writes `text` to a temporary file and renames it when it is complete. */
export async function writeWhole(path: string, text: string): Promise<void> {
  await writeFile(`${path}.part`, text);
  await rename(`${path}.part`, path);
}

function listOf(title: string, rows: readonly BenchRow[]): string {
  const lines = rows.map(({ name, value, unit, ratio, against }) => {
    const beside = ratio === undefined ? "" : `${figureOf(ratio)} × ${against ?? ""}`;
    return `| ${name} | ${`${figureOf(value)} ${unit}`.trim()} | ${beside} |`;
  });
  return `| ${title} | | |\n|---|---|---|\n${lines.join("\n")}\n`;
}

/** Returns a table with a line for each `name` and a column for each `column`; ratios are in parentheses. */
function matrixOf(title: string, rows: readonly BenchRow[]): string {
  const columns = [...new Set(rows.map(({ column }) => column ?? ""))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const cellOf = (name: string, column: string): string => {
    const row = rows.find((each) => each.name === name && (each.column ?? "") === column);
    if (row === undefined) return "–";
    const beside = row.ratio === undefined ? "" : ` (${figureOf(row.ratio)} ×)`;
    return `${figureOf(row.value)} ${row.unit}`.trim() + beside;
  };
  const lines = names.map(
    (name) => `| ${name} | ${columns.map((column) => cellOf(name, column)).join(" | ")} |`,
  );
  const ruler = `|---|${columns.map(() => "---:").join("|")}|`;
  const against = rows.find((row) => row.against !== undefined)?.against;
  const head = against === undefined ? title : `${title} (×: beside ${against})`;
  return `| ${head} | ${columns.join(" | ")} |\n${ruler}\n${lines.join("\n")}\n`;
}

/** Returns `value` as text with three significant digits. */
export function figureOf(value: number): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 3 });
}

function versionOf(name: string): string {
  const manifest = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")) as {
    version: string;
  };
  return manifest.version;
}
