/**
 * The security and the days in examples. Examples request each dataset's newest loaded day, so that they can be sent
 * unchanged, even in the evening, when a day's orders are loaded before its trades and quotes. The rows are synthetic;
 * the tests that run the examples publish them.
 */
import { type DatasetName, perDataset } from "../datasets/registry.ts";

export const EXAMPLE = {
  symbol: "600519",
  market: "SH",
  /** The day in examples when no day is loaded. */
  tradedate: "20260311",
  /** Has the form of a key but is invalid. */
  key: "et_0123456789abcdefghijABCDEFGHIJ000000",
  requestId: "0199aa00c0ffee01",
} as const;

/** Returns the security's first orders of the day, with the ten standard fields. */
export const exampleRows = (tradedate: string): (string | number)[][] => [
  ["600519", tradedate, "091500000", 0, 0, "S", "OCALL", 0, 0, 0],
  ["600519", tradedate, "093000000", 7, 12, "A", "B", 1500, 100, 150_000],
  ["600519", tradedate, "093000000", 7, 13, "A", "S", 1499.99, 200, 299_998],
  ["600519", tradedate, "093000010", 7, 12, "D", "B", 1500, 60, 90_000],
];

/** The day (YYYYMMDD) that examples request from each dataset. */
export type ExampleDays = Readonly<Record<DatasetName, string>>;

/** Facts for examples: the service's URL and the days to request. */
export interface ExampleFacts {
  base: string;
  days: ExampleDays;
}

/** Returns `tradedate` as the day of every dataset. */
export function onOneDay(tradedate: string): ExampleDays {
  return perDataset("name", () => tradedate);
}

const PLACEHOLDER = /\{(?:(trades|quotes|whole)_)?(day|date|month|year)\}/g;

/**
 * Replaces the placeholders in `text`. `{base}` is the service's URL. `{day}`, `{date}` (YYYY-MM-DD), `{month}`
 * (YYYYMM) and `{year}` are forms of the orders' day. A prefix selects another day: `{trades_day}` is the day of
 * trades, `{quotes_day}` the day of quotes. `{whole_day}` is the earliest of the three days, for examples that read
 * several datasets of one day.
 */
export function withExample(text: string, { base, days }: ExampleFacts): string {
  const [whole = days.orders] = Object.values(days).toSorted();
  const all = { ...days, whole };
  return text
    .replaceAll("{base}", base)
    .replaceAll(PLACEHOLDER, (_, of: keyof typeof all = "orders", form: DayForm) => FORMS[form](all[of]));
}

const FORMS = {
  day: (day: string) => day,
  date: (day: string) => `${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}`,
  month: (day: string) => day.slice(0, 6),
  year: (day: string) => day.slice(0, 4),
};
type DayForm = keyof typeof FORMS;
