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

const askWith = (params: Record<string, unknown>, apikey = world.keys.flagship) =>
  askShare(world.service, apikey, params);
const ask = (data_type: string, year: number, apikey?: string) => askWith({ data_type, year }, apikey);
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

describe("data_type (contract 3.12)", () => {
  it.each([undefined, null, "", "  ", "tick", "LEVEL2", "orders", 2, true, ["level2"], { a: 1 }])(
    "is refused with 422 for %j, and the message names both types",
    async (data_type) => {
      const says = ["data_type", "auction_tick", "level2"];
      expectRefusal(await askWith({ data_type, year: 2026 }), { reason: "param_invalid", says });
    },
  );

  it("is accepted with blanks around it", async () => {
    expect((await askWith({ data_type: " level2 ", year: 2026 })).envelope.code).toBe(200);
  });
});

describe("year (contract 3.11)", () => {
  it("may be a JSON integer or a string of digits", async () => {
    const [asNumber, asText] = [2026, "2026"].map(async (year) =>
      shareIn(await askWith({ data_type: "level2", year })),
    );
    expect((await asText)?.year).toBe(2026);
    expect(await asText).toEqual(await asNumber);
  });

  it.each([
    ...[undefined, null, "", "  ", 1.5, true, "7a", "2026.0", "20 26", [2026], { year: 2026 }],
    ...["二〇二六", "-2026", 1e300],
  ])("is refused with 422 for %j, and the message names the range", async (year) => {
    const says = ["year", "2017-2026"];
    expectRefusal(await askWith({ data_type: "level2", year }), { reason: "param_invalid", says });
  });

  it.each([
    ["auction_tick", 2021, "2022-2026"],
    ["auction_tick", 2017, "2022-2026"],
    ["auction_tick", 2027, "2022-2026"],
    ["level2", 2016, "2017-2026"],
    ["level2", 2027, "2017-2026"],
    ["level2", 0, "2017-2026"],
    ["level2", "99999999999999999999", "2017-2026"],
  ])(
    "for %s is refused when it is %j, and the message names the accepted range %s",
    async (data_type, year, range) => {
      expectRefusal(await askWith({ data_type, year }), { reason: "param_invalid", says: ["year", range] });
    },
  );

  it.each([
    ["auction_tick", 2022],
    ["level2", 2017],
  ])("for %s may be %i, the first year", async (data_type, year) => {
    expect((await askWith({ data_type, year })).envelope.code).toBe(200);
  });
});

describe("parameters other than data_type and year (contract 3.1, 3.2, 3.3)", () => {
  it("are refused with 422 when unknown, and the message names the nearest known name", async () => {
    const near = { data_typ: "level2", year: 2026 };
    expectRefusal(await askWith(near), { reason: "param_unknown", says: ["data_typ", /data_type/] });
    const far = { data_type: "level2", year: 2026, month: 3 };
    expectRefusal(await askWith(far), { reason: "param_unknown", says: ["month", "data_type, year"] });
    const envelope = { data_type: "level2", year: 2026, fields: "url" };
    expectRefusal(await askWith(envelope), { reason: "param_unknown", says: ["fields"] });
  });

  it("are ignored when they have no value", async () => {
    const answer = await askWith({
      data_type: "level2",
      year: 2026,
      month: null,
      symbol: "",
      page_size: " ",
    });
    expect(answer.envelope.code).toBe(200);
  });
});
