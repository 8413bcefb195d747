/**
 * One request at a time per key and interface inside a process. The service refuses a second request of an
 * account on an interface at once; callers therefore queue here, in the order they came.
 */

/** The end of each queue: it settles when the last caller in it is done. */
const ends = new Map<string, Promise<void>>();

/**
 * Waits for the turn of `interfaceName` with `key`; call what is returned, once or more, when done. Rejects
 * with the signal's reason when it fires before the turn came, which leaves the order of the others as it is.
 */
export async function takeTurn(
  key: string,
  interfaceName: string,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  signal?.throwIfAborted();
  const queue = `${interfaceName}\n${key}`;
  const before = ends.get(queue) ?? Promise.resolve();
  let done = (): void => undefined;
  const mine = new Promise<void>((resolve) => {
    done = resolve;
  });
  const end = before.then(() => mine);
  ends.set(queue, end);
  // A queue that has run empty is forgotten.
  end.then(() => {
    if (ends.get(queue) === end) ends.delete(queue);
  });
  try {
    await orAborted(before, signal);
  } catch (reason) {
    done();
    throw reason;
  }
  return done;
}

function orAborted(work: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    });
  });
}
