import { expect, it } from "vitest";
import { WARM_UP_ROWS, warmUp } from "../../../src/packs/warm-up.ts";
import { day, order, security } from "../../support/builders.ts";

/**
 * The rows have ids with gaps, both order types, both order codes, and dictionaries whose indices have several bits, so
 * that the warm-up uses every reader.
 */
const made = day({
  tradedate: "20240102",
  securities: [
    security(
      "600519",
      Array.from({ length: WARM_UP_ROWS }, (_, row) =>
        order(String(93_000_000 + 1_000 * Math.floor(row / 8) + 10 * (row % 8)).padStart(9, "0"), {
          orderId: 5 * row,
          exchangeOrderId: 20_000_000 + 3 * row,
          orderType: row % 9 === 0 ? "D" : "A",
          orderCode: row % 2 === 0 ? "B" : "S",
          priceE4: 123_400 + 100 * (row % 16),
          volume: 100 * (1 + (row % 32)),
        }),
      ),
    ),
  ],
});

it("The warm-up of a new isolate writes its invented rows as JSON.stringify does", () => {
  expect(Buffer.concat(warmUp()).toString()).toBe(JSON.stringify(made.rowsOf("600519")));
});
