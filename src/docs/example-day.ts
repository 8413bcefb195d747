/**
 * The security and day in examples: the newest loaded day, so that every example can be sent unchanged. The rows are
 * synthetic; the tests that run the examples publish them.
 */

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

/** Facts for examples: the service's URL and the day (YYYYMMDD) to request. */
export interface ExampleFacts {
  base: string;
  tradedate: string;
}

/** Replaces `{base}`, `{day}`, `{date}` (YYYY-MM-DD), `{month}` (YYYYMM) and `{year}` in `text`. */
export function withExample(text: string, { base, tradedate }: ExampleFacts): string {
  return text
    .replaceAll("{base}", base)
    .replaceAll("{day}", tradedate)
    .replaceAll("{date}", `${tradedate.slice(0, 4)}-${tradedate.slice(4, 6)}-${tradedate.slice(6)}`)
    .replaceAll("{month}", tradedate.slice(0, 6))
    .replaceAll("{year}", tradedate.slice(0, 4));
}
