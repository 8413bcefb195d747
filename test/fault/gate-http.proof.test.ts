/**
 * Tests the gate through the whole service: one slot per account and interface, whichever key is used, and exact
 * charges.
 */
import { Agent } from "node:http";
import { describe, expect, it } from "vitest";
import { DATASETS } from "../../src/datasets/registry.ts";
import { day, order, security } from "../support/builders.ts";
import { largeSection, noiseOf, publishSections } from "../support/dataset-days.ts";
import { call } from "../support/http-client.ts";
import { account, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { openAnswer } from "../support/slow-client.ts";
import { testService } from "../support/test-service.ts";
import { proofSize } from "../support/tier.ts";

const TRADEDATE = "20260311";
/** The day whose object is deleted from R2. */
const LOST = "20260310";
/** The security with a large file. */
const LARGE = "300750";
/** A security for 2,000 pages of one row. */
const SMALL = { symbol: "600519", rows: 2_001 };
const MANY = 1_000_000;
/** The number of rounds of 50 requests, for files and for pages: 10,000 requests in total in the long tier. */
const ROUNDS = proofSize(100);
const REQUESTS = proofSize(2_000);
const ALTERNATIONS = proofSize(40);

const random = printedRandom("gate over HTTP");

const service = await testService();
await publishSections(service, "orders", TRADEDATE, [
  largeSection(random, "orders", LARGE),
  { symbol: SMALL.symbol, market: "SH", columns: noiseOf(random, DATASETS.orders, SMALL.rows) },
]);

const page = (apikey: string, params: Record<string, unknown> = {}) =>
  orderHistory({ apikey, params: { symbol: SMALL.symbol, tradedate: TRADEDATE, page_size: 1, ...params } });

const file = (apikey: string) =>
  orderHistory({ apikey, params: { symbol: LARGE, tradedate: TRADEDATE, format: "parquet" } });

/**
 * Returns how many requests the account has been charged for, as the headers of one more page show. This page is
 * charged too, but not counted in the result.
 */
async function usedBefore(apikey: string): Promise<number> {
  for (;;) {
    const answer = await service.post(page(apikey));
    if (answer.reason === "slot_busy") continue;
    const left = /"requests";r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1];
    return MANY - Number(left) - 1;
  }
}

async function twoKeys() {
  const { keys } = await account(service, {
    plan: "flagship",
    keys: 2,
    limits: { requests: MANY, files: MANY },
  });
  return keys.map(({ key }) => key);
}

describe("50 parallel requests with two keys of one account (contract 2.4)", () => {
  it(`get one file and 49 refusals when they ask for files, whether the client reads or disconnects (${ROUNDS} rounds)`, async () => {
    const keys = await twoKeys();
    let charged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) =>
          openAnswer(`${service.baseUrl}/api`, { body: file(keys[n % 2] ?? "") }),
        ),
      );
      const winners = answers.filter(({ status }) => status === 200);
      const losers = answers.filter(
        ({ status, headers }) => status === 503 && headers["x-reason"] === "slot_busy",
      );
      expect([winners.length, losers.length]).toEqual([1, 49]);
      expect(losers.every(({ headers }) => headers["retry-after"] === "1")).toBe(true);
      await Promise.all(losers.map((answer) => answer.readAll()));
      for (const winner of winners) {
        if (round % 10 === 0) expect((await winner.readAll()).isWhole).toBe(true);
        else await winner.hangUpAfter(random.integer(1, 2_000_000));
      }
      charged += 1;
      expect(await usedBefore(keys[0] ?? "")).toBe(charged);
      charged += 1;
    }
  });

  it(`are each served and charged, or refused with 503 and not charged, when they ask for pages (${ROUNDS} rounds)`, async () => {
    const keys = await twoKeys();
    let served = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, n) => service.post(page(keys[n % 2] ?? ""))),
      );
      const winners = answers.filter(({ envelope }) => envelope.code === 200);
      const losers = answers.filter(({ status, reason }) => status === 503 && reason === "slot_busy");
      expect(winners.length).toBeGreaterThan(0);
      expect(winners.length + losers.length).toBe(50);
      served += winners.length;
    }
    expect(await usedBefore(keys[0] ?? "")).toBe(served);
  });
});

describe("strictly sequential requests", () => {
  it("for pages on one connection get no 503", async () => {
    const [key = ""] = await twoKeys();
    let connections = 0;
    class OneConnection extends Agent {
      override createConnection(...args: Parameters<Agent["createConnection"]>) {
        connections += 1;
        return super.createConnection(...args);
      }
    }
    const agent = new OneConnection({ keepAlive: true, maxSockets: 1 });
    let cursor: string | null = null;
    for (let n = 0; n < REQUESTS; n++) {
      const body: Record<string, unknown> = page(key, { cursor });
      const answer = await call(`${service.baseUrl}/api`, { body, agent });
      cursor = pageOf(answer).next_cursor;
    }
    agent.destroy();
    expect(connections).toBe(1);
    expect(await usedBefore(key)).toBe(REQUESTS);
  });

  it("that alternate between pages and files get no 503", async () => {
    const [key = ""] = await twoKeys();
    for (let n = 0; n < ALTERNATIONS; n++) {
      const answer = await openAnswer(`${service.baseUrl}/api`, {
        body: n % 2 === 0 ? file(key) : page(key),
      });
      expect([answer.status, answer.headers["x-reason"]]).toEqual([200, undefined]);
      expect((await answer.readAll()).isWhole).toBe(true);
    }
  });
});

describe("the quota under concurrency (contract 7.3)", () => {
  it("allows 8 concurrent clients of a trial account exactly 100 requests in total", async () => {
    const { key } = await account(service, { plan: "trial" });
    let served = 0;
    const client = async () => {
      for (;;) {
        const answer = await service.post(page(key));
        if (answer.reason === "slot_busy") continue;
        if (answer.reason === "quota_used") return;
        pageOf(answer);
        served += 1;
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    expect(served).toBe(100);
  });
});

describe("a caller's error that only the pack can reveal", () => {
  it("is charged: 100 cursors that skip more rows than the millisecond has use up a trial's quota", async () => {
    const { key } = await account(service, { plan: "trial" });
    const beyond = () => service.post(page(key, { cursor: "v2.093000000-25" }));
    for (let n = 0; n < 100; n++) {
      const refused = await beyond();
      expect([refused.envelope.code, refused.reason]).toEqual([422, "cursor_invalid"]);
    }
    expect((await beyond()).reason).toBe("quota_used");
  });
});

describe("a request whose object is missing from R2", () => {
  it("frees the slot and is refunded, for pages and files", async () => {
    const lost = day({ tradedate: LOST, securities: [security(SMALL.symbol, [order("093000000")])] });
    await publish(service, lost);
    const { key } = await account(service, { plan: "flagship", limits: { requests: 3, files: 3 } });
    const bucket = await service.mf.getR2Bucket("PACKS");
    for (const { key: name } of (await bucket.list()).objects) {
      if (name.includes(LOST)) await bucket.delete(name);
    }
    const asked = { symbol: SMALL.symbol, tradedate: LOST };
    for (let n = 0; n < 10; n++) {
      const format = n % 2 === 0 ? {} : { format: "parquet" };
      const answer = await service.post(orderHistory({ apikey: key, params: { ...asked, ...format } }));
      expect([answer.status, answer.reason]).toEqual([503, "unavailable"]);
    }
  });
});
