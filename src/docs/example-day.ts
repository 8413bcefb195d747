/** The invented security and day that documentation shows; the tests that run its examples publish it. */

export const EXAMPLE = {
  symbol: "600519",
  market: "SH",
  tradedate: "20260311",
  /** Only its form is a key's. */
  key: "et_0123456789abcdefghijABCDEFGHIJ000000",
  requestId: "0199aa00c0ffee01",
} as const;

/** Its first orders, as an answer with the ten standard fields holds them. */
export const EXAMPLE_ROWS: readonly (readonly (string | number)[])[] = [
  ["600519", "20260311", "091500000", 0, 0, "S", "OCALL", 0, 0, 0],
  ["600519", "20260311", "093000000", 7, 12, "A", "B", 1500, 100, 150_000],
  ["600519", "20260311", "093000000", 7, 13, "A", "S", 1499.99, 200, 299_998],
  ["600519", "20260311", "093000010", 7, 12, "D", "B", 1500, 60, 90_000],
];
