/**
 * Cursors (contract 5.2): opaque, URL-safe text that says where the next page begins and which query it belongs to.
 * Cursors are authenticated, so that callers can neither create nor alter one.
 *
 * A cursor is `v5.` and the base64url of 34 bytes of content and their HMAC-SHA-256 (32 bytes). The content, big
 * endian: tradedate u32, dataset, market and symbol u32 (dataset × 2^28 + market × 2^24 + symbol), start u32, end u32,
 * revision u32, time u32, skip u32, and 6 bytes of the SHA-256 of the day's pack. The hash is needed because a restored
 * catalog may issue a revision number again, and paging must never join rows of two builds. `v4.` has the same form for
 * orders only and is still read. `v3.` has no pack hash and is refused. Each page advances (time, skip), so that all
 * cursors of one paging run differ.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { ok, type Refused, type Result, refused } from "../../base/result.ts";
import { type BeijingDate, parseBeijingDate } from "../../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName } from "../../datasets/registry.ts";
import type { Market } from "../record.ts";
import type { HistoryQuery } from "./history-query.ts";
import type { Position } from "./page-plan.ts";
import { type CursorDenial, invalid, type ParamInvalid } from "./query-denial.ts";
import { parseTimeOfDay, type TimeWindow } from "./time-window.ts";

/** The content of a current cursor. */
export interface DatedCursor extends TimeWindow {
  dataset: DatasetName;
  tradedate: BeijingDate;
  symbol: string;
  market: Market;
  /** The revision of the day when paging began. */
  revision: number;
  /** The `packMark` of the revision's pack. */
  packMark: string;
  position: Position;
}

/** A time-offset cursor of the previous format: a position without a date, unsigned (contract 5.5). */
export interface UndatedCursor {
  tradedate: null;
  position: Position;
}

/** Secrets that sign cursors; the previous one is accepted before the instant `acceptedUntilMs`. */
export interface CursorSecrets {
  current: string;
  previous?: { secret: string; acceptedUntilMs: number } | undefined;
}

const OLD = /^(v1\.|v3\.[A-Za-z0-9_-]{80}$)/;
const UNDATED = /^v2\.(\d{9})-(\d{1,9})$/;
/** 66 bytes are 88 characters without padding or spare bits, so each cursor has exactly one spelling. */
const DATED = /^(v[45])\.([A-Za-z0-9_-]{88})$/;

const CONTENT_BYTES = 34;
const MARK_OFFSET = 28;
const MARK_DIGITS = 12;
const MARK = /^[0-9a-f]{12}$/;
const MARKETS: readonly Market[] = ["SH", "SZ"];
const MARKET_FACTOR = 2 ** 24;
const DATASET_FACTOR = 2 ** 28;
/** Permanent numbers: a number must never be reassigned to another dataset. */
const DATASET_NUMBERS: Readonly<Record<DatasetName, number>> = { orders: 0, trades: 1, quotes: 2 };

/** Part of every signature, so that other uses of the secret cannot produce a valid cursor. */
const PURPOSES = {
  v4: "edgetape order-history cursor v4\0",
  v5: "edgetape tick-history cursor v5\0",
};

/** Returns the leading hex digits of a pack's SHA-256, which identify the pack in a cursor. */
export function packMark(sha256: string): string {
  return sha256.slice(0, MARK_DIGITS);
}

/** Returns the signed cursor for `content`. Numbers must be non-negative and below 2^32. */
export function signCursor(secret: string, content: DatedCursor): string {
  const bytes = encodeContent(content);
  return `v5.${Buffer.concat([bytes, signatureOf(secret, "v5", bytes)]).toString("base64url")}`;
}

/**
 * Reads a cursor of any generation. Returns `cursor_old_format` for two generations that are no longer accepted:
 * cursors of order numbers (`v1`), and dated cursors without a pack mark (`v3`). Returns `cursor_invalid` for a text
 * that is not a cursor, was altered or has a wrong signature. Never throws.
 */
export function readCursor(
  secrets: CursorSecrets,
  text: string,
  nowMs: number,
): Result<DatedCursor | UndatedCursor, CursorDenial> {
  if (OLD.test(text)) return refused({ reason: "cursor_old_format" });
  const [, undatedTime, undatedSkip] = UNDATED.exec(text) ?? [];
  if (undatedTime !== undefined) return readUndated(undatedTime, Number(undatedSkip));
  const [, generation, encoded] = DATED.exec(text) ?? [];
  if (encoded === undefined) return refused({ reason: "cursor_invalid" });

  const bytes = Buffer.from(encoded, "base64url");
  const content = bytes.subarray(0, CONTENT_BYTES);
  const signature = bytes.subarray(CONTENT_BYTES);
  const isSigned = acceptedSecrets(secrets, nowMs).some((secret) =>
    timingSafeEqual(signature, signatureOf(secret, generation === "v4" ? "v4" : "v5", content)),
  );
  const cursor = isSigned ? decodeContent(content) : null;
  return cursor === null ? refused({ reason: "cursor_invalid" }) : ok(cursor);
}

function readUndated(timeText: string, skip: number): Result<UndatedCursor, CursorDenial> {
  const time = parseTimeOfDay(timeText);
  if (time === null) return refused({ reason: "cursor_invalid" });
  return ok({ tradedate: null, position: { time, skip } });
}

function acceptedSecrets({ current, previous }: CursorSecrets, nowMs: number): string[] {
  return previous !== undefined && nowMs < previous.acceptedUntilMs ? [current, previous.secret] : [current];
}

function encodeContent({
  dataset,
  tradedate,
  market,
  symbol,
  start,
  end,
  revision,
  packMark,
  position,
}: DatedCursor): Uint8Array {
  const security =
    DATASET_NUMBERS[dataset] * DATASET_FACTOR + MARKETS.indexOf(market) * MARKET_FACTOR + Number(symbol);
  const values = [Number(tradedate), security, start, end, revision, position.time, position.skip];
  const view = new DataView(new ArrayBuffer(CONTENT_BYTES));
  values.forEach((value, index) => {
    // DataView would silently wrap an invalid number, and the cursor would name a different position.
    if (!Number.isInteger(value) || value < 0 || value >= 2 ** 32) {
      throw new RangeError(`a cursor cannot hold ${value}`);
    }
    view.setUint32(4 * index, value);
  });
  if (!MARK.test(packMark)) throw new RangeError(`a cursor cannot hold the mark ${packMark}`);
  const bytes = new Uint8Array(view.buffer);
  bytes.set(Buffer.from(packMark, "hex"), MARK_OFFSET);
  return bytes;
}

/** Decodes authenticated bytes; returns `null` for values that this version does not support. */
function decodeContent(bytes: Buffer): DatedCursor | null {
  const value = (index: number) => bytes.readUInt32BE(4 * index);
  const tradedate = parseBeijingDate(String(value(0)).padStart(8, "0"));
  const dataset = DATASET_NAMES.find(
    (name) => DATASET_NUMBERS[name] === Math.floor(value(1) / DATASET_FACTOR),
  );
  const market = MARKETS[Math.floor((value(1) % DATASET_FACTOR) / MARKET_FACTOR)];
  const symbol = String(value(1) % MARKET_FACTOR).padStart(6, "0");
  if (dataset === undefined || tradedate === null || market === undefined || symbol.length !== 6) return null;
  return {
    dataset,
    tradedate,
    market,
    symbol,
    start: value(2),
    end: value(3),
    revision: value(4),
    packMark: bytes.toString("hex", MARK_OFFSET),
    position: { time: value(5), skip: value(6) },
  };
}

function signatureOf(secret: string, generation: keyof typeof PURPOSES, content: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(PURPOSES[generation]).update(content).digest();
}

/** The paging state of one page. */
export interface Paging {
  /** The requested date, or the date of the cursor; `null` only on a first page without `tradedate`. */
  tradedate: BeijingDate | null;
  /** The revision of the day when paging began; `null` when not fixed yet. */
  revision: number | null;
  /** The `packMark` of the pack that `revision` serves; `null` when not fixed yet. */
  packMark: string | null;
  /** The exchange on which paging began, for `resolveMarket`; `null` when not fixed yet. */
  market: Market | null;
  position: Position;
}

/**
 * Returns the paging state of a first page, which begins at the start of the window. Revision, pack and exchange are
 * not fixed yet.
 */
export function beginPaging(query: HistoryQuery): Paging {
  return {
    tradedate: query.tradedate,
    revision: null,
    packMark: null,
    market: null,
    position: { time: query.start, skip: 0 },
  };
}

/**
 * Returns the paging state of a later page of `dataset`. Dataset, symbol, date and window must equal the values in the
 * cursor, in any spelling. Only the date may be omitted (contract 5.3). A bare symbol is compared by its digits here
 * and by its exchange in `resolveMarket`. Refuses the first parameter that differs.
 *
 * An undated cursor needs `tradedate` (contract 5.5) and must point into the window.
 */
export function continuePaging(
  query: HistoryQuery,
  cursor: DatedCursor | UndatedCursor,
  dataset: DatasetName,
): Result<Paging, CursorDenial | ParamInvalid> {
  const { position } = cursor;
  if (cursor.tradedate === null) {
    // Undated cursors exist for orders only.
    if (dataset !== "orders") return mismatch("apiname");
    if (query.tradedate === null) return refused(invalid("tradedate", "needed_by_undated_cursor"));
    if (position.time < query.start) return mismatch("start_time");
    if (position.time >= query.end) return mismatch("end_time");
    return ok({ ...beginPaging(query), position });
  }
  const { tradedate, revision, packMark, market } = cursor;
  if (cursor.dataset !== dataset) return mismatch("apiname");
  if (query.symbol !== cursor.symbol) return mismatch("symbol");
  if (query.market !== null && query.market !== market) return mismatch("symbol");
  if (query.tradedate !== null && query.tradedate !== tradedate) return mismatch("tradedate");
  if (query.start !== cursor.start) return mismatch("start_time");
  if (query.end !== cursor.end) return mismatch("end_time");
  return ok({ tradedate, revision, packMark, market, position });
}

function mismatch(
  parameter: Extract<CursorDenial, { reason: "cursor_mismatch" }>["parameter"],
): Refused<CursorDenial> {
  return refused({ reason: "cursor_mismatch", parameter });
}
