import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { Share } from "../../../src/catalog/shares.ts";
import { cachedCoverage, isKept, shareEndMs } from "../../../src/shares/identity.ts";
import type { ShareSecrets } from "../../../src/shares/secrets.ts";

const question = {
  dataType: "level2" as const,
  from: "20260101" as BeijingDate,
  to: "20260312" as BeijingDate,
};

/** Returns a database that reports a different number of files at every read and counts the reads. */
function countingDb() {
  const db = { reads: 0, prepare: () => db, bind: () => db, first: async () => ({ fileCount: ++db.reads }) };
  return db;
}

/** Requests the coverage under `catalogRevision` and waits until it is cached. */
async function ask(db: ReturnType<typeof countingDb>, catalogRevision: number, over = {}) {
  const ctx = createExecutionContext();
  const cache = { db: db as unknown as D1Database, catalogRevision, origin: "https://data.example.com", ctx };
  const { fileCount } = await cachedCoverage(cache, { ...question, ...over });
  await waitOnExecutionContext(ctx);
  return fileCount;
}

describe("the coverage of a share, as the isolate's memory caches it,", () => {
  it("is read once for each catalog revision, type and window", async () => {
    const db = countingDb();
    expect(await ask(db, 8)).toBe(1);
    expect(await ask(db, 9)).toBe(2);
    expect(await ask(db, 8, { dataType: "auction_tick" })).toBe(3);
    expect(await ask(db, 8, { from: "20260102" })).toBe(4);
    expect(await ask(db, 8, { to: "20260313" })).toBe(5);
    expect(await ask(db, 8)).toBe(1);
  });
});

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MADE = Date.parse("2026-03-02T10:00:00+08:00");
const FAR = MADE + 400 * DAY;
const secrets: ShareSecrets = { current: 2, secrets: new Map([[2, "x".repeat(32)]]) };

const share = (said: Partial<Share> = {}): Share => ({
  shareId: "s",
  accountId: "a",
  dataType: "level2",
  year: 2026,
  generation: 1,
  secretVersion: 2,
  createdAtMs: MADE,
  revokedAtMs: null,
  ...said,
});

describe("the end of a share (contract 8.3)", () => {
  it("is 7 days after its creation, or the end of the plan if that is sooner", () => {
    expect(shareEndMs(share(), FAR)).toBe(MADE + 7 * DAY);
    expect(shareEndMs(share(), MADE + 2 * DAY)).toBe(MADE + 2 * DAY);
  });
});

describe("a repeated request for a share (contract 8.3)", () => {
  it.each([
    ["keeps the share immediately after its creation", 0, FAR, true],
    ["keeps a share with 24 hours left", 6 * DAY, FAR, true],
    ["renews a share with a millisecond less than 24 hours left", 6 * DAY + 1, FAR, false],
    ["renews the share at its end", 7 * DAY, FAR, false],
    ["renews the share after its end", 8 * DAY, FAR, false],
    ["keeps the share if the plan ends within 24 hours", DAY, MADE + DAY + HOUR, true],
    ["renews the share if the plan ends an hour after it", 6.5 * DAY, MADE + 7 * DAY + HOUR, false],
    ["keeps the share if the plan ends at the same time", 6.5 * DAY, MADE + 7 * DAY, true],
  ])("%s", (_, afterMs, planEndMs, kept) => {
    expect(isKept(share(), { nowMs: MADE + afterMs, planEndMs, secrets })).toBe(kept);
  });

  it("renews a share that was revoked, or whose secret was removed", () => {
    const at = { nowMs: MADE, planEndMs: FAR, secrets };
    expect(isKept(share({ revokedAtMs: MADE }), at)).toBe(false);
    expect(isKept(share({ secretVersion: 1 }), at)).toBe(false);
  });
});
