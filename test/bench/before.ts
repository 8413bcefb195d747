/**
 * Compares the figures of a run with the figures of 2026-11-28. At that time, every request called D1, the gate and R2
 * one after the other.
 */
import type { BenchRow } from "./bench-row.ts";
import { figureOf } from "./report.ts";

/** The table, name and column that identify a figure among the rows of a run. */
interface Place {
  /** The beginning of the table's title; undefined when the bench's name is the title. */
  table: string | undefined;
  name: string;
  column: string | undefined;
}

interface Figure extends Place {
  /** The text of the first cell in the line that compares this figure. */
  what: string;
  /** Whether the ratio or the value is compared. */
  figure: "value" | "ratio";
  before: string;
  /** The limit of the figure, as text; absent for a figure without a limit. */
  wanted: string | undefined;
}

const at =
  (figure: Figure["figure"], table?: string, column?: string) =>
  (what: string, name: string, before: string, wanted?: string): Figure => ({
    ...{ what, figure, name, before },
    ...{ table, column, wanted },
  });

const latency = at("ratio", "latency", "time");
const d1Trips = at("value", "latency", "D1 trips");
const queries = at("value", "D1 reads a request", "queries");
const capacity = at("ratio", "pages a second of one isolate", "R2 far");
const rival = at("ratio", "a day of ", "page in the middle");
const cost = (column: string) => at("value", "a million requests", column);
const alone = at("value");

const PAGE_COST = "JSON page of 10,000 rows by cursor";

const FIGURES: readonly Figure[] = [
  ...[
    ["first page, key and security warm", "1.74 ×", "1.15 × at most"],
    ["first page, warm key, new security", "1.35 ×", "1.15 × at most"],
    ["first page, cold key", "1.59 ×"],
    ["page by cursor", "1.74 ×", "1.15 × at most"],
    ["last page", "1.82 ×", "1.15 × at most"],
    ["Parquet answer", "–"],
    ["range of a share's file", "–"],
  ].map(([name = "", before = "", wanted]) =>
    latency(`${name}, beside the least that its stores allow`, name, before, wanted),
  ),
  d1Trips("D1 trips of 1002 not_loaded", "1002 not_loaded", "2", "1 at most"),
  d1Trips("D1 trips of 429 quota_used", "429 quota_used", "1", "0"),
  ...[
    ["one long run of pages", "1.04"],
    ["first pages of 40 securities", "1.03"],
    ["one page a second of one security", "1.05"],
  ].map(([name = "", before = ""]) => queries(`D1 queries a request: ${name}`, name, before)),
  ...["100", "2,000", "10,000"].map((size) =>
    capacity(
      `pages of ${size} rows a second with R2 60 ms away, beside 2 ms`,
      `pages of ${size} rows`,
      "55 /s at most",
      "0.9 × at least",
    ),
  ),
  alone("start of an isolate, processor", "start of an isolate, processor", "170 ms", "85 ms at most"),
  ...[
    "DuckDB on the security's file, JSON in SQL",
    "SQLite, clustered, JSON in SQL",
    "floor: edgetape's look-up of the positions",
  ].map((name) => rival(`page in the middle: ${name}`, name, "–")),
  at("ratio")("page, decoded and written", "page, aligned", "0.944 ×"),
  at("value", "refusals beside a page", "worker's own time")(
    "the whole request of that page, worker's own time",
    "the page",
    "6.33 ms (ids near 2^53)",
  ),
  alone("pages a second, 200 accounts", "pages, 200 accounts", "99.6 /s (ids near 2^53)"),
  alone("page, p50, 200 accounts", "page, p50", "2,090 ms (ids near 2^53)"),
  alone(
    "page of 10,000 rows on the wire, as the examples ask for it",
    "to a client that accepts gzip",
    "755,000 bytes",
  ),
  cost("price of a million")("a million pages by cursor", PAGE_COST, "2.35 $ without logs"),
  cost("of it logs")("of it logs", PAGE_COST, "not counted"),
  cost("processor, at most")("processor time of a page by cursor, at most", PAGE_COST, "–"),
  cost("processor, at most")(
    "the same with ids near 2^53",
    "the same with ids near 2^53: the fallback reader",
    "–",
  ),
  cost("of them wasted")(
    "R2 reads wasted by a request that the gate refuses",
    "a page, and the refusal that wastes a read",
    "0",
  ),
];

const HEAD = "| figure | 2026-11-28 | now | wanted |\n|---|---:|---:|---:|";

/**
 * Returns a Markdown table of the figures that `rows` contain (an empty string if there are none), and the names of the
 * missing figures.
 */
export function beforeAndAfter(rows: readonly BenchRow[]): { table: string; missing: string[] } {
  const missing: string[] = [];
  const lines: string[] = [];
  for (const figure of FIGURES) {
    // Days are measured in ascending order of size, so the last match is the largest day.
    const row = rows.findLast((each) => standsAt(each, figure));
    if (row === undefined) missing.push(figure.what);
    else
      lines.push(
        `| ${figure.what} | ${figure.before} | ${textOf(row, figure)} | ${figure.wanted ?? "–"} |\n`,
      );
  }
  return { table: lines.length === 0 ? "" : `${HEAD}\n${lines.join("")}`, missing };
}

function standsAt(row: BenchRow, { table, name, column }: Place): boolean {
  const isInTable = table === undefined ? row.table === undefined : (row.table ?? "").startsWith(table);
  // The name of a row can end with settings of the run, as in `pages, 200 accounts for 20 s`.
  return isInTable && row.name.startsWith(name) && row.column === column;
}

function textOf({ value, unit, ratio }: BenchRow, { figure }: Figure): string {
  if (figure === "ratio") return `${figureOf(ratio ?? Number.NaN)} ×`;
  return `${figureOf(value)} ${unit}`.trim();
}
