import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { cachedCoverage } from "../../../src/shares/coverage.ts";

const question = {
  dataType: "level2" as const,
  from: "20260101" as BeijingDate,
  to: "20260312" as BeijingDate,
};

/** A database that answers every read with another number of files and counts the reads. */
function countingDb() {
  const db = { reads: 0, prepare: () => db, bind: () => db, first: async () => ({ fileCount: ++db.reads }) };
  return db;
}

/** Asks under `catalogRevision` and waits until the answer is kept. */
async function ask(db: ReturnType<typeof countingDb>, catalogRevision: number, over = {}) {
  const ctx = createExecutionContext();
  const cache = { db: db as unknown as D1Database, catalogRevision, origin: "https://data.example.com", ctx };
  const { fileCount } = await cachedCoverage(cache, { ...question, ...over });
  await waitOnExecutionContext(ctx);
  return fileCount;
}

describe("coverage at the edge", () => {
  it("is read once for a type, window and catalog revision", async () => {
    const db = countingDb();
    expect(await ask(db, 7)).toBe(1);
    expect(await ask(db, 7)).toBe(1);
    expect(db.reads).toBe(1);
  });

  it("is read anew when anything was published or withdrawn, for another type and another window", async () => {
    const db = countingDb();
    expect(await ask(db, 8)).toBe(1);
    expect(await ask(db, 9)).toBe(2);
    expect(await ask(db, 8, { dataType: "auction_tick" })).toBe(3);
    expect(await ask(db, 8, { from: "20260102" })).toBe(4);
    expect(await ask(db, 8, { to: "20260313" })).toBe(5);
    expect(await ask(db, 8)).toBe(1);
  });
});
