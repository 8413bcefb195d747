/**
 * `data_changes`, additive to the spec: what changed of the days that may be read, so that a copy elsewhere can
 * follow. Needs a plan with order history and shows its window only. Charges nothing, takes no slot.
 */
import { beijingDate, beijingTimestamp } from "../calendar/beijing.ts";
import { parseInstant } from "../calendar/instant.ts";
import { type ChangeKind, changesSince, type DayChange } from "../catalog/day-changes.ts";
import { entitleOrderHistory } from "../entitlement/entitle.ts";
import { windowOf } from "../entitlement/standing.ts";
import type { Denial } from "../http/denial.ts";
import type { Envelope } from "../http/envelope.ts";
import { succeed } from "../http/respond.ts";
import { invalid, type ParamInvalid } from "../orders/denial.ts";
import { givenParameters, parseInteger } from "../orders/parameters.ts";
import type { Call, Operation, Prepared, Scope } from "./operation.ts";

/**
 * `since`: changes from this instant on (a day, or RFC 3339 with an offset). `after`: changes behind this number,
 * as `next_after` of an earlier answer gave it. `limit`: at most so many, 50 at most. All may be left out.
 */
const PARAMETERS = ["since", "after", "limit"] as const;

/** A change may name every security of a day, about 60 KB. */
const MAX_CHANGES = 50;

interface Change {
  /** Grows with every change of any day. */
  change: number;
  /** RFC 3339, Beijing time. */
  at: string;
  tradedate: string;
  /** `published`, `restored` (an earlier content again), `withdrawn`, `damaged`. */
  kind: ChangeKind;
  /** The revision it made, or the one that is no longer served. */
  revision: number;
  /** The revision before it; null for a day's first one. */
  previous: number | null;
  /** Which securities differ from the revision before, as `600519.SH`; null where there is nothing to compare. */
  securities: { added: string[]; removed: string[]; changed: string[] } | null;
}

/** `data` of the answer. */
interface DataChanges {
  /** In the order they happened. */
  changes: Change[];
  /** To be given as `after` next time: nothing is lost and nothing comes twice. */
  next_after: number;
  /** Whether more of them wait. */
  has_more: boolean;
}

interface Query {
  sinceMs: number;
  after: number;
  limit: number;
  unknownParameters: string[];
}

export const dataChanges: Operation = { apiname: "data_changes", prepare };

async function prepare(envelope: Envelope, { settings }: Scope): Promise<Prepared | Denial> {
  const parameters = givenParameters(envelope.params, PARAMETERS, {
    unknownParameters: settings.UNKNOWN_PARAMETERS,
  });
  if ("reason" in parameters) return parameters;
  const { given, unknown: unknownParameters } = parameters;
  const sinceMs = parseSince(given.get("since"));
  if (typeof sinceMs !== "number") return sinceMs;
  const after = parseInteger("after", given.get("after"), { from: 0, to: Number.MAX_SAFE_INTEGER });
  if (typeof after === "object" && after !== null) return after;
  const limit = parseInteger("limit", given.get("limit"), { from: 1, to: MAX_CHANGES });
  if (typeof limit === "object" && limit !== null) return limit;
  const query = { sinceMs, after: after ?? 0, limit: limit ?? MAX_CHANGES, unknownParameters };
  return { reads: [], run: (call) => run(call, query) };
}

/** Unix milliseconds; 0 when left out. */
function parseSince(value: unknown): number | ParamInvalid {
  if (value === undefined) return 0;
  if (typeof value !== "string") return invalid("since", "not_string", value);
  const accepted = "YYYYMMDD, YYYY-MM-DD, YYYY-MM-DDTHH:MM:SS+08:00";
  return parseInstant(value.trim()) ?? { ...invalid("since", "value_form", value), accepted };
}

async function run(call: Call, query: Query): Promise<Response> {
  const { principal, nowMs, env, log, requestId } = call;
  const grant = entitleOrderHistory(principal, beijingDate(nowMs), nowMs);
  if ("reason" in grant) return call.refuse(grant);
  const from = windowOf(grant.plan, "order_history", nowMs)?.from ?? null;
  const { after, sinceMs, limit, unknownParameters } = query;
  // One more than asked for tells whether more wait.
  const question = { changeId: after, sinceMs, from, count: limit + 1 };
  const found = await log.stage("d1", () => changesSince(env.DB, question));
  const shown = found.slice(0, limit);
  log.note({ code: 200, reason: "success" });
  const data: DataChanges = {
    changes: shown.map(changeOf),
    next_after: shown.at(-1)?.changeId ?? after,
    has_more: found.length > shown.length,
  };
  return succeed(data, { requestId, unknownParameters });
}

function changeOf(change: DayChange): Change {
  const { changeId, atMs, tradedate, kind, revision, previous, added, removed, changed } = change;
  const securities =
    added === null || removed === null || changed === null ? null : { added, removed, changed };
  return { change: changeId, at: beijingTimestamp(atMs), tradedate, kind, revision, previous, securities };
}
