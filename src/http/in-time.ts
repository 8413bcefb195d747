/** The time within which the first byte must come: a request that cannot keep it fails (contract 2.5). */
import type { Settings } from "../env.ts";

/** Milliseconds that are left of a request that began at `nowMs` to its first byte; 0 when it is over. */
export function firstByteMs({ settings, nowMs }: { settings: Settings; nowMs: number }): number {
  return Math.max(0, nowMs + settings.FIRST_BYTE_MS - (Date.now() + settings.CLOCK_OFFSET_MS));
}

/** `work`, or an error when it has not ended within `ms`. Late work goes on; how it ends is the caller's to care for. */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
