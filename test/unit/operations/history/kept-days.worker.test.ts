/**
 * Tests the isolate's cache of days end to end: which stores a request calls, and that a change is not announced while
 * the old state can still be served (contract 3.13 and 9). Only the tests advance the clock.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { DayDetail, Explanation } from "../../../../src/admin/wire.ts";
import { createApp } from "../../../../src/app.ts";
import { watchStores } from "../../../support/watched-stores.ts";
import { admin, holder, publish, testEnv, testPack } from "../../admin/operator.ts";

const app = createApp();
let days = 0;

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: Date.now() }));
afterEach(() => void vi.useRealTimers());

/** Publishes a day that no other test uses. */
async function publishedDay(): Promise<string> {
  days++;
  const tradedate = `202405${String(days).padStart(2, "0")}`;
  expect((await publish(await testPack(tradedate))).status).toBe(200);
  return tradedate;
}

async function newKey(limits?: { requests: number | null; files: number | null }): Promise<string> {
  const { path, key } = await holder();
  if (limits !== undefined) await admin("PUT", `${path}/limits`, limits);
  return key;
}

interface Told {
  reason: string | null;
  revision: string | null;
  cursor: string | null;
  data: Record<string, unknown> | null;
  /** The stores in the order in which calls to them began. `gate!` marks the gate's answer. */
  calls: string[];
}

/** Sends one request with the clock `seconds` ahead. A `cacheMs` of 0 stands for an isolate that caches no day. */
async function ask(
  body: object,
  { seconds = 0, cacheMs = 10_000 }: { seconds?: number; cacheMs?: number } = {},
): Promise<Told> {
  const calls: string[] = [];
  const settings = { CLOCK_OFFSET_MS: String(1_000 * seconds), DAY_CACHE_MS: String(cacheMs) };
  const bindings = watchStores({ ...testEnv, ...settings }, async ({ store, method }, proceed) => {
    // Writes after the answer are excluded.
    if (method !== "run" && !method.startsWith("lease.")) calls.push(store);
    const answer = await proceed();
    if (method === "acquire") calls.push("gate!");
    return answer;
  });
  const ctx = createExecutionContext();
  const init = { method: "POST", body: JSON.stringify(body) };
  const answer = await app.fetch(new Request("https://service.test/api", init), bindings, ctx);
  const text = await answer.text();
  const { data } = text.startsWith("{") ? (JSON.parse(text) as Pick<Told, "data">) : { data: null };
  await waitOnExecutionContext(ctx);
  const [reason, revision] = [answer.headers.get("X-Reason"), answer.headers.get("X-Revision")];
  return { reason, revision, cursor: (data?.next_cursor as string | undefined) ?? null, data, calls };
}

function orders(apikey: string, tradedate: string, params: object = {}): object {
  const all = { symbol: "600519", tradedate, page_size: 1, ...params };
  return { apiname: "level2_order_history", apikey, params: all };
}

const withdraw = (date: string, revision: number) => admin("POST", `/days/${date}/withdraw`, { revision });

describe("the cache of days", () => {
  it("needs no D1 query for the same security for 10 s, and one query for another security of the day", async () => {
    const [key, date] = [await newKey(), await publishedDay()];
    expect((await ask(orders(key, date))).calls).toEqual(["d1", "gate", "gate!", "r2"]);
    expect((await ask(orders(key, date))).calls).not.toContain("d1");
    const other = await ask(orders(key, date, { symbol: "300750" }));
    expect([other.reason, other.calls.filter((store) => store === "d1").length]).toEqual([null, 1]);
    expect((await ask(orders(key, date), { seconds: 9.999 })).calls).not.toContain("d1");
    expect((await ask(orders(key, date), { seconds: 10 })).calls).toContain("d1");
  });

  it("is not used to check a cursor of a newer revision", async () => {
    const [key, date] = [await newKey(), await publishedDay()];
    expect((await ask(orders(key, date))).revision).toBe("1");
    await publish(await testPack(date, 200_000));
    const { cursor } = await ask(orders(key, date), { cacheMs: 0 });
    const next = await ask(orders(key, date, { cursor }));
    expect([next.reason, next.revision]).toEqual([null, "2"]);
  });

  it("does not delay a new or restored day, and delays a withdrawal by at most 10 s", async () => {
    const key = await newKey();
    const early = `202405${String(days + 1).padStart(2, "0")}`;
    expect((await ask(orders(key, early))).reason).not.toBeNull();
    const date = await publishedDay();
    expect((await ask(orders(key, date))).reason).toBeNull();
    await withdraw(date, 1);
    expect((await ask(orders(key, date), { seconds: 10 })).reason).toBe("withdrawn");
    await admin("POST", `/days/${date}/publish`, { revision: 1 });
    expect((await ask(orders(key, date), { seconds: 10 })).revision).toBe("2");
  });

  it("is not used when a day's object is missing, nor for an explain request", async () => {
    const [key, date] = [await newKey(), await publishedDay()];
    expect((await ask(orders(key, date))).revision).toBe("1");
    await publish(await testPack(date, 200_000));
    const { objects } = await testEnv.PACKS.list({ prefix: `orders/2024/${date}/1` });
    await testEnv.PACKS.delete(objects.map((each) => each.key));
    const body = orders(key, date);
    const explained = await admin<Explanation>(
      "POST",
      "/explain",
      { request: JSON.stringify(body) },
      {
        bindings: { ...testEnv, DAY_CACHE_MS: "10000" },
      },
    );
    expect(JSON.stringify(explained.body)).toContain("revision 2");
    expect((await ask(body)).revision).toBe("2");
  });
});

describe("the announcement of a change (contract 9)", () => {
  const changesOf = async (key: string, date: string, seconds: number) => {
    const { data } = await ask({ apiname: "data_changes", apikey: key, params: {} }, { seconds });
    const changes = (data?.changes ?? []) as { tradedate: string; kind: string; revision: number }[];
    return changes
      .filter(({ tradedate }) => tradedate === date)
      .map(({ kind, revision }) => `${kind} ${revision}`);
  };
  const statusOf = async (key: string, date: string, seconds: number) => {
    const params = { month: date.slice(0, 6) };
    const { data } = await ask({ apiname: "data_status", apikey: key, params }, { seconds });
    const shown = (data?.days ?? []) as { tradedate: string; state: string; revision: number | null }[];
    const found = shown.find(({ tradedate }) => tradedate === date);
    return found === undefined ? "absent" : `${found.state} ${found.revision}`;
  };

  it("appears 15 s after the change, when no isolate serves the old revision any more", async () => {
    const [key, date] = [await newKey(), await publishedDay()];
    vi.advanceTimersByTime(60_000);
    expect((await ask(orders(key, date))).revision).toBe("1");
    await publish(await testPack(date, 200_000));
    const history: string[] = [];
    for (const seconds of [0, 9.999, 10, 14.999, 15]) {
      const [changes, status] = [await changesOf(key, date, seconds), await statusOf(key, date, seconds)];
      const { revision } = await ask(orders(key, date), { seconds });
      history.push(`${seconds} s: serves ${revision}, tells ${changes.at(-1)}, shows ${status}`);
    }
    expect(history).toEqual([
      "0 s: serves 1, tells published 1, shows available 1",
      "9.999 s: serves 1, tells published 1, shows available 1",
      "10 s: serves 2, tells published 1, shows available 1",
      "14.999 s: serves 2, tells published 1, shows available 1",
      "15 s: serves 2, tells published 2, shows available 2",
    ]);
  });

  it("is preceded by a countdown for operators: `announcedInMs` falls from 15 s to 0", async () => {
    const bindings = { ...testEnv, DAY_CACHE_MS: "10000" };
    const date = await publishedDay();
    const { body } = await publish(await testPack(date, 200_000), { bindings });
    expect(body.day.announcedInMs).toBe(15_000);
    vi.advanceTimersByTime(14_999);
    const left = async () =>
      (await admin<DayDetail>("GET", `/days/${date}`, undefined, { bindings })).body.day.announcedInMs;
    expect(await left()).toBe(1);
    vi.advanceTimersByTime(60_000);
    expect(await left()).toBe(0);
  });

  it("also appears after 15 s if the change is a new day or a withdrawal", async () => {
    const [key, date] = [await newKey(), await publishedDay()];
    expect([await changesOf(key, date, 14.999), await statusOf(key, date, 14.999)]).toEqual([[], "absent"]);
    expect(await statusOf(key, date, 15)).toBe("available 1");
    vi.advanceTimersByTime(60_000);
    await withdraw(date, 1);
    expect([await changesOf(key, date, 14.999), await statusOf(key, date, 14.999)]).toEqual([
      ["published 1"],
      "available 1",
    ]);
    expect([await changesOf(key, date, 15), await statusOf(key, date, 15)]).toEqual([
      ["published 1", "withdrawn 1"],
      "withdrawn null",
    ]);
  });
});

describe("the R2 read of a page", () => {
  it("begins before the gate answers if the gate admitted the account earlier", async () => {
    const [key, date] = [await newKey(), await publishedDay()];
    expect((await ask(orders(key, date))).calls).toEqual(["d1", "gate", "gate!", "r2"]);
    const { calls } = await ask(orders(key, date));
    expect(calls.indexOf("r2")).toBeLessThan(calls.indexOf("gate!"));
    await ask(orders(key, date));
    const file = await ask(orders(key, date, { page_size: null, format: "parquet" }));
    expect(file.calls).toEqual(["gate", "gate!", "r2"]);
  });

  it("is wasted at most once when the quota is used up", async () => {
    const [key, date] = [await newKey({ requests: 2, files: null }), await publishedDay()];
    for (let request = 0; request < 2; request++) expect((await ask(orders(key, date))).reason).toBeNull();
    const wasted: number[] = [];
    for (let request = 0; request < 3; request++) {
      const { reason, calls } = await ask(orders(key, date));
      expect(reason).toBe("quota_used");
      wasted.push(calls.filter((store) => store === "r2").length);
    }
    expect(wasted).toEqual([1, 0, 0]);
  });
});
