/** Checks the slot of a request while its body is sent to readers that disconnect, read slowly or stop reading. */
import { performance } from "node:perf_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { upperMedian } from "../../base/upper-median.ts";
import { type Caller, type Check, failed, type Outcome, ok, said, skipped, type Target } from "./check.ts";
import { envelopeOf, headerOf, type OpenReply } from "./probe.ts";

const POLL_MS = 50;
/** After this time without reading, all network buffers are full, because bodies arrive at tens of MB a second. */
const FULL_MS = 2_000;

interface SlotBounds {
  /** The number of pages requested in sequence. */
  pages: number;
  /** The time over which a file is read at a constant pace. */
  streamMs: number;
  /** The deployment's PARQUET_BOUND_MS. */
  boundMs: number;
  /** The time within which the slot must be free after a client has disconnected. */
  freeWithinMs: number;
  /** Skips checks that take minutes. */
  quick: boolean;
}

/** Returns the checks of the slot. They read the target's pages and file. */
export function slotChecks(caller: Caller, target: Target, bounds: SlotBounds): Check[] {
  const check = (name: string, says: string, run: typeof hangUp): Check => {
    return { name, says, run: () => run(caller, target, bounds) };
  };
  const [stream, bound, within] = [bounds.streamMs, bounds.boundMs, bounds.freeWithinMs].map(
    (ms) => `${ms / 1000} s`,
  );
  const long = [
    check(
      "slow reader",
      `a file that is read evenly over ${stream} arrives complete, and the slot is then free`,
      slowReader,
    ),
    check(
      "stopped reader",
      `a client that stops reading is disconnected after ${bound}, and the slot is then free`,
      stoppedReader,
    ),
  ];
  return [
    check(
      "pages",
      `none of ${bounds.pages} pages requested one after the other is refused for a busy slot`,
      pagesInSequence,
    ),
    check("file", "the Parquet answer has exactly the announced length and rows", wholeFile),
    check("one slot", "a concurrent request gets 503 with Retry-After while a file is read", oneSlot),
    check("hang-up", `the slot is free within ${within} after a client disconnects`, hangUp),
    check(
      "signal",
      `the slot is free within ${within} after a client that had stopped reading disconnects`,
      goneWhileFull,
    ),
    ...(bounds.quick ? [] : long),
  ];
}

async function pagesInSequence(caller: Caller, target: Target, { pages }: SlotBounds): Promise<Outcome> {
  let cursor: string | null = null;
  const taken: number[] = [];
  for (let n = 1; n <= pages; n++) {
    const reply = await caller.page(target, cursor === null ? {} : { cursor });
    const envelope = envelopeOf(reply.bytes);
    if (envelope?.code !== 200) return failed(`page ${n}: ${said(reply)}`);
    taken.push(reply.tookMs);
    // After the last page the cursor is null, so the pages of a small security are read repeatedly.
    cursor = (envelope.data as { next_cursor: string | null }).next_cursor;
  }
  return ok(`${pages} of ${pages}, median ${Math.round(upperMedian(taken))} ms`);
}

async function wholeFile(caller: Caller, target: Target): Promise<Outcome> {
  const reply = await caller.openFile(target);
  const { length, start, end } = await readAll(reply);
  const announced = Number(headerOf(reply.headers, "content-length"));
  const rows = Number(headerOf(reply.headers, "x-row-count"));
  if (!reply.body.complete || length !== announced) return failed(`${length} of ${announced} bytes arrived`);
  if (rows !== target.rows) return failed(`X-Row-Count is ${rows}, but data_symbols says ${target.rows}`);
  if (start !== "PAR1" || end !== "PAR1") return failed("it is not a Parquet file");
  return ok(`${length} bytes, ${rows} rows`);
}

async function oneSlot(caller: Caller, target: Target): Promise<Outcome> {
  const reply = await caller.openFile(target);
  const second = await caller.page(target);
  reply.hangUp();
  await untilFree(caller, target);
  if (second.status === 200) return tooSmall(target);
  const retryAfter = headerOf(second.headers, "retry-after");
  const right =
    second.status === 503 && headerOf(second.headers, "x-reason") === "slot_busy" && retryAfter !== null;
  return right ? ok(`503, Retry-After ${retryAfter}`) : failed(said(second));
}

async function hangUp(caller: Caller, target: Target, { freeWithinMs }: SlotBounds): Promise<Outcome> {
  const reply = await caller.openFile(target);
  await new Promise((resolve) => reply.body.once("data", resolve));
  reply.hangUp();
  return freed(caller, target, freeWithinMs);
}

/**
 * Disconnects when every buffer is full and the worker waits for the client. Only the request's abort signal can then
 * end the request.
 */
async function goneWhileFull(caller: Caller, target: Target, { freeWithinMs }: SlotBounds): Promise<Outcome> {
  const reply = await caller.openFile(target);
  await pause(FULL_MS);
  const isHeld = (await caller.page(target)).status === 503;
  reply.hangUp();
  if (!isHeld) return tooSmall(target);
  return freed(caller, target, freeWithinMs);
}

async function slowReader(caller: Caller, target: Target, { streamMs }: SlotBounds): Promise<Outcome> {
  const reply = await caller.openFile(target, streamMs);
  const announced = Number(headerOf(reply.headers, "content-length"));
  const startedMs = performance.now();
  let bytes = 0;
  let isHeld = false;
  try {
    for await (const piece of reply.body) {
      bytes += (piece as Buffer).length;
      if (!isHeld && bytes < announced / 2) isHeld = (await caller.page(target)).status === 503;
      const dueMs = startedMs + (bytes / announced) * streamMs;
      await pause(Math.max(0, Math.min(1_000, dueMs - performance.now())));
      while (bytes < announced && performance.now() < dueMs) await pause(100);
    }
  } catch {
    // An incomplete body is reported below.
  }
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  if (!reply.body.complete || bytes !== announced)
    return failed(`${bytes} of ${announced} bytes arrived in ${seconds} s`);
  const next = await caller.page(target);
  if (next.status !== 200)
    return failed(`complete after ${seconds} s, but the next request got ${said(next)}`);
  return isHeld ? ok(`complete after ${seconds} s; other requests got 503 meanwhile`) : tooSmall(target);
}

async function stoppedReader(caller: Caller, target: Target, { boundMs }: SlotBounds): Promise<Outcome> {
  const reply = await caller.openFile(target, 2 * boundMs);
  if ((await caller.page(target)).status === 200) {
    reply.hangUp();
    return tooSmall(target);
  }
  const freeMs = await untilFree(caller, target, boundMs + 10_000);
  const { length } = await readAll(reply);
  if (reply.body.complete)
    return failed(
      `the file arrived complete although the client had not read for ${Math.round(freeMs / 1000)} s`,
    );
  const late = freeMs > boundMs + 5_000;
  const detail = `the slot was free after ${Math.round(freeMs / 1000)} s, when ${length} bytes had arrived`;
  return late ? failed(detail) : ok(detail);
}

async function freed(caller: Caller, target: Target, withinMs: number): Promise<Outcome> {
  const freeMs = await untilFree(caller, target);
  return freeMs <= withinMs
    ? ok(`free after ${freeMs} ms`)
    : failed(`the slot was free only after ${freeMs} ms`);
}

/** Requests pages until one is not refused or `patienceMs` have passed. Returns the milliseconds taken. */
async function untilFree(caller: Caller, target: Target, patienceMs = 30_000): Promise<number> {
  const startedMs = performance.now();
  for (;;) {
    const { status } = await caller.page(target);
    const tookMs = Math.round(performance.now() - startedMs);
    if (status !== 503 || tookMs > patienceMs) return tookMs;
    await pause(POLL_MS);
  }
}

function tooSmall({ symbol, sizeBytes }: Target): Outcome {
  const megabytes = (sizeBytes / 1e6).toFixed(1);
  return skipped(
    `the file of ${symbol}, ${megabytes} MB, fits into the network buffers; name a larger security with --symbol`,
  );
}

/** Reads the rest of a body. Returns its length and its first and last four bytes, even if it is incomplete. */
async function readAll({ body }: OpenReply): Promise<{ length: number; start: string; end: string }> {
  let length = 0;
  let [start, end] = ["", ""];
  try {
    for await (const piece of body) {
      length += (piece as Buffer).length;
      const text = (piece as Buffer).toString("latin1");
      if (start.length < 4) start = (start + text).slice(0, 4);
      end = (end + text).slice(-4);
    }
  } catch {
    // The error is ignored, because the caller checks `body.complete`.
  }
  return { length, start, end };
}
