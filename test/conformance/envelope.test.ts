import { afterAll, describe, expect, it } from "vitest";
import { call } from "../support/http-client.ts";
import { orderHistory } from "../support/paging.ts";
import { expectEnvelope, expectRefusal } from "./expect-refusal.ts";
import { MAIN, sharedWorld } from "./world.ts";

const world = await sharedWorld();
afterAll(() => world.stop());

const params = { symbol: "600519", tradedate: MAIN };
const request = (over: Record<string, unknown> = {}) => ({
  ...orderHistory({ apikey: world.keys.flagship, params }),
  ...over,
});

describe("the router (contract 1.1)", () => {
  it.each(["/api", "/api/"])("serves the operation for POST %s without a redirect", async (path) => {
    const answer = await call(`${world.service.baseUrl}${path}`, { body: request() });
    expect(answer.status).toBe(200);
    expect(answer.envelope.code).toBe(200);
  });

  it.each(["GET", "PUT", "DELETE", "PATCH", "HEAD"])(
    "refuses %s /api with 405, an Allow header and an envelope",
    async (method) => {
      const answer = await call(`${world.service.baseUrl}/api`, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.allow).toBe("POST, OPTIONS");
      if (method !== "HEAD") expectRefusal(answer, { reason: "method_not_allowed" });
    },
  );

  it("answers an unknown path with 404 and an envelope", async () => {
    const answer = await call(`${world.service.baseUrl}/no/such/path`, { body: request() });
    expectRefusal(answer, { reason: "not_found", says: ["/api", "/docs/"] });
  });

  const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
  const lost = (method: string, path: string, headers: Record<string, string>) =>
    call(`${world.service.baseUrl}${path}`, { method, headers });

  it.each([
    ["en-GB,en;q=0.9", "en", "There is no page here"],
    ["zh-CN,zh;q=0.9,en;q=0.8", "zh-CN", "没有这个页面"],
    ["fr", "zh-CN", "没有这个页面"],
  ])(
    "answers an unknown path with 404 and an HTML page for a browser that prefers %s",
    async (language, tag, title) => {
      for (const path of ["/no/such/path", "/docs/en/nothing", "/-/nothing"]) {
        const answer = await lost("GET", path, { accept: browser, "accept-language": language });
        expect(answer.status, path).toBe(404);
        expect(answer.headers["content-type"]).toBe("text/html; charset=utf-8");
        expect(answer.headers["content-language"]).toBe(tag);
        expect(answer.headers["content-security-policy"]).toContain("default-src 'none'");
        expect(answer.headers.vary).toBe("Accept, Accept-Language, Cookie");
        expect(answer.reason).toBe("not_found");
        expect(answer.text).toContain(`<h1>${title}</h1>`);
        expect(answer.text).toContain(String(answer.headers["x-request-id"]));
        for (const link of ["/docs/", "/console/"]) expect(answer.text).toContain(`href="${link}"`);
      }
    },
  );

  it("does not repeat the URL in the 404 page", async () => {
    const answer = await lost("GET", "/no/%3Cscript%3Epath?et_secret=1", { accept: browser });
    expect(answer.text).not.toMatch(/<script|et_secret/);
  });

  it.each([undefined, "*/*", "application/json", "application/json, text/html;q=0.9", "text/html;q=0, */*"])(
    "answers an unknown path with an envelope when Accept is %s",
    async (accept) => {
      const answer = await lost("GET", "/no/such/path", accept === undefined ? {} : { accept });
      expectRefusal(answer, { reason: "not_found" });
    },
  );

  it("answers a browser's HEAD request for an unknown path without a body, and its POST request with an envelope", async () => {
    const head = await lost("HEAD", "/no/such/path", { accept: browser });
    expect([head.status, head.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(head.bytes).toHaveLength(0);
    expectRefusal(await lost("POST", "/no/such/path", { accept: browser }), { reason: "not_found" });
  });
});

describe("the request envelope (contract 1.2)", () => {
  it.each([
    ["no characters", ""],
    ["half an object", '{"apiname":'],
    ["an array", "[]"],
    ["a string", '"level2_order_history"'],
    ["a number", "7"],
    ["null", "null"],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
    ["a form", "apiname=level2_order_history&apikey=x"],
  ])("is refused with code 422 and HTTP status 200 if the body holds %s", async (_, body) => {
    expectRefusal(await world.service.post(body), { reason: "envelope_invalid" });
  });

  it("may omit params only for operations without a required parameter", async () => {
    const apikey = world.keys.flagship;
    for (const apiname of ["account_info", "data_status", "data_changes"]) {
      expect((await world.service.post({ apiname, apikey })).envelope.code, apiname).toBe(200);
      expect((await world.service.post({ apiname, apikey, params: null })).envelope.code, apiname).toBe(200);
    }
    expectRefusal(await world.service.post({ apiname: "data_symbols", apikey }), { reason: "not_loaded" });
    for (const apiname of ["level2_order_history", "file_download", "order_history_estimate"]) {
      expectRefusal(await world.service.post({ apiname, apikey }), { reason: "envelope_invalid" });
    }
  });

  it("is accepted at 64 KiB, and refused with HTTP 413 at one byte more", async () => {
    const padded = (size: number) => {
      const bare = JSON.stringify(request({ padding: "" }));
      return JSON.stringify(request({ padding: "x".repeat(size - bare.length) }));
    };
    expect((await world.service.post(padded(65_536))).envelope.code).toBe(200);
    expectRefusal(await world.service.post(padded(65_537)), { reason: "body_too_large" });
  });

  it("is refused with HTTP 413 when a megabyte is sent without a Content-Length", async () => {
    const answer = await world.service.post("x".repeat(1_000_000), { "transfer-encoding": "chunked" });
    expectRefusal(answer, { reason: "body_too_large" });
  });

  it.each(["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-8", "nonsense"])(
    "is accepted with Content-Type %s",
    async (type) => {
      expect((await world.service.post(request(), { "content-type": type })).envelope.code).toBe(200);
    },
  );

  it("is accepted without Content-Type", async () => {
    const answer = await call(`${world.service.baseUrl}/api`, { body: request() });
    expect(answer.envelope.code).toBe(200);
  });

  it("may begin with a byte order mark", async () => {
    expect((await world.service.post(`\ufeff${JSON.stringify(request())}`)).envelope.code).toBe(200);
  });

  it("may contain unknown members", async () => {
    expect((await world.service.post(request({ version: 2, token: "x" }))).envelope.code).toBe(200);
  });

  it("with fields null is treated like an envelope without fields", async () => {
    const answer = await world.service.post(request({ fields: null }));
    expect(answer.envelope.data?.fields).toHaveLength(10);
  });

  it.each([undefined, null, 7, ["level2_order_history"]])(
    "with apiname %j is refused with 422",
    async (apiname) => {
      const answer = await world.service.post(request({ apiname }));
      expect(answer.envelope.code).toBe(422);
      expect(answer.envelope.message).toContain("apiname");
    },
  );

  it.each(["", "level3", "LEVEL2_ORDER_HISTORY", "constructor", "__proto__"])(
    "with apiname %j is refused with 422 apiname_unknown, and the message names a known operation",
    async (apiname) => {
      const answer = await world.service.post(request({ apiname }));
      expect(answer.envelope.code).toBe(422);
      if (apiname !== "")
        expectRefusal(answer, { reason: "apiname_unknown", says: ["level2_order_history"] });
    },
  );

  it.each([undefined, null, "symbol=600519", 7, [], [params]])(
    "with params %j is refused with 422",
    async (wrong) => {
      const answer = await world.service.post(request({ params: wrong }));
      expect(answer.envelope.code).toBe(422);
      expect(answer.envelope.message).toContain("params");
    },
  );
});

describe("authentication (contract 1.9)", () => {
  it.each([undefined, null, 7, {}, ["k"]])("refuses apikey %j with 422", async (apikey) => {
    expectRefusal(await world.service.post(request({ apikey })), {
      reason: "envelope_invalid",
      says: ["apikey"],
    });
  });

  it.each([
    "",
    "   ",
    "unknown",
    "et_000000000000000000000000000000000000",
    "<API_KEY>",
    "钥匙",
    "x".repeat(5_000),
  ])("refuses apikey %j with 403 key_unknown and `invalid api key` in the message", async (apikey) => {
    const answer = await world.service.post(request({ apikey }));
    expectRefusal(answer, { reason: "key_unknown", says: ["invalid api key"] });
    expect(answer.text.includes("apikey is empty"), "hint for an empty key").toBe(apikey.trim() === "");
  });

  it("ignores credentials in headers, which neither replace the body's key nor invalidate it", async () => {
    const headers = { authorization: `Bearer ${world.keys.flagship}`, "x-api-key": world.keys.flagship };
    const without = await world.service.post(request({ apikey: undefined }), headers);
    expectRefusal(without, { reason: "envelope_invalid" });
    const wrong = { authorization: "Bearer unknown", "x-api-key": "unknown" };
    expect((await world.service.post(request(), wrong)).envelope.code).toBe(200);
  });
});

describe("the response envelope (contract 1.3)", () => {
  it("holds code, message and data in that order, with the message `success` for 200", async () => {
    const answer = await world.service.post(request());
    expectEnvelope(answer);
    expect(answer.text.startsWith('{"code":200,"message":"success","data":{')).toBe(true);
    expect(answer.reason).toBeNull();
  });
});

describe("size limits before authentication (contract 1.2, 1.4)", () => {
  it.each(["/api", "/health", "/docs/zh/quickstart", "/s/AAAAAAAAAAAA/", "/console", "/admin/days", "/none"])(
    "refuse a header of more than 8 KiB with 431 at %s",
    async (path) => {
      for (const headers of [
        { "accept-language": `en;q=${" ".repeat(60_000)}a b` },
        { authorization: `Basic ${" ".repeat(60_000)}!` },
        { cookie: "a".repeat(8_193) },
      ]) {
        const method = path === "/api" ? "POST" : "GET";
        const answer = await call(`${world.service.baseUrl}${path}`, { method, headers });
        expectRefusal(answer, {
          reason: "envelope_invalid",
          status: 431,
          says: [Object.keys(headers)[0] ?? ""],
        });
      }
    },
  );

  it("allow a header of 8 KiB, and make a URL of more than 8 KiB return 404", async () => {
    const { baseUrl } = world.service;
    const headers = { "accept-language": "en,".repeat(2_731).slice(0, 8_192) };
    expect((await call(`${baseUrl}/api`, { body: request(), headers })).envelope.code).toBe(200);
    const answer = await call(`${baseUrl}/docs?${"a".repeat(8_192)}`, { method: "GET" });
    expectRefusal(answer, { reason: "not_found" });
  });
});
