import { describe, expect, it } from "vitest";
import { type DayChanged, type DayDetail, PART_SHA256_HEADER } from "../../../src/admin/wire.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { fileVersions, packName } from "../../../src/catalog/files.ts";
import { markDamaged } from "../../../src/catalog/publish-day.ts";
import { day, order, security } from "../../support/builders.ts";
import { ownFile } from "../../support/files.ts";
import { sha256 } from "../../support/operator.ts";
import {
  add,
  complete as completeFile,
  publish as publishFile,
  sent as sentFile,
  withdraw as withdrawFile,
} from "./file-operator.ts";
import {
  admin,
  complete,
  packFrom,
  publish,
  query,
  refusal,
  sendParts,
  sent,
  servedState,
  type TestPack,
  testEnv,
  testPack,
} from "./operator.ts";

const post = (path: string, body: object) => admin<DayChanged>("POST", path, body);
const withdraw = (date: string, revision: number, note = "the exchange asked us to") =>
  post(`/days/${date}/withdraw`, { revision, note });
const detailOf = async (date: string) => (await admin<DayDetail>("GET", `/days/${date}`)).body;

/** Matches the operator, the time and the reason, which every refusal of withdrawn content names. */
const DECIDED = /Revision 1 of .+withdrawn by ADMIN_TOKEN at 20\d\d-.*\+08:00 \(the exchange asked us to\)/;

describe("a withdrawn day", () => {
  it("is named with operator, time and reason by every refusal of content, and in the list of revisions", async () => {
    const [withdrawn, other] = [await testPack("20240102", 1_000), await testPack("20240102", 2_000)];
    await publish(withdrawn);
    const begun = await sent(other, { force: true });
    await withdraw("20240102", 1);
    const meanwhile = "ADMIN_TOKEN withdrew the day or file meanwhile: the exchange asked us to";
    expect(await complete(other, begun)).toMatchObject(refusal(409, "upload_ended", meanwhile));
    expect(await publish(withdrawn)).toMatchObject(refusal(409, "content_withdrawn", DECIDED));
    expect(await publish(other)).toMatchObject(refusal(409, "target_withdrawn", DECIDED));
    const { revisions } = await detailOf("20240102");
    expect(revisions.map(({ withdrawn: decision }) => decision)).toEqual([
      { at: expect.any(String), by: "ADMIN_TOKEN", note: "the exchange asked us to" },
    ]);
  });

  it("is not replaced by an upload that began before the withdrawal, even if the upload is still open", async () => {
    const [first, pack] = [await testPack("20240108", 1_000), await testPack("20240108", 2_000)];
    await publish(first);
    const begun = await sent(pack, { force: true });
    await withdraw("20240108", 1);
    // Now the upload looks as if it had begun before the withdrawal and had been stored after it.
    await query`UPDATE uploads SET state = 'uploading' WHERE upload_id = ${begun.uploadId}`.run();
    expect(await complete(pack, begun)).toMatchObject({ status: 409 });
    expect(await servedState("20240108")).toMatchObject([{ revision: 1, state: "withdrawn" }]);
  });

  it("keeps no version of the withdrawn content for downloads that have begun", async () => {
    const tradedate = "20240111" as BeijingDate;
    await publish(await testPack(tradedate, 1_000));
    await withdraw(tradedate, 1);
    await publish(await testPack(tradedate, 2_000), { force: true });
    await publish(await testPack(tradedate, 3_000));
    const place = { dataType: "level2" as const, tradedate, name: packName(tradedate, "orders") };
    const versions = await fileVersions(testEnv.DB, place, Date.now());
    expect(versions.map(({ revision }) => revision)).toEqual([3, 2]);
  });
});

/** Returns `pack` with one bit of byte `at` flipped, and with a SHA-256 in the claims that matches the change. */
async function flipped(pack: TestPack, at = 300): Promise<TestPack> {
  const bytes = pack.bytes.slice();
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return { ...pack, bytes, claims: { ...pack.claims, sha256: sha256(bytes) } };
}

describe("a damaged pack", () => {
  it("cannot be published, even with force, and the refusal names the damaged security", async () => {
    await publish(await testPack("20240201", 1_000));
    const before = await servedState("20240201");
    const pack = await testPack("20240201", 2_000);
    for (const at of [5, 300, 1_500]) {
      expect(await publish(await flipped(pack, at), { force: true })).toMatchObject(
        refusal(422, "content_wrong", /(300750\.SZ|600519\.SH): .*checksum/),
      );
    }
    expect(await servedState("20240201")).toEqual(before);
  });

  it("is not adopted when the catalog no longer lists it, but its content may be published as another object", async () => {
    const tradedate = "20240202" as BeijingDate;
    for (const price of [1_000, 2_000]) await publish(await testPack(tradedate, price));
    await markDamaged(testEnv.DB, { dataset: "orders", tradedate, revision: 2, note: "block 0" }, Date.now());
    const objectKey = "orders/2024/20240202/2.parquet";
    await post(`/days/${tradedate}/restore`, { revision: 2 });
    await testEnv.DB.batch([
      query`DELETE FROM day_revisions WHERE revision = 2 AND tradedate = ${tradedate}`,
      query`DELETE FROM day_packs WHERE object_key = ${objectKey}`,
      query`DELETE FROM uploads WHERE target = 'orders/20240202'`,
    ]);
    expect(await admin("POST", `/days/${tradedate}/adopt`, { objectKey })).toMatchObject(
      refusal(422, "pack_damaged", "block 0"),
    );
    expect((await publish(await testPack(tradedate, 2_000))).body.day).toMatchObject({ revision: 4 });
  });

  it("is not restored, even if its damage was found after another revision was served", async () => {
    const tradedate = "20240205" as BeijingDate;
    await publish(await testPack(tradedate, 1_000));
    await publish(await testPack(tradedate, 2_000));
    await markDamaged(testEnv.DB, { dataset: "orders", tradedate, revision: 1, note: "block 3" }, Date.now());
    expect(await servedState(tradedate)).toMatchObject([{ revision: 2, state: "available" }]);
    expect(await post(`/days/${tradedate}/restore`, { revision: 2, to: 1 })).toMatchObject({
      body: { reason: "pack_damaged" },
    });
  });
});

describe("a pack with less content than the revision it replaces", () => {
  const packOf = (tradedate: string, counts: Record<string, number>, volume = 100) =>
    packFrom(
      day({
        tradedate,
        securities: Object.entries(counts).map(([symbol, count]) =>
          security(
            symbol,
            Array.from({ length: count }, (_, n) => order(`0930000${10 + n}`, { volume })),
          ),
        ),
      }),
    );

  it("is refused without force, and the refusal names the missing content", async () => {
    // With fewer than five other days, the plausibility check has nothing to compare.
    await testEnv.DB.exec("DELETE FROM order_days");
    const whole = { "600519": 20, "688111": 20, "300750": 20 };
    await publish(await packOf("20240301", whole));
    const cases: [Record<string, number>, RegExp][] = [
      [
        { "600519": 20, "300750": 20 },
        /SH has 20 orders instead of 40; 1 security is missing \(688111\.SH is missing\)/,
      ],
      [{ ...whole, "688111": 0 }, /688111\.SH is missing/],
      [{ ...whole, "300750": 18 }, /SZ has 18 orders instead of 20; .*300750\.SZ has 18 instead of 20/],
      [
        { "600519": 40, "688111": 18, "300750": 20 },
        /: 1 security has at least 10 % fewer .*688111\.SH has 18 instead of 20/,
      ],
    ];
    for (const [counts, error] of cases) {
      expect(await publish(await packOf("20240301", counts, 200))).toMatchObject(
        refusal(422, "shrunk", error),
      );
    }
    expect(await servedState("20240301")).toMatchObject([{ revision: 1 }]);
    expect((await publish(await packOf("20240301", { ...whole, "300750": 19 }))).status).toBe(200);
    const less = await packOf("20240301", { "600519": 2 });
    expect((await publish(less, { force: true })).body.day).toMatchObject({ rows: 2 });
  });
});

describe("concurrent publishers of one pack", () => {
  it("create one revision, and only one publisher is told that the revision is new", async () => {
    for (const [n, date] of ["20240401", "20240402", "20240403", "20240404"].entries()) {
      const pack = await testPack(date, 1_000);
      const answers = await Promise.all(Array.from({ length: 2 + (n % 2) }, () => publish(pack)));
      expect(answers.map(({ status, body }) => [status, body.day?.revision])).toEqual(
        answers.map(() => [200, 1]),
      );
      expect(answers.filter(({ body }) => body.newRevision)).toHaveLength(1);
      expect(await servedState(date)).toMatchObject([{ revisions: 1, index_rows: 2 }]);
    }
  });
});

describe("a publisher", () => {
  it("can repeat each step of a completed upload, but cannot send different bytes for a part", async () => {
    const pack = await testPack("20240405", 1_000);
    const begun = await sent(pack);
    expect((await complete(pack, begun)).body.newRevision).toBe(true);
    await sendParts(pack, begun);
    expect((await complete(pack, begun)).body).toMatchObject({ newRevision: false, day: { revision: 1 } });
    const wrong = new Uint8Array(pack.bytes.length);
    const path = `/days/20240405/uploads/${begun.uploadId}/parts/1`;
    const headers = { [PART_SHA256_HEADER]: sha256(wrong) };
    expect((await admin("PUT", path, wrong, { headers })).status).toBe(409);
  });
});

describe("a withdrawn file", () => {
  it("cannot be added again with the same content, and can be replaced only with force", async () => {
    const [file, other] = [ownFile("20240501", "one"), ownFile("20240501", "other")];
    await add(file);
    await publishFile(file);
    await withdrawFile(file, "the exchange asked us to");
    expect(await add(file)).toMatchObject(refusal(409, "content_withdrawn", DECIDED));
    expect((await add(other)).body).toMatchObject({ state: "verifying", revision: 2 });
    expect(await publishFile(other, { revision: 2 })).toMatchObject(
      refusal(409, "target_withdrawn", DECIDED),
    );
    expect((await publishFile(other, { revision: 2, force: true })).body).toMatchObject({
      state: "published",
    });
    expect((await add(file)).status).toBe(409);
  });
});

describe("publishing a file", () => {
  it("serves the named revision, even if another revision was added after it", async () => {
    const [a, b] = [ownFile("20240502", "of A"), ownFile("20240502", "of B")];
    expect((await add(a)).body.revision).toBe(1);
    expect((await add(b)).body.revision).toBe(2);
    expect(await publishFile(a)).toMatchObject(
      refusal(409, "revision_unclear", "2 (never published), 1 (never published)"),
    );
    expect((await add(a)).body).toMatchObject({ state: "verifying", revision: 1 });
    expect((await publishFile(a, { revision: 1 })).body).toMatchObject({ state: "published", revision: 1 });
    expect((await publishFile(b, { revision: 2 })).body).toMatchObject({ state: "published", revision: 2 });
    expect(await publishFile(a, { revision: 1 })).toMatchObject(
      refusal(409, "file_changed", "revision 2 is newer"),
    );
  });

  it("requires a revision number when every revision was withdrawn or never published", async () => {
    const [offered, waiting] = [ownFile("20240503", "one"), ownFile("20240503", "two")];
    await add(offered);
    await publishFile(offered);
    await add(waiting);
    await withdrawFile(offered, "wrong");
    expect(await publishFile(offered)).toMatchObject(
      refusal(409, "revision_unclear", "2 (never published), 1 (withdrawn)"),
    );
    expect(await publishFile(waiting, { revision: 2 })).toMatchObject({
      body: { reason: "target_withdrawn" },
    });
    expect((await publishFile(offered, { revision: 1 })).body).toMatchObject({
      state: "published",
      revision: 1,
    });
    expect((await publishFile(waiting, { revision: 2 })).body).toMatchObject({ state: "published" });
  });
});

describe("an upload of a file", () => {
  it("is refused if the file is withdrawn before the upload completes", async () => {
    const [first, second] = [ownFile("20240506", "one"), ownFile("20240506", "two")];
    await add(first);
    await publishFile(first);
    const begun = await sentFile(second);
    await withdrawFile(first, "wrong");
    expect(await completeFile(second, begun)).toMatchObject({ status: 409 });
  });
});

describe("a file name that differs from another name only in case", () => {
  it("is refused, whether the other name belongs to a file or to the order pack", async () => {
    const file = ownFile("20240507", "x", "20240507_Trades.csv");
    await add(file);
    expect(await add(ownFile("20240507", "y", "20240507_trades.CSV"))).toMatchObject(
      refusal(422, "file_name", "only in case from 20240507_Trades.csv"),
    );
    expect((await add(ownFile("20240507", "y", "20240507_ORDERS.parquet"))).status).toBe(422);
    expect((await add(ownFile("20240507", "y", "20240507_trades2.csv"))).status).toBe(200);
  });

  it("is refused even if both uploads began before either was complete", async () => {
    const [one, other] = [
      ownFile("20240508", "x", "20240508_A.csv"),
      ownFile("20240508", "y", "20240508_a.csv"),
    ];
    const [first, second] = [await sentFile(one), await sentFile(other)];
    expect((await completeFile(one, first)).status).toBe(200);
    expect((await completeFile(other, second)).status).toBe(409);
  });
});
