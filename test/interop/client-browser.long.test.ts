import { readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, watchedPage } from "../support/browser.ts";
import { day, order, security } from "../support/builders.ts";
import { folderWithClient, PACKAGE_NAME } from "../support/client-package.ts";
import { auctionPack, publishFiles } from "../support/files.ts";
import { account, publish } from "../support/operator.ts";
import { type Service, startService } from "../support/service.ts";
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

let service: Service;
let site: Server;
let browser: Browser;
let folder: string;
beforeAll(async () => {
  service = await startService();
  await publish(service, built);
  await publishFiles(service, auctionPack(TRADEDATE));
  const { key } = await account(service, { plan: "flagship" });
  folder = await folderWithClient();
  const facts = JSON.stringify({ base: service.baseUrl, key });
  site = createServer(async ({ url = "/" }, answer) => {
    const fixed: Record<string, [type: string, text: string]> = {
      "/": ["text/html", '<!doctype html><script type="module" src="/script.js"></script>'],
      "/script.js": ["text/javascript", SCRIPT],
      "/facts": ["application/json", facts],
    };
    const path = join(folder, "node_modules", PACKAGE_NAME, normalize(url));
    const [type, text] = fixed[url] ?? ["text/javascript", await readFile(path, "utf8").catch(() => "")];
    answer.writeHead(200, { "content-type": type }).end(text);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  site?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.skipIf(isMissing("chromium"))("edgetape-client in Chromium, on a page of another origin,", () => {
  it("reads 2,345 rows in pages, a Parquet file, a file of a share, and the reason of a refusal", async () => {
    const { page, errors, close } = await watchedPage(browser);
    await page.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await page.waitForFunction("window.found !== undefined");
    expect(await page.evaluate("window.found")).toEqual({
      rows: built.rowsOf("600519"),
      file: [`600519.SH_${TRADEDATE}_orders.parquet`, 2_345, true],
      refused: [true, "security_unknown", true],
      basket: [1, true, 2_345],
      share: [`${TRADEDATE}/${TRADEDATE}_aucde.parquet`, true, true],
    });
    expect(errors).toEqual([]);
    await close();
  });
});
