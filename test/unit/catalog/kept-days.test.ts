import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { forgetOrderDay, keepOrderDay, keptOrderDay } from "../../../src/catalog/kept-days.ts";
import type { LoadedDay, OrderDay, SectionRow } from "../../../src/catalog/order-day.ts";

const MAX_AGE = 10_000;
const TODAY = "20260312" as BeijingDate;
let dates = 0;

/** Returns a question about a day that no other test uses. */
function asked(symbol = "600519") {
  dates++;
  const tradedate = String(21_000_000 + dates) as BeijingDate;
  return { dataset: "orders" as const, tradedate, symbol, today: TODAY };
}

function answer(tradedate: BeijingDate, over: Partial<LoadedDay> = {}, blocks = 40): OrderDay {
  const pack = { objectKey: `orders/${tradedate}/1`, etag: "e", sha256: "s", buildId: "b", tradedate };
  const day: LoadedDay = { revision: 1, state: "available", others: "", securities: 1, pack, ...over };
  return { tradedate, day, sections: [section(blocks)], elsewhere: [] };
}

function section(blocks: number): SectionRow {
  const counts = { offset: 4, length: 9, footerLength: 1, rows: 1, lastTime: 1, crc: 1 };
  return { symbol: "600519", market: "SH", ...counts, blocksBlob: new Uint8Array(20 * blocks) };
}

const at = (nowMs: number, maxAgeMs = MAX_AGE) => ({ nowMs, maxAgeMs });

describe("the day index in an isolate's memory", () => {
  it("is not used if the clock shows an earlier time than when it was read", () => {
    const question = asked();
    keepOrderDay(question, answer(question.tradedate), 1_000);
    expect(keptOrderDay(question, at(999))).toBeNull();
  });

  it.each([
    ["a day that is not loaded", (read: OrderDay): OrderDay => ({ ...read, day: null, sections: [] })],
    ["a withdrawn day", (read: OrderDay) => answer(read.tradedate, { state: "withdrawn" })],
    ["a damaged day", (read: OrderDay) => answer(read.tradedate, { state: "damaged" })],
    ["a security that the day does not contain", (read: OrderDay): OrderDay => ({ ...read, sections: [] })],
  ])("never keeps %s", (_, changed) => {
    const question = asked();
    keepOrderDay(question, changed(answer(question.tradedate)), 0);
    expect(keptOrderDay(question, at(0))).toBeNull();
  });

  it("drops a day when a new read finds that it is no longer served", () => {
    const question = asked();
    keepOrderDay(question, answer(question.tradedate), 0);
    keepOrderDay(question, answer(question.tradedate, { state: "withdrawn" }), 1);
    expect(keptOrderDay(question, at(1))).toBeNull();
  });

  it("keeps a section after the day's row has expired, until the day is served from another object", () => {
    const question = asked();
    const other = { ...question, symbol: "300750" };
    const read = answer(question.tradedate);
    keepOrderDay(question, read, 0);
    keepOrderDay(other, read, 20_000);
    expect(keptOrderDay(question, at(20_000))).toEqual(read);
    const pack = { ...(read.day as LoadedDay).pack, objectKey: "orders/2", etag: "f" };
    keepOrderDay(other, answer(question.tradedate, { revision: 2, pack }), 20_001);
    expect(keptOrderDay(question, at(20_001))).toBeNull();
  });

  it("does not reuse yesterday's default day for a request without a date", () => {
    const { tradedate, ...rest } = asked();
    const question = { ...rest, tradedate: null };
    keepOrderDay(question, answer(tradedate), 0);
    expect(keptOrderDay(question, at(5))).toMatchObject({ tradedate });
    expect(keptOrderDay({ ...question, today: "20260313" as BeijingDate }, at(5))).toBeNull();
  });

  it("drops a pack that could not be read, under every date that refers to the pack", () => {
    const question = asked();
    const read = answer(question.tradedate);
    const omitted = { ...question, tradedate: null, today: "20991231" as BeijingDate };
    keepOrderDay(question, read, 0);
    keepOrderDay(omitted, read, 0);
    forgetOrderDay(question, read.day as LoadedDay);
    expect(keptOrderDay(question, at(0))).toBeNull();
    expect(keptOrderDay(omitted, at(0))).toBeNull();
  });

  it("keeps the most recently used sections, up to 8 MiB", () => {
    // Each section has 1 MiB of blocks.
    const questions = Array.from({ length: 10 }, () => asked());
    for (const question of questions) {
      keepOrderDay(question, answer(question.tradedate, {}, 2 ** 20 / 20), 0);
      expect(keptOrderDay(questions[0] ?? question, at(0))).not.toBeNull();
    }
    const kept = questions.filter((question) => keptOrderDay(question, at(0)) !== null);
    expect(kept).toEqual([questions[0], ...questions.slice(-6)]);
  });
});
