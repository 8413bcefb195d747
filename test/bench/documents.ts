/** Writes the figures of a whole run into `test/bench/README.md` and the README's section on speed. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchRow } from "./bench-row.ts";
import { figureOf, writeWhole } from "./report.ts";

/** The results of a run of all benches. */
export interface Measured {
  rows: readonly BenchRow[];
  /** The day of the run, YYYY-MM-DD. */
  date: string;
  /** The command that started the run. */
  command: string;
  /** The machine, the versions, and all tables. */
  tables: string;
}

const BENCH_README = "test/bench/README.md";
const README = "README.md";

/** The rows of the README's table: each contestant's name in the measurements and in the README. */
const SHOWN: readonly [rival: string, name: string][] = [
  ["edgetape", "edgetape"],
  ["DuckDB on the security's file, JSON in SQL", "DuckDB on a file of the security alone"],
  ["SQLite, clustered, JSON in SQL", "SQLite, clustered by security and time"],
  ["floor: JSON.stringify of ready rows", "`JSON.stringify` alone, of the same rows"],
];
const COLUMNS = ["page in the middle", "Parquet answer"];

/**
 * Rewrites both documents below `folder` and returns their paths. At least one day must have been measured with every
 * contestant that the README shows; otherwise throws before it writes anything.
 */
export async function updateDocuments(folder: string, measured: Measured): Promise<string[]> {
  const paths = [BENCH_README, README].map((path) => join(folder, path));
  const [bench = "", readme = ""] = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  const texts = [withSection(bench, "Results", measured.tables), withSpeed(readme, measured)];
  for (const [number, path] of paths.entries()) await writeWhole(path, texts[number] ?? "");
  return paths;
}

/** Returns the README with its section on speed replaced by the table of this run. */
export function withSpeed(text: string, { rows, date, command }: Measured): string {
  const contests = new Set(rows.flatMap(({ table }) => (table?.startsWith("a day of ") ? [table] : [])));
  // Days are measured in ascending order of size, so the last table that has every contestant is the largest day's.
  const contest = [...contests].findLast((table) => SHOWN.every(([name]) => holds(rows, table, name)));
  const sizes = contest === undefined ? null : /^a day of ([\d,]+) rows, ([\d,]+) of them/.exec(contest);
  if (contest === undefined || sizes === null)
    throw new Error("No day was measured with every contestant that the README shows.");
  const [, day, security] = sizes;
  const lines = SHOWN.map(([rival, name]) => {
    const cells = COLUMNS.map((column) => cellOf(rows, { table: contest, name: rival, column }));
    return `| ${name} | ${cells.join(" | ")} |`;
  });
  const body = [
    `One page of 10,000 rows from a day of ${day}, and one security's day as Parquet (${security} rows), on two cores`,
    `(\`${command}\`, ${date}; [all tables](${BENCH_README})):`,
    "",
    `| | ${COLUMNS.join(" | ")} |`,
    `|---|${COLUMNS.map(() => "---:").join("|")}|`,
    ...lines,
  ];
  return withSection(text, "Speed", `${body.join("\n")}\n`);
}

function holds(rows: readonly BenchRow[], table: string, name: string): boolean {
  return rows.some((row) => row.table === table && row.name === name);
}

function cellOf(rows: readonly BenchRow[], of: Pick<BenchRow, "table" | "name" | "column">): string {
  const row = rows.find(
    (each) => each.table === of.table && each.name === of.name && each.column === of.column,
  );
  if (row === undefined) return "–";
  const beside = row.ratio === undefined ? "" : ` (${figureOf(row.ratio)} ×)`;
  return `${figureOf(row.value)} ${row.unit}${beside}`;
}

/** Returns `text` with the body of the section `## title` replaced. Throws if there is no such section. */
export function withSection(text: string, title: string, body: string): string {
  const heading = `## ${title}\n`;
  const from = text.indexOf(`\n${heading}`) + 1;
  if (from === 0) throw new Error(`There is no section "${title}".`);
  const next = text.indexOf("\n## ", from);
  const rest = next === -1 ? "" : text.slice(next);
  return `${text.slice(0, from)}${heading}\n${body.trimEnd()}\n${rest}`;
}
