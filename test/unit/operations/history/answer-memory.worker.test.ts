/**
 * Tests the memory of pages that clients leave unread (contract 2.6). The tests read bodies inside the runtime, so only
 * the service holds the bytes.
 */
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, expect, it } from "vitest";
import { createApp } from "../../../../src/app.ts";
import { answerMemory, partOfAccount } from "../../../../src/base/memory.ts";
import { day, randomSecurity } from "../../../support/builders.ts";
import { printedRandom } from "../../../support/random.ts";
import { admin, holder, packFrom, publish, testEnv } from "../../admin/operator.ts";

const app = createApp();
const TRADEDATE = "20240603";
const SYMBOL = "300750";
/** More pages than an account may leave unread. */
const STACKED = 30;
const SMALL = 12;
const OF_ACCOUNT_BYTES = 16_000_000;

beforeAll(async () => {
  const securities = [randomSecurity(printedRandom("unread pages"), { symbol: SYMBOL, rows: 10_000 })];
  expect((await publish(await packFrom(day({ tradedate: TRADEDATE, securities })))).status).toBe(200);
});

/** Returns a new account of 1,000 requests a day, and its key. */
async function newHolder() {
  const { accountId, path, key } = await holder();
  await admin("PUT", `${path}/limits`, { requests: 1_000, files: null });
  return { accountId, key };
}

const newKey = async () => (await newHolder()).key;

/** An answer with an unread body. */
interface Opened {
  answer: Response;
  /** The account's remaining requests. */
  left: number;
  /** Reads the rest and waits until the request has ended. */
  read(): Promise<string>;
  /** Cancels the body and waits until the request has ended. */
  close(): Promise<void>;
  /** Disconnects the client. */
  leave(): Promise<void>;
}

async function open(apikey: string, params: object = {}): Promise<Opened> {
  const body = JSON.stringify({
    apiname: "level2_order_history",
    apikey,
    params: { symbol: SYMBOL, tradedate: TRADEDATE, ...params },
  });
  const ctx = createExecutionContext();
  const client = new AbortController();
  const request = new Request("https://service.test/api", { method: "POST", body, signal: client.signal });
  const answer = await app.fetch(request, testEnv, ctx);
  const over = () => waitOnExecutionContext(ctx);
  return {
    answer,
    left: Number(/"requests";r=(\d+)/.exec(answer.headers.get("RateLimit") ?? "")?.[1]),
    read: async () => {
      const text = await answer.text();
      await over();
      return text;
    },
    close: async () => {
      await answer.body?.cancel();
      await over();
    },
    leave: async () => {
      client.abort();
      await over();
    },
  };
}

/** Opens pages in sequence until one is refused. */
async function stack(apikey: string): Promise<{ unread: Opened[]; refused: Opened }> {
  const unread: Opened[] = [];
  for (let page = 0; page < STACKED; page++) {
    const opened = await open(apikey);
    if (opened.answer.status !== 200) return { unread, refused: opened };
    unread.push(opened);
  }
  throw new Error(`${STACKED} pages are held unread`);
}

it("An account with too many unread pages gets 503 without a charge, and all other pages stay complete", async () => {
  const [hostile, other] = [await newKey(), await newKey()];
  const { unread, refused } = await stack(hostile);
  expect(answerMemory.heldBytes).toBeGreaterThan(OF_ACCOUNT_BYTES / 2);
  expect(answerMemory.heldBytes).toBeLessThanOrEqual(OF_ACCOUNT_BYTES);
  const { status, headers } = refused.answer;
  expect([status, headers.get("X-Reason"), headers.get("Retry-After")]).toEqual([503, "unavailable", "5"]);
  expect(JSON.parse(await refused.read())).toMatchObject({
    code: 503,
    message: expect.stringContaining("not fully read"),
    data: null,
  });

  const served = await open(other);
  const text = await served.read();
  expect(JSON.parse(text).data.items).toHaveLength(10_000);

  const [first, second, third] = unread.splice(0, 3);
  expect(await first?.read()).toBe(text);
  await second?.close();
  await third?.leave();
  const again = await open(hostile);
  expect(again.answer.status).toBe(200);
  // The refused request in between was not charged.
  expect(again.left).toBe((unread.at(-1)?.left ?? 0) - 1);
  for (const opened of [...unread, again]) await opened.close();
  expect(answerMemory.heldBytes).toBe(0);
});

it("A request gets slot_busy with an explanation while the account's other answers use up its memory", async () => {
  const { accountId, key } = await newHolder();
  const others = await answerMemory.reserve({
    bytes: OF_ACCOUNT_BYTES,
    parts: [partOfAccount(accountId)],
    ...{ waitMs: 0, holdMs: 3_600_000, signal: new AbortController().signal },
  });
  if (!others.ok) throw new Error(others.refusal);
  const refused = await open(key);
  others.value.end();
  const { status, headers } = refused.answer;
  expect([status, headers.get("X-Reason"), headers.get("Retry-After")]).toEqual([503, "slot_busy", "1"]);
  const { message } = JSON.parse(await refused.read());
  expect(message).toContain("too little of the memory");
  expect(message).toContain("该账户可用的内存不足");
  expect((await open(key).then(({ read }) => read())).length).toBeGreaterThan(10_000);
});

it("Unread small pages hold memory for their actual size, not for the larger size reserved at first", async () => {
  const key = await newKey();
  const opened: Opened[] = [];
  for (let page = 0; page < SMALL; page++) opened.push(await open(key, { page_size: 100 }));
  expect(opened.map(({ answer }) => answer.status)).toEqual(Array(SMALL).fill(200));
  expect(answerMemory.heldBytes).toBeLessThan(SMALL * 10_000);
  for (const { close } of opened) await close();
});

it("Requests refused for a busy slot or an invalid cursor hold no memory", async () => {
  const key = await newKey();
  const file = await open(key, { format: "parquet" });
  expect(answerMemory.heldBytes).toBeGreaterThan(0);
  const held = answerMemory.heldBytes;
  const busy = await open(key);
  expect(busy.answer.headers.get("X-Reason")).toBe("slot_busy");
  expect(answerMemory.heldBytes).toBe(held);
  await busy.read();
  await file.close();
  const beyond = await open(key, { cursor: "v2.093000000-99999" });
  expect(beyond.answer.headers.get("X-Reason")).toBe("cursor_invalid");
  expect(answerMemory.heldBytes).toBe(0);
  await beyond.read();
});
