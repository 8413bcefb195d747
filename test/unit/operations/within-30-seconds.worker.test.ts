/**
 * Tests that revocations take effect within 30 seconds (contract 7.9). The clock is fake: the request at 0 s caches the
 * caller, the change follows immediately, and the next request is at 30 s.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { DayChanged, ShareList } from "../../../src/admin/wire.ts";
import { createApp } from "../../../src/app.ts";
import { admin, holder, publish, testEnv, testPack } from "../admin/operator.ts";

const TRADEDATE = "20240301";
const DAY_MS = 86_400_000;
const app = createApp();

/** Sends one request with the clock `seconds` ahead. */
async function at(seconds: number, path: string, init: RequestInit): Promise<Response> {
  const ctx = createExecutionContext();
  const bindings = { ...testEnv, CLOCK_OFFSET_MS: String(1_000 * seconds), DAY_CACHE_MS: "10000" };
  const answer = await app.fetch(new Request(`https://service.test${path}`, init), bindings, ctx);
  const copy = new Response(await answer.arrayBuffer(), answer);
  await waitOnExecutionContext(ctx);
  return copy;
}

function ask(seconds: number, apikey: string, body: object): Promise<Response> {
  return at(seconds, "/api", { method: "POST", body: JSON.stringify({ apikey, ...body }) });
}

async function orders(seconds: number, apikey: string): Promise<string | null> {
  const params = { symbol: "600519", tradedate: TRADEDATE };
  const answer = await ask(seconds, apikey, { apiname: "level2_order_history", params });
  const { code } = await answer.json<{ code: number }>();
  return code === 200 ? "served" : answer.headers.get("X-Reason");
}

type Holder = Awaited<ReturnType<typeof holder>>;

beforeAll(async () => {
  expect(await publish(await testPack(TRADEDATE))).toMatchObject({ status: 200 });
});

/** Returns a change of an account: this suffix of its path gets `body`. */
const put =
  (suffix: string, body: object) =>
  ({ path }: Holder) =>
    admin("PUT", path + suffix, body);
const subscribed = (...subscriptions: object[]) => put("/subscriptions", { subscriptions });
const disable = ({ path }: Holder) => admin("POST", `${path}/disable`);

const now = Date.now();
const [past, end] = [now - DAY_MS, now + DAY_MS];
const CHANGES: [name: string, reason: string, change: (of: Holder) => Promise<{ status: number }>][] = [
  ["its key was revoked", "key_revoked", ({ keyId }) => admin("POST", `/keys/${keyId}/revoke`)],
  [
    "its key was rolled without an overlap",
    "key_revoked",
    ({ keyId }) => admin("POST", `/keys/${keyId}/roll`, { overlapMs: 0 }),
  ],
  ["its account was disabled", "account_disabled", disable],
  ["its account lost the plan", "plan_missing", subscribed()],
  [
    "its plan's end was moved into the past",
    "plan_expired",
    subscribed({ plan: "flagship", start: past - DAY_MS, end: past }),
  ],
  ["its account got a lower plan", "outside_window", subscribed({ plan: "professional", start: past, end })],
  ["its account got a limit of one request", "quota_used", put("/limits", { requests: 1, files: null })],
];

describe("a request for order history", () => {
  it.each(CHANGES)("sent 30 s after %s is refused with %s", async (_, reason, change) => {
    const of = await holder();
    expect(await orders(0, of.key)).toBe("served");
    expect((await change(of)).status).toBeLessThan(300);
    expect(await orders(30, of.key)).toBe(reason);
  });

  it("is refused 10 s after the day was withdrawn, and served as soon as the day is published again", async () => {
    const { key } = await holder();
    expect(await orders(0, key)).toBe("served");
    const { body } = await admin<DayChanged>("POST", `/days/${TRADEDATE}/withdraw`, { revision: 1 });
    expect(body.changed).toBe(true);
    expect(await orders(10, key)).toBe("withdrawn");
    await admin("POST", `/days/${TRADEDATE}/publish`, { revision: 1 });
    expect(await orders(10, key)).toBe("served");
  });
});

describe("a request to a share", () => {
  const taken: [string, number, (of: Holder) => Promise<unknown>][] = [
    ["the account lost the plan", 403, subscribed()],
    ["the account was disabled", 403, disable],
    [
      "the share was revoked",
      403,
      async ({ path }) => {
        const { body } = await admin<ShareList>("GET", `/shares?account=${path.split("/").at(-1)}`);
        await admin("POST", `/shares/${body.shares[0]?.shareId}/revoke`);
      },
    ],
  ];

  it.each(taken)("that is sent right after %s returns %i", async (_, status, change) => {
    const of = await holder();
    const params = { data_type: "level2", year: 2024 };
    const answer = await ask(0, of.key, { apiname: "file_download", params });
    const { data } = await answer.json<{ data: { data: { url: string; password: string } } }>();
    const { pathname } = new URL(data.data.url);
    const id = pathname.split("/")[2];
    const headers = { Authorization: `Basic ${btoa(`${id}:${data.data.password}`)}` };
    const file = `${pathname}${TRADEDATE}/${TRADEDATE}_orders.parquet`;
    expect((await at(0, file, { headers })).status).toBe(200);
    await change(of);
    expect((await at(0, file, { headers })).status).toBe(status);
  });
});
