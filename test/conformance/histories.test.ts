/**
 * Tests the history of every dataset (contract 2.4, 3.4, 3.10, 4, 5, 6, 7.3, 9). The expected columns come from the
 * dataset's description.
 */
import { createHmac } from "node:crypto";
import { afterAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASET_NAMES, DATASETS, type DatasetName } from "../../src/datasets/registry.ts";
import type { AccountInfo, DataChanges, DataStatus, Estimate } from "../../src/operations/wire.ts";
import { packObjectKey } from "../../src/packs/layout.ts";
import { expectRows } from "../property/check-paging.ts";
import { type Row, randomRows } from "../support/builders.ts";
import {
  answerRows,
  type DatasetSection,
  fieldNames,
  otherThan,
  publishSections,
} from "../support/dataset-days.ts";
import type { Answer } from "../support/http-client.ts";
import { account, asOperator } from "../support/operator.ts";
import { openTestPack } from "../support/packs.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { readParquet } from "../support/parquet-reader.ts";
import { randomFrom } from "../support/random.ts";
import { oncePerWorker, TEST_CURSOR_SECRET } from "../support/service.ts";
import { openAnswer } from "../support/slow-client.ts";
import { expectRefusal } from "./expect-refusal.ts";
import { LARGE, OLDEST, publishLarge, sharedWorld } from "./world.ts";

const DAY = "20260224";
const SEED = 20_260_224;

const section = (dataset: DatasetName, symbol: string, market: "SH" | "SZ", rows: number): DatasetSection => {
  const seed = SEED + Number(symbol) + DATASET_NAMES.indexOf(dataset);
  return { symbol, market, columns: randomRows(randomFrom(seed), DATASETS[dataset], { rows, crowd: 3 }) };
};

/**
 * The sections of `DAY`. The bond 110001 is listed in Shanghai in orders, and in Shenzhen in trades and quotes. 688111
 * has no orders, and 600000 has no trades. 688001 and the Shanghai indices 000001 and 000300 have only quotes.
 */
const SECTIONS: Record<DatasetName, DatasetSection[]> = {
  orders: [
    section("orders", "600519", "SH", 12_345),
    section("orders", "300750", "SZ", 40),
    section("orders", "110001", "SH", 3),
    section("orders", "688111", "SH", 0),
    section("orders", "600000", "SH", 2),
    section("orders", "000001", "SZ", 5),
  ],
  trades: [
    section("trades", "600519", "SH", 11_111),
    section("trades", "300750", "SZ", 30),
    section("trades", "110001", "SZ", 4),
    section("trades", "688111", "SH", 5),
  ],
  quotes: [
    section("quotes", "600519", "SH", 10_007),
    section("quotes", "300750", "SZ", 20),
    section("quotes", "110001", "SZ", 2),
    section("quotes", "688001", "SH", 3),
    section("quotes", "000001", "SH", 6),
    section("quotes", "000300", "SH", 4),
  ],
};

const sectionOf = (dataset: DatasetName, symbol: string) => {
  const found = SECTIONS[dataset].find((each) => each.symbol === symbol);
  if (found === undefined) throw new Error(`no ${symbol} in ${dataset}`);
  return found;
};
const madeRows = new Map<string, Row[]>();
/** Returns the expected rows of an answer, which are computed once for each query. */
function rowsOf(dataset: DatasetName, symbol: string, fields?: string[]): Row[] {
  const query = [dataset, symbol, fields].join(" ");
  const rows = madeRows.get(query) ?? answerRows(DATASETS[dataset], sectionOf(dataset, symbol), DAY, fields);
  madeRows.set(query, rows);
  return rows;
}

const world = await sharedWorld();
await oncePerWorker("days of every dataset", async () => {
  for (const dataset of DATASET_NAMES) {
    await publishSections(world.service, dataset, DAY, SECTIONS[dataset]);
    await publishLarge(world, dataset);
  }
});
afterAll(() => world.stop());

interface Asked {
  apikey?: string;
  fields?: unknown;
}

/** Sends a request to the interface of a dataset, by default with the flagship account. */
const ask = (
  dataset: DatasetName,
  params: Record<string, unknown>,
  { apikey = world.keys.flagship, ...rest }: Asked = {},
): Promise<Answer> =>
  world.service.post(
    { apiname: DATASETS[dataset].apiname, apikey, params: { tradedate: DAY, ...params }, ...rest },
    { "accept-language": "en" },
  );

/** Returns the `data` of an operation, which must succeed. */
async function dataOf<T>(apiname: string, params: Record<string, unknown>, apikey = world.keys.flagship) {
  const answer = await world.service.post({ apiname, apikey, params });
  expect(answer.envelope.code, answer.text).toBe(200);
  return answer.envelope.data as unknown as T;
}

/** Reads every page of a security as a public client does, and returns all rows and the pages. */
async function readAll(dataset: DatasetName, params: Record<string, unknown>, asked: Asked = {}) {
  const rows: Row[] = [];
  const pages: ReturnType<typeof pageOf>[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = pageOf(await ask(dataset, { ...params, cursor }, asked));
    pages.push(page);
    rows.push(...page.items);
    if (!page.has_more) return { rows, pages };
    cursor = page.next_cursor;
  }
}

const holdSlot = (dataset: DatasetName, apikey: string) => {
  const params = { symbol: "600519", tradedate: LARGE, format: "parquet" };
  return openAnswer(`${world.service.baseUrl}/api`, { body: orderHistory({ dataset, apikey, params }) });
};

describe.each(DATASET_NAMES)("pages of %s", (dataset) => {
  const { columns } = DATASETS[dataset];

  it("contain every cell of the standard fields, in row order, at large and small page sizes", async () => {
    for (const page_size of [50_000, 1_117]) {
      const { rows, pages } = await readAll(dataset, { symbol: "600519", page_size });
      expectRows(rows, rowsOf(dataset, "600519"), `pages of ${page_size}`);
      expect(pages[0]?.fields).toEqual(fieldNames(DATASETS[dataset]));
      expect(pages[0]?.page_size).toBe(Math.min(page_size, 10_000));
    }
  });

  it("contain the named fields in the requested order, including on-request fields and legacy names", async () => {
    const named = columns
      .flatMap(({ name, legacyName }) => (legacyName ? [name, legacyName] : [name]))
      .reverse();
    const page = pageOf(await ask(dataset, { symbol: "300750" }, { fields: named.join(",") }));
    expect(page.fields).toEqual(named);
    const fieldOf = (name: string) => columns.find((each) => each.legacyName === name)?.name ?? name;
    expect(page.items).toEqual(rowsOf(dataset, "300750", named.map(fieldOf)));
  });

  it("are refused when a field belongs to another dataset, and the message lists the accepted fields", async () => {
    const own = new Set(fieldNames(DATASETS[dataset], "all"));
    const [foreign] = fieldNames(DATASETS[otherThan(dataset)]).filter((name) => !own.has(name));
    const answer = await ask(dataset, { symbol: "300750" }, { fields: foreign });
    expectRefusal(answer, { reason: "field_unknown" });
    for (const name of own) expect(answer.envelope.message).toContain(name);
  });

  it("contain exactly the rows of a time window, including its start and excluding its end", async () => {
    const all = rowsOf(dataset, "600519");
    const [start_time, end_time] = [String(all[4_000]?.[2]), String(all[9_000]?.[2])];
    const { rows } = await readAll(dataset, { symbol: "600519", start_time, end_time, page_size: 999 });
    const within = all.filter(([, , time]) => String(time) >= start_time && String(time) < end_time);
    expectRows(rows, within, `${start_time} to ${end_time}`);
  });
});

describe.each(DATASET_NAMES)("the Parquet answer of %s", (dataset) => {
  it("has the dataset's file name, and contains the same cells of the standard fields as the pages", async () => {
    const answer = await ask(dataset, { symbol: "600519", format: "parquet" });
    expect(answer.headers["content-disposition"]).toBe(
      `attachment; filename="600519.SH_${DAY}_${dataset}.parquet"`,
    );
    expect(answer.headers["x-row-count"]).toBe(String(sectionOf(dataset, "600519").columns.rows));
    const { names, rows } = await readParquet(answer.bytes);
    expect(names).toEqual(fieldNames(DATASETS[dataset]));
    expectRows(rows, rowsOf(dataset, "600519"), "the file");
  });

  it("contains the requested columns, including on-request columns", async () => {
    const fields = fieldNames(DATASETS[dataset], "all").slice(2).reverse();
    const answer = await ask(dataset, { symbol: "300750", format: "parquet" }, { fields });
    const { names, rows } = await readParquet(answer.bytes);
    expect(names).toEqual(fields);
    expect(rows).toEqual(rowsOf(dataset, "300750", fields));
  });
});

describe.each(DATASET_NAMES)("the interface of %s", (dataset) => {
  const params = { symbol: "300750", page_size: 7 };

  it("issues cursors that another interface refuses with cursor_mismatch, and the message says why", async () => {
    const { next_cursor: cursor } = pageOf(await ask(dataset, params));
    const answer = await ask(otherThan(dataset), { ...params, cursor });
    expectRefusal(answer, { reason: "cursor_mismatch" });
    expect(answer.envelope.message).toContain("another interface");
  });

  it("accepts cursors of the formats v4 and v2, which name no dataset, only if it serves orders", async () => {
    const { next_cursor } = pageOf(await ask("orders", params));
    const content = Buffer.from(String(next_cursor).slice(3), "base64url").subarray(0, 34);
    const mac = createHmac("sha256", TEST_CURSOR_SECRET)
      .update("edgetape order-history cursor v4\0")
      .update(content)
      .digest();
    const cursor = `v4.${Buffer.concat([content, mac]).toString("base64url")}`;
    const [time, skip] = [String(rowsOf("orders", "300750")[0]?.[2]), 0];
    for (const former of [cursor, `v2.${time}-${skip}`]) {
      const answer = await ask(dataset, { ...params, cursor: former });
      if (dataset !== "orders") expectRefusal(answer, { reason: "cursor_mismatch" });
      else expect(pageOf(answer).items).toHaveLength(7);
    }
  });
});

describe.each(DATASET_NAMES)("the slot and quota of %s", (dataset) => {
  it("prevent a concurrent request to the same interface, and allow a request to another interface", async () => {
    const { key: apikey } = await account(world.service, { plan: "flagship" });
    const slow = await holdSlot(dataset, apikey);
    expect(slow.status).toBe(200);
    const small = { symbol: "300750" };
    expectRefusal(await ask(dataset, small, { apikey }), { reason: "slot_busy" });
    expect(pageOf(await ask(otherThan(dataset), small, { apikey })).has_more).toBe(false);
    const { quotas } = await dataOf<AccountInfo>("account_info", {}, apikey);
    expect(quotas.map((each) => [each.interface, each.busy, each.requests?.used])).toEqual(
      DATASET_NAMES.map((name) => [
        DATASETS[name].apiname,
        name === dataset,
        name === dataset || name === otherThan(dataset) ? 1 : 0,
      ]),
    );
    expect((await slow.readAll()).isWhole).toBe(true);
  });

  it("do not affect the quotas of other datasets, even when this dataset's quota is used up", async () => {
    const { key: apikey } = await account(world.service, { plan: "trial", limits: { requests: 1 } });
    expect(pageOf(await ask(dataset, { symbol: "300750" }, { apikey })).has_more).toBe(false);
    const used = await ask(dataset, { symbol: "300750" }, { apikey });
    expectRefusal(used, { reason: "quota_used" });
    expect(used.envelope.message).toContain(DATASETS[dataset].apiname);
    const { estimate } = DATASETS[otherThan(dataset)];
    const left = await dataOf<Estimate>(estimate, { symbol: "300750", tradedate: DAY }, apikey);
    expect(left.left_today.requests).toBe(1);
    expect(pageOf(await ask(otherThan(dataset), { symbol: "300750" }, { apikey })).has_more).toBe(false);
    const { last_requests } = await dataOf<AccountInfo>("account_info", {}, apikey);
    expect(last_requests.map((each) => [each.interface, each.reason]).toSorted()).toEqual(
      [
        ...[dataset, otherThan(dataset)].map((name) => [DATASETS[name].apiname, "success"]),
        [DATASETS[dataset].apiname, "quota_used"],
      ].toSorted(),
    );
  });
});

describe.each(DATASET_NAMES)("requests for %s", (dataset) => {
  it("are refused for a missing plan, a day before the window, a future day or an unknown key", async () => {
    const asked = (apikey: string, tradedate: string) =>
      ask(dataset, { symbol: "300750", tradedate }, { apikey });
    expectRefusal(await asked(world.keys.standard, DAY), { reason: "plan_missing" });
    expectRefusal(await asked(world.keys.professional, "20250106"), { reason: "outside_window" });
    expectRefusal(await asked(world.keys.flagship, "20260313"), { reason: "future_day" });
    expectRefusal(await asked("et_unknown", DAY), { reason: "key_unknown" });
  });
});

describe("a symbol without an exchange", () => {
  it.each(DATASET_NAMES)(
    "is refused for %s when the day has securities with these digits on both exchanges",
    async (dataset) => {
      const answer = await ask(dataset, { symbol: "110001" });
      expectRefusal(answer, { reason: "param_invalid" });
      const { market } = sectionOf(dataset, "110001");
      expect(pageOf(await ask(dataset, { symbol: `110001.${market}` })).items).toEqual(
        rowsOf(dataset, "110001"),
      );
    },
  );

  it("is refused with no_orders when the security has no rows", async () => {
    const halted = await ask("orders", { symbol: "688111" });
    expectRefusal(halted, { reason: "no_orders" });
    expect(halted.envelope.message).toContain("no order records");
    const untraded = await ask("trades", { symbol: "600000" });
    expectRefusal(untraded, { reason: "no_orders" });
    expect(untraded.envelope.message).toContain("no trade records");
    expect(pageOf(await ask("trades", { symbol: "688111" })).items).toEqual(rowsOf("trades", "688111"));
    expectRefusal(await ask("trades", { symbol: "600999" }), { reason: "security_unknown" });
  });
});

describe.each(DATASET_NAMES)("reading %s of a security named by digits alone (contract 5.3)", (dataset) => {
  it("continues after another dataset of the day is published with these digits on the other exchange", async () => {
    // Each dataset uses a separate day. A request for a bond that is on both exchanges must name the exchange. For a
    // fund, the service prefers one exchange.
    const tradedate = `2026012${6 + DATASET_NAMES.indexOf(dataset)}`;
    const own = [section(dataset, "110001", "SH", 9), section(dataset, "510300", "SZ", 9)];
    await publishSections(world.service, dataset, tradedate, own);
    const begun = [];
    for (const { symbol } of own) {
      const params = { symbol, tradedate, page_size: 5 };
      begun.push({ params, cursor: pageOf(await ask(dataset, params)).next_cursor });
    }
    const later = otherThan(dataset);
    await publishSections(world.service, later, tradedate, [
      section(later, "110001", "SZ", 1),
      section(later, "510300", "SH", 1),
    ]);
    for (const { params, cursor } of begun) {
      const rest = pageOf(await ask(dataset, { ...params, cursor }));
      expect([rest.items.length, rest.has_more]).toEqual([4, false]);
    }
    expectRefusal(await ask(dataset, { symbol: "110001", tradedate }), { reason: "param_invalid" });
  });
});

describe("a security that has quotes only", () => {
  it("is refused with no_orders by the other interfaces, whether it is halted or an index", async () => {
    for (const symbol of ["688001", "000300.SH"]) {
      expect(pageOf(await ask("quotes", { symbol })).items).toEqual(rowsOf("quotes", symbol.slice(0, 6)));
      for (const dataset of ["orders", "trades"] as const) {
        expectRefusal(await ask(dataset, { symbol }), {
          reason: "no_orders",
          says: ["an index has quotes only"],
        });
      }
    }
  });
});

describe("an index named by digits alone", () => {
  it("is not found by any interface", async () => {
    const share = { symbol: "000001" };
    expect(pageOf(await ask("orders", share)).items).toEqual(rowsOf("orders", "000001"));
    for (const dataset of ["trades", "quotes"] as const) {
      const answer = await ask(dataset, share);
      expectRefusal(answer, { reason: "no_orders", says: ["000001.SZ"] });
    }
    expect(pageOf(await ask("quotes", { symbol: "sh000001" })).items).toEqual(rowsOf("quotes", "000001"));
    for (const dataset of DATASET_NAMES) {
      const answer = await ask(dataset, { symbol: "000300" });
      expectRefusal(answer, { reason: "security_unknown", says: ["000300.SH"] });
    }
  });
});

describe.each(DATASET_NAMES)("a served day of %s", (dataset) => {
  const total = SECTIONS[dataset].reduce((sum, { columns }) => sum + columns.rows, 0);

  it("is listed in data_status under the dataset's name, and the day's top-level fields repeat the values for orders", async () => {
    const { days } = await dataOf<DataStatus>("data_status", { month: DAY.slice(0, 6) });
    const found = days.find(({ tradedate }) => tradedate === DAY);
    expect(found?.datasets[dataset]).toMatchObject({ state: "available", revision: 1, rows: total });
    const { tradedate: _, datasets, ...beside } = found ?? { datasets: null };
    expect(beside).toEqual(datasets?.orders);
  });

  it("is listed in data_changes and data_symbols, which list orders when no dataset is named", async () => {
    const changesOf = (params: object) =>
      dataOf<DataChanges>("data_changes", { since: "20260101", ...params });
    const { changes } = await changesOf({ dataset });
    expect(new Set(changes.map((each) => each.dataset))).toEqual(new Set([dataset]));
    expect(changes.map(({ tradedate }) => tradedate)).toContain(DAY);
    if (dataset === "orders") expect((await changesOf({})).changes).toEqual(changes);

    type Symbols = { items: unknown[][] };
    const { items } = await dataOf<Symbols>("data_symbols", { tradedate: DAY, dataset });
    const expected = SECTIONS[dataset].map(({ symbol, market, columns }) => [symbol, market, columns.rows]);
    expect(items.map((row) => row.slice(0, 3))).toEqual(expected.toSorted());
    if (dataset === "orders")
      expect((await dataOf<Symbols>("data_symbols", { tradedate: DAY })).items).toEqual(items);
  });

  it("has an estimate with the exact numbers of rows and pages", async () => {
    const rows = sectionOf(dataset, "600519").columns.rows;
    const { estimate } = DATASETS[dataset];
    const found = await dataOf<Estimate>(estimate, { symbol: "600519", tradedate: DAY, page_size: 500 });
    const pages = Math.ceil(rows / 500);
    expect(found.rows).toEqual({ at_least: rows, at_most: rows });
    expect(found.cost.json.requests).toEqual({ at_least: pages, at_most: pages });
  });
});

/** How messages name a dataset's data, and where data_status shows its state. */
const NAMED: Record<DatasetName, [string, string]> = {
  orders: ["data", "data_status"],
  trades: ["trades", "datasets.trades of data_status"],
  quotes: ["quotes", "datasets.quotes of data_status"],
};

describe.each(DATASET_NAMES)("a day of %s", (dataset) => {
  const other = otherThan(dataset);
  // Each dataset has its own day, so that decisions about one dataset do not affect the tests of another.
  const tradedate = `2026021${6 + DATASET_NAMES.indexOf(dataset)}`;
  const asked = (name: DatasetName, params: object = {}) =>
    ask(name, { symbol: "300750", tradedate, ...params });
  const decide = (action: string, body: object) =>
    asOperator(
      world.service,
      "POST",
      `/admin/days/${tradedate}/${action}${dataset === "orders" ? "" : `?dataset=${dataset}`}`,
      body,
    );

  it("can be withdrawn, published again and found to be damaged without changing another dataset", async () => {
    for (const name of DATASET_NAMES) {
      await publishSections(world.service, name, tradedate, [sectionOf(name, "300750")]);
    }
    const beside = async () => pageOf(await asked(other)).items.length;
    const rows = sectionOf(other, "300750").columns.rows;
    await decide("withdraw", { revision: 1, note: "asked to" });
    const [named, shown] = NAMED[dataset];
    const withdrawn = [`The ${named} of tradedate ${tradedate} w`, `${shown} shows when`];
    expectRefusal(await asked(dataset), { reason: "withdrawn", says: withdrawn });
    expectRefusal(await asked(dataset, { format: "parquet" }), { reason: "withdrawn", status: 404 });
    const listed = await world.service.post(
      { apiname: "data_symbols", apikey: world.keys.flagship, params: { tradedate, dataset } },
      { "accept-language": "en" },
    );
    expectRefusal(listed, { reason: "withdrawn", says: withdrawn });
    expect(await beside()).toBe(rows);

    const { next_cursor: cursor } = pageOf(await asked(other, { page_size: 7 }));
    await decide("publish", { revision: 1 });
    expect((await asked(dataset)).headers["x-revision"]).toBe("2");
    expect(pageOf(await asked(other, { page_size: 7, cursor })).items).toHaveLength(7);

    const bucket = await world.service.mf.getR2Bucket("PACKS");
    const key = packObjectKey(tradedate as BeijingDate, 1, dataset);
    const bytes = Buffer.from((await (await bucket.get(key))?.arrayBuffer()) ?? []);
    const { offset = 0 } = (await openTestPack(bytes)).entryOf("300750").blocks[0] ?? {};
    bytes[offset + 20] = (bytes[offset + 20] ?? 0) ^ 1;
    const { etag } = await bucket.put(key, bytes);
    const db = await world.service.mf.getD1Database("DB");
    await db.prepare("UPDATE day_packs SET etag = ? WHERE object_key = ?").bind(etag, key).run();
    const damaged = [`The ${named} of tradedate ${tradedate} `, `when ${shown} shows`];
    for (const _ of ["found", "known"]) {
      expectRefusal(await asked(dataset), { reason: "day_damaged", says: damaged });
    }
    expect(await beside()).toBe(rows);
    const { days } = await dataOf<DataStatus>("data_status", { month: tradedate.slice(0, 6) });
    const { datasets } = days.find((each) => each.tradedate === tradedate) ?? {};
    expect([datasets?.[dataset].state, datasets?.[other].state]).toEqual(["damaged", "available"]);
  });
});

describe("a day whose only loaded dataset is orders", () => {
  const tradedate = "20260226";

  it("is refused by the other interfaces, and each message describes that interface's own dataset", async () => {
    await publishSections(world.service, "orders", tradedate, [sectionOf("orders", "300750")]);
    for (const dataset of ["trades", "quotes"] as const) {
      const lacking = await ask(dataset, { symbol: "300750", tradedate });
      const shown = `${NAMED[dataset][1]} shows`;
      const says = [`The ${dataset} of tradedate`, shown, `the newest loaded day of ${dataset} is 2026`];
      expectRefusal(lacking, { reason: "not_loaded", says });
      const early = await ask(dataset, { symbol: "300750", tradedate: OLDEST });
      expectRefusal(early, { reason: "before_history", says: [`before the first day of ${dataset}, 2026`] });
    }
  });
});

describe("three unmodified public clients with one key", () => {
  const CLIENTS: Record<DatasetName, string> = {
    orders: "symbol,tradedate,time,order_id,price,volume,amount,side,order_type,order_no",
    trades:
      "symbol,tradedate,time,trade_id,price,volume,amount,bs_flag,trade_code,buy_order_id,sell_order_id",
    quotes:
      "symbol,tradedate,time,open,high,low,close,pre_close,total_volume,total_amount,bid1,bid_vol1,ask1,ask_vol1",
  };

  it("read all datasets in parallel, each with page_size 50000 and its own fields", async () => {
    const { key: apikey } = await account(world.service, { plan: "flagship" });
    const reads = DATASET_NAMES.map((dataset) =>
      readAll(dataset, { symbol: "600519", page_size: 50_000 }, { apikey, fields: CLIENTS[dataset] }),
    );
    const found = await Promise.all(reads);
    for (const [place, dataset] of DATASET_NAMES.entries()) {
      const names = CLIENTS[dataset].split(",");
      const { columns } = DATASETS[dataset];
      const fields = names.map((name) => columns.find((each) => each.legacyName === name)?.name ?? name);
      expect(found[place]?.pages.map((page) => [page.fields, page.page_size])).toEqual(
        Array.from({ length: 2 }, () => [names, 10_000]),
      );
      expectRows(found[place]?.rows ?? [], rowsOf(dataset, "600519", fields), dataset);
    }
  });
});
