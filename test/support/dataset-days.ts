/**
 * Makes days of any dataset: rows, their pack, and the expected rows of an answer. Values are computed here,
 * independently of the service, by the kind of each column.
 */
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { codesOf, type Dataset, numbersOf, type Rows, storedColumns } from "../../src/datasets/dataset.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import type { Market } from "../../src/orders/record.ts";
import {
  clockMilliseconds,
  clockTime,
  columnsOf,
  exactTenThousandths,
  marketOf,
  type Row,
  randomRows,
  randomSecurity,
} from "./builders.ts";
import { publishPack } from "./operator.ts";
import { buildPackBytes } from "./pack-bytes.ts";
import { openTestPack, type TestPack } from "./packs.ts";
import type { Random } from "./random.ts";
import type { Service } from "./service.ts";

/** The rows of one security of a dataset. */
export interface DatasetSection {
  symbol: string;
  market: Market;
  columns: Rows;
}

/**
 * Returns the names of a dataset's standard fields, or of all its fields, including fields returned only on request.
 */
export function fieldNames({ columns }: Dataset, which: "standard" | "all" = "standard"): string[] {
  return columns.filter((column) => which === "all" || !column.onRequest).map(({ name }) => name);
}

/** Returns the name of a dataset's first price column. */
export function priceField(dataset: DatasetName): string {
  const price = DATASETS[dataset].columns.find(({ kind }) => kind === "price");
  if (price === undefined) throw new Error(`${dataset} have no price`);
  return price.name;
}

/** Returns the dataset after `dataset` in `DATASET_NAMES`, or the first dataset for the last one. */
export function otherThan(dataset: DatasetName): DatasetName {
  return DATASET_NAMES[(DATASET_NAMES.indexOf(dataset) + 1) % DATASET_NAMES.length] ?? dataset;
}

/** Returns the rows of a section as an answer must contain them, with these fields. */
export function answerRows(
  dataset: Dataset,
  { symbol, columns: rows }: DatasetSection,
  tradedate: string,
  fields = fieldNames(dataset),
): Row[] {
  const stored = storedColumns(dataset);
  const integersOf = (name: string) => {
    const column = stored.find((each) => each.name === name);
    if (column === undefined) throw new Error(`no column ${name}`);
    const numbers = numbersOf(rows, column);
    return (row: number) => BigInt(numbers[row] ?? 0);
  };
  /** Returns the function that computes the cell of a row. */
  const cellOf = (name: string): ((row: number) => string | number) => {
    const column = dataset.columns.find((each) => each.name === name);
    switch (column?.kind) {
      case "symbol":
        return () => symbol;
      case "tradedate":
        return () => tradedate;
      case "time":
        return (row) => String(rows.time[row]).padStart(9, "0");
      case "code": {
        const { values, index } = codesOf(rows, column);
        return (row) => values[index[row] ?? 0] ?? "";
      }
      case "integer": {
        const integers = integersOf(name);
        return (row) => Number(integers(row));
      }
      case "price": {
        const prices = integersOf(name);
        return (row) => exactTenThousandths(prices(row));
      }
      case "yuan": {
        const numbers = numbersOf(rows, column);
        return (row) => numbers[row] ?? 0;
      }
      case "amount": {
        const [prices, volumes] = [integersOf(column.price), integersOf(column.volume)];
        return (row) => exactTenThousandths(prices(row) * volumes(row));
      }
      default:
        throw new Error(`no column ${name}`);
    }
  };
  const cells = fields.map(cellOf);
  return Array.from({ length: rows.rows }, (_, row) => cells.map((cell) => cell(row)));
}

/** Returns nearly incompressible rows of any dataset, 20 per millisecond from 09:30. */
export function noiseOf(random: Random, dataset: Dataset, rows: number): Rows {
  const integers = (high: number) => Float64Array.from({ length: rows }, () => random.integer(1, high));
  const cells = storedColumns(dataset).map(({ key, kind }) => [
    key,
    kind === "code"
      ? { values: ["0", "1"], index: Uint16Array.from(integers(1)) }
      : integers(kind === "price" ? 4_000_000 : 2 ** 40),
  ]);
  const time = Int32Array.from({ length: rows }, (_, n) =>
    Number(clockTime(34_200_000 + Math.floor(n / 20))),
  );
  return { rows, time, ...Object.fromEntries(cells) };
}

/** Enough incompressible cells to make a file larger than all buffers between the service and an idle client. */
const LARGE_CELLS = 4_000_000;

/** Returns rows of a security with a Parquet file so large that its slot stays occupied until a client has read it. */
export function largeSection(random: Random, dataset: DatasetName, symbol: string): DatasetSection {
  const rows = Math.ceil(LARGE_CELLS / DATASETS[dataset].columns.length);
  return { symbol, market: marketOf(symbol), columns: noiseOf(random, DATASETS[dataset], rows) };
}

/** Returns rows of a security of any dataset, with the same distributions as the orders of `randomSecurity`. */
export function randomSection(
  random: Random,
  dataset: DatasetName,
  said: { symbol: string; rows: number; crowd?: number },
): DatasetSection {
  const { symbol, market, orders } = randomSecurity(random, said);
  const columns = dataset === "orders" ? columnsOf(orders) : randomRows(random, DATASETS[dataset], said);
  return { symbol, market, columns };
}

/**
 * Returns `rows` rows in the millisecond `time`, all with different numbers. `around` more rows are in the millisecond
 * before it, and as many in the millisecond after it.
 */
export function crowdedSection(
  dataset: DatasetName,
  said: { symbol: string; time: string; rows: number; around?: number },
): DatasetSection {
  const { symbol, time, rows, around = 0 } = said;
  const count = rows + 2 * around;
  const cells = storedColumns(DATASETS[dataset]).map(({ key, kind }) => [
    key,
    kind === "code"
      ? { values: ["B"], index: new Uint16Array(count) }
      : Float64Array.from({ length: count }, (_, row) => row + 1),
  ]);
  const at = clockMilliseconds(time);
  const timeOf = (row: number) => at + (row < around ? -1 : row < around + rows ? 0 : 1);
  const times = Int32Array.from({ length: count }, (_, row) => Number(clockTime(timeOf(row))));
  return {
    symbol,
    market: marketOf(symbol),
    columns: { rows: count, time: times, ...Object.fromEntries(cells) },
  };
}

/** Publishes the sections as a day of the dataset, as the operator's command does. Returns the pack. */
export async function publishSections(
  service: Service,
  dataset: DatasetName,
  tradedate: string,
  sections: DatasetSection[],
): Promise<TestPack> {
  const sorted = sections.toSorted((a, b) => (a.symbol + a.market < b.symbol + b.market ? -1 : 1));
  const bytes = await buildPackBytes(tradedate as BeijingDate, sorted, undefined, dataset);
  await publishPack(service, tradedate, bytes, { dataset });
  return openTestPack(bytes);
}
