/** The interface of an operation of `POST /api`, the operations that only look something up, and the day they read. */
import { ok, type Result } from "../base/result.ts";
import { keepOrderDay } from "../catalog/kept-days.ts";
import { type OrderDay, type OrderDayQuestion, orderDayOf } from "../catalog/order-day.ts";
import type { EntitlementDenial } from "../entitlement/caller-denial.ts";
import { entitleOrderHistory, type Grant } from "../entitlement/entitle.ts";
import type { Principal } from "../entitlement/principal.ts";
import { type Env, nowMs, type Settings } from "../env.ts";
import type { Denial } from "../http/denial.ts";
import type { Envelope } from "../http/envelope.ts";
import type { RequestLog } from "../http/request-log.ts";
import { type AnswerFacts, succeed } from "../http/respond.ts";
import { type ParameterSet, type Parsed, parseParameters } from "../orders/query/parameters.ts";

/** The facts of a request before authentication. */
export interface Scope {
  env: Env;
  settings: Settings;
  ctx: Pick<ExecutionContext, "waitUntil">;
  requestId: string;
  /** Scheme and host of the request. */
  origin: string;
  /** The instant that counts as the time of the request (Unix milliseconds, the deployment's clock). */
  nowMs: number;
  /** Fires when the client disconnects. */
  signal: AbortSignal;
  log: RequestLog;
}

/** Returns the milliseconds until the deadline of the first byte (contract 2.5); 0 after it. */
export function firstByteMs({ settings, nowMs: beganMs }: Pick<Scope, "settings" | "nowMs">): number {
  return Math.max(0, beganMs + settings.FIRST_BYTE_MS - nowMs(settings));
}

/** A request that passed steps 1 to 5 of contract 2.1. */
export interface Call extends Scope {
  principal: Principal;
  /** Returns the results of the prepared reads in order. */
  read(): Promise<D1Result[]>;
  /** Returns the answer to a refused request and logs it. */
  refuse(denial: Denial, facts?: Omit<AnswerFacts, "requestId" | "reason">): Response;
}

/** A request with valid parameters. */
export interface Prepared {
  /** Statements for the catalog. When the key is not cached, they run in one batch with the statement that reads it. */
  reads: D1PreparedStatement[];
  /** The security and day (null when omitted) of a history request, stored with refusals. */
  about?: { symbol: string; tradedate: string | null };
  /** Runs steps 6 to 11 of contract 2.1. Throws only on a fault. */
  run(call: Call): Promise<Response>;
  /**
   * For `explain`: evaluates steps 6 to 10 up to the first refusal. Changes nothing and reads no pack. Absent when
   * `run` itself only reads.
   */
  explain?(call: Call): Promise<Step[]>;
}

/** An evaluated step of contract 2.1. */
export interface Step {
  /** The step's number. */
  step: number;
  about: "plan and window" | "data" | "slot" | "quota" | "charge";
  /** Why the step refuses; null when it passes. */
  denial: Denial | null;
  /** A clause for the operator that says what was checked and found. */
  detail: string;
}

export interface Operation {
  apiname: string;
  /** Whether absent `params` count as `{}`. True for the operations of contract 9 that have no required parameters. */
  paramsOptional?: true;
  /** Step 5: validates the parameters without reading anything. */
  prepare(envelope: Envelope, scope: Scope): Result<Prepared, Denial>;
}

/** An operation of contract 9 that only reads the catalog or the gate: it charges nothing and takes no slot. */
interface LookUp<P extends ParameterSet> {
  apiname: string;
  parameters(): P;
  /** Returns the statements to run in the same batch as the statement that reads the key. */
  reads?(scope: Scope, values: Parsed<P>): D1PreparedStatement[];
  /** Returns the answer's `data`, with the revision that it describes, or why the request is refused. */
  answer(call: Call, values: Parsed<P>): Promise<Result<{ data: object; revision?: number }, Denial>>;
}

/** Returns the operation that parses its parameters, looks up the answer and logs the success. */
export function lookUp<P extends ParameterSet>(
  operation: LookUp<P>,
): Operation & Pick<LookUp<P>, "parameters"> {
  const { apiname, parameters, reads = () => [], answer } = operation;
  return {
    apiname,
    parameters,
    paramsOptional: true,
    prepare({ params }, scope) {
      const asked = parseParameters(params, parameters(), scope.settings.UNKNOWN_PARAMETERS);
      if (!asked.ok) return asked;
      const { values, unknown: unknownParameters } = asked.value;
      return ok({
        reads: reads(scope, values),
        async run(call) {
          const answered = await answer(call, values);
          if (!answered.ok) return call.refuse(answered.refusal);
          const { data, ...facts } = answered.value;
          call.log.note({ code: 200, reason: "success" });
          return succeed(data, { ...facts, requestId: call.requestId, unknownParameters });
        },
      });
    },
  };
}

/**
 * Step 6 of contract 2.1 for operations on one day. Returns the day of `question`, or why the plan does not cover it.
 * The day comes from `kept` or from the call's first prepared read. If the request has no date, the plan is first
 * checked for today. A caller who may not read today is thus refused before the calendar is read.
 */
export async function openDay(
  { principal, nowMs, log, read, settings }: Call,
  question: OrderDayQuestion,
  kept: OrderDay | null = null,
): Promise<Result<{ grant: Grant; orderDay: OrderDay }, EntitlementDenial>> {
  const early = entitleOrderHistory(principal, question.tradedate ?? question.today, nowMs);
  if (!early.ok) return early;
  let orderDay = kept;
  if (orderDay === null) {
    const [result] = await read();
    if (result === undefined) throw new Error("the order day was not read");
    orderDay = orderDayOf(result, question);
    if (settings.DAY_CACHE_MS > 0) keepOrderDay(question, orderDay, nowMs);
  }
  const { tradedate } = orderDay;
  log.note({ tradedate });
  const grant = entitleOrderHistory(principal, tradedate, nowMs);
  return grant.ok ? ok({ grant: grant.value, orderDay }) : grant;
}
