import { beforeEach, describe, expect, it } from "vitest";
import { type BeijingDate, beijingDate, startOfDay } from "../../../src/calendar/beijing.ts";
import { serveAgain } from "../../../src/catalog/publish-day.ts";
import { knownObjects } from "../../../src/catalog/upkeep.ts";
import { runScheduled } from "../../../src/upkeep/upkeep.ts";
import {
  admin,
  begin,
  complete,
  emptied,
  publish,
  query,
  sendParts,
  sent,
  testEnv,
  testPack,
} from "../admin/operator.ts";

const { DB: db, PACKS: bucket } = testEnv;
const DAY_MS = 86_400_000;
const DUE_MS = 20.5 * 3_600_000;

const TABLES =
  "order_days day_revisions day_securities pack_markets day_packs day_files upload_parts uploads trading_days";

/** The instant by which the day `today` must be published. Every test begins with empty stores, on a different day. */
let nowMs: number;
let today: BeijingDate;
let tests = 0;

beforeEach(async () => {
  await emptied(TABLES);
  for (const { key } of (await bucket.list()).objects) await bucket.delete(key);
  today = beijingDate(Date.now() + ++tests * DAY_MS);
  nowMs = startOfDay(today) + DUE_MS;
  const days = Array.from({ length: 60 }, (_, n) => ({
    day: beijingDate(nowMs + (n - 20) * DAY_MS),
    open: n <= 20,
  }));
  await admin("PUT", "/calendar", { days, source: "test", force: true });
});

const run = (atMs = nowMs) => runScheduled({ db, bucket, nowMs: atMs, dueMs: DUE_MS });
const found = async (atMs = nowMs) =>
  (await run(atMs)).map(({ check, level, subject }) => `${check} ${level} ${subject}`);
const keys = async () => (await bucket.list()).objects.map(({ key }) => key);
const indexRows = async () =>
  (await query`SELECT count(*) AS count FROM day_securities`.first<{ count: number }>())?.count;

describe("the check for the expected day", () => {
  it("reports the day as missing from its deadline on, but not before", async () => {
    const yesterday = beijingDate(nowMs - DAY_MS);
    await publish(await testPack(yesterday));
    expect(await found(nowMs - 1)).toEqual([]);
    expect(await found()).toEqual([`days failed ${today}`]);
    await publish(await testPack(today));
    expect(await found()).toEqual([]);
  });

  it("reports the expected day if it is withdrawn or damaged, and also reports older damaged days", async () => {
    const older = beijingDate(nowMs - 5 * DAY_MS);
    await publish(await testPack(older));
    await publish(await testPack(today));
    const set = "UPDATE order_days SET state = ?1, state_note = 'block 3' WHERE tradedate = ?2";
    await db.prepare(set).bind("withdrawn", today).run();
    expect(await found()).toEqual([`days warning ${today}`]);
    await db.prepare(set).bind("damaged", today).run();
    await db.prepare(set).bind("damaged", older).run();
    expect(await found()).toEqual([`days failed ${older}`, `days failed ${today}`]);
    expect((await run())[0]?.sentence).toContain("block 3");
  });

  it("does not expect orders in a deployment without orders", async () => {
    const yesterday = beijingDate(nowMs - DAY_MS);
    await publish(await testPack(yesterday, 100_000, "quotes"));
    await publish(await testPack(yesterday, 100_000, "trades"));
    expect(await found()).toEqual([`days failed ${today} (quotes)`]);
    await publish(await testPack(today, 100_000, "quotes"));
    expect(await found()).toEqual([`days warning ${today} (trades)`]);
    await publish(await testPack(today, 100_000, "trades"));
    expect(await found()).toEqual([]);
  });

  it("reports missing trades even if the orders are withdrawn, but not if the orders are missing too", async () => {
    const yesterday = beijingDate(nowMs - DAY_MS);
    await publish(await testPack(yesterday));
    await publish(await testPack(yesterday, 100_000, "trades"));
    expect(await found()).toEqual([`days failed ${today}`]);
    await publish(await testPack(today));
    await query`UPDATE order_days SET state = 'withdrawn' WHERE tradedate = ${today}`.run();
    expect(await found()).toEqual([`days warning ${today}`, `days warning ${today} (trades)`]);
  });

  it("is omitted when the calendar is empty, and the empty calendar is reported instead", async () => {
    await query`DELETE FROM trading_days`.run();
    expect(await found()).toEqual(["calendar failed "]);
  });
});

describe("the check of the calendar", () => {
  it("warns 30 days before the calendar ends, and fails after its end", async () => {
    await publish(await testPack(today));
    const until = beijingDate(nowMs + 39 * DAY_MS);
    expect(await found(nowMs + 9 * DAY_MS)).toEqual([]);
    expect(await found(nowMs + 10 * DAY_MS)).toEqual([`calendar warning ${until}`]);
    expect((await found(nowMs + 40 * DAY_MS)).filter((each) => !each.startsWith("objects"))).toEqual([
      `calendar failed ${until}`,
    ]);
  });
});

describe("a served day that the calendar marks as closed", () => {
  it("is reported until the calendar or the day is corrected", async () => {
    await publish(await testPack(today));
    const earlier = beijingDate(nowMs - 4 * DAY_MS);
    await publish(await testPack(earlier));
    const mark = (open: number) => query`UPDATE trading_days SET open = ${open} WHERE day = ${earlier}`.run();
    await mark(0);
    expect(await found()).toEqual([`calendar warning ${earlier}`]);
    expect((await run())[0]?.advice).toContain(`calendar mark ${earlier} --as open`);
    await mark(1);
    await publish(await testPack(earlier, 100_000, "trades"));
    await publish(await testPack(today, 100_000, "trades"));
    await mark(0);
    expect((await run()).map(({ subject, advice }) => [subject, advice.split(" or ")[1]])).toEqual([
      [earlier, `\`edgetape day withdraw ${earlier}\`.`],
      [`${earlier} (trades)`, `\`edgetape day withdraw ${earlier} --dataset trades\`.`],
    ]);
    await query`UPDATE order_days SET state = 'withdrawn' WHERE tradedate = ${earlier}`.run();
    expect(await found()).toEqual([]);
    await query`UPDATE order_days SET state = 'available' WHERE tradedate = ${earlier}`.run();
    await mark(1);
    expect(await found()).toEqual([]);
  });
});

describe("a gap in the calendar", () => {
  it("is a failure if it affects today's requests without a date, even if later days are known", async () => {
    await publish(await testPack(today));
    const later = nowMs + 45 * DAY_MS;
    await query`INSERT INTO trading_days VALUES ('20991231', 1, 'mark')`.run();
    const until = beijingDate(nowMs + 39 * DAY_MS);
    const calendar = async (atMs: number) =>
      (await found(atMs)).filter((each) => each.startsWith("calendar failed"));
    expect(await calendar(nowMs)).toEqual([]);
    expect(await calendar(later)).toEqual([`calendar failed ${until}`]);
    const missing = beijingDate(nowMs + 3 * DAY_MS);
    await query`DELETE FROM trading_days WHERE day = ${missing}`.run();
    expect(await calendar(nowMs + 4 * DAY_MS)).toEqual([`calendar failed ${missing}`]);
  });
});

describe("a day that the calendar lacks", () => {
  it("is reported if it affects, now or soon, requests that name no date, but not if it is long past", async () => {
    await publish(await testPack(today));
    const leaveOut = (days: number) =>
      query`DELETE FROM trading_days WHERE day = ${beijingDate(nowMs + days * DAY_MS)}`.run();
    for (const days of [7, 9, 10, -3]) await leaveOut(days);
    const [past, single, several] = [-3, 7, 9].map((days) => beijingDate(nowMs + days * DAY_MS));
    expect(await found()).toEqual([past, single, several].map((day) => `calendar warning ${day}`));
    expect((await run()).at(-1)?.sentence).toContain(`${several} to ${beijingDate(nowMs + 10 * DAY_MS)}`);
    expect(await found(nowMs + 28 * DAY_MS)).not.toContain(`calendar warning ${past}`);
  });
});

describe("an object in R2", () => {
  it("is reported if it is missing or has different bytes", async () => {
    await publish(await testPack(today));
    const [key = ""] = await keys();
    await bucket.put(key, "other bytes");
    expect(await found()).toEqual([`objects failed ${key}`]);
    await bucket.delete(key);
    expect(await found()).toEqual([`objects failed ${key}`]);
    expect((await run())[0]?.advice).toContain("Publish it again");
  });

  it("is deleted with its index rows exactly 7 days after it was replaced", async () => {
    await publish(await testPack(today, 100_000));
    await publish(await testPack(today, 200_000));
    const row = await query`
      SELECT replaced_at_ms AS atMs FROM day_revisions WHERE replaced_at_ms IS NOT NULL`.first<{
      atMs: number;
    }>();
    const endMs = (row?.atMs ?? 0) + 7 * DAY_MS;
    const rows = await indexRows();
    expect((await found(endMs - 1)).filter((each) => each.startsWith("replaced"))).toEqual([]);
    expect(await keys()).toHaveLength(2);
    const old = `orders/${today.slice(0, 4)}/${today}/1.parquet`;
    expect(await found(endMs)).toContain(`replaced done ${old}`);
    expect(await keys()).toEqual([`orders/${today.slice(0, 4)}/${today}/2.parquet`]);
    expect(await indexRows()).toBe((rows ?? 0) / 2);
    expect(await found(endMs)).not.toContain(`replaced done ${old}`);
    expect((await admin("POST", `/days/${today}/restore`, { revision: 2 })).status).toBe(422);
  });

  it("is not served again when upkeep deletes it just after a restore has checked it", async () => {
    await publish(await testPack(today, 100_000));
    await publish(await testPack(today, 200_000));
    const old = await query`
      SELECT pack_id AS packId FROM day_revisions WHERE revision = 1`.first<{ packId: number }>();
    await run(Date.now() + 8 * DAY_MS);
    const seen = { dataset: "orders" as const, tradedate: today, revision: 2, state: "available" as const };
    const again = { packId: old?.packId ?? 0, buildId: "", kind: "restored" as const, number: 3 };
    expect(
      await serveAgain(db, seen, again, { actor: { kind: "operator", name: "test" } as const, nowMs }),
    ).toBe(false);
    expect((await admin<{ day: { revision: number } }>("GET", `/days/${today}`)).body.day.revision).toBe(2);
  });

  it("is kept when its revision was replaced but has been restored", async () => {
    await publish(await testPack(today, 100_000));
    await publish(await testPack(today, 200_000));
    expect((await admin("POST", `/days/${today}/restore`, { revision: 2 })).status).toBe(200);
    const before = await keys();
    await run(Date.now() + 6 * DAY_MS);
    expect(await keys()).toEqual(before);
    await run(Date.now() + 8 * DAY_MS);
    expect(await keys()).toEqual([`orders/${today.slice(0, 4)}/${today}/1.parquet`]);
  });

  it("that is a daily file is deleted or kept by the same rules as a pack", async () => {
    const insert = `INSERT INTO day_files (data_type, tradedate, name, revision, object_key, etag, size_bytes, sha256,
      state, uploaded_at_ms, published_at_ms, replaced_at_ms) VALUES ('level2', ?, ?, ?, ?, ?, 1, '', 'published', 1, 1, ?)`;
    await publish(await testPack(today));
    const [order = ""] = await keys();
    for (const [revision, replacedAtMs] of [
      [1, nowMs - 7 * DAY_MS],
      [2, nowMs - 7 * DAY_MS + 1],
      [3, null],
    ] as const) {
      const key = `files/level2/${revision}`;
      const { etag } = (await bucket.put(key, "x")) ?? {};
      await db.prepare(insert).bind(today, `${today}.zip`, revision, key, etag, replacedAtMs).run();
    }
    expect(await found()).toEqual(["replaced done files/level2/1"]);
    expect(await keys()).toEqual(["files/level2/2", "files/level2/3", order]);
  });
});

describe("an incomplete upload", () => {
  it("ends after 7 days, after which its day can be published again", async () => {
    await publish(await testPack(today));
    const other = await testPack(beijingDate(nowMs - DAY_MS));
    const begun = await sent(other);
    const later = Date.now() + 7 * DAY_MS + 60_000;
    expect((await found(Date.now() + 6 * DAY_MS)).filter((each) => each.startsWith("uploads"))).toEqual([]);
    expect(await found(later)).toContain(`uploads done orders/${other.tradedate}`);
    expect((await complete(other, begun)).status).toBe(409);
    expect((await publish(other)).status).toBe(200);
  });

  it("leaves no object behind after 7 days, while served objects and uploads in progress stay", async () => {
    await publish(await testPack(today));
    const [served = ""] = await keys();
    // The pack differs from its claims, so the upload is refused. Its object stays in R2.
    const day = beijingDate(nowMs - DAY_MS);
    const pack = await testPack(day);
    const lie = { ...pack, claims: { ...pack.claims, rows: 4 } };
    const begun = await sent(lie);
    expect((await complete(lie, begun)).status).toBe(422);
    const left = `orders/${day.slice(0, 4)}/${day}/1.parquet`;
    expect(await keys()).toContain(left);
    await run(Date.now() + 6 * DAY_MS);
    expect(await keys()).toContain(left);
    const duty = async () => (await knownObjects(db, Date.now())).get(left)?.duty;
    expect(await duty()).toBe("unserved");
    // The revision was never served, so the next publisher gets its number and its object key.
    const again = await begin(pack);
    expect([again.revision, await duty()]).toEqual([1, "open"]);
    await run(Date.now() + 6 * DAY_MS + 1);
    expect(await keys()).toContain(left);
    await sendParts(pack, again);
    await complete(pack, again);
    expect(await duty()).toBe("kept");
    await run(Date.now() + 8 * DAY_MS);
    expect((await keys()).sort()).toEqual([served, left].sort());
    await query`DELETE FROM order_days WHERE tradedate = ${day}`.run();
    await query`DELETE FROM day_revisions WHERE tradedate = ${day}`.run();
    await query`DELETE FROM day_packs WHERE tradedate = ${day}`.run();
    expect(await found(Date.now() + 8 * DAY_MS)).toContain(`uploads done ${left}`);
    expect(await keys()).toEqual([served]);
  });
});

describe("a check that cannot run", () => {
  it("is reported and stops no other check", async () => {
    const broken = { list: () => Promise.reject(new Error("R2 is away")) } as unknown as R2Bucket;
    const findings = await runScheduled({ db, bucket: broken, nowMs, dueMs: DUE_MS });
    expect(findings.map(({ check, level }) => [check, level])).toEqual([
      ["days", "failed"],
      ["objects", "failed"],
    ]);
    expect(findings[1]?.sentence).toContain("R2 is away");
  });
});
