import { afterAll, describe, expect, it } from "vitest";
import { expectRows } from "../property/check-paging.ts";
import { day, randomSecurity } from "../support/builders.ts";
import { publish } from "../support/operator.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { randomFrom } from "../support/random.ts";
import { MAIN, sharedWorld } from "./world.ts";

const DATE = "20260202";
const many = day({
  tradedate: DATE,
  securities: [randomSecurity(randomFrom(1), { symbol: "600519", rows: 25_003 })],
});

const world = await sharedWorld();
await publish(world.service, many);
afterAll(() => world.stop());

const ask = (over: Record<string, unknown> = {}, options = {}) =>
  world.ask({ symbol: "600519", tradedate: MAIN, format: "parquet", ...over }, options);

const SCHEMA = [
  ["symbol", "BYTE_ARRAY", "REQUIRED"],
  ["tradedate", "BYTE_ARRAY", "REQUIRED"],
  ["time", "BYTE_ARRAY", "REQUIRED"],
  ["order_id", "INT64", "REQUIRED"],
  ["exchange_order_id", "INT64", "REQUIRED"],
  ["order_type", "BYTE_ARRAY", "REQUIRED"],
  ["order_code", "BYTE_ARRAY", "REQUIRED"],
  ["price", "DOUBLE", "REQUIRED"],
  ["volume", "INT64", "REQUIRED"],
  ["amount", "DOUBLE", "REQUIRED"],
];

describe("format parquet (contract 6)", () => {
  it("returns one file of the security's whole day with the documented headers", async () => {
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      "content-type": "application/vnd.apache.parquet",
      "content-length": String(answer.bytes.length),
      "content-disposition": 'attachment; filename="600519.SH_20260311_orders.parquet"',
      "x-row-count": "13",
      "accept-ranges": "none",
      "cache-control": "private, no-store",
    });
    expect(answer.headers["transfer-encoding"]).toBeUndefined();
    expect(answer.headers["content-encoding"]).toBeUndefined();
    expect(answer.headers.etag).toBeUndefined();
    const file = await readParquet(answer.bytes);
    expect(file.schema).toEqual(SCHEMA);
    expect(file.codecs).toEqual(["ZSTD"]);
    expect(file.rows).toEqual(world.main.rowsOf("600519"));
  });

  it("puts the full symbol into the file name when the request gives only the digits", async () => {
    const answer = await ask({ symbol: "000001" });
    expect(answer.headers["content-disposition"]).toBe(
      'attachment; filename="000001.SZ_20260311_orders.parquet"',
    );
    expect((await readParquet(answer.bytes)).rows).toEqual(world.main.rowsOf("000001"));
  });

  it.each([
    [
      ["time", "price", "volume", "symbol"],
      [2, 7, 8, 0],
    ],
    [["amount"], [9]],
    [
      ["order_no", "side", "order_id"],
      [4, 6, 3],
    ],
    [
      ["side", "order_code", "exchange_order_id", "order_no"],
      [6, 6, 4, 4],
    ],
  ])("with fields %j returns these columns of all 25,003 rows, in this order", async (names, places) => {
    const answer = await ask({ tradedate: DATE }, { fields: names.join(",") });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-length"]).toBe(String(answer.bytes.length));
    const file = await readParquet(answer.bytes);
    expect(file.names).toEqual(names);
    expect(file.codecs).toEqual(["ZSTD"]);
    const expected = many.rowsOf("600519").map((row) => places.map((place) => row[place] ?? ""));
    expectRows(file.rows, expected, "the file");
  });

  it("ignores Range and conditional headers, because a download cannot be resumed", async () => {
    const headers = { range: "bytes=0-99", "if-none-match": "*", "if-range": '"x"' };
    const answer = await ask({}, { headers });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-range"]).toBeUndefined();
    expect((await readParquet(answer.bytes)).rows).toHaveLength(13);
  });

  it("returns the same bytes for repeated requests within a revision", async () => {
    expect((await ask()).bytes.equals((await ask()).bytes)).toBe(true);
  });
});
