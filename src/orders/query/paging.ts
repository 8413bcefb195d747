/** Determines where a page begins: at the window's start, or at a cursor (contract 5). */
import { ok, type Refused, type Result, refused } from "../../base/result.ts";
import type { BeijingDate } from "../../calendar/beijing.ts";
import type { DatasetName } from "../../datasets/registry.ts";
import type { Market } from "../record.ts";
import type { DatedCursor, UndatedCursor } from "./cursor.ts";
import type { HistoryQuery } from "./history-query.ts";
import type { Position } from "./page-plan.ts";
import { type CursorDenial, invalid, type ParamInvalid } from "./query-denial.ts";

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
