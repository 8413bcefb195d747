import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import type { OrderColumns } from "../../../../src/orders/record.ts";
import { type SampleSection, sampleSections } from "../../../../src/pack-builder/sample/day.ts";

const TRADEDATE = "20261127" as BeijingDate;

const sections = [...sampleSections({ tradedate: TRADEDATE })];
const columnsOf = (symbol: string): OrderColumns => {
  const section = sections.find((entry) => entry.symbol === symbol);
  if (section === undefined) throw new Error(`the sample has no ${symbol}`);
  return section.columns;
};
const texts = (column: OrderColumns["orderType"]): string[] =>
  [...column.index].map((index) => column.values[index] ?? "?");
const shareOf = (values: string[], wanted: string): number =>
  values.filter((value) => value === wanted).length / values.length;

/** Counts the rows of each time. Returns the counts in ascending order. */
function crowds(columns: OrderColumns): number[] {
  const counts = new Map<number, number>();
  for (const time of columns.time) counts.set(time, (counts.get(time) ?? 0) + 1);
  return [...counts.values()].sort((a, b) => a - b);
}

function digest(days: Iterable<SampleSection>): string {
  const hash = createHash("sha256");
  for (const { symbol, columns } of days) {
    hash.update(symbol).update(columns.time).update(columns.exchangeOrderId).update(columns.orderId);
    hash.update(columns.priceE4).update(columns.volume).update(columns.orderType.index);
  }
  return hash.digest("hex");
}

describe("a sample day as a whole", () => {
  it("has exactly 120,000 rows of 20 sorted securities, among them 600519 and 300750", () => {
    const codes = sections.map(({ symbol, market }) => `${symbol}.${market}`);
    expect(codes).toHaveLength(20);
    expect(codes).toEqual([...codes].sort());
    expect(codes).toEqual(expect.arrayContaining(["600519.SH", "300750.SZ", "510300.SH", "159915.SZ"]));
    expect(sections.reduce((sum, { columns }) => sum + columns.rows, 0)).toBe(120_000);
  });

  it("has one security with more than 25,000 rows and one that is halted", () => {
    expect(sections.filter(({ columns }) => columns.rows > 25_000).map(({ symbol }) => symbol)).toEqual([
      "300750",
    ]);
    expect(columnsOf("603000").rows).toBe(0);
  });

  it("differs for another seed or date", () => {
    const day = (seed: string, tradedate = TRADEDATE) =>
      digest(sampleSections({ tradedate, seed, rows: 5_000 }));
    expect(day("a")).not.toBe(day("b"));
    expect(day("a")).not.toBe(day("a", "20261126" as BeijingDate));
  });

  it("never changes, so that answers copied into documents stay correct", () => {
    expect(digest(sampleSections({ tradedate: TRADEDATE, rows: 5_000 }))).toMatchInlineSnapshot(
      `"a456e37176ab07647c1f766fdf3e9a614f0f870c2cc9d0eff236023296e318ec"`,
    );
  });

  it("has 48 different securities when it has 800,000 rows", () => {
    const codes: string[] = [];
    let rows = 0;
    for (const { symbol, market, columns } of sampleSections({ tradedate: TRADEDATE, rows: 800_000 })) {
      codes.push(`${symbol}.${market}`);
      rows += columns.rows;
    }
    expect(rows).toBe(800_000);
    expect(codes).toHaveLength(48);
    expect(codes).toEqual([...new Set(codes)].sort());
  });
});

describe("a sample security", () => {
  const traded = sections.filter(({ columns }) => columns.rows > 0);

  it.each(traded)(
    "such as $symbol.$market has prices on its price step, whole volumes, and ids below 2^53",
    ({ symbol, columns }) => {
      const tickE4 = /^(11|12|15|51)/.test(symbol) ? 10 : 100;
      expect(columns.priceE4.every((price) => price % tickE4 === 0)).toBe(true);
      for (const column of [columns.volume, columns.exchangeOrderId, columns.orderId, columns.priceE4]) {
        expect(column.every((value) => Number.isSafeInteger(value) && value >= 0)).toBe(true);
      }
      expect(Math.max(...columns.exchangeOrderId)).toBeLessThan(100_000_000);
    },
  );

  it("is busiest at 09:30, and has peaks at 09:15, 09:31 and 13:00", () => {
    const { time } = columnsOf("300750");
    const minutes = new Map<number, number>();
    for (const at of time)
      minutes.set(Math.floor(at / 100_000), (minutes.get(Math.floor(at / 100_000)) ?? 0) + 1);
    const busiest = [...minutes].sort((a, b) => b[1] - a[1]).slice(0, 4);
    expect(busiest[0]?.[0]).toBe(930);
    expect(busiest.map(([minute]) => minute).sort()).toEqual([1300, 915, 930, 931].sort());
  });

  it("has as many rows per timestamp as on real days: 1.2 on average, 4 to 6 at the 99th percentile", () => {
    for (const symbol of ["600519", "300059", "000001"]) {
      const sizes = crowds(columnsOf(symbol));
      const mean = columnsOf(symbol).rows / sizes.length;
      expect(mean).toBeGreaterThan(1.1);
      expect(mean).toBeLessThan(1.35);
      expect(sizes[Math.floor(sizes.length * 0.99)]).toBeGreaterThanOrEqual(4);
      expect(sizes[Math.floor(sizes.length * 0.99)]).toBeLessThanOrEqual(6);
    }
  });

  it("can have more than 700 rows in one millisecond, as 300750 has", () => {
    expect(crowds(columnsOf("300750")).at(-1)).toBeGreaterThan(700);
  });

  it("has mostly round lots and a few odd ones", () => {
    const { volume } = columnsOf("300750");
    const odd = volume.filter((shares) => shares % 100 !== 0).length / volume.length;
    expect(odd).toBeGreaterThan(0.001);
    expect(odd).toBeLessThan(0.006);
  });
});

describe("a sample security of Shanghai", () => {
  const shanghai = sections.filter(({ market, columns }) => market === "SH" && columns.rows > 0);

  it.each(shanghai)("such as $symbol has 25 to 31 % cancels", ({ columns }) => {
    const share = shareOf(texts(columns.orderType), "D");
    expect(share).toBeGreaterThanOrEqual(0.25);
    expect(share).toBeLessThanOrEqual(0.31);
  });

  it("has ascending order numbers, an order_id of 0, and phase-flag rows whose number, price and volume are 0", () => {
    const columns = columnsOf("600519");
    const types = texts(columns.orderType);
    const numbers = columns.exchangeOrderId.filter((_, row) => types[row] === "A");
    expect(numbers.every((number, at) => at === 0 || number > (numbers[at - 1] ?? 0))).toBe(true);
    expect(columns.orderId.every((id) => id === 0)).toBe(true);
    const flags = types.flatMap((type, row) => (type === "S" ? [row] : []));
    expect(flags.map((row) => texts(columns.orderCode)[row])).toEqual(["O", "T", "C"]);
    expect(flags.map((row) => columns.time[row])).toEqual([91500000, 93000000, 145700000]);
    for (const row of flags) {
      expect([columns.exchangeOrderId[row], columns.priceE4[row], columns.volume[row]]).toEqual([0, 0, 0]);
    }
  });

  it("has 1.5 to 4 % partial cancels among its cancels", () => {
    const columns = columnsOf("600519");
    const types = texts(columns.orderType);
    const ordered = new Map<number, number>();
    let [partly, cancels] = [0, 0];
    for (let row = 0; row < columns.rows; row++) {
      const number = columns.exchangeOrderId[row] ?? 0;
      if (types[row] === "A") ordered.set(number, columns.volume[row] ?? 0);
      if (types[row] !== "D") continue;
      cancels++;
      if (columns.volume[row] !== ordered.get(number)) partly++;
    }
    expect(partly / cancels).toBeGreaterThan(0.015);
    expect(partly / cancels).toBeLessThan(0.04);
  });
});

describe("a sample security of Shenzhen", () => {
  const shenzhen = sections.filter(({ market }) => market === "SZ");

  it.each(shenzhen)(
    "such as $symbol has limit, market and best-own-side orders, and no cancels",
    ({ columns }) => {
      const types = texts(columns.orderType);
      expect(new Set(types)).toEqual(new Set(["0", "1", "U"]));
      expect(shareOf(types, "1")).toBeLessThan(0.01);
    },
  );

  it("has some repeated and some zero order ids, while its exchange numbers always ascend", () => {
    const { orderId, exchangeOrderId } = columnsOf("300750");
    const given = [...orderId].filter((id) => id !== 0);
    expect(orderId.length - given.length).toBeGreaterThan(10);
    expect(given.length - new Set(given).size).toBeGreaterThan(10);
    expect(exchangeOrderId.every((id, row) => row === 0 || id > (exchangeOrderId[row - 1] ?? 0))).toBe(true);
  });
});
