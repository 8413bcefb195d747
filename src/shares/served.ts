/**
 * Adds up what shares have sent in this isolate, and writes the sums into the catalog some seconds later in one write.
 * An isolate that ends before the write loses the sums of these seconds; nothing is counted twice.
 */
import { beijingDate } from "../calendar/beijing.ts";
import { type AccountUsage, addUsage, type UsageOwner } from "../catalog/usage.ts";

/** The pause between a download's end and the write. The write includes all downloads that end during the pause. */
const WAIT_MS = 2_000;

/** A write that has not happened after this time was lost with its request. */
const LATE_MS = 10_000;

const waiting = new Map<string, AccountUsage>();
/** The time at which `waiting` is written (Unix milliseconds of the isolate's clock). */
let writesAtMs = Number.NEGATIVE_INFINITY;

interface ServedPlace {
  db: D1Database;
  /** The deployment's clock in Unix milliseconds, which determines the day. */
  nowMs: number;
  waitUntil(work: Promise<unknown>): void;
}

/** Counts one answer of `bytes` to `owner`; `isFile` when it sent the last byte of a file. */
export function noteServed(
  { db, nowMs, waitUntil }: ServedPlace,
  owner: UsageOwner,
  { bytes, isFile }: { bytes: number; isFile: boolean },
): void {
  const day = beijingDate(nowMs);
  const key = JSON.stringify([day, owner.accountId, owner.service]);
  const known = waiting.get(key) ?? { ...owner, day, requests: 0, files: 0, bytes: 0 };
  const files = known.files + (isFile ? 1 : 0);
  waiting.set(key, { ...known, requests: known.requests + 1, files, bytes: known.bytes + bytes });
  const present = Date.now();
  if (present < writesAtMs + LATE_MS) return;
  writesAtMs = present + WAIT_MS;
  waitUntil(writeLater(db));
}

async function writeLater(db: D1Database): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  const taken = [...waiting.values()];
  waiting.clear();
  writesAtMs = Number.NEGATIVE_INFINITY;
  try {
    await addUsage(db, taken);
  } catch (error) {
    // The write may have happened before the error, so it is not repeated; the log has the numbers.
    console.warn(JSON.stringify({ event: "usage_not_written", error: String(error), usage: taken }));
  }
}
