/**
 * Pages whose store does not answer take every turn of the isolate: others wait for theirs, and what is no page
 * is answered all the same (decisions 1, 2). The store answers when it is told to.
 */
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { AccountInfo, Quota } from "../../src/operations/wire.ts";
import { day, type Row, randomSecurity } from "../support/builders.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account, publish } from "../support/operator.ts";
import { printedRandom } from "../support/random.ts";
import { type Service, startService } from "../support/service.ts";
import { orderHistory, pageOf } from "../support/walk.ts";
import { callsOf } from "./spoilt.ts";

const TRADEDATE = "20260311";
const SYMBOL = "300750";
/** As many pages as an isolate makes at a time. */
const AT_ONCE = 16;
const WAITING = 24;

let service: Service;
let rows: Row[];
beforeAll(async () => {
  const random = printedRandom("pages that wait");
  // What is held for as long as the slowest machine needs is no fault.
  const settings = { FIRST_BYTE_MS: "90000", JSON_BOUND_MS: "120000" };
  service = await startService({ entry: "test/support/fault-worker.ts", settings });
  const test = day({
    tradedate: TRADEDATE,
    securities: [randomSecurity(random, { symbol: SYMBOL, rows: 500 })],
  });
  rows = test.rowsOf(SYMBOL);
  await publish(service, test);
});
afterAll(() => service.stop());

const asked = { symbol: SYMBOL, tradedate: TRADEDATE, page_size: 100 };
const requestOf = (apikey: string, params: object = {}, headers: Record<string, string> = {}) => ({
  url: `${service.baseUrl}/api`,
  body: orderHistory({ apikey, params: { ...asked, ...params } }),
  headers,
});
const ask = (apikey: string, params: object = {}) =>
  call(`${service.baseUrl}/api`, requestOf(apikey, params));

async function quotaOf(apikey: string): Promise<Quota> {
  const answer = await call(`${service.baseUrl}/api`, {
    body: { apiname: "account_info", apikey, params: {} },
  });
  const [quota] = (answer.envelope.data as unknown as AccountInfo).quotas;
  if (quota === undefined) throw new Error(answer.text);
  return quota;
}

const pause = (ms: number) => new Promise<null>((resolve) => setTimeout(resolve, ms, null));

/** A page on its way, with its slot. */
interface Sent {
  key: string;
  page: Promise<Answer>;
}

/** Sends the first page of a new account; with `held`, its read waits until the stores are let go. */
async function send({ held }: { held: number }): Promise<Sent> {
  const { key } = await account(service, { plan: "trial" });
  const { url, ...request } = requestOf(key, {}, { "x-fault": `hold ${held} ${randomUUID()}` });
  const page = call(url, request);
  while (!(await quotaOf(key)).busy) await pause(20);
  return { key, page };
}

it("make way for refusals, and each is served in the end", { timeout: 180_000 }, async () => {
  const served = await account(service, { plan: "trial" });
  const usedUp = await account(service, { plan: "trial", limits: { requests: 0 } });
  const read = (await callsOf(service, requestOf(served.key))).indexOf("r2 get") + 1;
  expect(read).toBeGreaterThan(0);

  const held = await Promise.all(Array.from({ length: AT_ONCE }, () => send({ held: read })));
  const waiting = await Promise.all(Array.from({ length: WAITING }, () => send({ held: 0 })));
  const over = await Promise.race([pause(500), ...[...held, ...waiting].map(({ page }) => page)]);
  expect(over, "a page was made while all turns were taken").toBeNull();

  const refused = [
    ask("et_unknown"),
    ask(served.key, { page_size: 0 }),
    ask(served.key, { symbol: "999999" }),
    ask(usedUp.key),
    ask(waiting[0]?.key ?? ""),
  ];
  expect((await Promise.all(refused)).map(({ reason }) => reason)).toEqual([
    "key_unknown",
    "param_invalid",
    "security_unknown",
    "quota_used",
    "slot_busy",
  ]);
  expect((await call(`${service.baseUrl}/health`, { method: "GET" })).status).toBe(200);

  await call(`${service.baseUrl}/let-go`, { method: "GET" });
  for (const { key, page } of [...held, ...waiting]) {
    expect(pageOf(await page).items).toEqual(rows.slice(0, 100));
    expect(await quotaOf(key)).toMatchObject({ busy: false, requests: { used: 1, credited: 0 } });
  }
});
