/**
 * Makes each D1, R2, Durable Object and cache call fail in every kind of `/api` request. The caller gets the right
 * answer, 503 or a broken body. The slot becomes free, and the account is charged for exactly what it received.
 */
import { describe, expect, it } from "vitest";
import { day, randomSecurity } from "../support/builders.ts";
import { ownFile, publishFiles } from "../support/files.ts";
import { type Answer, call } from "../support/http-client.ts";
import { account, loadWeekdays, publish, type TestAccount } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { testService } from "../support/test-service.ts";
import {
  callsOf,
  type FaultedRequest,
  type Seen,
  type Spot,
  sendWithFault,
  silentSpotsOf,
  spotsOf,
} from "./failing-calls.ts";

const TRADEDATE = "20260311";
const SYMBOL = "300750";
const asked = { symbol: SYMBOL, tradedate: TRADEDATE };

/** How long a test waits for a free slot: less than the slot's deadline of 60 s, which would free it too. */
const FREE_MS = 30_000;

/** How long a test waits for a log line, which is written within milliseconds, or seconds on a busy machine. */
const LOGGED_MS = 60_000;

const service = await testService({
  entry: "test/support/fault-worker.ts",
  settings: { FIRST_BYTE_MS: "1500" },
});
await loadWeekdays(service, "20260101", "20261231");
// The file is sent in several pieces. Each block of a page lies within one piece.
const large = randomSecurity(printedRandom("failing stores"), { symbol: SYMBOL, rows: 60_000 });
const test = day({ tradedate: TRADEDATE, securities: [large] });
const rows = test.rowsOf(SYMBOL);
await publish(service, test);
await publishFiles(service, ownFile("20260310", "trades"));
const apikey = (await account(service, { plan: "flagship" })).key;
const inFile = { ...asked, format: "parquet" };
const file = (await service.post(orderHistory({ apikey, params: inFile }))).bytes;
const projected = (await service.post(orderHistory({ apikey, params: inFile, fields: "price,time" }))).bytes;
expect(Math.min(file.length, projected.length)).toBeGreaterThan(1_000);

/** A kind of request with the check of its answer. */
interface Kind {
  body(apikey: string): Record<string, unknown>;
  check(answer: Answer): void;
  /** Whether the service charges a served request of this kind. */
  charged: boolean;
}

const isRefused = (code: number, reason: string) => (answer: Answer) => {
  expect([answer.envelope.code, answer.reason]).toEqual([code, reason]);
};

const kinds: Record<string, Kind> = {
  "JSON page": {
    body: (apikey) => orderHistory({ apikey, params: { ...asked, start_time: "09:20", page_size: 100 } }),
    check: (answer) => {
      const from = rows.findIndex((row) => String(row[2]) >= "092000000");
      expect(pageOf(answer).items).toEqual(rows.slice(from, from + 100));
    },
    charged: true,
  },
  parquet: {
    body: (apikey) => orderHistory({ apikey, params: inFile }),
    check: (answer) => expect(answer.bytes.equals(file)).toBe(true),
    charged: true,
  },
  "parquet with fields": {
    body: (apikey) => orderHistory({ apikey, params: inFile, fields: "price,time" }),
    check: (answer) => expect(answer.bytes.equals(projected)).toBe(true),
    charged: true,
  },
  "page without a date": {
    body: (apikey) => orderHistory({ apikey, params: { symbol: SYMBOL } }),
    check: isRefused(1002, "not_loaded"),
    charged: false,
  },
  "unknown security": {
    body: (apikey) => orderHistory({ apikey, params: { ...asked, symbol: "000001" } }),
    check: isRefused(1002, "security_unknown"),
    charged: false,
  },
  "wrong parameter": {
    body: (apikey) => orderHistory({ apikey, params: { ...asked, page_size: 0 } }),
    check: isRefused(422, "param_invalid"),
    charged: false,
  },
  file_download: {
    body: (apikey) => ({ apiname: "file_download", apikey, params: { data_type: "level2", year: 2026 } }),
    check: ({ envelope }) => expect(envelope.data).toMatchObject({ code: 200, data: { status: "ready" } }),
    charged: false,
  },
  account_info: {
    body: (apikey) => ({ apiname: "account_info", apikey, params: {} }),
    check: ({ envelope }) => expect(envelope.code).toBe(200),
    charged: false,
  },
};

/** Returns a new account, whose key is not cached. It may make 100 requests, so the number that remains shows the charge. */
const fresh = (kind: string) =>
  account(
    service,
    kind === "file_download" ? { plan: "flagship", limits: { requests: 100 } } : { plan: "trial" },
  );

function requestOf(kind: Kind, { key }: TestAccount): FaultedRequest {
  return { url: `${service.baseUrl}/api`, body: kind.body(key) };
}

/** Sends one request of a new account, makes one of its store calls fail, and checks every guarantee. */
async function corruptOne(name: string, kind: Kind, spot: Spot): Promise<"served" | "refused"> {
  const holder = await fresh(name);
  const seen = await sendWithFault(requestOf(kind, holder), spot.fault, spot.k);
  const about = `${name}: ${spot.fault} of call ${spot.k}, ${spot.call}`;
  const served = isServed(seen);
  if (served) kind.check(seen.answer);
  else await expectFault(seen, holder, about);
  // If a body breaks before its first byte, the service has sent nothing and can still refuse.
  if (spot.fault === "gone") expect(seen.kind, about).toBe("answer");
  if (spot.fault === "delay") expect(served, about).toBe(true);
  // Expects a free slot and the right charges.
  const next = await untilFree(holder);
  const charges = (served && kind.charged ? 1 : 0) + 1;
  expect(String(next.headers.ratelimit), about).toMatch(new RegExp(`;\\s*r=${100 - charges}\\b`));
  return served ? "served" : "refused";
}

function isServed(seen: Seen): seen is Extract<Seen, { kind: "answer" }> {
  return seen.kind === "answer" && seen.answer.status !== 503;
}

/** Expects a broken body or a 503 without internal details, and the cause in the log. */
async function expectFault(seen: Seen, { accountId }: TestAccount, about: string): Promise<void> {
  if (seen.kind === "answer") {
    const { envelope, reason, headers } = seen.answer;
    expect([envelope.code, reason, envelope.data, headers["retry-after"]], about).toEqual([
      503,
      "unavailable",
      null,
      "5",
    ]);
    expect(envelope.message, about).not.toMatch(/by the test|\bd1 |\br2 |Error/);
  }
  const requestId = seen.kind === "answer" ? String(seen.answer.headers["x-request-id"]) : accountId;
  const line = await logLine((each) => each.includes(requestId) && each.includes('"fault":'));
  expect(line, about).toMatch(/by the test|truncated|early|expected bytes|in time|deliver|answer within/);
}

async function logLine(isMeant: (line: string) => boolean): Promise<string> {
  for (const sinceMs = performance.now(); performance.now() - sinceMs < LOGGED_MS; ) {
    const line = service.logs.find((each) => each.startsWith("{") && isMeant(each));
    if (line !== undefined) return line;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("the log has no line about the fault");
}

/** Sends the account's next request until it is accepted, for at most `FREE_MS`. */
async function untilFree({ key }: TestAccount): Promise<Answer> {
  const body = orderHistory({ apikey: key, params: { ...asked, page_size: 1 } });
  for (const sinceMs = performance.now(); ; ) {
    const answer = await call(`${service.baseUrl}/api`, { body });
    if (answer.reason !== "slot_busy") return answer;
    if (performance.now() - sinceMs > FREE_MS) throw new Error("the slot is not free");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("a store call or an R2 body that fails or is late", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    it(`in a request (${name}) leads to the right answer, 503 or a broken body, and to exact charges`, async () => {
      const calls = await callsOf(service, requestOf(kind, await fresh(name)));
      const ends = { served: 0, refused: 0 };
      for (const spot of spotsOf(calls)) ends[await corruptOne(name, kind, spot)]++;
      console.log(`${name}: ${calls.join(", ")}; ${ends.served} served, ${ends.refused} refused`);
      expect(ends.served).toBeGreaterThan(0);
    });
  }
});

describe("a store call or an R2 body that hangs", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    it.concurrent(`in a request (${name}) leaves the slot free and the charges exact`, async () => {
      const calls = await callsOf(service, requestOf(kind, await fresh(name)));
      await Promise.all(silentSpotsOf(calls).map((spot) => corruptOne(name, kind, spot)));
    });
  }
});
