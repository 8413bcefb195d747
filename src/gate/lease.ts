/**
 * The gate as a pure state machine: one row, and what each message makes of it. The object around it
 * only adds the clock, a fresh id and the storage, so every promise of the gate can be checked here.
 */
import { addDays, type BeijingDate, beijingDate, secondsToNextDay } from "../calendar/beijing.ts";
import type {
  AcquireRequest,
  Counts,
  GateGrant,
  GateKind,
  GateRefusal,
  GateState,
  GateUse,
  OperatorCredit,
  ReleaseRequest,
  RequestOutcome,
} from "./protocol.ts";

/** Grants the row remembers. A request can be repeated, credited and listed while it is among them. */
export const GRANTS_KEPT = 20;

const NOTHING: Counts = { requests: 0, files: 0 };

/** One accepted request. It stays in the row after its end, so that saying something twice does nothing. */
export interface Grant {
  id: string;
  requestId: string;
  kind: GateKind;
  /** The day whose counters it was charged to. */
  day: BeijingDate;
  /** False once it was credited. */
  charged: boolean;
  /** What the worker said at the end; absent while it runs, and forever if the worker died. */
  outcome?: RequestOutcome;
}

/** All the object stores. Later versions only add fields; the functions here keep those they do not know. */
export interface GateRow {
  /** The Beijing day that `requests` and `files` count. */
  day: BeijingDate;
  /** Accepted requests of the day, JSON and Parquet together. */
  requests: number;
  /** Accepted Parquet requests of the day. */
  files: number;
  /** What was credited of the day's counts, which no longer hold it; absent while nothing was. */
  credited?: Counts;
  /** Who holds the slot. It counts for nothing from `untilMs` on. */
  holder: { id: string; requestId: string; untilMs: number } | null;
  /** Newest last, at most `GRANTS_KEPT`. */
  grants: readonly Grant[];
}

/** The row of an account that was never seen before. */
export function emptyRow(nowMs: number): GateRow {
  return { day: beijingDate(nowMs), requests: 0, files: 0, holder: null, grants: [] };
}

/**
 * Asks for the slot, then for a unit of the day's quota (contract 2.1, steps 8 to 10): a held slot is
 * told before a used-up quota, and neither refusal charges or takes anything.
 *
 * `grantId` must be fresh. The same request id again (its first answer was lost) is granted without a
 * second charge and takes the slot over from its own first grant, whose late release then does nothing.
 * If another request slipped in between, the repeated one is refused and its charge credited.
 */
export function acquire(
  stored: GateRow,
  ask: AcquireRequest,
  grantId: string,
  nowMs: number,
): { row: GateRow; answer: GateGrant | GateRefusal } {
  const row = startDay(stored, nowMs);
  const earlier = row.grants.find((grant) => grant.requestId === ask.requestId);
  if (isHeld(row, nowMs) && row.holder?.requestId !== ask.requestId) {
    const unserved = earlier !== undefined && earlier.outcome === undefined;
    return { row: unserved ? giveBack(row, earlier) : row, answer: { reason: "slot_busy" } };
  }
  const isPaid = earlier?.charged === true;
  const exhausted = isPaid ? null : exhaustedUnit(row, ask, nowMs);
  if (exhausted !== null) return { row, answer: exhausted };

  const grant: Grant = isPaid
    ? { ...earlier, id: grantId }
    : { id: grantId, requestId: ask.requestId, kind: ask.kind, day: row.day, charged: true };
  const next: GateRow = {
    ...(isPaid ? row : count(row, ask.kind)),
    holder: { id: grantId, requestId: ask.requestId, untilMs: nowMs + ask.boundMs },
    grants: [...row.grants.filter((other) => other !== earlier), grant].slice(-GRANTS_KEPT),
  };
  return { row: next, answer: { id: grantId, use: useOf(next, nowMs) } };
}

/**
 * Ends the grant `id`: frees the slot if that grant still holds it, notes the outcome, and gives the
 * charge back when asked. A worker that never saw an answer names its request id instead. Returns the
 * very same row when there is nothing new, so nothing is written.
 */
export function release(row: GateRow, id: string, request: ReleaseRequest): GateRow {
  const isMeant = (one: { id: string; requestId: string }) => one.id === id || one.requestId === id;
  const freed = row.holder !== null && isMeant(row.holder) ? { ...row, holder: null } : row;
  const grant = freed.grants.find(isMeant);
  if (grant === undefined) return freed;
  const credited = request.credit ? giveBack(freed, grant) : freed;
  const { outcome } = request;
  const isNews = outcome !== undefined && JSON.stringify(outcome) !== JSON.stringify(grant.outcome);
  return isNews ? replaceGrant(credited, grant.id, (old) => ({ ...old, outcome })) : credited;
}

/** The operator frees the slot for any holder. That request's own release then does nothing. */
export function free(row: GateRow): GateRow {
  return row.holder === null ? row : { ...row, holder: null };
}

/** The operator gives counts of today back; the counters never fall below zero. */
export function credit(stored: GateRow, given: OperatorCredit, nowMs: number): GateRow {
  return takeOff(startDay(stored, nowMs), given);
}

/** What there is to tell about the row at `nowMs`. */
export function stateOf(stored: GateRow, nowMs: number): GateState {
  const row = startDay(stored, nowMs);
  const { holder } = row;
  return {
    use: useOf(row, nowMs),
    credited: row.credited ?? NOTHING,
    holder:
      holder !== null && isHeld(row, nowMs) ? { requestId: holder.requestId, untilMs: holder.untilMs } : null,
    last: row.grants.flatMap((grant) => (grant.outcome === undefined ? [] : [grant.outcome])),
    grants: row.grants.map(({ requestId, kind, day, charged }) => ({ requestId, kind, day, charged })),
  };
}

/**
 * The row with its counters at zero if the Beijing day has turned. A clock that steps back over
 * midnight (the object moved to another machine) must not hand out a day's quota twice, so a row that
 * is one day ahead stays as it is.
 */
function startDay(row: GateRow, nowMs: number): GateRow {
  const today = beijingDate(nowMs);
  if (row.day === today || row.day === addDays(today, 1)) return row;
  const { credited: _, ...kept } = row;
  return { ...kept, day: today, requests: 0, files: 0 };
}

function isHeld(row: GateRow, nowMs: number): boolean {
  return row.holder !== null && row.holder.untilMs > nowMs;
}

/** The refusal if one more request of this kind would pass a limit; requests are told before files. */
function exhaustedUnit(row: GateRow, ask: AcquireRequest, nowMs: number): GateRefusal | null {
  const resetSeconds = secondsToNextDay(nowMs);
  const { requests, files } = ask.limits;
  if (requests !== null && row.requests >= requests)
    return { reason: "quota_used", unit: "requests", limit: requests, resetSeconds };
  if (ask.kind === "parquet" && files !== null && row.files >= files)
    return { reason: "quota_used", unit: "files", limit: files, resetSeconds };
  return null;
}

function count(row: GateRow, kind: GateKind): GateRow {
  const { requests, files } = countsOf(kind);
  return { ...row, requests: row.requests + requests, files: row.files + files };
}

/** Decrements the day's counts, never below zero, and remembers them as credited. */
function takeOff(row: GateRow, given: Counts): GateRow {
  const requests = Math.min(row.requests, given.requests);
  const files = Math.min(row.files, given.files);
  const { credited = NOTHING } = row;
  return {
    ...row,
    requests: row.requests - requests,
    files: row.files - files,
    credited: { requests: credited.requests + requests, files: credited.files + files },
  };
}

function countsOf(kind: GateKind): Counts {
  return { requests: 1, files: kind === "parquet" ? 1 : 0 };
}

/** Takes the grant's charge off the day it was made on, once. A day that has turned has nothing to give. */
function giveBack(row: GateRow, grant: Grant): GateRow {
  if (!grant.charged) return row;
  const uncounted = grant.day === row.day ? takeOff(row, countsOf(grant.kind)) : row;
  return replaceGrant(uncounted, grant.id, (old) => ({ ...old, charged: false }));
}

function replaceGrant(row: GateRow, id: string, change: (grant: Grant) => Grant): GateRow {
  return { ...row, grants: row.grants.map((grant) => (grant.id === id ? change(grant) : grant)) };
}

function useOf(row: GateRow, nowMs: number): GateUse {
  return {
    day: row.day,
    requests: row.requests,
    files: row.files,
    resetSeconds: secondsToNextDay(nowMs),
  };
}
