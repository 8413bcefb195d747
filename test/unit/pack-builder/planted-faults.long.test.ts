import { describe, expect, it } from "vitest";
import { type Checked, checkedTables, faultsOf, madeDay } from "../../support/checked-day.ts";
import {
  type Columns,
  LAYOUTS,
  type LayoutName,
  plainQuotes,
  SHANGHAI_ONLY,
  type Table,
  tablesOf,
} from "../../support/layout-sources.ts";
import { type Random, randomFrom } from "../../support/random.ts";

const [DAY, BEFORE] = ["20230711", "20230710"];
const ROWS = 600;
const SEEDS = 10;

interface Planted {
  tables: Table[];
  /**
   * The check must report a fault of at least one of these security codes. `day` means a fault of the whole day, and
   * `report` a fault in the build's report.
   */
  codes: readonly string[];
  before?: Record<string, Table[]>;
  /** Whether the check needs the day's quotes to find the fault. */
  needsQuotes?: true;
}

/** A function that plants one fault into the tables of a day. It returns `null` if the layout cannot have the fault. */
type Plant = (tables: Table[], said: { layout: LayoutName; random: Random; seed: string }) => Planted | null;

const holds = (table: Table, dataset: "orders" | "trades") =>
  table.dataset === dataset || table.dataset === "both";
const isRowOf = (table: Table, row: string[], dataset: "orders" | "trades") =>
  holds(table, dataset) && table.isTrade(row) === (dataset === "trades");
const at = ({ header, columns }: Table, role: keyof Columns) => header.indexOf(columns[role] ?? "");

/** Returns the security code of a row, with its suffix. */
function codeOf(table: Table, row: string[]): string {
  const symbol = (row[at(table, "security")] ?? "").slice(0, 6);
  return `${symbol}.${symbol.startsWith("6") ? "SH" : "SZ"}`;
}

/** Returns the tables with each row replaced by the rows that `change` returns; an empty list drops the row. */
function changed(
  tables: readonly Table[],
  change: (table: Table, row: string[]) => readonly string[][],
): Table[] {
  return tables.map((table) => ({ ...table, rows: table.rows.flatMap((row) => change(table, row)) }));
}

const withCell = (row: string[], place: number, cell: string) => row.with(place, cell);

function scaled(row: string[], place: number, factor: number): string[] {
  const value = Number(row[place]) * factor;
  return withCell(row, place, (row[place] ?? "").includes(".") ? value.toFixed(3) : String(value));
}

const ALL = ["000001.SZ", "300750.SZ", "600036.SH", "600519.SH"];
const codesIn = (layout: LayoutName) =>
  SHANGHAI_ONLY.includes(layout) ? ALL.filter((code) => code.endsWith("SH")) : ALL;

/** Returns the tables with only the rows of the security `code` changed, in all datasets. */
function ofOne(
  tables: readonly Table[],
  code: string,
  change: (table: Table, row: string[]) => readonly string[][],
): Table[] {
  return changed(tables, (table, row) => (codeOf(table, row) === code ? change(table, row) : [row]));
}

const dataset = (random: Random) => random.pick(["orders", "trades"] as const);

const WHOLE_FILE: Record<string, Plant> = {
  "half a file": (tables, { layout, random }) => {
    const [code, name] = [random.pick(codesIn(layout)), dataset(random)];
    const half = tables.map((table) => {
      const own = table.rows.filter((row) => codeOf(table, row) === code && isRowOf(table, row, name));
      const kept = new Set(own.slice(0, own.length / 2));
      return { ...table, rows: table.rows.filter((row) => !own.includes(row) || kept.has(row)) };
    });
    return { tables: half, codes: [code] };
  },
  "another day's file": (tables, { layout, random, seed }) => {
    const [code, name] = [random.pick(codesIn(layout)), dataset(random)];
    const other = tablesOf(layout, DAY, madeDay(`${seed} other`, ROWS));
    const swapped = tables.map((table, place) => {
      const source = other[place] ?? table;
      const isIn = (from: Table) => (row: string[]) => codeOf(from, row) === code && isRowOf(from, row, name);
      const kept = table.rows.filter((row) => !isIn(table)(row));
      return { ...table, rows: [...kept, ...source.rows.filter(isIn(source))] };
    });
    return { tables: swapped, codes: [code] };
  },
  "dropped cancels": (tables, { layout, random }) => {
    const code = random.pick(codesIn(layout));
    return { tables: ofOne(tables, code, (table, row) => (table.isCancel(row) ? [] : [row])), codes: [code] };
  },
  "a factor of 100 in the volumes of one dataset": (tables, { layout, random }) => {
    const [code, name] = [random.pick(codesIn(layout)), dataset(random)];
    const factor = ofOne(tables, code, (table, row) =>
      isRowOf(table, row, name) ? [scaled(row, at(table, "volume"), 100)] : [row],
    );
    return { tables: factor, codes: [code] };
  },
  "a factor of 100 in all volumes": (tables, { layout }) => ({
    tables: changed(tables, (table, row) => [scaled(row, at(table, "volume"), 100)]),
    codes: codesIn(layout),
  }),
  "a factor of 10,000 in all prices and so in the amounts": (tables, { layout }) => ({
    tables: changed(tables, (table, row) => [scaled(row, at(table, "price"), 10_000)]),
    codes: codesIn(layout),
  }),
  "a shifted hour": (tables, { layout }) => ({
    tables: changed(tables, (table, row) => {
      const place = at(table, "time");
      const cell = row[place] ?? "";
      const hour = cell.includes(":") ? cell.slice(0, 2) : cell.padStart(9, "0").slice(0, 2);
      const later = String(Number(hour) + 1).padStart(2, "0");
      const rest = cell.includes(":") ? cell.slice(2) : cell.padStart(9, "0").slice(2);
      return [withCell(row, place, later + rest)];
    }),
    codes: codesIn(layout),
  }),
  "a lost exchange of one dataset": (tables, { layout, random }) => {
    if (SHANGHAI_ONLY.includes(layout)) return null;
    const [market, name] = [random.pick(["SH", "SZ"]), dataset(random)];
    const lost = changed(tables, (table, row) =>
      codeOf(table, row).endsWith(market) && isRowOf(table, row, name) ? [] : [row],
    );
    return { tables: lost.filter(({ rows }) => rows.length > 0), codes: ["day"] };
  },
  "an exchange lost altogether": (tables, { layout, random, seed }) => {
    if (SHANGHAI_ONLY.includes(layout)) return null;
    const market = random.pick(["SH", "SZ"]);
    const left = changed(tables, (table, row) => (codeOf(table, row).endsWith(market) ? [] : [row]));
    const before = { [BEFORE]: tablesOf(layout, BEFORE, madeDay(`${seed} before`, ROWS)) };
    return { tables: left.filter(({ rows }) => rows.length > 0), codes: ["day"], before };
  },
  "a stale copy": (tables, { layout, seed }) => ({
    tables,
    codes: codesIn(layout),
    before: { [BEFORE]: tablesOf(layout, BEFORE, madeDay(seed, ROWS)) },
  }),
  "a doubled file": (tables, { random }) => {
    const doubled = random.integer(0, tables.length - 1);
    return {
      tables: tables.map((table, place) =>
        place === doubled ? { ...table, rows: [...table.rows, ...table.rows] } : table,
      ),
      codes: ["report"],
    };
  },
};

/** Returns a random row for which `isOne` holds, with its table; `null` if there is none. */
function pickRow(
  tables: readonly Table[],
  random: Random,
  isOne: (table: Table, row: string[]) => boolean,
): { table: Table; row: string[] } | null {
  const all = tables.flatMap((table) =>
    table.rows.filter((row) => isOne(table, row)).map((row) => ({ table, row })),
  );
  return all.length === 0 ? null : random.pick(all);
}

/** Returns a `Plant` that replaces one random row for which `isOne` holds. */
function onOne(
  isOne: (table: Table, row: string[]) => boolean,
  change: (table: Table, row: string[]) => readonly string[][],
): Plant {
  return (tables, { random }) => {
    const picked = pickRow(tables, random, isOne);
    if (picked === null) return null;
    const faulty = changed(tables, (table, row) => (row === picked.row ? change(table, row) : [row]));
    return { tables: faulty, codes: [codeOf(picked.table, picked.row), "report"] };
  };
}

const isOrder = (table: Table, row: string[]) => {
  const type = row[at(table, "type")] ?? "";
  return isRowOf(table, row, "orders") && !table.isCancel(row) && !["S", "11"].includes(type);
};
const isFill = (table: Table, row: string[]) => isRowOf(table, row, "trades") && !table.isCancel(row);
const SWAPPED: Record<string, string> = { B: "S", S: "B", "1": "2", "2": "1" };

const more = (role: "volume") => (table: Table, row: string[]) => [
  withCell(row, at(table, role), String(Number(row[at(table, role)]) + 100)),
];

const SINGLE_ROW: Record<string, Plant> = {
  "a doubled order": onOne(isOrder, (_, row) => [row, row]),
  "a doubled trade": onOne(isFill, (_, row) => [row, row]),
  "a swapped flag": onOne(
    (table, row) => isFill(table, row) && SWAPPED[row[at(table, "flag")] ?? ""] !== undefined,
    (table, row) => [withCell(row, at(table, "flag"), SWAPPED[row[at(table, "flag")] ?? ""] ?? "")],
  ),
  "a wrong remainder": onOne((table, row) => table.isCancel(row), more("volume")),
  // If a resting order stays open to the end, only the day's totals reveal the additional 100 shares.
  "a trade of 100 shares too many": (...said) => {
    const planted = onOne(isFill, more("volume"))(...said);
    return planted === null ? null : { ...planted, needsQuotes: true };
  },
};

/** Returns whether the sheet names one of `codes`; with `report` in `codes`, a repeated row in a report counts too. */
function isFound(checked: Checked, codes: readonly string[]): boolean {
  const faults = faultsOf(checked);
  const isNamed = faults.some((fault) => codes.some((code) => fault.startsWith(`${code} `)));
  if (isNamed || !codes.includes("report")) return isNamed;
  return checked.reports.some(({ defects }) =>
    defects.some(({ kind }) => kind === "repeated_row" || kind === "identical_row"),
  );
}

describe.each(LAYOUTS)("the quality check of a day in the layout %s", (layout) => {
  it.each(Object.entries({ ...WHOLE_FILE, ...SINGLE_ROW }))(
    "finds the planted fault: %s",
    async (name, plant) => {
      const kinds = new Set<string>();
      let [count, withoutQuotes] = [0, 0];
      for (let number = 0; number < SEEDS; number++) {
        const seed = `${name} ${number}`;
        const day = madeDay(seed, ROWS);
        const planted = plant(tablesOf(layout, DAY, day), { layout, random: randomFrom(number), seed });
        if (planted === null) continue;
        const { tables, codes, before, needsQuotes } = planted;
        let checked = await checkedTables(tables, { before });
        count += 1;
        if (isFound(checked, codes)) withoutQuotes += 1;
        else if (needsQuotes) {
          const quotes = plainQuotes(DAY, madeDay(seed, ROWS, { hasQuotes: true }));
          checked = await checkedTables([...tables, quotes], { before });
        }
        for (const fault of faultsOf(checked)) kinds.add(fault.split(" ").slice(1).join(" "));
        expect(isFound(checked, codes), `${seed}: ${faultsOf(checked)}`).toBe(true);
      }
      if (count === 0) return;
      const found = [...kinds].join(", ") || "named in the build's report";
      console.log(`${layout}: ${name}: ${withoutQuotes} of ${count} without quotes: ${found}`);
    },
  );
});

/** Faults that leave orders and trades in agreement. `isOf` selects the rows to change. */
const THROUGH_QUOTES: readonly {
  name: string;
  kind: string;
  plant: (tables: readonly Table[], quotes: Table, isOf: (table: Table, row: string[]) => boolean) => Table[];
}[] = [
  {
    name: "a factor of 100 in the volumes of orders and trades",
    kind: "sum_volume",
    plant: (tables, quotes, isOf) => [...rescaled(tables, { role: "volume", factor: 100, isOf }), quotes],
  },
  {
    name: "a factor of 10,000 in the prices of orders and trades",
    kind: "sum_amount",
    plant: (tables, quotes, isOf) => [...rescaled(tables, { role: "price", factor: 10_000, isOf }), quotes],
  },
  {
    name: "a factor of 10,000 in the amounts of the quotes",
    kind: "sum_amount",
    plant: (tables, quotes, isOf) => {
      const place = quotes.header.indexOf("amount");
      return [
        ...tables,
        ...changed([quotes], (table, row) => [isOf(table, row) ? scaled(row, place, 1 / 10_000) : row]),
      ];
    },
  },
];

/** Returns tables in which a column is multiplied by a factor in the rows that `isOf` selects. */
function rescaled(
  tables: readonly Table[],
  said: { role: "volume" | "price"; factor: number; isOf: (table: Table, row: string[]) => boolean },
): Table[] {
  return changed(tables, (table, row) => [
    said.isOf(table, row) ? scaled(row, at(table, said.role), said.factor) : row,
  ]);
}

describe.each(LAYOUTS)("the comparison with quotes, for a day in the layout %s,", (layout) => {
  it.each(THROUGH_QUOTES)("finds $name of one security", async ({ name, kind, plant }) => {
    const day = madeDay(name, ROWS, { hasQuotes: true }).filter(
      ({ market }) => market === "SH" || !SHANGHAI_ONLY.includes(layout),
    );
    const isOf = (table: Table, row: string[]) => codeOf(table, row) === "600519.SH";
    const checked = await checkedTables(plant(tablesOf(layout, DAY, day), plainQuotes(DAY, day), isOf));
    const ofSums = faultsOf(checked).filter((fault) => fault.includes(" sums "));
    expect(ofSums).toContain(`600519.SH sums ${kind}`);
    expect(ofSums.filter((fault) => !fault.startsWith("600519.SH"))).toEqual([]);
  });
});

describe("a fault in all securities", () => {
  it.each(THROUGH_QUOTES)("stops the build: $name", async ({ name, plant }) => {
    const day = madeDay(name, ROWS, { hasQuotes: true });
    const tables = plant(tablesOf("vendor", DAY, day), plainQuotes(DAY, day), () => true);
    await expect(checkedTables(tables)).rejects.toThrow(/ is (?:100|10,000) times /);
  });
});
