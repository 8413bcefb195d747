/**
 * The gate as a pure state machine: one row and a function for each message. The object around it adds only the clock,
 * a fresh id and storage, so every guarantee of the gate can be tested without it.
 */
import { addDays, type BeijingDate, beijingDate, secondsToNextDay } from "../calendar/beijing.ts";
import type { DayUsage, UsageOwner } from "../catalog/usage.ts";
import type { UseDenial } from "../entitlement/caller-denial.ts";
import type { DailyLimits } from "../entitlement/principal.ts";
import type {
  AcquireRequest,
  Counts,
  GateGrant,
  GateKind,
  GateState,
  GateUse,
  GrantSummary,
  ReleaseRequest,
  RequestOutcome,
} from "./protocol.ts";

/** The number of grants that the row keeps; only their requests can be repeated, credited and listed. */
export const GRANTS_KEPT = 20;

/** The most days whose totals are kept while the catalog cannot be written; the oldest are dropped first. */
const DAYS_KEPT = 62;

const NOTHING: Counts = { requests: 0, files: 0 };

/** One accepted request. It stays in the row after its end, so that repeated messages have no effect. */
export interface Grant extends GrantSummary {
  id: string;
  /** The outcome that the worker reported; absent while the request runs, and when the worker died. */
  outcome?: RequestOutcome;
  /** The size of the response body in bytes, once the worker has reported it. */
  bytes?: number;
}

/** The stored state. Later versions only add fields; the functions here preserve unknown fields. */
export interface GateRow extends Counts {
  /** The Beijing day of the counts. */
  day: BeijingDate;
  /** The total size in bytes of the bodies that ended on the day; absent before the first one. */
  bytes?: number;
  /** The owner of this usage; absent until a worker has named it. */
  owner?: UsageOwner;
  /** Totals of earlier days that the catalog lacks; absent when there are none. */
  earlier?: readonly DayUsage[];
  /** The totals that the last write stored. They apply only if their day is `day`. */
  written?: DayUsage;
  /** When the object will write into the catalog (Unix milliseconds of its own clock); absent while nothing is due. */
  writeAtMs?: number;
  /** The requests and files credited today. The counts no longer include them. Absent when nothing was credited. */
  credited?: Counts;
  /** The holder of the slot; null when the slot is free. At `untilMs` (Unix milliseconds) it is free in any case. */
  holder: { id: string; requestId: string; untilMs: number } | null;
  /** The last grants, at most `GRANTS_KEPT`, in order of time; the newest is the last. */
  grants: readonly Grant[];
}

/** Returns the row of a new account. */
export function emptyRow(nowMs: number): GateRow {
  return { day: beijingDate(nowMs), requests: 0, files: 0, holder: null, grants: [] };
}

/**
 * Takes the slot, then a unit of the day's quota (contract 2.1, steps 8 to 10). A taken slot is reported before an
 * exhausted quota; neither refusal charges anything.
 *
 * `grantId` must be fresh. A request id is repeated when its first answer was lost. The repeated request is granted
 * without a second charge and takes over the slot from its own first grant, whose late release then has no effect. If
 * another request took the slot in between, the repeated one is refused and its charge credited.
 */
export function acquire(
  stored: GateRow,
  ask: AcquireRequest,
  grantId: string,
  nowMs: number,
): { row: GateRow; answer: GateGrant | UseDenial } {
  const row = startDay(stored, nowMs);
  const earlier = row.grants.find((grant) => grant.requestId === ask.requestId);
  if (isHeld(row, nowMs) && row.holder?.requestId !== ask.requestId) {
    const unserved = earlier !== undefined && earlier.outcome === undefined;
    return { row: unserved ? giveBack(row, earlier) : row, answer: { reason: "slot_busy" } };
  }
  const isPaid = earlier?.charged === true;
  const exhausted = isPaid ? null : exhaustedUnit(useOf(row, nowMs), ask.kind, ask.limits);
  if (exhausted !== null) return { row, answer: exhausted };

  const grant: Grant = isPaid
    ? { ...earlier, id: grantId }
    : { id: grantId, requestId: ask.requestId, kind: ask.kind, day: row.day, charged: true };
  const next: GateRow = {
    ...(isPaid ? row : count(row, ask.kind)),
    ...(ask.owner === undefined ? {} : { owner: ask.owner }),
    holder: { id: grantId, requestId: ask.requestId, untilMs: nowMs + ask.boundMs },
    grants: [...row.grants.filter((other) => other !== earlier), grant].slice(-GRANTS_KEPT),
  };
  return { row: next, answer: { id: grantId, use: useOf(next, nowMs) } };
}

/**
 * Ends the grant `id`: frees the slot if that grant holds it, records the outcome, and credits the charge if `request`
 * says so. A worker without a grant passes its request id. Returns the same row when there is nothing to write.
 */
export function release(row: GateRow, id: string, request: ReleaseRequest): GateRow {
  const isMeant = (one: { id: string; requestId: string }) => one.id === id || one.requestId === id;
  const freed = row.holder !== null && isMeant(row.holder) ? { ...row, holder: null } : row;
  const grant = freed.grants.find(isMeant);
  if (grant === undefined) return freed;
  const credited = request.credit ? giveBack(freed, grant) : freed;
  const counted = request.credit ? credited : countBytes(credited, grant, request.bytes);
  const { outcome } = request;
  const isNews = outcome !== undefined && JSON.stringify(outcome) !== JSON.stringify(grant.outcome);
  return isNews ? replaceGrant(counted, grant.id, (old) => ({ ...old, outcome })) : counted;
}

/** Frees the slot, regardless of which request holds it. A later release by that request does not change the slot. */
export function free(row: GateRow): GateRow {
  return row.holder === null ? row : { ...row, holder: null };
}

/** Credits `given` requests and files: subtracts them from today's usage counters, never below zero. */
export function credit(stored: GateRow, given: Counts, nowMs: number): GateRow {
  return takeOff(startDay(stored, nowMs), given);
}

/** Returns the public state of the row at `nowMs`. */
export function stateOf(stored: GateRow, nowMs: number): GateState {
  const row = startDay(stored, nowMs);
  const { holder } = row;
  return {
    use: useOf(row, nowMs),
    credited: row.credited ?? NOTHING,
    bytes: row.bytes ?? 0,
    holder:
      holder !== null && isHeld(row, nowMs) ? { requestId: holder.requestId, untilMs: holder.untilMs } : null,
    last: row.grants.flatMap((grant) => (grant.outcome === undefined ? [] : [grant.outcome])),
    grants: row.grants.map(({ requestId, kind, day, charged }) => ({ requestId, kind, day, charged })),
  };
}

/** Returns the refusal that one more request of this kind would get (contract 2.1, steps 8 and 9), or null. */
export function verdictOf(state: GateState, kind: GateKind, limits: DailyLimits): UseDenial | null {
  return state.holder === null ? exhaustedUnit(state.use, kind, limits) : { reason: "slot_busy" };
}

/**
 * Returns the row with its counters at zero if a new Beijing day has begun. A clock can step back when the object moves
 * to another machine, so a row that is one day ahead is kept, and a day's quota is not granted twice.
 */
function startDay(row: GateRow, nowMs: number): GateRow {
  const today = beijingDate(nowMs);
  if (row.day === today || row.day === addDays(today, 1)) return row;
  const { credited: _, bytes: __, ...kept } = row;
  const earlier = unwrittenDays(row);
  const waiting = earlier.length === 0 ? {} : { earlier };
  return { ...kept, day: today, requests: 0, files: 0, ...waiting };
}

function isHeld(row: GateRow, nowMs: number): boolean {
  return row.holder !== null && row.holder.untilMs > nowMs;
}

/** Returns the refusal if one more request would exceed a limit, or null. Requests are checked before files. */
function exhaustedUnit(use: GateUse, kind: GateKind, limits: DailyLimits): UseDenial | null {
  const { resetSeconds } = use;
  const { requests, files } = limits;
  if (requests !== null && use.requests >= requests)
    return { reason: "quota_used", unit: "requests", limit: requests, resetSeconds };
  if (kind === "parquet" && files !== null && use.files >= files)
    return { reason: "quota_used", unit: "files", limit: files, resetSeconds };
  return null;
}

function count(row: GateRow, kind: GateKind): GateRow {
  const { requests, files } = countsOf(kind);
  return { ...row, requests: row.requests + requests, files: row.files + files };
}

function countBytes(row: GateRow, grant: Grant, bytes: number | undefined): GateRow {
  if (bytes === undefined || grant.bytes !== undefined) return row;
  const counted = replaceGrant(row, grant.id, (old) => ({ ...old, bytes }));
  return { ...counted, bytes: (row.bytes ?? 0) + bytes };
}

/** Decrements the day's counts, never below zero, and records them as credited. */
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

/** Credits the grant's charge once, if its day is still the current one. */
function giveBack(row: GateRow, grant: Grant): GateRow {
  if (!grant.charged) return row;
  const uncounted = grant.day === row.day ? takeOff(row, countsOf(grant.kind)) : row;
  return replaceGrant(uncounted, grant.id, (old) => ({ ...old, charged: false }));
}

function replaceGrant(row: GateRow, id: string, change: (grant: Grant) => Grant): GateRow {
  return { ...row, grants: row.grants.map((grant) => (grant.id === id ? change(grant) : grant)) };
}

function useOf(row: GateRow, nowMs: number): GateUse {
  const { day, requests, files } = row;
  return { day, requests, files, resetSeconds: secondsToNextDay(nowMs) };
}

/** Returns the days whose totals the catalog may lack, oldest first. Totals can be written again, unlike increments. */
export function unwrittenDays(row: GateRow): DayUsage[] {
  const { day, requests, files, bytes = 0, earlier = [], written } = row;
  const present = { day, requests, files, bytes };
  const known = written?.day === day ? written : { day, requests: 0, files: 0, bytes: 0 };
  return (isSame(known, present) ? [...earlier] : [...earlier, present]).slice(-DAYS_KEPT);
}

/** Returns `row` after `days` were written. Requests that were counted during the write remain to be written. */
export function afterWrite(row: GateRow, days: readonly DayUsage[]): GateRow {
  // A day that ended during the write can have higher totals than were written, so only equal totals are removed.
  const waiting = row.earlier?.filter((one) => !days.some((done) => isSame(done, one))) ?? [];
  const written = days.find(({ day }) => day === row.day);
  const left: GateRow = { ...row };
  delete left.writeAtMs;
  delete left.earlier;
  if (waiting.length > 0) left.earlier = waiting;
  if (written !== undefined) left.written = written;
  return left;
}

/**
 * Returns `row` with the time of the next write when something is unwritten and no write is planned; otherwise the same
 * row. A write that was planned for more than `everyMs` ago counts as lost.
 */
export function planWrite(row: GateRow, nowMs: number, everyMs: number): GateRow {
  const { owner, writeAtMs } = row;
  const isPlanned = writeAtMs !== undefined && writeAtMs > nowMs - everyMs;
  if (owner === undefined || isPlanned || unwrittenDays(row).length === 0) return row;
  return { ...row, writeAtMs: nowMs + everyMs };
}

function isSame(one: DayUsage, other: DayUsage): boolean {
  const { day, requests, files, bytes } = other;
  return one.day === day && one.requests === requests && one.files === files && one.bytes === bytes;
}
