import { describe, expect, it } from "vitest";
import type {
  AdoptableList,
  ChangeList,
  DatasetList,
  DayDetail,
  DayList,
  IndexReport,
  LoadedDays,
} from "../../../src/admin/wire.ts";
import { judgedObjects } from "../../../src/upkeep/objects.ts";
import {
  admin,
  complete,
  emptied,
  publish,
  query,
  refusal,
  sent,
  servedState,
  stepPath,
  testEnv,
  testPack,
} from "./operator.ts";

const trades = (tradedate: string, price?: number) => testPack(tradedate, price, "trades");
const of = (tradedate: string) => ({ dataset: "trades", tradedate }) as Parameters<typeof stepPath>[0];

describe("the trades and the orders of a day", () => {
  it("are named in messages and object keys, and only orders lack the property `dataset`", async () => {
    await publish(await testPack("20240502"));
    const first = await publish(await trades("20240502"));
    expect(first.body).toMatchObject({ newRevision: true, day: { dataset: "trades", revision: 1, rows: 3 } });
    await admin("POST", stepPath(of("20240502"), "/withdraw"), { revision: 1 });
    const refused = await publish(await trades("20240502"));
    expect(refused.body.error).toContain("Revision 1 of 20240502 (trades) has the same content");
    expect(refused.body.error).toContain("`edgetape day restore 20240502 --dataset trades --to 1`");
    const shown = await admin<DayDetail>("GET", stepPath(of("20240502"), ""));
    expect(shown.body.revisions.map(({ objectKey }) => objectKey)).toEqual([
      "trades/2024/20240502/1.parquet",
    ]);
    const alone = await admin<DayDetail>("GET", "/days/20240502");
    // Earlier versions of the command refuse an answer with an unknown property, so a day of orders has no `dataset`.
    expect(Object.keys(alone.body.day)).not.toContain("dataset");
  });

  it("are listed independently in months, loaded days, datasets and changes", async () => {
    await publish(await testPack("20240506"));
    await publish(await trades("20240507"));
    const month = async (query: string) =>
      (await admin<DayList>("GET", `/days?month=202405${query}`)).body.days
        .filter(({ revision, tradedate }) => revision !== null && tradedate >= "20240506")
        .map(({ tradedate }) => tradedate);
    expect([await month(""), await month("&dataset=trades")]).toEqual([["20240506"], ["20240507"]]);
    const loaded = (await admin<LoadedDays>("GET", "/days/loaded?dataset=trades")).body.days;
    expect([loaded.includes("20240506" as never), loaded.includes("20240507" as never)]).toEqual([
      false,
      true,
    ]);
    expect((await admin<DatasetList>("GET", "/days/datasets")).body.datasets).toEqual([
      { dataset: "orders", newest: "20240506" },
      { dataset: "trades", newest: "20240507" },
      { dataset: "quotes", newest: null },
    ]);
    const changes = async (query: string) =>
      (await admin<ChangeList>("GET", `/changes${query}`)).body.changes.map((each) => [
        each.dataset,
        each.tradedate,
      ]);
    expect((await changes("?dataset=trades")).at(-1)).toEqual(["trades", "20240507"]);
    expect(await changes("")).not.toContainEqual([undefined, "20240507"]);
    expect((await admin("GET", "/days/20240506?dataset=auctions")).status).toBe(400);
    expect((await admin("GET", stepPath(of("20240506"), ""))).body.error).toBe(
      "There is no loaded day 20240506 (trades).",
    );
  });

  it("are published only from packs of their own dataset", async () => {
    const pairs = [
      [{ ...(await trades("20240508")), dataset: "orders" as const }, /a pack of trades; a pack of orders/],
      [{ ...(await testPack("20240508")), dataset: "trades" as const }, /a pack of orders; a pack of trades/],
    ] as const;
    for (const [pack, problem] of pairs) {
      const begun = await sent(pack);
      expect(await complete(pack, begun)).toMatchObject(refusal(422, "content_wrong", problem));
      expect(await servedState("20240508", pack.dataset)).toEqual([]);
    }
  });
});

describe("the trades of a day", () => {
  it("have index rows that the doctor checks and repairs, and a pack that can be adopted", async () => {
    const pack = await trades("20240509");
    await publish(pack);
    const objectKey = "trades/2024/20240509/1.parquet";
    const report = () => admin<IndexReport>("GET", "/doctor/index/20240509?dataset=trades");
    expect((await report()).body).toMatchObject({ securities: 2, findings: [] });
    await query`
      DELETE FROM day_securities WHERE pack_id IN (SELECT pack_id FROM day_packs WHERE object_key = ${objectKey}) AND symbol = '600519'`.run();
    expect((await report()).body.findings[0]?.sentence).toContain(
      "The index rows of 20240509 (trades) differ from its pack: 600519.SH",
    );
    const repaired = await admin<IndexReport>("POST", "/doctor/index/20240509/repair?dataset=trades");
    expect(repaired.body.findings.map(({ level }) => level)).toEqual(["done"]);
    expect((await report()).body.findings).toEqual([]);

    await emptied("order_days day_revisions day_packs uploads upload_parts");
    const place = { db: testEnv.DB, bucket: testEnv.PACKS, nowMs: Date.now() };
    expect((await judgedObjects(place)).unknown.map(({ key }) => key)).toContain(objectKey);
    const listed = await admin<AdoptableList>("GET", "/days/adoptable?dataset=trades");
    const offered = listed.body.days.find(({ tradedate }) => tradedate === "20240509");
    expect(offered).toMatchObject({ dataset: "trades", served: null, packs: [{ objectKey }] });
    expect((await admin("POST", "/days/20240509/adopt", { objectKey })).status).toBe(404);
    const adopted = await admin("POST", stepPath(of("20240509"), "/adopt"), { objectKey });
    expect(adopted.body).toMatchObject({ newRevision: true, day: { dataset: "trades", revision: 2 } });
    expect(await servedState("20240509", "trades")).toMatchObject([{ object_key: objectKey, index_rows: 2 }]);
  });
});
