import { describe, expect, it } from "vitest";
import { operationsOf } from "../../../src/client/typescript/datasets.ts";
import { Client, ConfigurationError, NoData } from "../../../src/client/typescript/index.ts";
import { clock } from "../../../src/client/typescript/waiting.ts";
import { DATASET_NAMES, DATASETS } from "../../../src/datasets/registry.ts";

/** Returns a client that receives these answers in order, and records its pauses and the URLs of its requests. */
function scripted(...answers: (Response | Error)[]) {
  const waits: number[] = [];
  const urls: string[] = [];
  clock.sleep = async (ms) => void waits.push(ms);
  const fetch = async (url: string) => {
    urls.push(url);
    const next = answers.shift();
    if (next === undefined) throw new Error("one request too many");
    if (next instanceof Error) throw next;
    return next;
  };
  const client = new Client({
    key: "k",
    baseUrls: "http://a.test/api/,http://b.test",
    fetch,
    maxWaitMs: 30_000,
  });
  return { client, waits, urls };
}

function answer(code: number, reason: string, { status = 200, headers = {} as Record<string, string> } = {}) {
  return new Response(JSON.stringify({ code, message: `no [${reason} · id-1]`, data: null }), {
    status,
    headers: { "x-request-id": "id-1", ...headers },
  });
}
const good = () => new Response('{"code":200,"message":"success","data":{"month":"202603","days":[]}}');

describe("an answer to the TypeScript client", () => {
  it.each([
    [403, "outside_window", "NotAllowed"],
    [422, "param_invalid", "BadRequest"],
    [1002, "not_loaded", "NoData"],
  ])("with code %i and reason %s makes the client throw %s without a retry", async (code, reason, name) => {
    const { client, waits } = scripted(answer(code, reason));
    await expect(client.status()).rejects.toMatchObject({ name, code, reason, requestId: "id-1" });
    expect(waits).toEqual([]);
  });

  it("that reports a used-up quota makes the client throw QuotaUsed with the reset time", async () => {
    const headers = { "x-reason": "quota_used", ratelimit: '"requests";r=0;t=3600', "retry-after": "3600" };
    const { client, waits } = scripted(answer(429, "quota_used", { headers }));
    const error = await client.status().catch((caught) => caught);
    expect(error).toMatchObject({ name: "QuotaUsed", reason: "quota_used" });
    expect(Math.abs(error.resetsAt.getTime() - Date.now() - 3_600_000)).toBeLessThan(10_000);
    expect(waits).toEqual([]);
  });

  it("with Retry-After makes the client retry at the same base URL, for at most maxWaitMs", async () => {
    const busy = (seconds: string) =>
      answer(503, "slot_busy", { status: 503, headers: { "retry-after": seconds } });
    const { client, waits, urls } = scripted(busy("1"), busy("10"), good());
    await client.status();
    expect(waits).toHaveLength(2);
    expect(waits[1]).toBeGreaterThanOrEqual(10_000);
    expect(waits[1]).toBeLessThanOrEqual(12_000);
    expect(urls).toEqual(Array(3).fill("http://a.test/api"));
    const bounded = scripted(busy("10"), busy("10"), busy("10"), good());
    await expect(bounded.client.status()).rejects.toMatchObject({ name: "Unavailable", reason: "slot_busy" });
    expect(bounded.waits.length).toBe(2);
  });

  it("that reports a damaged day makes the client throw Unavailable without a retry", async () => {
    const { client } = scripted(answer(503, "day_damaged", { status: 503 }));
    await expect(client.status()).rejects.toMatchObject({ name: "Unavailable", reason: "day_damaged" });
  });

  it("that breaks off twice makes the client use the other base URL from then on", async () => {
    const { client, urls } = scripted(new Error("reset"), new Response('{"code":20'), good(), good());
    await client.status();
    await client.status();
    expect(urls.map((url) => new URL(url).hostname)).toEqual(["a.test", "a.test", "b.test", "b.test"]);
  });

  it("that breaks off eight times in a row makes the call fail", async () => {
    const { client } = scripted(...Array.from({ length: 9 }, () => new Error("reset")));
    await expect(client.status()).rejects.toMatchObject({ name: "ConnectionFailed", code: null });
  });

  it("from a different server, such as a redirect or an HTML page, is not treated as the service's answer", async () => {
    const moved = new Response(null, { status: 301, headers: { location: "https://a.test/api" } });
    await expect(scripted(moved).client.status()).rejects.toThrow(/redirects to https:\/\/a\.test\/api/);
    const page = new Response("<h1>Just a moment</h1>", { status: 403 });
    await expect(scripted(page).client.status()).rejects.toMatchObject({ name: "ProtocolError" });
    const gateway = new Response("<h1>Bad gateway</h1>", { status: 502 });
    await expect(scripted(gateway, good()).client.status()).resolves.toMatchObject({ month: "202603" });
  });

  it("is not requested for a call that is already aborted", async () => {
    const { client, urls } = scripted(good());
    await expect(client.status("202603", { signal: AbortSignal.abort(new Error("gone")) })).rejects.toThrow(
      "gone",
    );
    expect(urls).toEqual([]);
  });
});

describe("the constructor of the TypeScript client", () => {
  it.each([
    [{ key: " ", baseUrls: "http://a.test" }, "no key"],
    [undefined, "no key"],
    [{ key: "k", baseUrls: "" }, "no base URL"],
    [{ key: "k", baseUrls: [] }, "no base URL"],
    [{ key: "k", baseUrls: "a.test" }, "a.test is not an http or https URL"],
  ])('refuses the options %o with the message "%s"', (options, told) => {
    const made = () => Reflect.construct(Client, [options]);
    expect(made).toThrow(ConfigurationError);
    expect(made).toThrow(told);
  });
});

describe("waitUntilReady", () => {
  const ready = (revision: string) =>
    new Response('{"code":200,"message":"success","data":{}}', { headers: { "x-revision": revision } });
  const later = () => answer(1002, "not_loaded");

  it("polls until the dataset is loaded, and returns its revision", async () => {
    const { client, waits } = scripted(later(), later(), ready("3"));
    expect(await client.waitUntilReady("2026-03-12", { dataset: "trades" })).toBe(3);
    expect(waits).toEqual([60_000, 60_000]);
  });

  it("throws a final refusal immediately, and a temporary refusal after the timeout", async () => {
    const never = scripted(answer(1002, "not_trading_day"));
    await expect(never.client.waitUntilReady("20260307")).rejects.toMatchObject({
      reason: "not_trading_day",
    });
    const late = scripted(later(), later(), later());
    const options = { everyMs: 100, timeoutMs: 150 };
    await expect(late.client.waitUntilReady("20260312", options)).rejects.toBeInstanceOf(NoData);
    expect(late.waits).toEqual([100, 50]);
  });
});

describe("the dataset of a call", () => {
  it.each(DATASET_NAMES)("determines the operations of the dataset that the service defines (%s)", (name) => {
    const { apiname, estimate } = DATASETS[name];
    expect(operationsOf(name)).toEqual({ read: apiname, estimate });
  });

  it("determines the state, revision and rows of the days in a status", async () => {
    const [orders, trades] = [
      { state: "available", revision: 2, rows: 7 },
      { state: "pending", revision: null, rows: null },
    ];
    const days = [{ tradedate: "20260311", ...orders, datasets: { orders, trades } }];
    const status = () => Response.json({ code: 200, message: "success", data: { month: "202603", days } });
    const { client } = scripted(status(), status());
    expect((await client.status("202603")).days).toEqual(days);
    expect((await client.status("202603", { dataset: "trades" })).days).toEqual([{ ...days[0], ...trades }]);
    const older = scripted(Response.json({ code: 200, message: "success", data: { days: [{ ...orders }] } }));
    await expect(older.client.status("202603", { dataset: "trades" })).rejects.toThrow(
      "does not serve trades",
    );
  });

  it("is sent only if it is not the default, and determines the operation of an estimate", async () => {
    const asked: { apiname: string; params: Record<string, unknown> }[] = [];
    const fetch = async (_: string, { body }: RequestInit) => {
      asked.push(JSON.parse(String(body)));
      const data = { month: "202603", days: [], fields: [], items: [], changes: [], has_more: false };
      return Response.json({ code: 200, message: "success", data });
    };
    const client = new Client({ key: "k", baseUrls: "http://a.test", fetch });
    for (const dataset of [undefined, "trades"] as const) {
      await client.status("202603", { dataset });
      await client.symbols("20260311", { dataset });
      for await (const change of client.changes({ dataset })) expect(change).toBeUndefined();
      await client.estimate({ symbol: "600519", dataset });
      await client.waitUntilReady("20260311", { dataset });
    }
    const named = asked.map(({ apiname, params }) => `${apiname} ${params.dataset ?? ""}`.trim());
    expect(named).toEqual([
      ...["data_status", "data_symbols", "data_changes", "order_history_estimate", "data_symbols"],
      ...["data_status", "data_symbols trades", "data_changes trades"],
      ...["trade_history_estimate", "data_symbols trades"],
    ]);
  });
});
