import { describe, expect, it } from "vitest";
import { PART_SHA256_HEADER, PART_SIZE_BYTES } from "../../../src/admin/wire.ts";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { madeOrigin, originOf } from "../../../src/pack-builder/accounting.ts";
import { locateIndex } from "../../../src/packs/locate.ts";
import { sha256 } from "../../support/operator.ts";
import {
  admin,
  begin,
  complete,
  publish,
  query,
  refusal,
  sendParts,
  servedState,
  testEnv,
  testPack,
} from "./operator.ts";

describe("publishing a day", () => {
  it("creates no new revision for equal rows if the served object exists and is from the current builder", async () => {
    const rows = (path: string) => {
      const sources = [{ path, sizeBytes: 9, sha256: "a".repeat(64) }];
      return testPack("20240117", 100_000, "orders", originOf(sources, madeOrigin(3)));
    };
    const [here, there] = [await rows("here/orders.csv"), await rows("there/orders.csv")];
    expect(here.claims.buildId).toBe(there.claims.buildId);
    expect(here.claims.sha256).not.toBe(there.claims.sha256);
    expect((await publish(here)).body).toMatchObject({ newRevision: true, day: { revision: 1 } });
    expect((await publish(there)).body).toMatchObject({
      newRevision: false,
      day: { revision: 1, sha256: here.claims.sha256 },
    });

    await testEnv.PACKS.delete("orders/2024/20240117/1.parquet");
    expect((await publish(there)).body).toMatchObject({ newRevision: true, day: { revision: 2 } });
    await query`UPDATE day_packs SET builder_version = '0.0.1' WHERE tradedate = '20240117'`.run();
    expect((await publish(here)).body).toMatchObject({ newRevision: true, day: { revision: 3 } });
    expect((await publish(there)).body).toMatchObject({ newRevision: false, day: { revision: 3 } });
  });

  it("refuses a part with a wrong SHA-256 or size, and stores nothing", async () => {
    const pack = await testPack("20240108");
    const begun = await begin(pack);
    const path = `/days/20240108/uploads/${begun.uploadId}/parts`;
    const put = (n: number, bytes: Uint8Array, hash: string) =>
      admin("PUT", `${path}/${n}`, bytes, { headers: { [PART_SHA256_HEADER]: hash } });
    const { bytes, claims } = pack;
    const short = bytes.slice(1);
    expect(await put(1, bytes, "0".repeat(64))).toMatchObject(refusal(422, "part_hash", "SHA-256"));
    expect(await put(1, short, sha256(short))).toMatchObject(refusal(422, "part_size", "exactly"));
    expect(await admin("PUT", `${path}/1`, bytes)).toMatchObject(refusal(422, "part_hash_absent"));
    expect(await put(2, bytes, claims.sha256)).toMatchObject(refusal(422, "part_number"));
    expect((await begin(pack)).parts).toEqual([]);
    expect(await complete(pack, begun)).toMatchObject(refusal(422, "parts_missing", "not arrived"));
  });
});

describe("an upload of several parts", () => {
  it("accepts its parts in any order, and resumes with the missing parts after an interruption", async () => {
    const bytes = new Uint8Array(2 * PART_SIZE_BYTES + 1_000);
    for (let at = 0; at < bytes.length; at += 65_536) {
      crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65_536, bytes.length)));
    }
    const claims = {
      sizeBytes: bytes.length,
      sha256: sha256(bytes),
      buildId: "0".repeat(32),
      rows: 1,
      securities: 1,
    };
    const pack = { tradedate: "20240116" as BeijingDate, bytes, claims };
    const begun = await begin(pack);
    expect(begun).toMatchObject({ partCount: 3, partSizeBytes: 8_388_608, parts: [] });
    await sendParts(pack, { ...begun, parts: [{ n: 1 }, { n: 2 }] });
    const missing = "These parts have not arrived yet: 1, 2; send them first.";
    expect(await complete(pack, begun)).toMatchObject(refusal(422, "parts_missing", missing));
    await sendParts(pack, { ...begun, parts: [{ n: 2 }, { n: 3 }] });
    const again = await begin(pack);
    expect(again.parts.map(({ n }) => n)).toEqual([1, 3]);
    await sendParts(pack, again);
    // The service reports that the random bytes are not a pack. It reports no wrong SHA-256, so all parts were stored
    // correctly.
    expect(await complete(pack, again)).toMatchObject(refusal(422, "content_wrong", "PAR1"));
    expect(await servedState("20240116")).toEqual([]);
  });
});

describe("a pack that differs from its announcement", () => {
  it("is refused for a damaged block, a wrong SHA-256 or a wrong day, and changes no served state", async () => {
    const pack = await testPack("20240109");
    // The served day has other rows, because publishing the same rows needs no upload.
    await publish(await testPack("20240109", 5_000));
    const before = await servedState("20240109");

    const damaged = pack.bytes.slice();
    const { regionOffset } = await locateIndex(damaged.length, async (offset, length) =>
      damaged.subarray(offset, offset + length),
    );
    damaged.set([(damaged[regionOffset + 30] ?? 0) ^ 1], regionOffset + 30);
    const good = (await testPack("20240109", 7_000)).bytes;
    const otherDay = await testPack("20240110", 7_000);
    const cases = [
      { bytes: damaged, claims: { ...pack.claims, sha256: sha256(damaged) }, problem: /CRC|checksum/i },
      {
        bytes: good,
        claims: { ...pack.claims, sha256: "a".repeat(64), sizeBytes: good.length },
        problem: /SHA-256/,
      },
      { bytes: otherDay.bytes, claims: otherDay.claims, problem: /trading day is 20240110/ },
    ];
    for (const { bytes, claims, problem } of cases) {
      const wrong = { tradedate: pack.tradedate, bytes, claims };
      const begun = await begin(wrong);
      expect(begun.revision).toBe(2);
      await sendParts(wrong, begun);
      expect(await complete(wrong, begun)).toMatchObject(refusal(422, "content_wrong", problem));
      expect(await complete(wrong, begun)).toMatchObject({ status: 409 });
      expect(await servedState("20240109")).toEqual(before);
    }
    const right = await publish(await testPack("20240109", 9_000));
    expect(right.body.day).toMatchObject({ revision: 2 });
  });
});

describe("several publishers of one day", () => {
  it("who begin at the same time get 409, except for one of them", async () => {
    const packs = await Promise.all([1, 2, 3, 4].map((price) => testPack("20240112", price * 1_000)));
    const outcomes = await Promise.all(packs.map((pack) => publish(pack).catch((failure: Error) => failure)));
    const won = outcomes.filter((outcome) => !(outcome instanceof Error) && outcome.status === 200);
    const told = outcomes.filter((outcome) =>
      outcome instanceof Error ? /409/.test(outcome.message) : outcome.status === 409,
    );
    expect([won.length, told.length]).toEqual([1, 3]);
    const [served] = (await servedState("20240112")) as {
      object_key: string;
      sha256: string;
      etag: string;
    }[];
    const object = await testEnv.PACKS.get(served?.object_key ?? "");
    expect(object?.etag).toBe(served?.etag);
    expect(sha256((await object?.bytes()) as Uint8Array<ArrayBuffer>)).toBe(served?.sha256);
  });
});
