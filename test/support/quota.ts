/** Reads what is left of an account's quota. */
import { expect } from "vitest";
import type { AccountInfo, Quota } from "../../src/operations/wire.ts";
import type { Answer } from "./http-client.ts";
import type { Service } from "./service.ts";

/** Returns the counters of order history and whether its slot is taken. The request is free and needs no slot. */
export async function quotaOf(service: Service, apikey: string): Promise<Quota> {
  const answer = await service.post({ apiname: "account_info", apikey, params: {} });
  const [quota] = (answer.envelope.data as unknown as AccountInfo).quotas;
  if (quota === undefined) throw new Error(answer.text);
  return quota;
}

/** Returns the remaining quota and the seconds until its reset from the `RateLimit` header (contract 1.10). */
export function left(answer: Answer): { remaining: number; resetSeconds: number } {
  const header = String(answer.headers.ratelimit);
  const [, remaining] = /;\s*r=(\d+)/.exec(header) ?? [];
  const [, seconds] = /;\s*t=(\d+)/.exec(header) ?? [];
  expect(remaining, header).toBeDefined();
  return { remaining: Number(remaining), resetSeconds: Number(seconds) };
}
