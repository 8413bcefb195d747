/** What an operation of `POST /api` is to the pipeline that serves it. */
import type { Result } from "../base/result.ts";
import type { Principal } from "../entitlement/principal.ts";
import { type Env, nowMs, type Settings } from "../env.ts";
import type { Denial } from "../http/denial.ts";
import type { Envelope } from "../http/envelope.ts";
import type { AnswerFacts } from "../http/headers.ts";
import type { RequestLog } from "../http/request-log.ts";

/** What is known of a request before anybody is identified. */
export interface Scope {
  env: Env;
  settings: Settings;
  ctx: Pick<ExecutionContext, "waitUntil">;
  requestId: string;
  /** Scheme and host the service was reached under. */
  origin: string;
  /** The instant of the request, taken once (Unix milliseconds, the deployment's clock). */
  nowMs: number;
  /** Fires when the client goes away. */
  signal: AbortSignal;
  log: RequestLog;
}

/** Returns the milliseconds that are left to the first byte of a request (contract 2.5); 0 when they are over. */
export function firstByteMs({ settings, nowMs: beganMs }: Pick<Scope, "settings" | "nowMs">): number {
  return Math.max(0, beganMs + settings.FIRST_BYTE_MS - nowMs(settings));
}

/** A request that passed steps 1 to 5 of contract 2.1. */
export interface Call extends Scope {
  principal: Principal;
  /** The results of the prepared reads, in their order. */
  read(): Promise<D1Result[]>;
  /** The answer to a refused request, told to the log. */
  refuse(denial: Denial, facts?: Omit<AnswerFacts, "requestId" | "reason">): Response;
}

/** A request whose parameters are in order. */
export interface Prepared {
  /** What the catalog will be asked; read together with the key when the key is not in memory. */
  reads: D1PreparedStatement[];
  /** The security and the day (null: left out) of an order request, for those who look at refused ones later. */
  about?: { symbol: string; tradedate: string | null };
  /** Steps 6 to 11 of contract 2.1. Throws on a fault only. */
  run(call: Call): Promise<Response>;
  /**
   * How steps 6 to 10 would go now, up to the first refusal, for the operator's `explain`: nothing is taken,
   * counted, made or read of a pack. Absent where `run` itself does nothing but read.
   */
  explain?(call: Call): Promise<Step[]>;
}

/** One step of contract 2.1 as it would go. */
export interface Step {
  /** Its number there. */
  step: number;
  about: "plan and window" | "data" | "slot" | "quota" | "charge";
  /** Why it refuses; null when it lets the request pass. */
  denial: Denial | null;
  /** A clause for the operator: what was looked at and found. */
  detail: string;
}

export interface Operation {
  apiname: string;
  /** Whether absent `params` are the same as `{}`: for operations of contract 9 that demand none. */
  paramsOptional?: true;
  /** Step 5: the parameters, judged without reading anything. */
  prepare(envelope: Envelope, scope: Scope): Promise<Result<Prepared, Denial>>;
}
