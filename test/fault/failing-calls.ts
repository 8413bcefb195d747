/** Sends requests whose k-th store call fails, for every k, and records what the caller received. */
import { randomUUID } from "node:crypto";
import type { StoreFault } from "../support/fault-worker.ts";
import { type Answer, call } from "../support/http-client.ts";
import type { Service } from "../support/service.ts";

/** A request that the tests send with and without a failing store call. */
export interface FaultedRequest {
  method?: string;
  url: string;
  body?: unknown;
  headers?: Record<string, string>;
}

/** One failing call of a request. */
export interface Spot {
  fault: StoreFault;
  /** The call's number, from 1. */
  k: number;
  /** The store and the method, such as `r2 get`. */
  call: string;
}

/** The answer that the caller received, whole or broken. */
export type Seen = { kind: "answer"; answer: Answer } | { kind: "broken" };

const CALL_FAULTS: readonly StoreFault[] = ["fail", "lose", "delay"];
const BODY_FAULTS: readonly StoreFault[] = ["truncate", "break", "gone"];

/** Sends the request with `fault` applied to its `k`-th store call. If `k` is 0, no call fails. */
export async function sendWithFault(
  request: FaultedRequest,
  fault: StoreFault,
  k: number,
  id: string = randomUUID(),
): Promise<Seen> {
  const headers = {
    "content-type": "application/json",
    ...request.headers,
    "x-fault": `${fault} ${k} ${id}`,
  };
  try {
    return { kind: "answer", answer: await call(request.url, { ...request, headers }) };
  } catch {
    return { kind: "broken" };
  }
}

/**
 * Sends a request without faults and returns its store calls in order, such as `d1 batch`, including calls after the
 * answer.
 */
export async function callsOf(service: Service, request: FaultedRequest): Promise<string[]> {
  const id = randomUUID();
  const seen = await sendWithFault(request, "fail", 0, id);
  if (seen.kind === "broken") throw new Error(`${request.url} broke without a fault`);
  await new Promise((resolve) => setTimeout(resolve, 200));
  return (await fetch(`${service.baseUrl}/calls?id=${id}`)).json() as Promise<string[]>;
}

/** Returns every call of `calls` with every fault that applies, except `hang` and `stall`, which take seconds. */
export function spotsOf(calls: readonly string[]): Spot[] {
  return calls.flatMap((name, place) => {
    const faults = name === "r2 get" ? [...CALL_FAULTS, ...BODY_FAULTS] : CALL_FAULTS;
    return faults.map((fault) => ({ fault, k: place + 1, call: name }));
  });
}

/**
 * Returns every call of `calls` with the fault `hang` (it never answers), and R2 reads also with `stall` (the body
 * stops).
 */
export function silentSpotsOf(calls: readonly string[]): Spot[] {
  return calls.flatMap((name, place) => {
    const faults: StoreFault[] = name === "r2 get" ? ["hang", "stall"] : ["hang"];
    return faults.map((fault) => ({ fault, k: place + 1, call: name }));
  });
}
