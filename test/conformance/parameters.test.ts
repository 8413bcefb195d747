import { afterAll, describe, expect, it } from "vitest";
import { askShare } from "../support/files.ts";
import { pageOf } from "../support/paging.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld, startWorld } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const ask = (over: Record<string, unknown> = {}, options = {}) =>
  world.ask({ symbol: "600519", tradedate: MAIN, ...over }, options);

describe("parameters without a value (contract 3.1)", () => {
  it.each([null, "", "   ", "\t\n"])("sent as %j have the effect of omitted parameters", async (nothing) => {
    const plain = pageOf(await ask());
    for (const name of ["format", "start_time", "end_time", "page_size", "limit", "cursor"]) {
      expect(pageOf(await ask({ [name]: nothing })), name).toEqual(plain);
    }
  });

  it.each([null, "", "  "])("sent as %j are ignored even if their names are unknown", async (nothing) => {
    expect(pageOf(await ask({ offset: nothing, anything: nothing })).items).toHaveLength(13);
  });
});

describe("the parameters page_size and limit (contract 3.2, 3.3, 3.8)", () => {
  it("default to 10000, as the answer's page_size shows", async () => {
    expect(pageOf(await ask()).page_size).toBe(10_000);
  });

  it.each([
    [1, 1],
    ["5", 5],
    [10_000, 10_000],
    ["10000", 10_000],
  ])("accept %j, and the answer's page_size is %i", async (page_size, applied) => {
    const page = pageOf(await ask({ page_size }));
    expect(page.page_size).toBe(applied);
    expect(page.items).toHaveLength(Math.min(applied, 13));
  });

  it.each([
    ...[10_001, 20_000, "20000", 2 ** 53 - 1, 1e300, 9_007_199_254_740_992, 1e18, "9007199254740993"],
    "1".repeat(400),
  ])("use 10000 for %j, as the answer's page_size shows", async (page_size) => {
    expect(pageOf(await ask({ page_size })).page_size).toBe(10_000);
  });

  it.each([0, -1, "0", "-1", 1.5, "1.5", true, false, "7a", "1e3", "0x10", " 7 7", [7], {}, "ten"])(
    "refuse %j with 422",
    async (page_size) => {
      expectRefusal(await ask({ page_size }), { reason: "param_invalid", says: ["page_size"] });
    },
  );

  it("are two names of one parameter", async () => {
    const page = pageOf(await ask({ limit: "3" }));
    expect(page.page_size).toBe(3);
    expect(page.items).toHaveLength(3);
    expectRefusal(await ask({ limit: 0 }), { reason: "param_invalid", says: ["limit"] });
  });

  it("may both be given when they agree, and are refused with 422 when they differ", async () => {
    expect(pageOf(await ask({ limit: "3", page_size: 3 })).page_size).toBe(3);
    expectRefusal(await ask({ limit: 4, page_size: 3 }), {
      reason: "param_invalid",
      says: ["limit", "page_size"],
    });
  });
});

describe("the `format` parameter (contract 3.6, 3.9)", () => {
  it("defaults to json", async () => {
    expect(pageOf(await ask({ format: "json" }))).toEqual(pageOf(await ask()));
  });

  it.each(["csv", "xml", "parquets", "js on", 1, true, ["json"], {}])(
    "with the value %j is refused with 422",
    async (format) => {
      const answer = await ask({ format });
      expectRefusal(answer, { reason: "param_invalid", status: answer.status, says: ["format"] });
    },
  );

  it.each(["cursor", "page_size", "limit", "start_time", "end_time"])(
    "set to parquet excludes %s, which is refused with 422 param_excluded",
    async (name) => {
      const answer = await ask({ format: "parquet", [name]: name.endsWith("_time") ? "09:30" : "1" });
      expectRefusal(answer, { reason: "param_excluded", status: 422, says: [name] });
    },
  );

  it("set to parquet is refused with excluded parameters, and the message names each that the request contains", async () => {
    const answer = await ask({ format: "parquet", page_size: 5, limit: 5, start_time: "09:30", cursor: "x" });
    const says = ["page_size", "limit", "start_time", "cursor"];
    expectRefusal(answer, { reason: "param_excluded", status: 422, says });
  });

  it("set to parquet ignores excluded parameters that have no value", async () => {
    const empty = { cursor: null, page_size: "", limit: " ", start_time: null, end_time: "" };
    const answer = await ask({ format: "parquet", ...empty });
    expect(answer.status).toBe(200);
    expect(answer.headers["content-type"]).toBe("application/vnd.apache.parquet");
  });
});

describe("unknown parameters (contract 3.3)", () => {
  it.each([
    ["star_time", "start_time"],
    ["startTime", "start_time"],
    ["endtime", "end_time"],
    ["trade_date", "tradedate"],
    ["pagesize", "page_size"],
    ["symbols", "symbol"],
    ["Cursor", "cursor"],
  ])("such as %s are refused with 422 param_unknown, and the message suggests %s", async (name, nearest) => {
    expectRefusal(await ask({ [name]: "x" }), { reason: "param_unknown", says: [name, nearest] });
  });

  it.each(["offset", "page", "year", "data_type", "constructor", "toString"])(
    "such as %s are refused with 422 param_unknown",
    async (name) => {
      expectRefusal(await ask({ [name]: 2 }), { reason: "param_unknown", says: [name] });
    },
  );

  it.each([
    { offset: 0 },
    { offset: "0", page: null },
    { page: 1 },
    { page: " 1 " },
    { pageNo: 1, skip: 0 },
    { offset: [0] },
    { page: 0 },
    { symbol: ["600519"] },
  ])("that other services use for paging are ignored if they mean the first page: %j", async (over) => {
    for (const format of ["json", "parquet"]) {
      const answer = await ask({ ...over, format });
      expect(answer.status, answer.text.slice(0, 300)).toBe(200);
      expect(answer.headers["x-row-count"]).toBe("13");
    }
  });

  it.each([{ offset: 1 }, { offset: -1 }, { page: 2 }, { skip: [0, 0] }, { page: true }, { offset: {} }])(
    "that other services use for paging are refused with 422 unless they mean the first page: %j",
    async (over) => {
      expectRefusal(await ask(over), { reason: "param_unknown", says: [/cursor/] });
    },
  );

  it("include __proto__, which is treated like any other name", async () => {
    const body = `{"apiname":"level2_order_history","apikey":"${world.keys.flagship}",`;
    const answer = await world.service.post(`${body}"params":{"symbol":"600519","__proto__":{"a":1}}}`);
    expectRefusal(answer, { reason: "param_unknown" });
  });

  it("are ignored by every interface with UNKNOWN_PARAMETERS=warn, and a header names them", async () => {
    const warning = await startWorld({ settings: { UNKNOWN_PARAMETERS: "warn" } });
    const page = await warning.ask({ symbol: "600519", tradedate: MAIN, offset: 10 });
    const share = (year: number) =>
      askShare(warning.service, warning.keys.flagship, { data_type: "level2", year, month: 3 });
    const [served, refused] = [await share(2026), await share(2019)];
    await warning.stop();
    expect(pageOf(page).items).toHaveLength(13);
    expect(page.headers["x-warning"]).toContain("offset");
    expect(served.envelope.code).toBe(200);
    expectRefusal(refused, { reason: "nothing_published" });
    for (const { headers } of [served, refused]) expect(headers["x-warning"]).toContain("month");
  });
});

describe("the tolerant reading of parameters (contract 3.1)", () => {
  it("trims blanks around every value, including apikey and apiname", async () => {
    const apikey = ` ${world.keys.flagship} `;
    const params = {
      symbol: " 600519 ",
      tradedate: ` ${MAIN}\t`,
      format: " json ",
      start_time: " 09:30",
      end_time: "10:00 ",
      page_size: " 5 ",
    };
    const page = await world.service.post({ apiname: " level2_order_history ", apikey, params });
    expect(page.envelope.code, page.text).toBe(200);
    expect(pageOf(page).page_size).toBe(5);
    const next = await world.service.post({
      apiname: "level2_order_history\n",
      apikey,
      params: { ...params, cursor: ` ${pageOf(page).next_cursor} ` },
    });
    expect(next.envelope.code, next.text).toBe(200);
    const share = { apiname: "file_download", apikey, params: { data_type: " level2 ", year: " 2026 " } };
    expect((await world.service.post(share)).envelope.code).toBe(200);
  });
});
