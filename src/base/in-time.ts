/** Deadlines of work that another module does. */

/** What `inTime` throws. */
export class LateAnswer extends Error {
  override name = "LateAnswer";
}

/**
 * Returns what `work` gives, or throws a `LateAnswer` when it has not ended within `ms`. Late work goes on; how it
 * ends is the caller's to care for.
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
