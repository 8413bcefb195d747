/**
 * Tests cursors, revision numbers and change numbers that callers got before the catalog was restored to an earlier
 * state.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DayChanged } from "../../src/admin/wire.ts";
import type { DataChanges } from "../../src/operations/wire.ts";
import { day, order, security } from "../support/builders.ts";
import { copyObjects } from "../support/catalog-rows.ts";
import { commandsOf } from "../support/edgetape.ts";
import { account, asOperator, dayAt, openDays, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { type Service, startAfter } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const [EVE, DAY, LATER] = ["20260309", "20260310", "20260311"] as const;
const folder = testFolder("edgetape-timeline-");
const file = join(folder, "backup.jsonl");

const build = (tradedate: string, volume: number, more: string[] = []) =>
  day({
    tradedate,
    securities: [
      security(
        "600519",
        [1, 2, 3].map((n) => order("093000000", { volume: volume + n })),
      ),
      security("300750", [order("091500000")]),
      ...more.map((symbol) => security(symbol, [order("091500000")])),
    ],
  });

const page = (service: Service, more: object = {}) =>
  service.post(
    orderHistory({ apikey: key, params: { symbol: "600519", tradedate: DAY, page_size: 1, ...more } }),
  );

async function changes(service: Service, params: object): Promise<DataChanges> {
  const answer = await service.post({ apiname: "data_changes", apikey: key, params });
  expect(answer.envelope.code).toBe(200);
  return answer.envelope.data as unknown as DataChanges;
}

const revisionOf = async (service: Service, date: string) => (await dayAt(service, date)).revision;

/** Publishes the day's current content again and returns its new revision number. */
async function serveAgain(service: Service, date: string): Promise<number> {
  const body = { revision: await revisionOf(service, date) };
  return (await asOperator<DayChanged>(service, "POST", `/admin/days/${date}/publish`, body)).day.revision;
}

const origin = await testService();
await openDays(origin, EVE, DAY, LATER);
const key = (await account(origin, { plan: "flagship" })).key;
await publish(origin, build(EVE, 100));
await publish(origin, build(DAY, 100));
await publish(origin, build(DAY, 200));
expect(await commandsOf(origin).run`backup create --out ${file}`).toMatchObject({ status: 0 });

// Serves the content of revision 1 again as revision 3, without a new object.
await asOperator(origin, "POST", `/admin/days/${DAY}/restore`, { revision: 2 });
expect(await revisionOf(origin, DAY)).toBe(3);
// A cursor on revision 3, which the backup does not contain.
const cursor = pageOf(await page(origin)).next_cursor;
await publish(origin, build(LATER, 100));
// The last change number before the restore.
const after = (await changes(origin, {})).next_after;

describe("a restore into an empty deployment", () => {
  it("invalidates cursors on a revision that the backup lacks, even when that revision number is reused", async () => {
    await using target = await startAfter(origin);
    await copyObjects(origin, target);
    expect((await commandsOf(target).run`backup restore ${file}`).status).toBe(0);
    expect((await page(target, { cursor })).reason).toBe("data_rebuilt");
    // The cursor was issued for revision 3, which now has different content.
    expect(await serveAgain(target, DAY)).toBe(3);
    expect((await page(target)).headers["x-revision"]).toBe("3");
    expect((await page(target, { cursor })).reason).toBe("data_rebuilt");
    // When the original content is restored, a new cursor returns the right rows.
    await asOperator(target, "POST", `/admin/days/${DAY}/restore`, { revision: 3, to: 1 });
    const fourth = pageOf(await page(target)).next_cursor;
    expect(pageOf(await page(target, { cursor: fourth })).items[0]?.[8]).toBe(102);
  });

  it("adds every served day to `data_changes`, with change numbers that were not used before", async () => {
    await using target = await startAfter(origin);
    await copyObjects(origin, target);
    expect(await commandsOf(target).run`backup restore ${file}`).toMatchObject({ status: 0 });
    const told = await changes(target, { after });
    expect(
      told.changes.map(({ tradedate, kind, revision, previous }) => [tradedate, kind, revision, previous]),
    ).toEqual([
      [EVE, "restored", 1, null],
      [DAY, "restored", 2, null],
    ]);
    expect(told.next_after).toBeGreaterThan(after);
    await publish(target, build(EVE, 300));
    expect((await changes(target, { after: told.next_after })).changes).toMatchObject([
      { tradedate: EVE, kind: "published", previous: 1 },
    ]);
  });
});

describe("a restore into the original deployment", () => {
  it("reuses no revision number, and lists in `data_changes` how each day changed", async () => {
    const restored = await commandsOf(origin).run`backup restore ${file} --force --yes`;
    expect(restored.status).toBe(0);
    expect(await revisionOf(origin, DAY)).toBe(2);
    expect((await page(origin, { cursor })).reason).toBe("data_rebuilt");
    const told = await changes(origin, { after });
    expect(told.changes).toMatchObject([
      {
        tradedate: DAY,
        kind: "restored",
        revision: 2,
        previous: 3,
        securities: { added: [], removed: [], changed: ["600519.SH"] },
      },
      { tradedate: LATER, kind: "withdrawn", revision: 1, previous: 1, securities: null },
    ]);
    expect(await serveAgain(origin, DAY)).toBe(4);
    expect((await page(origin, { cursor })).reason).toBe("data_rebuilt");
    expect((await publish(origin, build(LATER, 300))).day.revision).toBe(2);
    expect((await publish(origin, build(EVE, 300, ["601318"]))).day.revision).toBe(2);
  });
});
