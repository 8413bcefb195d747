import { afterAll, describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import {
  addFile,
  askShare,
  auctionPack,
  ownFile,
  publishFiles,
  type ShareFields,
  shareIn,
  withdrawFile,
} from "../support/files.ts";
import { account, asOperator, publish } from "../support/operator.ts";
import { expectEnvelope, expectRefusal } from "./expect-refusal.ts";
import { sharedShareWorld, summary } from "./share-world.ts";

const world = await sharedShareWorld();
afterAll(() => world.stop());

const ask = (data_type: string, year: number, apikey = world.keys.flagship) =>
  askShare(world.service, apikey, { data_type, year });
const counted = async (data_type: string, year: number): Promise<number> => {
  const answer = await ask(data_type, year);
  return answer.reason === "nothing_published" ? 0 : shareIn(answer).file_count;
};

const FIELDS: (keyof ShareFields)[] = [
  "status",
  "data_type",
  "year",
  "start_date",
  "end_date",
  "file_count",
  "size_bytes",
  "url",
  "password",
  "expires_at",
  "retry_after",
];

describe("a share (contract 8.1, 8.3, 8.4)", () => {
  it.each(["auction_tick", "level2"])(
    "of %s is returned with its eleven fields in order, in an envelope inside the response envelope",
    async (type) => {
      const answer = await ask(type, 2026);
      expectEnvelope(answer);
      expect({ status: answer.status, code: answer.envelope.code }).toEqual({ status: 200, code: 200 });
      expect(answer.envelope.message).toBe("success");
      expect(Object.keys(answer.envelope.data ?? {})).toEqual(["code", "message", "data"]);
      expect(answer.envelope.data).toMatchObject({ code: 200, message: "success" });
      const share = shareIn(answer);
      expect(Object.keys(share)).toEqual(FIELDS);
      expect(share).toMatchObject({ status: "ready", data_type: type, year: 2026, retry_after: 0 });
    },
  );

  it("covers all published files of the year for the flagship plan, and states their number and total size", async () => {
    for (const year of [2022, 2025, 2026]) {
      const expected = summary(world, "auction_tick", (date) => date.startsWith(String(year)));
      expect(shareIn(await ask("auction_tick", year))).toMatchObject(expected);
    }
    for (const year of [2017, 2026]) {
      const expected = summary(world, "level2", (date) => date.startsWith(String(year)));
      expect(shareIn(await ask("level2", year))).toMatchObject(expected);
    }
  });

  it("of level2 counts the order pack and every file that the operator added", async () => {
    const share = shareIn(await ask("level2", 2026));
    expect(share).toMatchObject({ file_count: 7, start_date: "20260210", end_date: "20260311" });
  });

  it("has a URL on the service, and a password of 24 base62 characters that the URL does not contain", async () => {
    const { url, password } = shareIn(await ask("level2", 2026));
    expect(url).toMatch(new RegExp(`^${world.service.baseUrl}/s/[0-9A-Za-z]{16,}/$`));
    expect(password).toMatch(/^[0-9A-Za-z]{24}$/);
    expect(url).not.toContain(password);
  });

  it("ends 7 days after its creation, and states that instant in Beijing time", async () => {
    const before = world.service.nowMs();
    const { key } = await account(world.service, { plan: "flagship" });
    const { expires_at } = shareIn(await ask("level2", 2026, key));
    const after = world.service.nowMs();
    expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+08:00$/);
    const madeAt = Date.parse(expires_at) - 7 * 86_400_000;
    expect(madeAt).toBeGreaterThan(before - 1000);
    expect(madeAt).toBeLessThanOrEqual(after);
  });

  it("is returned in full whatever `fields` the request names (contract 3.10)", async () => {
    const params = { data_type: "level2", year: 2026 };
    const body = { apiname: "file_download", apikey: world.keys.flagship, params };
    const plain = await world.service.post(body);
    for (const fields of ["symbol", ["nonsense"], 7, null]) {
      const answer = await world.service.post({ ...body, fields });
      expect(answer.envelope.data).toEqual(plain.envelope.data);
    }
  });

  it("is never cached, and can be requested from any origin (contract 1.11)", async () => {
    const { headers } = await ask("level2", 2026);
    expect(headers["cache-control"]).toBe("private, no-store");
    expect(headers["access-control-allow-origin"]).toBe("*");
    expect(headers.ratelimit).toBeUndefined();
  });
});

describe("the coverage of a share (contract 8.2)", () => {
  it("includes a file from its publication to its withdrawal, without delay", async () => {
    const file = auctionPack("20230103");
    expectRefusal(await ask("auction_tick", 2023), { reason: "nothing_published", says: ["2023"] });
    await addFile(world.service, file);
    expect(await counted("auction_tick", 2023)).toBe(0);
    await publishFiles(world.service, file);
    expect(await counted("auction_tick", 2023)).toBe(1);
    await withdrawFile(world.service, file);
    expect(await counted("auction_tick", 2023)).toBe(0);
    expectRefusal(await ask("auction_tick", 2023), { reason: "nothing_published" });
    // Withdrawn content is published again only when the operator names its revision.
    await asOperator(world.service, "POST", `/admin/files/auction_tick/20230103/${file.name}/publish`, {
      revision: 1,
    });
    expect(await counted("auction_tick", 2023)).toBe(1);
  });

  it("counts a replaced file once, with its new size", async () => {
    await publishFiles(world.service, ownFile("20180102", "short"));
    expect(shareIn(await ask("level2", 2018))).toMatchObject({ file_count: 1, size_bytes: 5 });
    await publishFiles(world.service, ownFile("20180102", "longer"));
    expect(shareIn(await ask("level2", 2018))).toMatchObject({ file_count: 1, size_bytes: 6 });
  });

  it("counts an order pack as soon as it is published, and still only once after a second publication", async () => {
    const tradedate = "20210104";
    const packOf = (volume: number) =>
      day({ tradedate, securities: [security("600519", [order("093000000", { volume })])] });
    expect(await counted("level2", 2021)).toBe(0);
    for (const volume of [100, 12_345_678]) {
      const { day: published } = await publish(world.service, packOf(volume));
      const share = shareIn(await ask("level2", 2021));
      expect(share).toMatchObject({ file_count: 1, size_bytes: published.sizeBytes, start_date: tradedate });
    }
  });

  it("includes only files of the share's own type", async () => {
    await publishFiles(world.service, auctionPack("20240102"));
    expect(await counted("auction_tick", 2024)).toBe(1);
    expect(await counted("level2", 2024)).toBe(0);
  });

  it("excludes an order day that is withdrawn or damaged", async () => {
    const before = shareIn(await ask("level2", 2026));
    const db = await world.service.mf.getD1Database("DB");
    for (const state of ["withdrawn", "damaged"]) {
      const set = db.prepare("UPDATE order_days SET state = ? WHERE tradedate = '20260211'");
      await set.bind(state).run();
      expect(shareIn(await ask("level2", 2026)).file_count).toBe(before.file_count - 1);
      await set.bind("available").run();
      expect(shareIn(await ask("level2", 2026))).toEqual(before);
    }
  });

  it("causes a refusal with 1002 when it is empty, and no share is created", async () => {
    const { accountId, key } = await account(world.service, { plan: "flagship" });
    expectRefusal(await ask("level2", 2019, key), { reason: "nothing_published", says: ["level2", "2019"] });
    const path = `/admin/shares?account=${accountId}`;
    expect(await asOperator(world.service, "GET", path)).toEqual({ shares: [], next: null });
  });
});
