/** Tests the Try it page in a real browser: messages about failures, saved content, keyboard use and layout shifts. */
import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { PlanName } from "../../src/entitlement/principal.ts";
import { testBrowser } from "../support/browser.ts";
import { inviteTo, publishSample } from "../support/console.ts";
import { type CuttingProxy, startCuttingProxy } from "../support/cutting-proxy.ts";
import { type AccountRequest, account, loadWeekdays } from "../support/operator.ts";
import { type Service, startService } from "../support/service.ts";
import { isMissing } from "../support/tools.ts";

const DAY = "20260311";
const REQUEST_ID = /request id [0-9a-z]{12,}/;

let service: Service;
const open = testBrowser();
let line: CuttingProxy;
beforeAll(async () => {
  if (isMissing("chromium")) return;
  service = await startService();
  line = await startCuttingProxy(service.baseUrl);
  await loadWeekdays(service, "20260101", "20261231");
  await publishSample(service, "20260310", 600);
  // With this number of rows, 600519 fills more than one page.
  await publishSample(service, DAY, 120_000);
});
afterAll(async () => {
  await line?.stop();
  await service?.stop();
});

/** Opens the Try it page for a new account, through the proxy that cuts connections. `query` fills in the form. */
async function tryIt(asked: AccountRequest, query = ""): Promise<Page> {
  const { accountId } = await account(service, { keys: 0, ...asked });
  const invite = new URL(await inviteTo(service, accountId));
  const { page } = await open();
  await page.goto(line.baseUrl + invite.pathname);
  await page.click("button.primary");
  await page.goto(`${line.baseUrl}/console/try?${query}`);
  return page;
}

const outcome = async (page: Page) => (await page.textContent("#outcome")) ?? "";
const focused = (page: Page) => page.evaluate<string>("document.activeElement?.id");

/** Presses Run, or another button, waits until the run is over, and returns the message shown. */
async function run(page: Page, button = "#run"): Promise<string> {
  await page.click(button);
  await page.waitForSelector('#run[aria-disabled="false"]');
  return outcome(page);
}

describe.skipIf(isMissing("chromium"))("the Try it page, after a refused request,", () => {
  it.each<[number, string, PlanName, string]>([
    [403, "plan_missing", "free", ""],
    [422, "param_invalid", "flagship", "symbol=6005190"],
    [1002, "security_unknown", "flagship", "symbol=600999"],
  ])("shows the reason and the request id: %i %s", async (code, reason, plan, query) => {
    const page = await tryIt({ plan }, query);
    expect(await run(page)).toMatch(new RegExp(`^${code} .*\\[${reason} · [0-9a-z]{12,}\\]`));
    expect(await page.isVisible("#view-json")).toBe(true);
    expect(await page.textContent("#json")).toContain(`"code": ${code}`);
  });

  it("shows 429 when the previous run has used up the day's quota", async () => {
    const page = await tryIt({ plan: "professional", limits: { files: 1 } }, "format=parquet");
    const [download] = await Promise.all([page.waitForEvent("download"), run(page)]);
    expect(await download.path()).toBeTruthy();
    expect(await outcome(page)).toContain("0 files left today");
    expect(await run(page)).toMatch(/^429 .*\[quota_used · /);
    expect(await page.isVisible("#file")).toBe(false);
  });

  it("shows 503 for a damaged day", async () => {
    const page = await tryIt({ plan: "flagship" }, "tradedate=20260310");
    const db = await service.mf.getD1Database("DB");
    await db.prepare("UPDATE order_days SET state = 'damaged' WHERE tradedate = '20260310'").run();
    expect(await run(page)).toMatch(/^503 .*\[day_damaged · /);
  });

  it("links to the sign-in page when the session has ended", async () => {
    const page = await tryIt({ plan: "flagship" });
    await page.context().clearCookies();
    expect(await run(page)).toBe("Your session has ended. Load the page again");
    await page.click("#outcome a");
    expect(await page.textContent("main")).toContain("one-time link");
  });
});

describe.skipIf(isMissing("chromium"))("a run over a broken connection", () => {
  it("says that the service cannot be reached when the browser is offline", async () => {
    const page = await tryIt({ plan: "flagship" });
    await page.context().setOffline(true);
    expect(await run(page)).toContain("cannot be reached");
    await page.context().setOffline(false);
    expect(await run(page)).toMatch(/^200 /);
  });

  it("shows no part of an incomplete page or file, and gives the request id", async () => {
    for (const query of ["", "format=parquet"]) {
      const page = await tryIt({ plan: "flagship" }, query);
      // The proxy cuts only new connections. Without idle connections, the run opens a new one.
      await line.dropIdle();
      line.cutAfter([20_000]);
      const said = await run(page);
      expect(said).toContain("broke off before its end");
      expect(said).toMatch(REQUEST_ID);
      for (const id of ["#views", "#file"]) expect(await page.isVisible(id)).toBe(false);
    }
  });
});

describe.skipIf(isMissing("chromium"))("the Try it page", () => {
  it("loads further pages, keeps the form in the URL, and saves the loaded data as CSV and JSON", async () => {
    const page = await tryIt({ plan: "flagship" }, `symbol=600519&tradedate=${DAY}`);
    await page.fill("#field-fields", "time,price,volume");
    await run(page);
    expect(await page.textContent("#pages")).toBe("1 page loaded");
    await run(page, "#next-page");
    const status = page.locator("#view-table .rows-bar [role=status]");
    expect(await status.textContent()).toMatch(/^Rows 10,001–10,100 of [\d,]+ loaded$/);
    await page.fill("#row-of-items", "257");
    await page.press("#row-of-items", "Enter");
    expect(await status.textContent()).toContain("Rows 201–300 of");
    expect(await page.textContent(".records tbody tr .place")).toBe("201");

    const [csv] = await Promise.all([page.waitForEvent("download"), page.click("#view-table .saving")]);
    const lines = (await readFile(await csv.path(), "utf8")).trimEnd().split("\r\n");
    expect(lines[0]).toBe("time,price,volume");
    const loaded = Number(/of ([\d,]+)/.exec((await status.textContent()) ?? "")?.[1]?.replaceAll(",", ""));
    expect(lines).toHaveLength(loaded + 1);

    await page.click("#tab-view-picture");
    expect(await page.textContent("#view-picture")).toContain("The charts need the fields");
    await page.click("#tab-view-json");
    const [json] = await Promise.all([page.waitForEvent("download"), page.click("#view-json .saving")]);
    expect(JSON.parse(await readFile(await json.path(), "utf8")).data.has_more).toBe(false);

    await page.reload();
    expect(await page.inputValue("#field-fields")).toBe("time,price,volume");
  });
});

describe.skipIf(isMissing("chromium"))("the `Try it` form, before its script is loaded,", () => {
  it("cannot be submitted, because the browser would send it without the operation", async () => {
    const page = await tryIt({ plan: "flagship" });
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route("**/-assets/try*.js", (route) => held.then(() => route.continue()));
    await page.goto(`${line.baseUrl}/console/try?op=data_symbols&tradedate=${DAY}`, { waitUntil: "commit" });
    await page.focus("#field-tradedate");
    expect(await page.isDisabled("#run")).toBe(true);
    await page.keyboard.press("Enter");
    expect(page.url()).toContain("op=data_symbols");
    letGo();
    expect(await run(page)).toMatch(/^200 /);
  });
});

describe.skipIf(isMissing("chromium"))("the Try it page, operated by keyboard only,", () => {
  it("keeps the focus while running a query, loading the next page and hiding an order kind", async () => {
    const page = await tryIt({ plan: "flagship" });
    await page.focus("#run");
    await page.keyboard.press("Enter");
    await page.waitForSelector("#views:not([hidden])");
    expect(await focused(page)).toBe("run");
    await page.focus("#next-page");
    await page.keyboard.press("Enter");
    await page.waitForSelector('#next-page[aria-disabled="true"]');
    await page.waitForSelector('#run[aria-disabled="false"]');
    expect(await focused(page)).toBe("next-page");
    await page.focus("#tab-view-table");
    await page.keyboard.press("ArrowRight");
    await page.focus("#kind-cancel");
    await page.keyboard.press("Space");
    expect(await focused(page)).toBe("kind-cancel");
    expect(await page.locator(".u-legend").first().textContent()).not.toContain("cancel");
  });

  it("outlines every control that has the focus", async () => {
    const page = await tryIt({ plan: "flagship" });
    const unseen: string[] = [];
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press("Tab");
      const [name, width] = await page.evaluate<[string, string]>(
        `[document.activeElement.outerHTML.slice(0, 60), getComputedStyle(document.activeElement).outlineWidth]`,
      );
      if (!name.startsWith("<body") && Number.parseFloat(width) < 2) unseen.push(name);
    }
    expect(unseen).toEqual([]);
  });
});

describe.skipIf(isMissing("chromium"))("the layout of the Try it page", () => {
  it("does not shift in any view while an answer or the next page arrives", async () => {
    const page = await tryIt({ plan: "flagship" });
    await page.evaluate(`
      window.moved = [];
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries())
          window.moved.push(value + " " + sources.map(({ node }) => node?.id || node?.className || node?.nodeName));
      }).observe({ type: "layout-shift", buffered: true });
    `);
    // Clicks by script, because the browser ignores layout shifts for half a second after a real click.
    const press = (id: string) => page.evaluate(`document.getElementById("${id}").click()`);
    for (const id of ["run", "tab-view-picture", "next-page", "tab-view-json", "tab-view-table", "run"]) {
      await press(id);
      await page.waitForSelector('#run[aria-disabled="false"]');
      await page.waitForSelector("#views:not([hidden])");
    }
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await page.evaluate("window.moved")).toEqual([]);
  });
});
