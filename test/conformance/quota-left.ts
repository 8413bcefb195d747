import { expect } from "vitest";
import type { Answer } from "../support/http-client.ts";

/** Returns the remaining quota and the seconds until its reset from the `RateLimit` header (contract 1.10). */
export function left(answer: Answer): { remaining: number; resetSeconds: number } {
  const header = String(answer.headers.ratelimit);
  const [, remaining] = /;\s*r=(\d+)/.exec(header) ?? [];
  const [, seconds] = /;\s*t=(\d+)/.exec(header) ?? [];
  expect(remaining, header).toBeDefined();
  return { remaining: Number(remaining), resetSeconds: Number(seconds) };
}
