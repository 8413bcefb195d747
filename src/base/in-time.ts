/** Deadlines for asynchronous work. */

/** Thrown by `inTime` when the deadline passes. */
export class LateAnswer extends Error {
  override name = "LateAnswer";
}

/**
 * Returns the result of `work`, or throws a `LateAnswer` when it has not settled within `ms`. The work is not
 * cancelled, so the caller must handle a result that arrives later.
 */
export async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new LateAnswer(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns a promise that resolves when the client disconnects. Otherwise it stays pending. */
export function gone(signal: AbortSignal): Promise<"client_gone"> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve("client_gone");
    else signal.addEventListener("abort", () => resolve("client_gone"), { once: true });
  });
}
