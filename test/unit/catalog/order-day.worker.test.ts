import { beforeAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { setCalendarDays } from "../../../src/catalog/calendar-days.ts";
import {
  CalendarGapError,
  dayDenial,
  type OrderDayQuestion,
  orderDayOf,
  orderDayStatement,
  type SectionRow,
} from "../../../src/catalog/order-day.ts";
import { chunksOf, loadIndexRows, markDamaged } from "../../../src/catalog/publish-day.ts";
import { DATASET_NAMES } from "../../../src/datasets/registry.ts";
import type { Market } from "../../../src/orders/record.ts";
import { DB, putDay, query } from "./catalog-day.ts";

const date = (text: string) => text as BeijingDate;
const TODAY = date("20240110");

function section(symbol: string, market: Market, rows: number): SectionRow {
  const blocksBlob = Uint8Array.from({ length: rows === 0 ? 0 : 40 }, (_, i) => (i * 37) & 255);
  return {
    symbol,
    market,
    offset: 12_345_678_901,
    length: 700,
    footerLength: 99,
    rows,
    lastTime: rows === 0 ? 0 : 145_959_990,
    crc: 0xffff_fff0,
    blocksBlob,
  };
}

const SECTIONS = [
  section("000001", "SH", 5),
  section("000001", "SZ", 10),
  section("300750", "SZ", 20_001),
  section("600001", "SH", 0),
];

/** Serves a day of `dataset` with `sections` and the sections of 500 other securities. */
async function serve(tradedate: string, packId: number, { dataset = "orders", sections = SECTIONS } = {}) {
  await putDay(tradedate, packId, { dataset, revision: 3 });
  const others = Array.from({ length: 500 }, (_, i) => section(String(400_000 + i), "SZ", 10));
  await loadIndexRows(DB, packId, [...sections, ...others]);
}

const QUESTION = { dataset: "orders", tradedate: date("20240105"), symbol: "300750", today: TODAY } as const;

async function read(asked: Partial<OrderDayQuestion>) {
  const question: OrderDayQuestion = { ...QUESTION, ...asked };
  return orderDayOf(await orderDayStatement(DB, question).all(), question);
}

/** On 4 January the trades include 000001 in Shanghai only, and 688001, which no other dataset has. */
const TRADE_SECTIONS = [section("000001", "SH", 7), section("300750", "SZ", 0), section("688001", "SH", 3)];

beforeAll(async () => {
  await serve("20240104", 1);
  await serve("20240104", 3, { dataset: "trades", sections: TRADE_SECTIONS });
  await serve("20240105", 2);
  const days = ["03", "04", "05", "06", "07", "08", "09", "10"].map((day) => ({
    day: date(`202401${day}`),
    open: !["06", "07", "10"].includes(day),
  }));
  await setCalendarDays(
    DB,
    { days, source: "test" },
    { actor: { kind: "operator", name: "test" }, nowMs: 0 },
  );
});

describe("the catalog read of an order request", () => {
  it("returns the revision, the object and the section with its blocks, byte for byte", async () => {
    expect(await read({})).toEqual({
      tradedate: "20240105",
      day: {
        revision: 3,
        state: "available",
        others: "",
        securities: 1,
        pack: {
          ...{ objectKey: "key-2", etag: "etag-2", sha256: "sha of build", buildId: "build" },
          tradedate: "20240105",
        },
      },
      sections: [SECTIONS[2]],
      elsewhere: [],
    });
  });

  it("returns the sections of both exchanges, Shanghai first, and none for an unknown symbol", async () => {
    expect((await read({ symbol: "000001" })).sections).toEqual([SECTIONS[0], SECTIONS[1]]);
    expect((await read({ symbol: "999999" })).sections).toEqual([]);
    expect((await read({ tradedate: date("20240108") })).day).toBeNull();
  });

  it("reads only a few rows, even if the day has many securities", async () => {
    const question = { ...QUESTION, symbol: "000001" };
    const { meta } = await orderDayStatement(DB, question).all();
    // The query reads two rows of each dataset, because a symbol without an exchange is looked up in all datasets.
    expect(meta.rows_read).toBeLessThanOrEqual(4 + 2 * DATASET_NAMES.length);
  });

  it("returns the requested dataset, and the exchanges on which the day's other datasets have the symbol", async () => {
    const asked = { tradedate: date("20240104"), symbol: "000001" };
    expect(await read(asked)).toMatchObject({
      day: { others: "3", pack: { objectKey: "key-1" } },
      sections: [SECTIONS[0], SECTIONS[1]],
      elsewhere: ["SH"],
    });
    expect(await read({ ...asked, dataset: "trades" })).toMatchObject({
      day: { others: "1", pack: { objectKey: "key-3" } },
      sections: [TRADE_SECTIONS[0]],
      elsewhere: ["SH", "SZ"],
    });
    const absent = await read({ tradedate: date("20240105"), dataset: "trades" });
    expect(absent).toMatchObject({ day: null, facts: { newest: "20240104", earliest: "20240104" } });
    const { meta } = await orderDayStatement(DB, { ...QUESTION, ...asked }).all();
    expect(meta.rows_read).toBeLessThanOrEqual(24);
  });

  it("returns the newest trading day up to today, loaded or not, when the date is omitted", async () => {
    expect(await read({ tradedate: null })).toMatchObject({ tradedate: "20240109", day: null });
    expect(await read({ tradedate: null, today: date("20240107") })).toMatchObject({
      tradedate: "20240105",
      day: { revision: 3 },
    });
  });

  it("fails when the calendar ends before today, begins after today, or has a gap before today", async () => {
    await expect(read({ tradedate: null, today: date("20240111") })).rejects.toThrow(CalendarGapError);
    await expect(read({ tradedate: null, today: date("20240102") })).rejects.toThrow(CalendarGapError);
    await query`DELETE FROM trading_days WHERE day = '20240106'`.run();
    await expect(read({ tradedate: null, today: date("20240107") })).rejects.toThrow(CalendarGapError);
    expect(await read({ tradedate: null })).toMatchObject({ tradedate: "20240109" });
  });
});

describe("the reason why a day or security is not served", () => {
  const denied = async (asked: Partial<OrderDayQuestion>) =>
    dayDenial(await read(asked), TODAY, asked.dataset ?? "orders");

  it("is day_damaged only for the damaged revision, with a single audit entry", async () => {
    const damage = { dataset: "orders" as const, tradedate: date("20240104"), note: "CRC of block 3" };
    await markDamaged(DB, { ...damage, revision: 2 }, 5);
    expect(await denied({ tradedate: damage.tradedate })).toBeNull();
    await markDamaged(DB, { ...damage, revision: 3 }, 6);
    await markDamaged(DB, { ...damage, revision: 3 }, 7);
    expect(await denied({ tradedate: damage.tradedate })).toEqual({
      reason: "day_damaged",
      dataset: "orders",
      tradedate: "20240104",
    });
    const { results } = await query`
      SELECT at_ms, actor, subject FROM audit WHERE action = 'day.damaged'`.all();
    expect(results).toEqual([{ at_ms: 6, actor: "service", subject: "20240104" }]);
    const trades = { tradedate: damage.tradedate, dataset: "trades" } as const;
    expect(await denied(trades)).toBeNull();
    await markDamaged(DB, { ...damage, ...trades, revision: 3 }, 8);
    expect(await denied(trades)).toMatchObject({ reason: "day_damaged", dataset: "trades" });
    await query`UPDATE order_days SET state = 'withdrawn' WHERE tradedate = '20240104'`.run();
    expect(await denied({ tradedate: damage.tradedate })).toEqual({
      reason: "withdrawn",
      dataset: "orders",
      tradedate: "20240104",
    });
    // A day that is not served does not count as the newest or the earliest loaded day.
    expect(await denied({ tradedate: date("20240103") })).toMatchObject({ earliestLoaded: "20240105" });
  });
});

describe("the loader of index rows", () => {
  it("loads 7,800 securities with 21,000 blocks, and a second load leaves the same rows", async () => {
    const rows = Array.from({ length: 7_800 }, (_, i): SectionRow => {
      const blocks = i === 0 ? 120 : i % 3 === 0 ? 6 : 1;
      return {
        ...section(String(100_000 + i), "SZ", 10),
        blocksBlob: new Uint8Array(20 * blocks).fill(i & 255),
      };
    });
    for (let round = 0; round < 2; round++) await loadIndexRows(DB, 77, rows);
    const sum = await query`
      SELECT count(*) AS rows, sum(length(blocks)) AS bytes FROM day_securities WHERE pack_id = 77`.first();
    expect(sum).toEqual({
      rows: 7_800,
      bytes: rows.reduce((bytes, row) => bytes + row.blocksBlob.length, 0),
    });
  });

  it("splits the rows into chunks by size without changing their order", () => {
    expect(chunksOf([], 10)).toEqual([]);
    expect(chunksOf(["aaa", "bbb", "c", "dddddddddddddddd", "e"], 8)).toEqual([
      ["aaa", "bbb"],
      ["c"],
      ["dddddddddddddddd"],
      ["e"],
    ]);
  });
});
