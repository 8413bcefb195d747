import { beforeEach, describe, expect, it } from "vitest";
import { addDays, type BeijingDate } from "../../../src/calendar/beijing.ts";
import { changesSince } from "../../../src/catalog/day-changes.ts";
import { rememberSeen, tellSeen } from "../../../src/catalog/restore-marks.ts";
import { DB as db, putDay, query } from "./catalog-day.ts";

const FIRST = "20240101" as BeijingDate;
const NOW = Date.UTC(2026, 2, 12);

beforeEach(async () => {
  const tables =
    "day_changes order_days day_revisions day_packs day_securities restored_over revision_floors";
  await db.batch(tables.split(" ").map((name) => db.prepare(`DELETE FROM ${name}`)));
});

/** Serves the pack `packId` on `day`, with the revision, state and content in `facts`. The pack has one security. */
async function serve(day: BeijingDate, packId: number, facts: Parameters<typeof putDay>[2]) {
  await putDay(day, packId, { content: "a", ...facts });
  await query`
    INSERT INTO day_securities (pack_id, symbol, market, section_offset, section_length, footer_length, rows, crc, blocks)
    VALUES (${packId}, '600519', 'SH', 0, 0, 0, 1, unicode(${facts?.content ?? "a"}), x'')`.run();
}

/** Returns the changes that are announced after `replace` has replaced the catalog. */
async function told(replace: () => Promise<void>) {
  await db.batch(rememberSeen("TRUE").map((sql) => db.prepare(sql)));
  await db.batch(["order_days", "day_revisions"].map((name) => db.prepare(`DELETE FROM ${name}`)));
  await replace();
  await db.batch(tellSeen("TRUE", NOW).map((sql) => db.prepare(sql)));
  return changesSince(db, { dataset: "orders", changeId: 0, sinceMs: 0, from: null, count: 1_000 });
}

describe("the report of changes after a restore", () => {
  it("contains exactly the days whose served revision or content differs, with the differences", async () => {
    const [same, renumbered, rebuilt, gone, struck, back] = Array.from({ length: 6 }, (_, n) =>
      addDays(FIRST, n),
    );
    await serve(same as BeijingDate, 1, {});
    await serve(renumbered as BeijingDate, 2, { revision: 2 });
    await serve(rebuilt as BeijingDate, 3, { revision: 3, content: "b" });
    await serve(gone as BeijingDate, 4, {});
    await serve(struck as BeijingDate, 5, {});
    await serve(back as BeijingDate, 6, { state: "withdrawn" });
    const changes = await told(async () => {
      await serve(same as BeijingDate, 11, {});
      await serve(renumbered as BeijingDate, 12, {});
      await serve(rebuilt as BeijingDate, 13, { revision: 2 });
      await serve(struck as BeijingDate, 15, { state: "damaged" });
      await serve(back as BeijingDate, 16, {});
    });
    const lists = (...changed: string[]) => ({ added: [], removed: [], changed });
    const nothing = { added: null, removed: null, changed: null };
    expect(changes.every(({ dataset }) => dataset === "orders")).toBe(true);
    const facts = changes.map(({ changeId: _, atMs: __, dataset: ___, ...rest }) => rest);
    expect(facts).toEqual([
      { tradedate: renumbered, kind: "restored", revision: 1, previous: 2, buildId: "a", ...lists() },
      {
        tradedate: rebuilt,
        kind: "restored",
        revision: 2,
        previous: 3,
        buildId: "a",
        ...lists("600519.SH"),
      },
      { tradedate: gone, kind: "withdrawn", revision: 1, previous: 1, buildId: null, ...nothing },
      { tradedate: struck, kind: "damaged", revision: 1, previous: 1, buildId: "a", ...nothing },
      { tradedate: back, kind: "restored", revision: 1, previous: 1, buildId: "a", ...lists() },
    ]);
    expect(changes.every(({ atMs }) => atMs === NOW)).toBe(true);
    expect(changes[0]?.changeId).toBe(NOW / 1000 + 1);
  });

  it("lists each dataset of a day separately", async () => {
    await serve(FIRST, 1, {});
    await serve(FIRST, 2, { dataset: "trades", content: "b", revision: 4 });
    const replace = () => serve(FIRST, 3, { dataset: "trades", revision: 2 });
    expect(await told(replace)).toMatchObject([{ dataset: "orders", kind: "withdrawn", revision: 1 }]);
    const question = { changeId: 0, sinceMs: 0, from: null, count: 9, dataset: "trades" } as const;
    expect(await changesSince(db, question)).toMatchObject([
      { dataset: "trades", kind: "restored", revision: 2, previous: 4, changed: ["600519.SH"] },
    ]);
    const { results } = await query`SELECT * FROM revision_floors ORDER BY target`.all();
    expect(results).toEqual([
      { target: `orders/${FIRST}`, revision: 1 },
      { target: `trades/${FIRST}`, revision: 4 },
    ]);
  });

  it("does not compare securities when the packs of more than 100 days differ", async () => {
    const days = Array.from({ length: 101 }, (_, n) => addDays(FIRST, n));
    for (const [n, each] of days.entries()) await serve(each, n, { content: "b", revision: 2 });
    const changes = await told(async () => {
      for (const [n, each] of days.entries()) await serve(each, 1_000 + n, {});
    });
    expect(changes).toHaveLength(101);
    expect(changes.every(({ kind, changed }) => kind === "restored" && changed === null)).toBe(true);
  });
});

describe("the revision floor of a day", () => {
  it("stays at the highest revision ever issued, even after several restores", async () => {
    await serve(FIRST, 1, { revision: 4 });
    await told(() => serve(FIRST, 2, { revision: 2 }));
    await told(() => serve(FIRST, 3, { revision: 1 }));
    const { results } = await query`SELECT * FROM revision_floors`.all();
    expect(results).toEqual([{ target: `orders/${FIRST}`, revision: 4 }]);
  });
});
