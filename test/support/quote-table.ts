/** Makes the quotes of a synthetic day in the plain layout, to be delivered beside orders and trades of any layout. */
import { numbersOf, storedColumns } from "../../src/datasets/dataset.ts";
import { quotes } from "../../src/datasets/quotes.ts";
import type { DayOfSecurity, Table } from "./layout-sources.ts";

const never = () => false;
const nineDigits = (time: number) => String(time).padStart(9, "0");

/** Returns the quotes of all securities of the day `tradedate` as one table. */
export function plainQuotes(tradedate: string, day: readonly DayOfSecurity[]): Table {
  const columns = storedColumns(quotes);
  return {
    dataset: "quotes",
    path: "quotes.csv",
    header: ["symbol", "market", "tradedate", "time", ...columns.map(({ name }) => name)],
    columns: { security: "symbol", date: "tradedate", time: "time", price: "close", volume: "volume" },
    codeOf: ({ symbol }) => symbol,
    isTrade: never,
    isCancel: never,
    lineEnd: "\n",
    rows: day.flatMap(({ symbol, market, quotes: rows }) =>
      [...rows.time].map((time, row) => [
        symbol,
        market,
        tradedate,
        nineDigits(time),
        ...columns.map((column) => {
          const number = numbersOf(rows, column)[row] ?? 0;
          return column.kind === "price" ? (number / 10_000).toFixed(4) : String(number);
        }),
      ]),
    ),
  };
}
