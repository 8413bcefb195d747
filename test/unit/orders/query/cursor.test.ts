import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../../src/calendar/beijing.ts";
import { DATASET_NAMES } from "../../../../src/datasets/registry.ts";
import {
  type CursorSecrets,
  continuePaging as continuePagingResult,
  type DatedCursor,
  readCursor as readCursorResult,
  signCursor,
} from "../../../../src/orders/query/cursor.ts";
import {
  type HistoryQuery,
  parseHistoryQuery as parseHistoryQueryResult,
} from "../../../../src/orders/query/history-query.ts";
import { printedRandom, type Random } from "../../../support/random.ts";
import { baring } from "../../../support/result.ts";

const readCursor = baring(readCursorResult);
const parseHistoryQuery = baring(parseHistoryQueryResult);
const continuePaging = baring(continuePagingResult);

const SECRET = "a-secret-of-the-test-a-secret-of-the-test";
const SECRETS: CursorSecrets = { current: SECRET };
const CONTENT: DatedCursor = {
  dataset: "orders",
  tradedate: "20240102" as BeijingDate,
  symbol: "000001",
  market: "SZ",
  start: 93_000_000,
  end: 240_000_000,
  revision: 3,
  packMark: "00f1e2d3c4b5",
  position: { time: 93_000_010, skip: 7 },
};
const INVALID = { reason: "cursor_invalid" };

function randomContent(random: Random): DatedCursor {
  const date = new Date(Date.UTC(random.integer(2017, 2099), 0, random.integer(1, 365)));
  return {
    dataset: random.pick(DATASET_NAMES),
    tradedate: date.toISOString().slice(0, 10).replaceAll("-", "") as BeijingDate,
    symbol: String(random.integer(0, 999_999)).padStart(6, "0"),
    market: random.pick(["SH", "SZ"] as const),
    start: random.integer(0, 240_000_000),
    end: random.integer(0, 240_000_000),
    revision: random.integer(1, 2 ** 32 - 1),
    packMark: random
      .integer(0, 2 ** 48 - 1)
      .toString(16)
      .padStart(12, "0"),
    position: { time: random.integer(0, 235_959_999), skip: random.integer(0, 2 ** 32 - 1) },
  };
}

describe("a current cursor (contract 5.2)", () => {
  it("decodes to the content that was signed, for 2,000 random contents", () => {
    const random = printedRandom("cursor contents");
    for (let round = 0; round < 2000; round += 1) {
      const content = randomContent(random);
      const text = signCursor(SECRET, content);
      expect(text).toMatch(/^v5\.[A-Za-z0-9_-]+$/);
      expect(readCursor(SECRETS, text, 0)).toEqual(content);
    }
  });

  it("identifies orders, trades and quotes by the numbers 0, 1 and 2, which never change", () => {
    const numbers = [];
    for (const dataset of ["orders", "trades", "quotes"] as const) {
      const text = signCursor(SECRET, { ...CONTENT, dataset });
      numbers.push(Buffer.from(text.slice(3), "base64url").readUInt32BE(4) >>> 28);
    }
    expect(numbers).toEqual([0, 1, 2]);
  });

  it("differs whenever any part of its content differs", () => {
    const changed: DatedCursor[] = [
      CONTENT,
      { ...CONTENT, dataset: "trades" },
      { ...CONTENT, tradedate: "20240103" as BeijingDate },
      { ...CONTENT, symbol: "000002" },
      { ...CONTENT, market: "SH" },
      { ...CONTENT, start: 0 },
      { ...CONTENT, end: 150_000_000 },
      { ...CONTENT, revision: 4 },
      { ...CONTENT, packMark: "00f1e2d3c4b6" },
      { ...CONTENT, packMark: "10f1e2d3c4b5" },
      { ...CONTENT, position: { time: 93_000_010, skip: 8 } },
      { ...CONTENT, position: { time: 93_000_020, skip: 7 } },
    ];
    const texts = changed.map((content) => signCursor(SECRET, content));
    expect(new Set(texts).size).toBe(changed.length);
  });

  it("is invalid when its content was signed for another purpose with the same secret", () => {
    const text = signCursor(SECRET, CONTENT);
    const content = Buffer.from(text.slice(3), "base64url").subarray(0, 34);
    const plain = createHmac("sha256", SECRET).update(content).digest();
    const forged = `v5.${Buffer.concat([content, plain]).toString("base64url")}`;
    expect(forged).toHaveLength(text.length);
    expect(readCursor(SECRETS, forged, 0)).toEqual(INVALID);
  });

  it("signed with the previous secret is valid until the end of the rotation, and not afterwards", () => {
    const old = signCursor("previous-secret-previous-secret-previous", CONTENT);
    const secrets = {
      current: SECRET,
      previous: { secret: "previous-secret-previous-secret-previous", acceptedUntilMs: 1000 },
    };
    expect(readCursor(secrets, old, 999)).toEqual(CONTENT);
    expect(readCursor(secrets, old, 1000)).toEqual(INVALID);
    expect(readCursor(secrets, signCursor(SECRET, CONTENT), 999)).toEqual(CONTENT);
  });

  it("cannot be created unless its skip is an unsigned 32-bit integer", () => {
    for (const skip of [-1, 1.5, 2 ** 32, Number.NaN]) {
      expect(() => signCursor(SECRET, { ...CONTENT, position: { time: 0, skip } })).toThrow(RangeError);
    }
  });
});

describe("an older cursor (contract 5.5)", () => {
  it("in format v4, from before trades were added, is read as a cursor of orders", () => {
    const content = Buffer.from(signCursor(SECRET, CONTENT).slice(3), "base64url").subarray(0, 34);
    const signed = (purpose: string) => {
      const mac = createHmac("sha256", SECRET).update(purpose).update(content).digest();
      return `v4.${Buffer.concat([content, mac]).toString("base64url")}`;
    };
    const former = signed("edgetape order-history cursor v4\0");
    expect(readCursor(SECRETS, former, 0)).toEqual(CONTENT);
    expect(readCursor(SECRETS, former.replace("v4", "v5"), 0)).toEqual(INVALID);
    expect(readCursor(SECRETS, signed("edgetape tick-history cursor v5\0"), 0)).toEqual(INVALID);
  });

  it("with a time offset is read as a position without a date", () => {
    expect(readCursor(SECRETS, "v2.093000000-5", 0)).toEqual({
      tradedate: null,
      position: { time: 93_000_000, skip: 5 },
    });
    expect(readCursor(SECRETS, "v2.000000000-0", 0)).toEqual({
      tradedate: null,
      position: { time: 0, skip: 0 },
    });
  });
});

describe("a text that is not a cursor", () => {
  it.each([
    "v5.",
    `v5.${"A".repeat(88)}`,
    `v6.${"A".repeat(88)}`,
    `v4.${"A".repeat(64_000)}`,
    "v2.093000000-5\n",
  ])("is invalid: %s", (text) => {
    expect(readCursor(SECRETS, text, 0)).toEqual(INVALID);
  });

  it("causes no exception, for 20,000 random mutations of cursors", () => {
    const random = printedRandom("mutated cursors");
    const alphabet = [..."ABCabc019-_.=+/ \u0000é💹"];
    const originals = [signCursor(SECRET, CONTENT), "v2.093000000-5", "v1.77"];
    for (let round = 0; round < 20_000; round += 1) {
      const original = random.pick(originals);
      const letters = [...original];
      for (let edits = random.integer(1, 3); edits > 0; edits -= 1) {
        const place = random.integer(0, letters.length);
        letters.splice(place, random.integer(0, 2), ...(random.chance(0.6) ? [random.pick(alphabet)] : []));
      }
      const mutated = letters.join("");
      if (originals.includes(mutated)) continue;
      const cursor = readCursor(SECRETS, mutated, 0);
      if ("reason" in cursor) expect(["cursor_invalid", "cursor_old_format"]).toContain(cursor.reason);
      else
        expect(mutated, "only a cursor with a time offset can still be valid").toMatch(/^v2\.\d{9}-\d{1,9}$/);
    }
  });

  it("is refused even if only one bit differs from a valid cursor", () => {
    const bytes = Buffer.from(signCursor(SECRET, CONTENT).slice(3), "base64url");
    for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
      const flipped = Buffer.from(bytes);
      flipped[bit >> 3] = (flipped[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const text = `v5.${flipped.toString("base64url")}`;
      expect(readCursor(SECRETS, text, 0), `bit ${bit}`).toEqual(INVALID);
    }
  });
});

function query(params: Record<string, unknown>): HistoryQuery {
  const parsed = parseHistoryQuery({ params }, "refuse", "orders");
  if ("reason" in parsed) throw new Error(`refused: ${parsed.reason}`);
  return parsed;
}

const CURSOR: DatedCursor = { ...CONTENT, symbol: "600519", market: "SH", end: 100_000_000 };
const WINDOW = { start_time: "09:30", end_time: "10:00" };

describe("continuePaging (contract 5.3)", () => {
  it("treats 00:00 as an omitted start", () => {
    const whole = { ...CURSOR, start: 0, end: 240_000_000 };
    expect(continuePaging(query({ symbol: "600519", start_time: "00:00" }), whole, "orders")).toMatchObject({
      revision: 3,
    });
  });

  it("reports a cursor of another interface before any other difference", () => {
    const other = { reason: "cursor_mismatch", parameter: "apiname" };
    const same = query({ symbol: "600519", ...WINDOW });
    expect(continuePaging(same, CURSOR, "trades")).toEqual(other);
    expect(continuePaging(query({ symbol: "300750" }), { ...CURSOR, dataset: "trades" }, "orders")).toEqual(
      other,
    );
    expect(continuePaging(same, { ...CURSOR, dataset: "trades" }, "trades")).toMatchObject({ revision: 3 });
    expect(continuePaging(same, { tradedate: null, position: CURSOR.position }, "trades")).toEqual(other);
  });
});

describe("continuePaging with an undated cursor (contract 5.5)", () => {
  const undated = { tradedate: null, position: { time: 94_500_000, skip: 2 } };

  it.each([
    ["start_time", { start_time: "094500001" }],
    ["end_time", { end_time: "09:45" }],
  ])("refuses a position outside the window and names %s", (parameter, window) => {
    const outside = query({ symbol: "600519", tradedate: "20240102", ...window });
    expect(continuePaging(outside, undated, "orders")).toEqual({ reason: "cursor_mismatch", parameter });
  });
});
