/**
 * One request at a time per key and interface inside a process. The service refuses a concurrent request of an
 * account on an interface; callers therefore queue here, in the order they came.
 */
import { Unavailable } from "./errors.ts";

/** A caller in a queue; the first one may ask. */
interface Caller {
  /** Lets a waiting caller go on. */
  start(): void;
  /** Begins its bounded wait for the caller at the front anew. */
  restartTimer(): void;
}

const queues = new Map<string, Caller[]>();

/** Time that a request may take beside its waits: the service ends a Parquet answer after five minutes. */
export const LONGEST_REQUEST_MS = 300_000;

/**
 * Waits until no caller before this one uses `interfaceName` with `key`; call what is returned, once or more,
 * when done. Rejects with the signal's reason when it fires first, and with `Unavailable` when one caller before
 * it takes longer than `longestMs`, such as a stream that is neither read nor cancelled.
 */
export async function takeTurn(
  key: string,
  interfaceName: string,
  signal: AbortSignal | undefined,
  longestMs: number = LONGEST_REQUEST_MS,
): Promise<() => void> {
  signal?.throwIfAborted();
  const name = `${interfaceName}\n${key}`;
  const queue = queues.get(name) ?? [];
  queues.set(name, queue);
  const caller: Caller = { start: () => undefined, restartTimer: () => undefined };
  queue.push(caller);
  const done = () => leave(name, queue, caller);
  if (queue[0] === caller) return done;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let onAbort = (): void => undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      onAbort = () => reject(signal?.reason);
      caller.start = resolve;
      caller.restartTimer = () => {
        clearTimeout(timer);
        timer = setTimeout(() => reject(new Unavailable(busyFor(longestMs))), longestMs);
      };
      caller.restartTimer();
      signal?.addEventListener("abort", onAbort, { once: true });
    });
    return done;
  } catch (reason) {
    done();
    throw reason;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

function leave(name: string, queue: Caller[], caller: Caller): void {
  const place = queue.indexOf(caller);
  if (place === -1) return;
  queue.splice(place, 1);
  if (queue.length === 0) queues.delete(name);
  if (place > 0) return;
  queue[0]?.start();
  for (const waiting of queue.slice(1)) waiting.restartTimer();
}

function busyFor(ms: number): string {
  return (
    `another request of this key has been busy for ${Math.round(ms / 1000)} s: ` +
    "read or cancel its stream, or abort it"
  );
}
