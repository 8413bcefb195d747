import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, describe, expect, it } from "vitest";
import type { Dataset } from "../../src/datasets/dataset.ts";
import { DATASETS } from "../../src/datasets/registry.ts";
import { day, order, security } from "../support/builders.ts";
import { checkTypes, folderWithClient, PACKAGE_NAME, runScript } from "../support/client-package.ts";
import { auctionPack, publishFiles } from "../support/files.ts";
import { account, publish } from "../support/operator.ts";
import { testService } from "../support/test-service.ts";

const TRADEDATE = "20260311";
const orders = Array.from({ length: 12_345 }, (_, row) =>
  order(`09300${String(Math.floor(row / 700)).padStart(4, "0")}`, { exchangeOrderId: row + 1 }),
);
const built = day({ tradedate: TRADEDATE, securities: [security("600519", orders)] });

const FOUR_LINES = `import { Client } from "edgetape-client";
const client = new Client({ key: process.env.EDGETAPE_KEY ?? "", baseUrls: process.env.EDGETAPE_URL ?? "" });
const rows = await client.orders({ symbol: "600519", date: "${TRADEDATE}" }).toArray();
console.log(JSON.stringify(rows.map((row) => Object.values(row))));
`;

const NAMES = `import * as client from "edgetape-client";
const thrown = Object.entries(client).filter(([, value]) => value.prototype instanceof Error);
console.log(thrown.length > 10 && thrown.every(([name, value]) => new value("x").name === name));
`;

const IN_WORKER = `import { Client } from "./index.js";
export default {
  async fetch(_, { EDGETAPE_KEY: key, EDGETAPE_URL: baseUrls }) {
    const client = new Client({ key, baseUrls });
    const rows = await client.orders({ symbol: "600519", date: "${TRADEDATE}" }).toArray();
    const basket = client.orders({ symbols: ["600519"], startDate: "${TRADEDATE}", endDate: "${TRADEDATE}" });
    const { requests } = await basket.plan();
    const share = await client.share("auction_tick", 2026);
    const [file] = await share.files();
    const isWhole = (await share.download(file).bytes()).length === file.size_bytes;
    return Response.json([rows.map((row) => Object.values(row)), requests, (await basket.toArray()).length, isWhole]);
  },
};
`;

const TYPED = `import { type Basket, Client, type OrderRecord, QuotaUsed, type QuoteBasket, type QuoteRecord } from "edgetape-client";
import type { Orders, Trades, TradeRecord } from "edgetape-client";
export async function prices(client: Client): Promise<number[]> {
  const prices: number[] = [];
  for await (const row of client.orders({ symbol: "600519", fields: ["price", "side"] })) {
    const side: string = row.side;
    // @ts-expect-error not among the requested fields
    row.volume;
    prices.push(side === "B" ? row.price : 0);
  }
  return prices;
}
export const days = (client: Client): Promise<number | null> => {
  const query = { startDate: "20260105", endDate: "20260311", fields: ["price"] } as const;
  const basket: Basket<"price"> = client.orders({ symbols: ["600519"], ...query });
  // @ts-expect-error a basket has no single symbol
  client.orders({ symbols: ["600519"], symbol: "600519", ...query }).plan();
  return basket.plan().then(({ quotaDays }) => quotaDays);
};
export const trades = async (client: Client): Promise<number> => {
  const trades: Trades<"bs_flag" | "volume"> = client.trades({ symbol: "600519", fields: ["bs_flag", "volume"] });
  // @ts-expect-error orders have this field, trades do not
  client.trades({ symbol: "600519", fields: ["order_type"] });
  const days = client.status("202603", { dataset: "trades" });
  for await (const row of trades) if (row.bs_flag === "B") return row.volume;
  return (await days).days.length;
};
export const quotes = async (client: Client): Promise<number> => {
  const days = { symbols: ["600519"], startDate: "20260105", endDate: "20260311" };
  const basket: QuoteBasket<"ask_vol10" | "iopv"> = client.quotes({ ...days, fields: ["ask_vol10", "iopv"] });
  for await (const { bid1, ask10, pre_close, amount } of client.quotes({ symbol: "600519" })) {
    const prices: number[] = [bid1, ask10, pre_close, amount];
    if (prices.length === 0) return bid1;
  }
  // @ts-expect-error there are ten levels
  client.quotes({ symbol: "600519", fields: ["bid11"] });
  // @ts-expect-error not a standard column
  for await (const { iopv } of client.quotes({ symbol: "600519" })) return iopv;
  return (await basket.toArray()).length;
};
export const all: Orders = new Client({ key: "key", baseUrls: "http://a.test" }).orders({ symbol: "600519" });
type Cells<Row> = { [Name in keyof Row]: Row[Name] extends number ? "number" : "string" };
export const resetOf = (error: unknown): Date | null => (error instanceof QuotaUsed ? error.resetsAt : null);
`;

/** For each record type, the dataset. The record type must have exactly the columns of that dataset. */
const RECORDS: Record<string, Dataset> = {
  OrderRecord: DATASETS.orders,
  TradeRecord: DATASETS.trades,
  QuoteRecord: DATASETS.quotes,
};
const CELLS = Object.entries(RECORDS).map(([record, { name, columns }]) => {
  const cells = columns.flatMap(({ name: column, legacyName = column, type }) =>
    [column, legacyName].map((each) => [each, type === "BYTE_ARRAY" ? "string" : "number"]),
  );
  return `export const ${name}Cells: Cells<${record}> = ${JSON.stringify(Object.fromEntries(cells))};\n`;
});

const service = await testService();
await publish(service, built);
await publishFiles(service, auctionPack(TRADEDATE));
const { key } = await account(service, { plan: "flagship" });
const env = { EDGETAPE_URL: service.baseUrl, EDGETAPE_KEY: key };
const folder = await folderWithClient();
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("edgetape-client, packed and installed,", () => {
  it("reads a day of 12,345 rows in four lines of TypeScript, which Node runs unchanged", async () => {
    await writeFile(join(folder, "four.ts"), FOUR_LINES);
    expect(JSON.parse(await runScript(folder, "four.ts", env))).toEqual(built.rowsOf("600519"));
  });

  it("reads the same day and a file of a share inside a Worker", async () => {
    const bundle = await readFile(join(folder, "node_modules", PACKAGE_NAME, "dist", "index.js"), "utf8");
    const worker = new Miniflare(
      convertV4MiniflareOptions({
        ...{ host: "127.0.0.1", port: 0, cf: false, telemetry: { enabled: false } },
        modules: [
          { type: "ESModule", path: "worker.js", contents: IN_WORKER },
          { type: "ESModule", path: "index.js", contents: bundle },
        ],
        bindings: env,
        compatibilityDate: "2026-01-01",
      }),
    );
    try {
      const found = (await (await worker.dispatchFetch("http://worker.test/")).json()) as unknown[];
      expect(found).toEqual([built.rowsOf("600519"), 2, built.rowsOf("600519").length, true]);
    } finally {
      await worker.dispose();
    }
  });

  it("infers the types of the selected columns when TypeScript is in strict mode", async () => {
    await writeFile(join(folder, "typed.ts"), TYPED + CELLS.join(""));
    await checkTypes(folder);
  });

  it("throws errors that are named after their classes, although the bundle shortens other names", async () => {
    await writeFile(join(folder, "names.ts"), NAMES);
    expect(await runScript(folder, "names.ts", env)).toBe("true\n");
  });

  it("is small, complete, and imports nothing", async () => {
    const installed = join(folder, "node_modules", PACKAGE_NAME);
    const entries = await readdir(installed, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    expect(files.map(({ name }) => name).toSorted()).toEqual([
      "README.md",
      "index.d.ts",
      "index.js",
      "package.json",
    ]);
    const texts = await Promise.all(files.map((file) => readFile(join(file.parentPath, file.name))));
    expect(texts.reduce((sum, { byteLength }) => sum + byteLength, 0)).toBeLessThanOrEqual(60_000);
    const manifest = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
    expect(Object.keys(manifest).filter((name) => /dependencies$/i.test(name))).toEqual([]);
    for (const name of ["index.js", "index.d.ts"]) {
      const text = (await readFile(join(installed, "dist", name), "utf8")).replaceAll(
        /\/\*\*[\s\S]*?\*\//g,
        "",
      );
      expect([...text.matchAll(/\b(?:from|import|require)\b *\(?"/g)], name).toEqual([]);
    }
  });
});
