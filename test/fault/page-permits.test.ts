/**
 * Tests pages whose store does not answer. They must not delay other requests, even when more pages wait than the
 * isolate has permits (contract 1.6, 2.5). The test decides when the store answers.
 */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { day, randomSecurity } from "../support/builders.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { quotaOf } from "../support/quota.ts";
import { printedRandom } from "../support/random.ts";
import { testService } from "../support/test-service.ts";
import { callsOf } from "./failing-calls.ts";

const TRADEDATE = "20260311";
const SYMBOL = "300750";
/** The number of waiting pages. It is several times the number that an isolate computes concurrently. */
const HELD = 20;
const OTHERS = 24;

const service = await testService({
  entry: "test/support/fault-worker.ts",
  // The limits exceed what the slowest machine needs, so that a held call does not become a fault.
  settings: { FIRST_BYTE_MS: "90000", JSON_BOUND_MS: "120000" },
});
const security = randomSecurity(printedRandom("pages that wait"), { symbol: SYMBOL, rows: 500 });
const test = day({ tradedate: TRADEDATE, securities: [security] });
const rows = test.rowsOf(SYMBOL);
await publish(service, test);

const asked = { symbol: SYMBOL, tradedate: TRADEDATE, page_size: 100 };
const requestOf = (apikey: string, params: object = {}, headers: Record<string, string> = {}) => ({
  url: `${service.baseUrl}/api`,
  body: orderHistory({ apikey, params: { ...asked, ...params } }),
  headers,
});
const ask = (apikey: string, params: object = {}) =>
  call(`${service.baseUrl}/api`, requestOf(apikey, params));

const pause = (ms: number) => new Promise<null>((resolve) => setTimeout(resolve, ms, null));

/** A pending page that holds its slot. */
interface Sent {
  key: string;
  page: Promise<Answer>;
}

/** Requests the first page with a new account. The request's `k`-th store call waits until the stores are released. */
async function send(k: number): Promise<Sent> {
  const { key } = await account(service, { plan: "trial" });
  // Warms the key cache. Otherwise the page or the request below would make an additional call.
  await quotaOf(service, key);
  const { url, ...request } = requestOf(key, {}, { "x-fault": `hold ${k} ${randomUUID()}` });
  const page = call(url, request);
  while (!(await quotaOf(service, key)).busy) await pause(20);
  return { key, page };
}

it("Pages that wait for a store do not delay other pages or refusals", async () => {
  const served = await account(service, { plan: "trial" });
  const usedUp = await account(service, { plan: "trial", limits: { requests: 0 } });
  await quotaOf(service, served.key);
  const read = (await callsOf(service, requestOf(served.key))).indexOf("r2 get") + 1;
  expect(read).toBeGreaterThan(0);

  const held = await Promise.all(Array.from({ length: HELD }, () => send(read)));
  const others = await Promise.all(Array.from({ length: OTHERS }, () => account(service, { plan: "trial" })));
  const pages = await Promise.all(others.map(({ key }) => ask(key)));
  for (const page of pages) expect(pageOf(page).items).toEqual(rows.slice(0, 100));
  const refused = [
    ask("et_unknown"),
    ask(served.key, { page_size: 0 }),
    ask(served.key, { symbol: "999999" }),
    ask(usedUp.key),
    ask(held[0]?.key ?? ""),
  ];
  expect((await Promise.all(refused)).map(({ reason }) => reason)).toEqual([
    "key_unknown",
    "param_invalid",
    "security_unknown",
    "quota_used",
    "slot_busy",
  ]);
  const isOver = await Promise.race([pause(0), ...held.map(({ page }) => page)]);
  expect(isOver, "a page arrived although its store is held").toBeNull();

  await call(`${service.baseUrl}/let-go`, { method: "GET" });
  for (const { key, page } of held) {
    expect(pageOf(await page).items).toEqual(rows.slice(0, 100));
    expect(await quotaOf(service, key)).toMatchObject({ busy: false, requests: { used: 1, credited: 0 } });
  }
});
