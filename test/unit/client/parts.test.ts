import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { BEGINNING, moved, type Position } from "../../../src/client/typescript/paging.ts";
import { PlainSha256, sha256 } from "../../../src/client/typescript/sha256.ts";
import { dateOf, Fingerprint, parquetBody, selectionOf } from "../../../src/client/typescript/ticks.ts";
import { parseRetryAfter, takePlace } from "../../../src/client/typescript/waiting.ts";
import { printedRandom } from "../../support/random.ts";

describe("SHA-256 without the runtime's crypto", () => {
  it("equals the runtime's result for 200 inputs in random pieces", () => {
    const random = printedRandom("sha256");
    const sizes = [0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128];
    for (let round = 0; round < 200; round++) {
      const length = sizes[round] ?? random.integer(0, 2_000);
      const bytes = Uint8Array.from({ length }, () => random.integer(0, 255));
      const plain = new PlainSha256();
      const own = sha256();
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + random.integer(1, 200));
        plain.update(piece);
        own.update(piece);
        at += piece.length;
      }
      const expected = createHash("sha256").update(bytes).digest("hex");
      expect([plain.digest(), own.digest("hex")]).toEqual([expected, expected]);
    }
  });
});

describe("a Retry-After header", () => {
  it.each([
    ["0", 0],
    [" 17 ", 17_000],
    ["Thu, 12 Mar 2026 02:00:30 GMT", 30_000],
    ["Thu, 12 Mar 2026 01:00:00 GMT", 0],
    ["soon", null],
    ["-1", null],
    ["1.5", null],
    [null, null],
  ])("of %o is parsed as %o", (value, ms) => {
    expect(parseRetryAfter(value, Date.parse("2026-03-12T02:00:00Z"))).toBe(ms);
  });
});

describe("the client's queue per key and interface", () => {
  it("grants one place at a time, in the order of the calls, and skips an aborted call", async () => {
    const log: string[] = [];
    const first = await takePlace("key", "orders", undefined);
    const aborter = new AbortController();
    const work = ["b", "c", "d"].map(async (name) => {
      const done = await takePlace("key", "orders", name === "c" ? aborter.signal : undefined);
      log.push(name);
      await Promise.resolve();
      log.push(`${name} done`);
      done();
    });
    aborter.abort(new Error("enough"));
    await expect(work[1]).rejects.toThrow("enough");
    expect(log).toEqual([]);
    first();
    await Promise.all([work[0], work[2]]);
    expect(log).toEqual(["b", "b done", "d", "d done"]);
  });

  it("does not delay calls with another key or interface", async () => {
    const dones = await Promise.all([
      takePlace("a", "orders", undefined),
      takePlace("b", "orders", undefined),
      takePlace("a", "shares", undefined),
    ]);
    expect(dones).toHaveLength(3);
    for (const done of dones) done();
  });

  it("refuses a call if an earlier call keeps its place too long", async () => {
    const first = await takePlace("bounded", "orders", undefined);
    const tooLong = takePlace("bounded", "orders", undefined, 20);
    await expect(tooLong).rejects.toMatchObject({ name: "Unavailable" });
    const later = takePlace("bounded", "orders", undefined, 60_000);
    first();
    first();
    (await later)();
    (await takePlace("bounded", "orders", undefined, 20))();
  });
});

describe("a position in a paged stream", () => {
  it("identifies the next row by time and index within the millisecond", () => {
    const random = printedRandom("positions");
    for (let round = 0; round < 200; round++) {
      const times: string[] = [];
      let time = 93_000_000;
      for (let row = random.integer(1, 300); row > 0; row--) {
        if (random.chance(0.1)) time += 10;
        times.push(`0${time}`);
      }
      let position: Position = BEGINNING;
      for (let at = 0; at < times.length; ) {
        const count = random.integer(0, 90);
        const page = times.slice(at, at + count);
        position = moved(
          position,
          page.map((_, index) => [at + index]),
          page,
        );
        at += page.length;
        const [first] = position.overlap[0] ?? [];
        if (first === undefined) continue;
        const place = Number(first);
        expect(position.time).toBe(times[place]);
        expect(position.skip).toBe(place - times.indexOf(position.time));
        expect(position.overlap.length).toBe(Math.min(64, at));
      }
    }
  });
});

describe("a fingerprint of rows", () => {
  it("changes when the rows, their order or their number changes", () => {
    const of = (...rows: (string | number)[][]) => {
      const print = new Fingerprint();
      for (const row of rows) print.add(row);
      return print;
    };
    const print = of(["a", 1], ["b", 2]);
    expect(print.equals(of(["a", 1], ["b", 2]))).toBe(true);
    for (const other of [
      of(["b", 2], ["a", 1]),
      of(["a", 1]),
      of(["a", 1], ["b", 3]),
      of(["a", 1], ["b", "2"]),
    ]) {
      expect(print.equals(other)).toBe(false);
    }
  });
});

describe("a query of the client", () => {
  it("adds time as a hidden last field if the caller did not request it", () => {
    expect(selectionOf({ symbol: "600519", fields: ["price", "side", "price"] })).toMatchObject({
      hidesLast: true,
      selection: { fields: ["price", "side", "time"], pageSize: 10_000, tradedate: null },
    });
    expect(selectionOf({ symbol: "600519", fields: ["time", "price"] })).toMatchObject({
      hidesLast: false,
      selection: { fields: ["time", "price"] },
    });
    expect(selectionOf({ symbol: "600519", pageSize: 50_000, start: "09:30" }).selection).toMatchObject({
      params: { symbol: "600519", start_time: "09:30" },
      fields: null,
      pageSize: 10_000,
    });
  });

  it("converts dates to the service's form, and leaves other text unchanged", () => {
    const dates = ["2026-03-11", "20260311", "yesterday"].map(dateOf);
    expect(dates).toEqual(["20260311", "20260311", "yesterday"]);
  });

  it("for a Parquet file is refused if it has an unknown option", () => {
    const misnamed = { symbol: "600519", tradedate: "20251024" };
    expect(() => parquetBody(misnamed)).toThrow("there is no option tradedate");
  });
});
