import { readFile, rm } from "node:fs/promises";
import { join, normalize } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { testBrowser } from "../support/browser.ts";
import { day, order, security } from "../support/builders.ts";
import { folderWithClient, PACKAGE_NAME } from "../support/client-package.ts";
import { auctionPack, publishFiles } from "../support/files.ts";
import { listening } from "../support/listening.ts";
import { account, publish } from "../support/operator.ts";
import { testService } from "../support/test-service.ts";
import { isMissing } from "../support/tools.ts";

const TRADEDATE = "20260311";
const orders = Array.from({ length: 2_345 }, (_, row) => order("093000000", { exchangeOrderId: row + 1 }));
const built = day({ tradedate: TRADEDATE, securities: [security("600519", orders)] });

/** The script with which a page of another origin uses the client. */
const SCRIPT = `
import { Client, NoData } from "/dist/index.js";
const { base, key } = await (await fetch("/facts")).json();
const client = new Client({ key, baseUrls: base });
const query = { symbol: "600519", date: "${TRADEDATE}" };
const rows = await client.orders({ ...query, pageSize: 1000 }).toArray();
const file = await client.ordersParquet(query);
const basket = client.orders({ symbols: ["600519"], startDate: "${TRADEDATE}", endDate: "${TRADEDATE}" });
const plan = await basket.plan();
const refused = await client.orders({ symbol: "999999", date: "${TRADEDATE}" }).toArray().catch((error) => error);
const share = await client.share("auction_tick", 2026);
const [named] = await share.files();
const whole = await share.download(named).bytes();
const rest = await share.download(named, { have: [whole.slice(0, 10)] }).bytes();
window.found = {
  basket: [plan.requests, plan.isExact, (await basket.toArray()).length],
  share: [named.path, whole.length === named.size_bytes, rest.length === whole.length - 10],
  rows: rows.map((row) => Object.values(row)), file: [file.name, file.rows, file.bytes.length > 0],
  refused: [refused instanceof NoData, refused.reason, refused.requestId !== null],
};
`;

const open = testBrowser();
const service = await testService();
await publish(service, built);
await publishFiles(service, auctionPack(TRADEDATE));
const { key } = await account(service, { plan: "flagship" });
const folder = await folderWithClient();
const FIXED: Record<string, [type: string, text: string]> = {
  "/": ["text/html", '<!doctype html><script type="module" src="/script.js"></script>'],
  "/script.js": ["text/javascript", SCRIPT],
  "/facts": ["application/json", JSON.stringify({ base: service.baseUrl, key })],
};
const site = await listening(async ({ url = "/" }, answer) => {
  const path = join(folder, "node_modules", PACKAGE_NAME, normalize(url));
  const [type, text] = FIXED[url] ?? ["text/javascript", await readFile(path, "utf8").catch(() => "")];
  answer.writeHead(200, { "content-type": type }).end(text);
});
afterAll(async () => {
  await site[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(isMissing("chromium"))("edgetape-client in Chromium, on a page of another origin,", () => {
  it("reads 2,345 rows in pages, a Parquet file, a file of a share, and the reason of a refusal", async () => {
    const { page, errors } = await open();
    await page.goto(`${site.url}/`);
    await page.waitForFunction("window.found !== undefined");
    expect(await page.evaluate("window.found")).toEqual({
      rows: built.rowsOf("600519"),
      file: [`600519.SH_${TRADEDATE}_orders.parquet`, 2_345, true],
      refused: [true, "security_unknown", true],
      basket: [1, true, 2_345],
      share: [`${TRADEDATE}/${TRADEDATE}_aucde.parquet`, true, true],
    });
    expect(errors).toEqual([]);
  });
});
