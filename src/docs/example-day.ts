/**
 * The security and day that documentation shows: the newest loaded day, so that every example can be sent as it is.
 * The rows are invented; the tests that run the examples publish them.
 */

export const EXAMPLE = {
  symbol: "600519",
  market: "SH",
  /** Stands for the newest day where none is loaded. */
  tradedate: "20260311",
  /** Only its form is a key's. */
  key: "et_0123456789abcdefghijABCDEFGHIJ000000",
  requestId: "0199aa00c0ffee01",
} as const;

/** Its first orders, as an answer with the ten standard fields holds them. */
export const exampleRows = (tradedate: string): (string | number)[][] => [
  ["600519", tradedate, "091500000", 0, 0, "S", "OCALL", 0, 0, 0],
  ["600519", tradedate, "093000000", 7, 12, "A", "B", 1500, 100, 150_000],
  ["600519", tradedate, "093000000", 7, 13, "A", "S", 1499.99, 200, 299_998],
  ["600519", tradedate, "093000010", 7, 12, "D", "B", 1500, 60, 90_000],
];

/** What examples say of the service they stand on: its address, and the day (YYYYMMDD) they ask for. */
export interface ExampleFacts {
  base: string;
  tradedate: string;
}

/** `text` with `{base}`, `{day}`, its `{date}` (YYYY-MM-DD), its `{month}` (YYYYMM) and its `{year}` filled in. */
export function withExample(text: string, { base, tradedate }: ExampleFacts): string {
  return text
    .replaceAll("{base}", base)
    .replaceAll("{day}", tradedate)
    .replaceAll("{date}", `${tradedate.slice(0, 4)}-${tradedate.slice(4, 6)}-${tradedate.slice(6)}`)
    .replaceAll("{month}", tradedate.slice(0, 6))
    .replaceAll("{year}", tradedate.slice(0, 4));
}
