import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import type { CodeColumn } from "../../../../src/datasets/dataset.ts";
import type { OrderColumns } from "../../../../src/orders/record.ts";
import { type SampleDay, sampleSections } from "../../../../src/pack-builder/sample/day.ts";
import type { TradeColumns } from "../../../../src/pack-builder/sample/tape.ts";
import { sampleDatasets } from "../../../../src/pack-builder/sample/trades.ts";
import { verifyPack } from "../../../../src/pack-builder/verify/verify-pack.ts";
import { writeSamplePack } from "../../../support/pack-bytes.ts";
import { bare } from "../../../support/result.ts";
import { temporaryFolder } from "../deliveries.ts";

const DAY = { tradedate: "20261127" as BeijingDate, rows: 8_000 };
const orders = [...sampleSections(DAY)];
const tradesOf = (day: SampleDay) =>
  [...sampleDatasets(day, { hasQuotes: false })].map(({ symbol, trades: columns }) => ({ symbol, columns }));
const trades = tradesOf(DAY);
const text = ({ values, index }: CodeColumn, row: number) => values[index[row] ?? 0] ?? "?";

interface Order {
  side: string;
  price: number;
  left: number;
}

/** Returns orders, trades and cancels by time. At equal times, orders come first, then trades, then cancels. */
function events(from: OrderColumns, of: TradeColumns) {
  const own = Array.from({ length: from.rows }, (_, row) => {
    const isCancel = text(from.orderType, row) === "D";
    return { time: from.time[row] ?? 0, rank: isCancel ? 2 : 0, row, isTrade: false };
  });
  const other = Array.from({ length: of.rows }, (_, row) => ({
    time: of.time[row] ?? 0,
    rank: 1,
    row,
    isTrade: true,
  }));
  return [...own, ...other].sort((a, b) => a.time - b.time || a.rank - b.rank);
}

/** Fills `volume` of an order. Throws if the order does not exist or has less left. */
function take(book: Map<number, Order>, number: number, volume: number): Order {
  const order = book.get(number);
  if (order === undefined) throw new Error(`there is no order ${number}`);
  order.left -= volume;
  if (order.left < 0) throw new Error(`order ${number} is filled beyond its volume`);
  return order;
}

describe("the trades of a sample day", () => {
  const days = orders.map((day, place) => ({ ...day, trades: trades[place] }));
  const shanghai = days.filter(({ market, columns }) => market === "SH" && columns.rows > 0);
  const shenzhen = days.filter(({ market, columns }) => market === "SZ" && columns.rows > 0);

  it.each(shanghai)(
    "for $symbol in Shanghai fill existing orders, and each cancel removes exactly what remains of its order",
    (day) => {
      const [from, of] = [day.columns, day.trades?.columns];
      if (of === undefined) throw new Error("no trades");
      expect(of.rows).toBeGreaterThan(from.rows / 10);
      const book = new Map<number, Order>();
      for (const { row, isTrade } of events(from, of)) {
        if (isTrade) {
          const flag = text(of.bsFlag, row);
          const touched = flag === "N" ? ["B", "S"] : [flag === "B" ? "S" : "B"];
          for (const side of touched) {
            const number = (side === "B" ? of.buyOrderId[row] : of.sellOrderId[row]) ?? 0;
            const order = take(book, number, of.volume[row] ?? 0);
            expect(order.side).toBe(side);
            if (flag !== "N") expect(of.priceE4[row]).toBe(order.price);
          }
          continue;
        }
        const number = from.exchangeOrderId[row] ?? 0;
        const volume = from.volume[row] ?? 0;
        const type = text(from.orderType, row);
        if (type === "A")
          book.set(number, { side: text(from.orderCode, row), price: from.priceE4[row] ?? 0, left: volume });
        if (type === "D") {
          expect(take(book, number, volume).left).toBe(0);
          book.delete(number);
        }
      }
    },
  );

  it.each(shenzhen)(
    "for $symbol in Shenzhen fill two orders each, and each cancel removes exactly what remains of its order",
    (day) => {
      const [from, of] = [day.columns, day.trades?.columns];
      if (of === undefined) throw new Error("no trades");
      expect(of.rows).toBeGreaterThan(from.rows / 10);
      const book = new Map<number, Order>();
      const kinds = new Set<string>();
      for (const { row, isTrade } of events(from, of)) {
        if (!isTrade) {
          const side = text(from.orderCode, row);
          book.set(from.exchangeOrderId[row] ?? 0, { side, price: 0, left: from.volume[row] ?? 0 });
          continue;
        }
        const code = text(of.tradeCode, row);
        const numbers = [of.buyOrderId[row] ?? 0, of.sellOrderId[row] ?? 0].filter((number) => number > 0);
        kinds.add(code);
        expect(numbers).toHaveLength(code === "C" ? 1 : 2);
        expect(of.tradeId[row]).toBeGreaterThan(Math.max(...numbers));
        for (const number of numbers) {
          const { left } = take(book, number, of.volume[row] ?? 0);
          if (code === "C") expect(left).toBe(0);
        }
        if (code === "C") expect(of.priceE4[row]).toBe(0);
      }
      expect([...kinds].sort()).toEqual(["0", "C"]);
    },
  );

  it("are sorted, identical each time the day is generated, and absent for the halted security", () => {
    for (const { columns } of trades) {
      expect(columns.time.every((at, row) => row === 0 || at >= (columns.time[row - 1] ?? 0))).toBe(true);
      expect(columns.tradeId.every((id, row) => row === 0 || id > (columns.tradeId[row - 1] ?? 0))).toBe(
        true,
      );
    }
    expect(tradesOf(DAY)).toEqual(trades);
    expect(trades.find(({ symbol }) => symbol === "603000")?.columns.rows).toBe(0);
  });

  it("make a pack that passes verification", async () => {
    const { path, rows } = await writeSamplePack(DAY, temporaryFolder(), "trades");
    expect(path).toMatch(/20261127_trades\.parquet$/);
    expect(bare(await verifyPack(path))).toMatchObject({ rows, index: { dataset: "trades" } });
  });
});
