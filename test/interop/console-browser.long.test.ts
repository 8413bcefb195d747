/**
 * The console in a real browser: a holder signs in, creates a key, runs queries with tables, charts and a download, and
 * revokes the key. Every page must pass axe's rules in both themes and fit a phone. `EDGETAPE_SCREENSHOTS=<folder>`
 * stores screenshots.
 */
import { readFile } from "node:fs/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { sampleDatasets } from "../../src/pack-builder/sample/day.ts";
import {
  axeFindings,
  DESK,
  findingsAtWidths,
  picture,
  SCREENSHOTS,
  testBrowser,
  type Watched,
} from "../support/browser.ts";
import { inviteTo, publishSample } from "../support/console.ts";
import { publishSections } from "../support/dataset-days.ts";
import { account, loadWeekdays } from "../support/operator.ts";
import { orderHistory } from "../support/paging.ts";
import { type Service, startService } from "../support/service.ts";
import { isMissing } from "../support/tools.ts";

const DAY = "20260311";
const PAGES = [
  ...[
    "",
    "keys",
    "data",
    "data?dataset=quotes",
    `day?day=${DAY}`,
    "try",
    "try?op=level2_quote_history",
    "try?op=file_download",
  ],
  "shares",
];

const sample = [...sampleDatasets({ tradedate: DAY as BeijingDate, rows: 30_000 }, { hasQuotes: true })];
const trades = sample.map(({ symbol, market, trades: columns }) => ({ symbol, market, columns }));
const quotes = sample.map(({ symbol, market, quotes: columns }) => ({ symbol, market, columns }));

const open = testBrowser();
let service: Service;
let accountId: string;
beforeAll(async () => {
  if (isMissing("chromium")) return;
  service = await startService();
  await loadWeekdays(service, "20260101", "20261231", ["20260302"]);
  for (const [place, date] of ["20260305", "20260306", "20260310"].entries()) {
    await publishSample(service, date, 600 + place * 200);
  }
  // With this number of rows, 600519 fills more than one page.
  await publishSample(service, DAY, 120_000);
  await publishSections(service, "trades", DAY, trades);
  await publishSections(service, "quotes", DAY, quotes);
  accountId = (await account(service, { plan: "flagship", keys: 0 })).accountId;
});
afterAll(() => service?.stop());

/** Signs in through a new link, which opens the console's overview. */
async function signedIn(options: BrowserContextOptions = DESK): Promise<Watched> {
  const watched = await open(options);
  await watched.page.goto(await inviteTo(service, accountId));
  await watched.page.click("button.primary");
  await watched.page.waitForURL(`${service.baseUrl}/console/`);
  return watched;
}

const go = (page: Page, path: string) => page.goto(`${service.baseUrl}/console/${path}`);
const textOf = async (page: Page, selector: string) => (await page.textContent(selector)) ?? "";

async function runQuery(page: Page): Promise<void> {
  await page.click("#run");
  await page.waitForSelector('#run[aria-disabled="false"]');
  await page.waitForSelector("#views:not([hidden])");
}

/** Returns whether anything is painted on the page's canvas number `place`, counted from 0. */
const isPainted = (page: Page, place: number) =>
  page.evaluate<boolean>(`(() => {
    const canvas = document.querySelectorAll("canvas")[${place}];
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.some((byte) => byte !== 0);
  })()`);

describe.skipIf(isMissing("chromium"))("the button of a sign-in link", () => {
  it.each(["double click", "double Enter"])("signs the holder in after a %s", async (how) => {
    const { page } = await open();
    await page.goto(await inviteTo(service, accountId));
    if (how === "double click") await page.dblclick("button.primary");
    else {
      await page.focus("button.primary");
      // Both presses happen before the page is left.
      await Promise.all([page.keyboard.press("Enter"), page.keyboard.press("Enter")]);
    }
    // `waitForURL` would fail here, because the second press aborts the navigation that the first press began.
    await expect.poll(() => page.url(), { timeout: 60_000 }).toBe(`${service.baseUrl}/console/`);
    await page.waitForLoadState();
    await go(page, "keys");
    expect(await page.locator(".new-key").count()).toBe(1);
  });
});

describe.skipIf(isMissing("chromium"))("the console in a browser", () => {
  it("lets a holder create a key, run a query, see its table and charts, download its file, and revoke the key", async () => {
    const { page, errors, requests } = await signedIn();
    expect(await textOf(page, "main")).toContain("Flagship");

    await page.click("text=Keys");
    await page.fill("#name", "research laptop");
    await page.click(".new-key button");
    const key = (await textOf(page, "#fresh")).trim();
    expect(key).toMatch(/^et_[0-9A-Za-z]{36}$/);
    await picture(page, "console-keys");
    const asked = orderHistory({ apikey: key, params: { symbol: "600519", tradedate: DAY, page_size: 10 } });
    expect((await service.post(asked)).envelope.code).toBe(200);
    await go(page, "keys");
    expect(await page.content()).not.toContain(key);

    await page.click("text=Data");
    await page.click(`a[href$="day=${DAY}"]`);
    await page.click(`a[href$="op=level2_order_history&tradedate=${DAY}"]`);
    expect(await page.inputValue("#field-tradedate")).toBe(DAY);
    await runQuery(page);
    expect(await textOf(page, "#outcome")).toMatch(/^200 /);
    expect(await page.locator(".records tbody tr").count()).toBe(100);
    await page.click("#all-pages");
    await page.waitForSelector('#all-pages[aria-disabled="true"]');
    await page.waitForSelector('#run[aria-disabled="false"]');
    expect(await textOf(page, "#pages")).toBe("2 pages loaded");
    const loaded = /of ([\d,]+) loaded/.exec(await textOf(page, "#view-table .rows-bar [role=status]"))?.[1];
    expect(await textOf(page, "#outcome")).toMatch(new RegExp(`^200 ${loaded} rows · 2 pages loaded`));
    await picture(page, "console-table");

    await page.click("#tab-view-picture");
    await page.waitForSelector(".uplot canvas");
    for (const place of [0, 1, 2]) expect(await isPainted(page, place)).toBe(true);
    const rows = await page.locator(".numbers tbody td:nth-child(2)").allTextContents();
    const counted = rows.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
    const { envelope } = await service.post({
      ...asked,
      apiname: "order_history_estimate",
      params: { symbol: "600519", tradedate: DAY },
    });
    expect(envelope.data?.rows).toEqual({ at_least: counted, at_most: counted });
    await picture(page, "console-picture");

    await page.selectOption("#field-format", "parquet");
    const [download] = await Promise.all([page.waitForEvent("download"), page.click("#run")]);
    expect(download.suggestedFilename()).toBe(`600519.SH_${DAY}_orders.parquet`);
    const bytes = await readFile(await download.path());
    const program = await service.post({
      ...asked,
      params: { symbol: "600519", tradedate: DAY, format: "parquet" },
    });
    expect(bytes.equals(program.bytes)).toBe(true);
    expect(await page.getAttribute("#bar", "value")).toBe("1");

    await page.click("text=Keys");
    await page.click("summary:has-text('Revoke')");
    await page.click(".danger");
    expect(await textOf(page, ".notice.done")).toContain("The key is revoked");
    await expect
      .poll(async () => (await service.post(asked)).reason, { timeout: 31_000, interval: 1_000 })
      .toBe("key_revoked");

    await page.click("text=Sign out");
    expect(await textOf(page, "main")).toContain("one-time link");
    expect(errors).toEqual([]);
    const foreign = requests.filter((url) => !url.startsWith(service.baseUrl) && !url.startsWith("blob:"));
    expect(foreign).toEqual([]);
  });

  it.each([
    ["600519", "Shanghai, with the source's flag"],
    ["300750", "Shenzhen, with cancels"],
  ])("charts the trades of %s by the aggressor's side (%s)", async (symbol) => {
    const columns = trades.find((each) => each.symbol === symbol)?.columns;
    const { page, errors } = await signedIn();
    await go(page, `data?dataset=trades`);
    await page.click(`a[href$="day=${DAY}"]`);
    await page.click(`a[href$="op=level2_trade_history&tradedate=${DAY}"]`);
    await page.fill("#field-symbol", symbol);
    await runQuery(page);
    await page.click("#tab-view-picture");
    await page.waitForSelector(".uplot canvas");
    for (const place of [0, 1, 2]) expect(await isPainted(page, place)).toBe(true);
    expect(await page.locator("figcaption").allTextContents()).toEqual([
      ...["Price against time (yuan)", "Cumulative traded volume over the day", "Traded volume per minute"],
    ]);
    const numbers = await page
      .locator(".numbers tbody tr")
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent)));
    const counted = numbers.reduce((sum, [, rows]) => sum + Number(rows?.replaceAll(",", "")), 0);
    expect(counted).toBe(columns?.rows);
    const cancels = numbers.find(([kind]) => kind === "cancel");
    expect(cancels !== undefined).toBe(symbol === "300750");
    const bought = numbers.find(([kind]) => kind === "buy aggressor")?.[3];
    if (columns !== undefined && symbol === "600519") {
      const { values, index } = columns.bsFlag;
      const volume = columns.volume.filter((_, row) => values[index[row] ?? -1] === "B");
      expect(Number(bought?.replaceAll(",", ""))).toBe(volume.reduce((sum, each) => sum + each, 0));
    }
    await picture(page, `console-trades-${symbol}`);
    await page.emulateMedia({ media: "print" });
    expect([await isPainted(page, 0), await page.isVisible(".top"), await page.isVisible("#query")]).toEqual([
      ...[true, false, false],
    ]);
    expect(errors).toEqual([]);
  });

  it("colours the codes of trades by the aggressor's side, and cancels in their own colour", async () => {
    const { page, errors } = await signedIn();
    /** Returns, for each code in the column `field`, the names of the colours in which the table shows the code. */
    const coloursOf = async (symbol: string, field: string) => {
      const window = "start_time=09:25&end_time=09:35&page_size=100";
      await go(page, `try?op=level2_trade_history&tradedate=${DAY}&symbol=${symbol}&${window}`);
      await runQuery(page);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect.soft(await axeFindings(page, ["color-contrast"]), colorScheme).toEqual([]);
        await picture(page, `console-table-trades-${symbol}-${colorScheme}`);
      }
      return page.evaluate<Record<string, string[]>>(`(() => {
        const style = getComputedStyle(document.documentElement);
        const names = ["buy", "sell", "cancel"];
        const probe = document.body.appendChild(document.createElement("span"));
        const colours = new Map(names.map((name) => {
          probe.style.color = style.getPropertyValue("--" + name);
          return [getComputedStyle(probe).color, name];
        }));
        const place = [...document.querySelectorAll(".records th")].findIndex((cell) => cell.textContent === "${field}");
        const found = {};
        for (const { cells } of document.querySelectorAll(".records tbody tr")) {
          const name = colours.get(getComputedStyle(cells[place]).color) ?? "none";
          found[cells[place].textContent] = [...new Set([...(found[cells[place].textContent] ?? []), name])].sort();
        }
        return found;
      })()`);
    };
    expect(await coloursOf("600519", "bs_flag")).toEqual({
      ...{ N: ["none"], B: ["buy"], S: ["sell"] },
    });
    expect(await coloursOf("300750", "trade_code")).toEqual({
      ...{ 0: ["none", "sell"], C: ["cancel"] },
    });
    expect(errors).toEqual([]);
  });

  it("charts the best prices of quotes, and shows the ten levels at an instant chosen by a click or a key", async () => {
    const columns = quotes.find((each) => each.symbol === "600519")?.columns;
    if (columns === undefined) throw new Error("the sample day lacks the security");
    const { page, errors } = await signedIn();
    await go(page, "data?dataset=quotes");
    await page.click(`a[href$="day=${DAY}"]`);
    await page.click(`a[href$="op=level2_quote_history&tradedate=${DAY}"]`);
    await page.fill("#field-symbol", "600519");
    await runQuery(page);
    await page.click("#tab-view-picture");
    await page.waitForSelector(".uplot canvas");
    expect(await isPainted(page, 0)).toBe(true);
    const clockOf = (time = 0) =>
      String(time)
        .padStart(9, "0")
        .replace(/(..)(..)(..)(...)/, "$1:$2:$3.$4");
    /** Returns the shown instant, and the prices and volumes at this instant from the highest ask to the lowest bid. */
    const shown = async () => {
      const cells = await page.locator(".book td.number").allTextContents();
      const numbers = cells.map((text) => (text === "–" ? 0 : Number(text.replaceAll(",", ""))));
      return [await textOf(page, ".instant output"), numbers];
    };
    const cells = columns as unknown as Record<string, Float64Array>;
    const levelsOf = (side: "ask" | "bid", row: number) =>
      Array.from({ length: 10 }, (_, place) => [
        (cells[`${side}${place + 1}E4`]?.[row] ?? 0) / 10_000,
        cells[`${side}Volume${place + 1}`]?.[row] ?? 0,
      ]);
    const expected = (row: number) => [
      clockOf(columns.time[row]),
      [...levelsOf("ask", row).toReversed(), ...levelsOf("bid", row)].flat(),
    ];
    const ten = columns.time.findLastIndex((time) => time <= 100_000_000);
    expect(await shown()).toEqual(expected(ten));
    await page.focus("#instant");
    await page.keyboard.press("ArrowRight");
    expect(await shown()).toEqual(expected(ten + 1));
    expect(await page.getAttribute("#instant", "aria-valuetext")).toBe(clockOf(columns.time[ten + 1]));
    await page.keyboard.press("Home");
    expect(await shown()).toEqual(expected(0));
    await page.locator(".u-over").click({ position: { x: 300, y: 100 } });
    const row = Number(await page.inputValue("#instant"));
    expect(row).toBeGreaterThan(0);
    expect(await shown()).toEqual(expected(row));
    await picture(page, "console-quotes");
    expect(errors).toEqual([]);
  });

  it("runs every operation", async () => {
    const { page, errors } = await signedIn();
    await go(page, "try");
    const operations = await page
      .locator(".operations a")
      .evaluateAll((links) => links.map((link) => String("href" in link && link.href)));
    expect(operations).toHaveLength(11);
    for (const operation of operations) {
      await page.goto(operation);
      if (operation.includes("file_download")) await page.selectOption("#field-data_type", "level2");
      await runQuery(page);
      expect(await textOf(page, "#outcome"), operation).toMatch(/^200 /);
      expect(await page.locator(".records tbody tr").count(), operation).toBeGreaterThan(0);
    }
    expect(errors).toEqual([]);
    await go(page, "shares");
    await page.click("text=Show password");
    expect(await textOf(page, "code[id^=password-]")).toMatch(/^[0-9A-Za-z]{24}$/);
    await page.click("button.primary:has-text('Open')");
    await page.waitForURL(/\/s\/[0-9A-Za-z]{20}\/$/);
    expect(await textOf(page, "h1")).toBe("Full-day ticks 2026");
    await go(page, "shares");
    await page.click("summary:has-text('Revoke')");
    await page.click(".danger");
    expect(await textOf(page, "main")).toContain("No share is open.");
  });
});

describe.skipIf(isMissing("chromium"))("every page of the console", () => {
  it.each(["en-GB", "zh-CN"] as const)(
    "passes axe's rules in both themes, with and without an answer shown, in %s",
    async (locale) => {
      const { page, errors } = await signedIn({ ...DESK, locale });
      const check = async (what: string) => {
        await page.emulateMedia({ colorScheme: "light" });
        expect.soft(await axeFindings(page), what).toEqual([]);
        await picture(page, `console-${locale}-light-${what.replace(/\W/g, "-")}`);
        // The themes differ only in colours, so only the rules about colours are checked again.
        await page.emulateMedia({ colorScheme: "dark" });
        const contrast = ["color-contrast", "link-in-text-block"];
        expect.soft(await axeFindings(page, contrast), `${what}, dark`).toEqual([]);
        await picture(page, `console-${locale}-dark-${what.replace(/\W/g, "-")}`);
      };
      // In English, the test at five widths already checks these pages. This test visits them only for screenshots.
      const isElsewhere = locale === "en-GB" && SCREENSHOTS === undefined;
      for (const path of isElsewhere ? [] : [...PAGES, "nothing"]) {
        await go(page, path);
        await check(path);
      }
      await go(page, "keys");
      await page.fill("#name", locale);
      await page.click(".new-key button");
      await page.click(".act summary");
      await check("a new key");
      await go(page, "try");
      await runQuery(page);
      for (const view of ["table", "picture", "json"]) {
        await page.click(`#tab-view-${view}`);
        await check(view);
      }
      await go(page, "");
      await page.click(".usage summary");
      await check("usage");
      await page.context().clearCookies();
      await go(page, "");
      await check("the sign-in page");
      expect(errors).toEqual([]);
    },
  );

  it("fits a phone 360 px wide, in Chinese", async () => {
    const phone = { viewport: { width: 360, height: 740 }, locale: "zh-CN", colorScheme: "dark" } as const;
    const { page } = await signedIn(phone);
    for (const path of PAGES) {
      await go(page, path);
      if (path === "try") {
        await runQuery(page);
        await page.click("#tab-view-picture");
      }
      expect(await page.getAttribute("html", "lang")).toBe("zh-CN");
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBe(360);
      expect.soft(await axeFindings(page), path).toEqual([]);
      await picture(page, `console-phone-${path.replace(/\W/g, "-")}`);
    }
    await go(page, "");
    const code = await page.locator(".requests .code").first().boundingBox();
    expect((code?.x ?? 999) + (code?.width ?? 0)).toBeLessThan(360);
  });

  it("passes axe's rules at five widths", async () => {
    const { page } = await signedIn();
    for (const path of PAGES) {
      await go(page, path);
      expect.soft(await findingsAtWidths(page), path).toEqual([]);
    }
    for (const dataset of ["trade", "quote"]) {
      await go(page, `try?op=level2_${dataset}_history`);
      await runQuery(page);
      await page.click("#tab-view-picture");
      expect.soft(await findingsAtWidths(page), `a chart of ${dataset}s`).toEqual([]);
    }
  });

  it("keeps the chosen language and theme, and so do the documentation and shares", async () => {
    const { page } = await signedIn();
    await page.click("text=Dark");
    await page.click("text=中文");
    await go(page, "keys");
    expect(await page.getAttribute("html", "data-theme")).toBe("dark");
    expect(await textOf(page, "h1")).toBe("密钥");
    for (const path of ["/", "/docs/", `/s/${"a".repeat(20)}/`, "/nothing"]) {
      await page.goto(service.baseUrl + path);
      expect(await page.getAttribute("html", "data-theme"), path).toBe("dark");
      expect(await page.getAttribute("html", "lang"), path).toBe("zh-CN");
    }
    await page.goto(`${service.baseUrl}/docs/zh/fields`);
    await page.click("text=English");
    expect(page.url()).toBe(`${service.baseUrl}/docs/en/fields`);
    await go(page, "keys");
    expect(await textOf(page, "h1")).toBe("Keys");
  });
});

describe.skipIf(isMissing("chromium"))("the console, operated by keyboard only,", () => {
  it("lets a user skip to the content, run the form and change the view", async () => {
    const { page } = await signedIn();
    await go(page, "try");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement?.className")).toBe("skip");
    await page.keyboard.press("Enter");
    await page.focus("#field-symbol");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#views:not([hidden])");
    await page.focus("#tab-view-table");
    await page.keyboard.press("ArrowRight");
    expect(await page.getAttribute("#tab-view-picture", "aria-selected")).toBe("true");
    await page.keyboard.press("ArrowRight");
    expect(await page.isVisible("#view-json")).toBe(true);
  });
});
