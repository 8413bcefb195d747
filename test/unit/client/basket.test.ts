/**
 * Tests the TypeScript client's baskets (several securities over a range of days): the rows, the cost, and how a basket
 * continues.
 */
import { describe, expect, it } from "vitest";
import { operationsOf } from "../../../src/client/typescript/datasets.ts";
import {
  Client,
  ConfigurationError,
  type DatasetName,
  QuotaUsed,
} from "../../../src/client/typescript/index.ts";

const DAYS: Record<string, Record<string, number> | string> = {
  "20260227": { "600519": 1 },
  "20260305": { "600519": 25, "300750": 5 },
  "20260306": { "600519": 10 },
  "20260309": "pending",
  "20260310": { "600519": 0, "300750": 12 },
};
const FIELDS = ["symbol", "tradedate", "time"] as const;
const QUERY = {
  symbols: ["600519", "300750"],
  startDate: "2026-02-28",
  endDate: "20260310",
  fields: FIELDS,
  pageSize: 10,
};

interface Params {
  symbol: string;
  tradedate: string;
  month: string;
  page_size: number;
  cursor?: string;
}

const rowsOf = (symbol: string, tradedate: string, count: number) =>
  Array.from({ length: count }, (_, place) => [symbol, tradedate, `0930${String(place).padStart(5, "0")}`]);

const EXPECTED = ["20260305", "20260306", "20260310"].flatMap((day) =>
  QUERY.symbols.flatMap((symbol) => {
    const held = DAYS[day];
    return rowsOf(symbol, day, typeof held === "object" ? (held[symbol] ?? 0) : 0);
  }),
);

let keys = 0;

/** Returns a client of an in-memory service with `left` remaining requests, and the state of that service. */
function market({
  left = 1_000,
  limit = 1_000,
  dataset = "orders",
}: {
  left?: number | null;
  limit?: number | null;
  dataset?: DatasetName;
} = {}) {
  const { read, estimate } = operationsOf(dataset);
  const state = { left, counted: [] as Params[], calls: [] as string[] };
  const served = (data: unknown) => Response.json({ code: 200, message: "success", data });
  const refused = (code: number, reason: string) =>
    Response.json({ code, message: `no [${reason} · r1]`, data: null });
  const found = ({ symbol, tradedate }: Params) => {
    const held = DAYS[tradedate];
    return typeof held === "object" ? held[symbol] : undefined;
  };
  const answers: Record<string, (params: Params) => Response> = {
    account_info: () => {
      const requests = { limit, used: 0, credited: 0, left: state.left };
      const files = { limit: 10, used: 0, credited: 0, left: 7 };
      return served({ quotas: [{ interface: read, requests, files }] });
    },
    data_status: ({ month }) => {
      const days = Object.entries(DAYS).filter(([day]) => day.startsWith(month));
      if (month === "202602") return refused(403, "outside_window");
      return served({
        month,
        window_from: "20260302",
        days: days.map(([tradedate, held]) => {
          const isThere = typeof held !== "string";
          const found = { state: isThere ? "available" : held, revision: isThere ? 1 : null };
          const of = { ...found, size_bytes: isThere ? 1e9 : null };
          const other = { state: "missing", revision: null, size_bytes: null };
          const datasets = { orders: other, trades: other, [dataset]: of };
          return { tradedate, ...datasets.orders, datasets };
        }),
      });
    },
    [estimate]: (params) => {
      const count = found(params);
      if (count === undefined) return refused(1002, "security_unknown");
      const pages = Math.max(1, Math.ceil(count / params.page_size));
      return served({
        rows: { at_least: count, at_most: count },
        pages: { at_least: pages, at_most: pages },
      });
    },
    [read]: (params) => {
      state.counted.push(params);
      const { symbol, tradedate, page_size, cursor = "0" } = params;
      const count = found(params);
      if (count === undefined) return refused(1002, "security_unknown");
      if (state.left === 0) return refused(429, "quota_used");
      if (state.left !== null) state.left--;
      const last = Number(cursor) + page_size;
      const items = rowsOf(symbol, tradedate, count).slice(Number(cursor), last);
      const more = { has_more: last < count, next_cursor: last < count ? `${last}` : null };
      return served({ fields: FIELDS, items, tradedate, ...more });
    },
  };
  const fetch = async (_: string, { body }: RequestInit) => {
    const { apiname, params } = JSON.parse(String(body));
    state.calls.push(apiname);
    return answers[apiname]?.(params) ?? refused(422, "apiname_unknown");
  };
  const client = new Client({ key: `basket ${keys++}`, baseUrls: "http://a.test", fetch, maxWaitMs: 0 });
  return { client, state };
}

describe("a basket of the TypeScript client", () => {
  it("returns rows ordered by day, security and time, and lists missing days and securities", async () => {
    const { client, state } = market();
    const basket = client.orders(QUERY);
    expect(state.calls).toEqual([]);
    expect((await basket.toArray()).map((row) => Object.values(row))).toEqual(EXPECTED);
    expect(basket.empty).toEqual([{ symbol: "300750", tradedate: "20260306" }]);
    expect(basket.missing).toEqual([{ tradedate: "20260309", state: "pending" }]);
    expect(basket.windowFrom).toBe("20260302");
    expect(await basket.toArray()).toEqual([]);
  });

  it("reads a security only once if its symbol is given in several forms", async () => {
    const { client } = market();
    const symbols = ["600519.SH", "sh600519", " 600519.xshg", "300750"];
    const { securityDays } = await client.orders({ ...QUERY, symbols }).plan();
    expect(securityDays).toBe(2 * 3);
  });

  it("estimates its days, rows and cost without a charged request", async () => {
    const { client, state } = market({ left: 4, limit: 3 });
    expect(await client.orders(QUERY).plan()).toEqual({
      ...{ days: 3, securityDays: 6, rows: 52, requests: 8, files: 5, isExact: true },
      ...{ requestsLeft: 4, filesLeft: 7, quotaDays: 3, hint: null },
    });
    expect(state.counted).toEqual([]);
    const free = await market({ left: null, limit: null }).client.orders(QUERY).plan();
    expect([free.requestsLeft, free.quotaDays]).toEqual([null, 1]);
    const none = await market({ left: 0, limit: 0 }).client.orders(QUERY).plan();
    expect(none.quotaDays).toBeNull();
    expect(none.hint).toContain("a level2 share holds these 3 days in 3.0 GB, about 1 hours at 100 Mbit/s");
  });

  it.each(["orders", "trades", "quotes"] as const)(
    "advises downloading only the %s of a share, and states their size",
    async (dataset) => {
      const { client } = market({ left: 0, limit: 0, dataset });
      const baskets = {
        orders: () => client.orders(QUERY),
        trades: () => client.trades(QUERY),
        quotes: () => client.quotes(QUERY),
      };
      const { hint } = await baskets[dataset]().plan();
      expect(hint).toContain("these 3 days in 3.0 GB");
      expect(hint).toContain(`each <day>_${dataset}.parquet of share.files()`);
    },
  );

  it("reads trades with the operations for trades, on the days that have trades", async () => {
    const { client, state } = market({ dataset: "trades" });
    const basket = client.trades(QUERY);
    expect(await basket.plan()).toMatchObject({ securityDays: 6, requests: 8 });
    expect((await basket.toArray()).map((row) => Object.values(row))).toEqual(EXPECTED);
    expect(new Set(state.calls)).toEqual(
      new Set(["data_status", "account_info", "trade_history_estimate", "level2_trade_history"]),
    );
  });

  it.each(["toArray", "rows", "pages"] as const)(
    "continues after its quota was used up (read with %s)",
    async (how) => {
      const { client, state } = market({ left: 4 });
      const basket = client.orders(QUERY);
      const rows: unknown[][] = [];
      const read = async () => {
        if (how === "toArray") rows.push(...(await basket.toArray()).map((row) => Object.values(row)));
        else if (how === "pages") for await (const page of basket.pages()) rows.push(...page.items);
        else for await (const row of basket) rows.push(Object.values(row));
      };
      await expect(read()).rejects.toBeInstanceOf(QuotaUsed);
      expect(rows).toHaveLength(how === "toArray" ? 0 : 30);
      expect((await basket.plan()).securityDays).toBe(4);
      state.left = 10;
      await read();
      expect(rows).toEqual(EXPECTED);
      // Ten requests: eight for the pages, one for a missing security, and one that the quota refused.
      expect(state.counted).toHaveLength(10);
    },
  );

  it("continues after the last row of a loop that ended early", async () => {
    const basket = market().client.orders(QUERY);
    const rows: unknown[][] = [];
    for await (const row of basket) if (rows.push(Object.values(row)) === 27) break;
    for await (const row of basket) rows.push(Object.values(row));
    expect(rows).toEqual(EXPECTED);
  });

  it("refuses contradictory and invalid parameters before the first request", () => {
    const { client, state } = market();
    for (const [change, told] of [
      [{ startDate: "20260311" }, "20260311 is after the last day 20260310"],
      [{ endDate: "tomorrow" }, "tomorrow is not a date"],
      [{ symbols: [] }, "symbols is empty"],
      [{ symbols: ["600519", "sh600519"] }, "600519 and sh600519 can be the same security"],
      [{ tradedate: "20260305" }, "there is no option tradedate"],
      [{ pageSize: 0 }, "pageSize must be 1 to 10,000"],
    ] as const) {
      const orders = () => client.orders({ ...QUERY, ...change });
      expect(orders).toThrow(ConfigurationError);
      expect(orders).toThrow(told);
    }
    expect(state.calls).toEqual([]);
  });
});
