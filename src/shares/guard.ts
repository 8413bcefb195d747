/**
 * The wrong-password guard of a share, as a pure step: who was wrong ten times in 15 minutes is not listened
 * to until the oldest of these is 15 minutes old. That holds for the right password too: were it let through,
 * the lock would not slow down who tries them all. Other addresses do not notice.
 */

export const WRONG_ALLOWED = 10;
export const WRONG_WINDOW_MS = 15 * 60_000;

/** What the guard knows of one address: when it was wrong (Unix milliseconds, oldest first, in the window). */
export type WrongTimes = readonly number[];

export interface Judged {
  times: WrongTimes;
  /** Whole seconds until the address is listened to again; null: it is now, the password decides. */
  lockedSeconds: number | null;
}

/**
 * A password arrived at `nowMs` from an address that was wrong at `times`. The tenth wrong one is still only
 * wrong; what comes after it is locked out, and is not counted: knocking does not prolong the lock.
 */
export function judgeAttempt(times: WrongTimes, right: boolean, nowMs: number): Judged {
  const recent = times.filter((atMs) => atMs > nowMs - WRONG_WINDOW_MS);
  const [oldest] = recent;
  if (oldest !== undefined && recent.length >= WRONG_ALLOWED) {
    const lockedSeconds = Math.max(1, Math.ceil((oldest + WRONG_WINDOW_MS - nowMs) / 1000));
    return { times: recent, lockedSeconds };
  }
  return { times: right ? recent : [...recent, nowMs], lockedSeconds: null };
}
