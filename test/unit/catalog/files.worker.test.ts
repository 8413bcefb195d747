import { describe, expect, it } from "vitest";
import { REPLACED_KEPT_MS } from "../../../src/base/retention.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import {
  catalogRevisionOf,
  catalogRevisionStatement,
  coveredFiles,
  fileVersions,
} from "../../../src/catalog/files.ts";
import type { DataType } from "../../../src/entitlement/data-types.ts";
import { DB as db, putDay, query } from "./catalog-day.ts";

const NOW = Date.parse("2026-03-12T10:00:00+08:00");
const date = (text: string) => text as BeijingDate;

/** Inserts a row of an operator's file, as the admin API writes it. */
function putFile(row: {
  dataType: DataType;
  tradedate: string;
  name: string;
  revision?: number;
  state?: string;
  replacedAtMs?: number;
}): Promise<unknown> {
  const { dataType, tradedate, name, revision = 1, state = "published" } = row;
  const key = `files/${dataType}/${tradedate}/${name}/${revision}`;
  return query`
    INSERT INTO day_files (data_type, tradedate, name, revision, object_key, etag, size_bytes, sha256,
      state, uploaded_at_ms, published_at_ms, replaced_at_ms)
    VALUES (${dataType}, ${tradedate}, ${name}, ${revision}, ${key}, ${`etag-${key}`}, 10, '',
      ${state}, 1, 2, ${row.replacedAtMs ?? null})`.run();
}

const revisionNow = async () => catalogRevisionOf(await catalogRevisionStatement(db).all());
describe("the versions of one file (contract 8.8)", () => {
  const versions = async (name: string) => {
    const place = { dataType: "level2" as const, tradedate: date(name.slice(0, 8)), name };
    return (await fileVersions(db, place, NOW)).map(({ revision, replacedAtMs }) => [revision, replacedAtMs]);
  };

  it("are the current revision, then the revisions replaced less than 7 days ago", async () => {
    await putDay("20260105", 101, { replacedAtMs: NOW - REPLACED_KEPT_MS + 1 });
    await putDay("20260105", 102, { revision: 2 });
    await putDay("20260106", 201, { replacedAtMs: NOW - REPLACED_KEPT_MS });
    await putDay("20260106", 202, { revision: 2 });
    const archive = { dataType: "level2" as const, tradedate: "20260105", name: "20260105.7z" };
    await putFile({ ...archive, replacedAtMs: NOW - 1000 });
    await putFile({ ...archive, revision: 2 });
    await putFile({ ...archive, revision: 3, state: "verifying" });
    expect(await versions("20260105.7z")).toEqual([
      [2, null],
      [1, NOW - 1000],
    ]);
    expect(await versions("20260105_orders.parquet")).toEqual([
      [2, null],
      [1, NOW - REPLACED_KEPT_MS + 1],
    ]);
    expect(await versions("20260106_orders.parquet")).toEqual([[2, null]]);
  });
});

describe("a trade pack in a share", () => {
  it("is listed after the order pack, and hides an operator's file of the same name", async () => {
    const name = "20270105_trades.parquet";
    await putDay("20270105", 501);
    await putFile({ dataType: "level2", tradedate: "20270105", name });
    const found = async () =>
      (await coveredFiles(db, { dataType: "level2", from: date("20270105"), to: date("20270105") })).map(
        (file) => [file.name, file.packId],
      );
    expect(await found()).toEqual([
      ["20270105_orders.parquet", 501],
      [name, null],
    ]);
    await putDay("20270105", 601, { dataset: "trades" });
    expect(await found()).toEqual([
      ["20270105_orders.parquet", 501],
      [name, 601],
    ]);
    const place = { dataType: "level2" as const, tradedate: date("20270105"), name };
    expect((await fileVersions(db, place, NOW)).map(({ packId }) => packId)).toEqual([601]);
    await query`UPDATE order_days SET state = 'withdrawn' WHERE dataset = 'trades'`.run();
    expect(await found()).toEqual([["20270105_orders.parquet", 501]]);
  });
});

describe("the catalog revision", () => {
  it("changes when content starts or stops being served, and at no other time", async () => {
    const file = { dataType: "auction_tick" as const, tradedate: "20260201", name: "20260201_aucde.parquet" };
    const before = await revisionNow();
    await putFile({ ...file, state: "uploaded" });
    expect(await revisionNow()).toBe(before);
    const move = (state: string) =>
      query`UPDATE day_files SET state = ${state} WHERE name = ${file.name}`.run();
    await move("verifying");
    expect(await revisionNow()).toBe(before);
    await move("published");
    expect(await revisionNow()).toBe(before + 1);
    await move("withdrawn");
    expect(await revisionNow()).toBe(before + 2);
    await putDay("20260202", 401);
    expect(await revisionNow()).toBe(before + 3);
    await query`UPDATE order_days SET state = 'damaged' WHERE tradedate = '20260202'`.run();
    expect(await revisionNow()).toBe(before + 4);
  });
});
