/**
 * Tests that revocations take effect within 30 seconds (contract 7.9). The clock is fake: the request at 0 s caches the
 * caller, the change follows immediately, and the next request is at 30 s.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { Account, DayChanged, IssuedKey, ShareList } from "../../../src/admin/wire.ts";
import { createApp } from "../../../src/app.ts";
import { admin, publish, testEnv, testPack } from "../admin/operator.ts";

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

interface Holder {
  path: string;
  key: string;
  keyId: string;
}

let made = 0;

async function holder(): Promise<Holder> {
  const { body } = await admin<Account>("POST", "/accounts", { accountId: `within-${++made}` });
  const path = `/accounts/${body.accountId}`;
  const plan = { plan: "flagship", start: Date.now() - DAY_MS, end: Date.now() + DAY_MS };
  await admin("PUT", `${path}/subscriptions`, { subscriptions: [plan] });
  const { key, keyId } = (await admin<IssuedKey>("POST", `${path}/keys`, {})).body;
  return { path, key, keyId };
}

beforeAll(async () => {
  expect(await publish(await testPack(TRADEDATE))).toMatchObject({ status: 200 });
});

const now = Date.now();
const CHANGES: [name: string, reason: string, change: (of: Holder) => Promise<{ status: number }>][] = [
  ["its key was revoked", "key_revoked", ({ keyId }) => admin("POST", `/keys/${keyId}/revoke`)],
  [
    "its key was rolled without an overlap",
    "key_revoked",
    ({ keyId }) => admin("POST", `/keys/${keyId}/roll`, { overlapMs: 0 }),
  ],
  ["its account was disabled", "account_disabled", ({ path }) => admin("POST", `${path}/disable`)],
  [
    "its account lost the plan",
    "plan_missing",
    ({ path }) => admin("PUT", `${path}/subscriptions`, { subscriptions: [] }),
  ],
  [
    "its plan's end was moved into the past",
    "plan_expired",
    ({ path }) => {
      const subscriptions = [{ plan: "flagship", start: now - 2 * DAY_MS, end: now - DAY_MS }];
      return admin("PUT", `${path}/subscriptions`, { subscriptions });
    },
  ],
  [
    "its account got a lower plan",
    "outside_window",
    ({ path }) => {
      const subscriptions = [{ plan: "professional", start: now - DAY_MS, end: now + DAY_MS }];
      return admin("PUT", `${path}/subscriptions`, { subscriptions });
    },
  ],
  [
    "its account got a limit of one request",
    "quota_used",
    ({ path }) => admin("PUT", `${path}/limits`, { requests: 1, files: null }),
  ],
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
    [
      "the account lost the plan",
      403,
      ({ path }) => admin("PUT", `${path}/subscriptions`, { subscriptions: [] }),
    ],
    ["the account was disabled", 403, ({ path }) => admin("POST", `${path}/disable`)],
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
