import { expect } from "vitest";
import type { Answer } from "../support/http-client.ts";

/** What a `RateLimit` header says is left and in how many seconds it resets (contract 1.10). */
export function left(answer: Answer): { remaining: number; resetSeconds: number } {
  const header = String(answer.headers.ratelimit);
  const [, remaining] = /;\s*r=(\d+)/.exec(header) ?? [];
  const [, seconds] = /;\s*t=(\d+)/.exec(header) ?? [];
  expect(remaining, header).toBeDefined();
  return { remaining: Number(remaining), resetSeconds: Number(seconds) };
}
