/**
 * Keeps records of a share outside the catalog: wrong passwords by address, and which revision of a file each client
 * began to download. Each share has its own small Durable Object. Unknown ids share a limited number of objects, so
 * that requests for them look like requests for existing shares and cannot create more objects. After ten wrong
 * passwords in 15 minutes, an address is locked out until the oldest of them is 15 minutes old. The lock refuses even
 * the right password; otherwise it would not slow down an exhaustive search. Other addresses are unaffected.
 */
import { DurableObject } from "cloudflare:workers";
import { type Env, nowMs, settingsOf } from "../env.ts";
import type { Beginning, Begun } from "./http-fields.ts";

/** A share is valid for 7 days, so older records are useless. */
const KEPT_MS = 7 * 86_400_000;

/** The files that a client began to download or inspect: for each, its path inside the share and the revision. */
interface BegunFiles {
  client: string;
  how: Beginning;
  files: { path: string; revision: number }[];
}

export class Guard extends DurableObject<Env> {
  readonly #sql = this.ctx.storage.sql;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#createTables();
  }

  /**
   * Judges a password attempt from `address` (hashed). Returns null when the address is not locked out, otherwise the
   * whole seconds until the lock ends. Records a wrong attempt unless the address is locked out. Reads and writes
   * without an `await` in between, so that concurrent wrong attempts are all counted.
   */
  async attempt({ address, right }: { address: string; right: boolean }): Promise<number | null> {
    const now = this.#now();
    const stored = this.#sql
      .exec<{ times: string }>("SELECT times FROM wrong WHERE address = ?", address)
      .toArray()[0];
    const before: number[] = stored === undefined ? [] : JSON.parse(stored.times);
    const { times, lockedSeconds } = judgeAttempt(before, right, now);
    if (lockedSeconds === null && !right) {
      this.#sql.exec("INSERT OR REPLACE INTO wrong VALUES (?, ?, ?)", address, JSON.stringify(times), now);
      await this.#cleanLater();
    }
    return lockedSeconds;
  }

  /**
   * Records what a client got or saw. Two programs with the same address and agent count as one client, and each can
   * request the rest of its file. Every revision that the client got is therefore kept. Of the revisions that it saw,
   * only the last one is kept.
   */
  async begin({ client, how, files }: BegunFiles): Promise<void> {
    const now = this.#now();
    const kept: Begun["how"] = how === "got" ? "got" : "saw";
    for (const { path, revision } of files) {
      if (kept === "saw") {
        const saw = "DELETE FROM begun_revisions WHERE path = ? AND client = ? AND how = 'saw'";
        this.#sql.exec(saw, path, client);
      }
      const insert = "INSERT OR REPLACE INTO begun_revisions VALUES (?, ?, ?, ?, ?)";
      this.#sql.exec(insert, path, client, kept, revision, now);
    }
    await this.#cleanLater();
  }

  /** Returns which clients got or saw which revision of `path`. */
  begunOf(path: string): Begun[] {
    return this.#sql
      .exec<{ client: string; how: Begun["how"]; revision: number }>(
        "SELECT client, how, revision FROM begun_revisions WHERE path = ?",
        path,
      )
      .toArray();
  }

  override async alarm(): Promise<void> {
    const oldest = this.#now() - KEPT_MS;
    this.#sql.exec("DELETE FROM wrong WHERE at_ms <= ?", oldest);
    this.#sql.exec("DELETE FROM begun_revisions WHERE at_ms <= ?", oldest);
    const { left } = this.#sql
      .exec<{ left: number }>(
        "SELECT (SELECT count(*) FROM wrong) + (SELECT count(*) FROM begun_revisions) AS left",
      )
      .one();
    if (left > 0) return this.#cleanLater();
    // An object without storage has no cost and behaves like a new one.
    await this.ctx.storage.deleteAll();
    this.#createTables();
  }

  #createTables(): void {
    this.#sql.exec(`
      CREATE TABLE IF NOT EXISTS wrong (
        address TEXT PRIMARY KEY, times TEXT NOT NULL, at_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS begun_revisions (
        path TEXT NOT NULL, client TEXT NOT NULL, how TEXT NOT NULL, revision INTEGER NOT NULL,
        at_ms INTEGER NOT NULL, PRIMARY KEY (path, client, how, revision)) STRICT, WITHOUT ROWID;
      -- The former shape of begun_revisions, with one revision for each client.
      CREATE TABLE IF NOT EXISTS begun (
        path TEXT NOT NULL, client TEXT NOT NULL, how TEXT NOT NULL, revision INTEGER NOT NULL,
        at_ms INTEGER NOT NULL, PRIMARY KEY (path, client, how)) STRICT, WITHOUT ROWID;
      INSERT OR IGNORE INTO begun_revisions SELECT * FROM begun;
      DROP TABLE begun;`);
  }

  async #cleanLater(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + KEPT_MS);
  }

  #now(): number {
    return nowMs(settingsOf(this.env));
  }
}

const WRONG_ALLOWED = 10;
export const WRONG_WINDOW_MS = 15 * 60_000;

/**
 * Judges an attempt at `nowMs` from an address with wrong attempts at `times` (Unix milliseconds, oldest first). The
 * tenth wrong attempt is refused as wrong; later ones are locked out and not counted, so they do not extend the lock.
 * Returns the wrong attempts within the window, and whole seconds until the lock ends (null without a lock).
 */
export function judgeAttempt(
  times: readonly number[],
  right: boolean,
  nowMs: number,
): { times: readonly number[]; lockedSeconds: number | null } {
  const recent = times.filter((atMs) => atMs > nowMs - WRONG_WINDOW_MS);
  const [oldest] = recent;
  if (oldest !== undefined && recent.length >= WRONG_ALLOWED) {
    const lockedSeconds = Math.max(1, Math.ceil((oldest + WRONG_WINDOW_MS - nowMs) / 1000));
    return { times: recent, lockedSeconds };
  }
  return { times: right ? recent : [...recent, nowMs], lockedSeconds: null };
}
