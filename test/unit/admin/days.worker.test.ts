import { describe, expect, it } from "vitest";
import type { DayChanged, DayDetail, DayList } from "../../../src/admin/wire.ts";
import { addDays, type BeijingDate, beijingDate } from "../../../src/calendar/beijing.ts";
import { orderDayOf, orderDayStatement } from "../../../src/catalog/order-day.ts";
import {
  admin,
  auditOf,
  begin,
  complete,
  publish,
  query,
  refusal,
  sent,
  servedState,
  testEnv,
  testPack,
} from "./operator.ts";

/** Returns the day as a caller's request reads it. */
async function served(tradedate: string) {
  const question = {
    dataset: "orders" as const,
    tradedate: tradedate as BeijingDate,
    symbol: "600519",
    today: "20260101" as BeijingDate,
  };
  return orderDayOf(await orderDayStatement(testEnv.DB, question).all(), question).day;
}

const post = <T = DayChanged>(path: string, body: object) => admin<T>("POST", path, body);

describe("the actions `withdraw`, `restore` and `publish`", () => {
  it("are audited, and a withdrawal's note ends with the withdrawal", async () => {
    for (const price of [1_000, 2_000]) await publish(await testPack("20240102", price));
    const note = "prices are wrong";
    const withdrawn = await post("/days/20240102/withdraw", { revision: 2, note });
    expect(withdrawn).toMatchObject({
      status: 200,
      body: { changed: true, actor: "ADMIN_TOKEN", day: { revision: 2, state: "withdrawn", note } },
    });
    const restored = await post("/days/20240102/restore", { revision: 2 });
    expect(restored.body).toMatchObject({ changed: true, day: { state: "available", note: "" } });
    await post("/days/20240102/publish", { revision: 3 });
    const actions = (await auditOf("20240102")).map(({ action }) => action.replace("day.", ""));
    expect(actions.join(" ")).toBe("publish publish withdraw restore publish");
  });
});

describe("the action `publish`", () => {
  it("makes a damaged day available again only if the bytes of its pack are intact", async () => {
    await publish(await testPack("20240103"));
    const damage = () => query`UPDATE order_days SET state = 'damaged' WHERE tradedate = '20240103'`.run();
    await damage();
    expect((await post("/days/20240103/publish", { revision: 1 })).body.day).toMatchObject({
      revision: 2,
      state: "available",
    });
    await damage();
    const wrong = "0".repeat(64);
    await query`UPDATE day_packs SET sha256 = ${wrong} WHERE tradedate = '20240103'`.run();
    expect(await post("/days/20240103/publish", { revision: 2 })).toMatchObject(
      refusal(422, "content_wrong", "SHA-256"),
    );
    expect(await served("20240103")).toMatchObject({ revision: 2, state: "damaged" });
  });
});

describe("the actions `withdraw` and `restore`", () => {
  it("are refused for unloaded days, unknown revisions, days without earlier content and deleted objects", async () => {
    await publish(await testPack("20240104", 1_000));
    expect((await post("/days/20240199/withdraw", { revision: 1 })).status).toBe(400);
    expect((await post("/days/20240105/withdraw", { revision: 1 })).status).toBe(404);
    expect((await post("/days/20240105/restore", { revision: 1 })).status).toBe(404);
    expect(await post("/days/20240104/restore", { revision: 1 })).toMatchObject(
      refusal(422, "nothing_to_restore"),
    );
    expect((await post("/days/20240104/restore", { revision: 1, to: 9 })).status).toBe(404);
    await publish(await testPack("20240104", 2_000));
    await testEnv.PACKS.delete("orders/2024/20240104/1.parquet");
    expect(await post("/days/20240104/restore", { revision: 2 })).toMatchObject(
      refusal(422, "revision_gone"),
    );
    expect(await served("20240104")).toMatchObject({ revision: 2, state: "available" });
  });
});

describe("concurrent operators", () => {
  it("can withdraw a day only once, and the later operator is told who withdrew it", async () => {
    await publish(await testPack("20240108"));
    const both = await Promise.all(
      [1, 2].map((n) => post("/days/20240108/withdraw", { revision: 1, note: `${n}` })),
    );
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(both.filter(({ body }) => body.changed)).toHaveLength(1);
    expect(both.find(({ body }) => !body.changed)?.body).toMatchObject({ actor: "ADMIN_TOKEN" });
  });

  it("can change a day only once: one succeeds, and the others get 409 with the new revision and who made it", async () => {
    await publish(await testPack("20240109", 1_000));
    await publish(await testPack("20240109", 2_000));
    const actions = ["restore", "publish", "restore", "publish"];
    const all = await Promise.all(actions.map((action) => post(`/days/20240109/${action}`, { revision: 2 })));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of all.filter((each) => each.status !== 200)) {
      expect({ status, body }).toMatchObject(
        refusal(409, "day_changed", "at revision 3, last changed by ADMIN_TOKEN"),
      );
    }
    expect(await servedState("20240109")).toMatchObject([
      { revision: 3, revisions: 3, state: "available", index_rows: 2 },
    ]);
    expect(await post("/days/20240109/withdraw", { revision: 2 })).toMatchObject({ status: 409 });
  });

  it("cannot complete an upload that began before a restore, and the restored revision stays intact", async () => {
    await publish(await testPack("20240110", 1_000));
    await publish(await testPack("20240110", 2_000));
    const pack = await testPack("20240110", 3_000);
    const begun = await sent(pack);
    expect((await post("/days/20240110/restore", { revision: 2 })).status).toBe(200);
    expect(await complete(pack, begun)).toMatchObject(refusal(409, "other_publisher"));
    expect(await servedState("20240110")).toMatchObject([{ revision: 3, index_rows: 2 }]);
    expect((await publish(pack)).body.day).toMatchObject({ revision: 4, sha256: pack.claims.sha256 });
  });
});

describe("the list of a month's days", () => {
  it("contains loaded days with revision and state, and trading days that are not loaded", async () => {
    const today = beijingDate(Date.now());
    const dates = Array.from({ length: 6 }, (_, n) => addDays(today, -n));
    const [, available, degraded, withdrawn, uploading, missing] = dates;
    const days = dates.map((each) => ({ day: each, open: true }));
    await admin("PUT", "/calendar", {
      days: [...days, { day: addDays(today, 1), open: true }],
      source: "test",
      force: true,
    });
    await publish(await testPack(available ?? ""), { force: true });
    const broken = await testPack(degraded ?? "");
    const shortfall = "orders cover 1 Shanghai securities, but quotes cover 2,300";
    const begun = await sent(broken, { degraded: true, shortfall, force: true });
    await complete(broken, begun);
    const shown = await admin<DayDetail>("GET", `/days/${degraded}`);
    expect(shown.body.day).toMatchObject({ state: "available", degraded: true, note: shortfall });
    await publish(await testPack(withdrawn ?? ""), { force: true });
    await post(`/days/${withdrawn}/withdraw`, { revision: 1, note: "wrong" });
    await begin(await testPack(uploading ?? ""));

    const months = [...new Set(dates.map((each) => each.slice(0, 6)))];
    const lists = await Promise.all(months.map((month) => admin<DayList>("GET", `/days?month=${month}`)));
    const listed = new Map(lists.flatMap(({ body }) => body.days).map((each) => [each.tradedate, each]));
    expect(dates.map((each) => listed.get(each)?.state)).toEqual([
      "pending",
      "available",
      "degraded",
      "withdrawn",
      "pending",
      "missing",
    ]);
    expect(listed.get(degraded ?? today)).toMatchObject({ note: shortfall });
    expect(listed.get(withdrawn ?? today)).toMatchObject({
      note: "wrong",
      revision: 1,
      rows: 3,
      securities: 2,
    });
    expect(listed.get(missing ?? today)).toEqual({
      tradedate: missing,
      state: "missing",
      note: "",
      revision: null,
      rows: null,
      securities: null,
      sizeBytes: null,
      publishedAt: null,
    });
    expect(listed.has(addDays(today, 1))).toBe(false);
  });
});
