/**
 * Compares the figures of a run with those of 2026-11-28, when every request called D1, the gate and R2 one after the
 * other.
 */
import type { BenchRow } from "./bench-row.ts";
import { figureOf } from "./report.ts";

/** The table, name and column that identify a figure among the rows of a run. */
interface Place {
  /** The beginning of the table's title. */
  table?: string;
  name: string;
  column?: string;
}

interface Figure extends Place {
  /** The first cell of the figure's line in the comparison. */
  what: string;
  /** Whether the ratio or the value is compared. */
  figure: "value" | "ratio";
  before: string;
  /** The limit of the figure, as text; absent for a figure without a limit. */
  wanted?: string;
}

const LATENCY = "latency";
const READS = "D1 reads a request";
const CAPACITY = "pages a second of one isolate";
const REFUSALS = "refusals beside a page";
const COST = "a million requests";
const RIVALS = "a day of ";

const latency = (name: string, before: string, wanted?: string): Figure => ({
  what: `${name}, beside the least that its stores allow`,
  table: LATENCY,
  name,
  column: "time",
  figure: "ratio",
  before,
  ...(wanted === undefined ? {} : { wanted }),
});

const d1Trips = (name: string, before: string, wanted: string): Figure => ({
  what: `D1 trips of ${name}`,
  table: LATENCY,
  name,
  column: "D1 trips",
  figure: "value",
  before,
  wanted,
});

const queries = (name: string, before: string): Figure => ({
  what: `D1 queries a request: ${name}`,
  table: READS,
  name,
  column: "queries",
  figure: "value",
  before,
});

const capacity = (size: string): Figure => ({
  what: `pages of ${size} rows a second with R2 60 ms away, beside 2 ms`,
  table: CAPACITY,
  name: `pages of ${size} rows`,
  column: "R2 far",
  figure: "ratio",
  before: "55 /s at most",
  wanted: "0.9 × at least",
});

const rival = (name: string): Figure => ({
  what: `page in the middle: ${name}`,
  table: RIVALS,
  name,
  column: "page in the middle",
  figure: "ratio",
  before: "–",
});

const cost = (what: string, name: string, column: string, before: string): Figure => ({
  what,
  table: COST,
  name,
  column,
  figure: "value",
  before,
});

const PAGE_COST = "JSON page of 10,000 rows by cursor";

const FIGURES: readonly Figure[] = [
  latency("first page, key and security warm", "1.74 ×", "1.15 × at most"),
  latency("first page, warm key, new security", "1.35 ×", "1.15 × at most"),
  latency("first page, cold key", "1.59 ×"),
  latency("page by cursor", "1.74 ×", "1.15 × at most"),
  latency("last page", "1.82 ×", "1.15 × at most"),
  latency("Parquet answer", "–"),
  latency("range of a share's file", "–"),
  d1Trips("1002 not_loaded", "2", "1 at most"),
  d1Trips("429 quota_used", "1", "0"),
  queries("one long run of pages", "1.04"),
  queries("first pages of 40 securities", "1.03"),
  queries("one page a second of one security", "1.05"),
  ...["100", "2,000", "10,000"].map(capacity),
  {
    what: "start of an isolate, processor",
    name: "start of an isolate, processor",
    figure: "value",
    before: "170 ms",
    wanted: "85 ms at most",
  },
  rival("DuckDB on the security's file, JSON in SQL"),
  rival("SQLite, clustered, JSON in SQL"),
  rival("floor: edgetape's look-up of the positions"),
  { what: "page, decoded and written", name: "page, aligned", figure: "ratio", before: "0.944 ×" },
  {
    what: "the whole request of that page, worker's own time",
    table: REFUSALS,
    name: "the page",
    column: "worker's own time",
    figure: "value",
    before: "6.33 ms (ids near 2^53)",
  },
  {
    what: "pages a second, 200 accounts",
    name: "pages, 200 accounts",
    figure: "value",
    before: "99.6 /s (ids near 2^53)",
  },
  { what: "page, p50, 200 accounts", name: "page, p50", figure: "value", before: "2,090 ms (ids near 2^53)" },
  {
    what: "page of 10,000 rows on the wire, as the examples ask for it",
    name: "to a client that accepts gzip",
    figure: "value",
    before: "755,000 bytes",
  },
  cost("a million pages by cursor", PAGE_COST, "price of a million", "2.35 $ without logs"),
  cost("of it logs", PAGE_COST, "of it logs", "not counted"),
  cost("processor time of a page by cursor, at most", PAGE_COST, "processor, at most", "–"),
  cost(
    "the same with ids near 2^53",
    "the same with ids near 2^53: the fallback reader",
    "processor, at most",
    "–",
  ),
  cost(
    "R2 reads wasted by a request that the gate refuses",
    "a page, and the refusal that wastes a read",
    "of them wasted",
    "0",
  ),
];

const HEAD = "| figure | 2026-11-28 | now | wanted |\n|---|---:|---:|---:|";

/**
 * Returns a Markdown table of the figures that `rows` contain, empty if there are none, and the figures that are
 * missing.
 */
export function beforeAndAfter(rows: readonly BenchRow[]): { table: string; missing: string[] } {
  const missing: string[] = [];
  const lines: string[] = [];
  for (const figure of FIGURES) {
    // Days are measured in the order of their size, so the last match is the largest day.
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
