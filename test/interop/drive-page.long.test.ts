/**
 * The page of a share in a real browser: form, calendar, files and commands, in both themes and languages and on a
 * phone. `EDGETAPE_SCREENSHOTS=<folder>` stores screenshots.
 */
import { readFile } from "node:fs/promises";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, describe, expect, it } from "vitest";
import { DATASETS } from "../../src/datasets/registry.ts";
import { DAY, PACKS, startDriveWorld } from "../conformance/drive-world.ts";
import { BEFORE_WINDOW, FIRST_OF_WINDOW, HOLIDAY } from "../conformance/world.ts";
import {
  axeFindings,
  DESK,
  findingsAtWidths,
  PHONE,
  picture,
  testBrowser,
  type Watched,
} from "../support/browser.ts";
import { randomRows } from "../support/builders.ts";
import { publishSections } from "../support/dataset-days.ts";
import { randomFrom } from "../support/random.ts";
import { isMissing } from "../support/tools.ts";

const open = testBrowser();
const world = await startDriveWorld();
afterAll(() => world.stop());

async function enter(page: Page, password = world.share.password): Promise<void> {
  await page.goto(world.share.url);
  await page.fill("#password", password);
  await page.press("#password", "Enter");
}

/** Enters the password in the form and waits for the page of the share. */
async function inside(options: BrowserContextOptions = DESK): Promise<Watched> {
  const watched = await open(options);
  await enter(watched.page);
  await watched.page.waitForSelector(".stats");
  return watched;
}

describe.skipIf(isMissing("chromium"))("the page of a share", () => {
  it("asks for the password in a form, reports a wrong password, and opens with the right one", async () => {
    const { page, errors } = await open();
    await enter(page, "wrong");
    expect(await page.textContent(".problem")).toContain("the password is wrong");
    await picture(page, "password");
    await enter(page);
    expect(await page.textContent("h1")).toBe("Full-day ticks 2026");
    expect(page.url()).toBe(world.share.url);
    expect(errors).toEqual([]);
  });

  it("shows the number of days and files, the size and the expiry of the share", async () => {
    const { page } = await inside();
    const stats = await page.locator(".stats dd").allTextContents();
    expect(stats[0]).toMatch(/^3 of \d+$/);
    // For two days the share has only the order pack. For the main day it has all packs and one file of the operator.
    expect(stats[1]).toBe(String(2 + PACKS.length + 1));
    expect(stats[3]).toBe(`2026-03-19 10:00 Beijing time`);
  });

  it("shows in a calendar which days are present, missing, closed or in the future", async () => {
    const { page } = await inside();
    const stateOf = (title: string) => page.locator(`.year [title^="${title}"]`).getAttribute("class");
    expect(await stateOf("2026-03-11")).toContain("present");
    expect(await stateOf("2026-03-10")).toContain("missing");
    expect(await stateOf(`${HOLIDAY.slice(0, 4)}-03-02`)).toContain("closed");
    expect(await stateOf("2026-03-07")).toContain("closed");
    expect(await stateOf("2026-03-12")).toContain("upcoming");
    expect(await stateOf("2026-12-31")).toContain("upcoming");
    expect(await page.locator(".year .day").count()).toBe(365);
  });

  it("lets a reader open a day's folder and download a published file unchanged", async () => {
    const { page } = await inside();
    await page.click(`.year a[href="${DAY}/"]`);
    expect(await page.textContent("h1")).toBe(`${DAY}/`);
    await picture(page, "folder");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click(`a[href="${DAY}_trades.zip"]`),
    ]);
    expect(download.suggestedFilename()).toBe(`${DAY}_trades.zip`);
    const bytes = await readFile(await download.path());
    expect(bytes.equals(world.trades.bytes)).toBe(true);
  });

  it("copies each command as it is shown, and no command contains the password", async () => {
    const { page } = await inside({ ...DESK, permissions: ["clipboard-read", "clipboard-write"] });
    for (const tool of ["wget", "aria2c", "rclone", "duckdb", "pandas"]) {
      await page.click(`label[for="tool-${tool}"]`);
      await page.click(`.panel-${tool} .copy`);
      await page.waitForSelector(`.panel-${tool} .copy.done`);
      const copied = String(await page.evaluate("navigator.clipboard.readText()"));
      expect(copied).toBe(await page.textContent(`#command-${tool}`));
      expect(copied).toContain(world.share.url);
      expect(copied).not.toContain(world.share.password);
    }
    await page.click('button[data-copy="command-check"]');
    await page.waitForSelector('button[data-copy="command-check"].done');
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("sha256sum --check");
    await page.click('button[data-copy="command-security"]');
    await page.waitForSelector('button[data-copy="command-security"].done');
    const one = `"${world.share.url}${DAY}/by-symbol/600519.SH.parquet"`;
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain(one);
  });

  it("contacts no other host, and obeys its content security policy", async () => {
    const { page, requests, errors } = await inside();
    await page.goto(`${world.share.url}${DAY}/`);
    expect(requests.filter((url) => !url.startsWith(world.service.baseUrl))).toEqual([]);
    for (const url of requests) expect(url).not.toContain(world.share.password);
    expect(errors).toEqual([]);
  });

  it("works without scripts, except for copying", async () => {
    const { page } = await inside({ ...DESK, javaScriptEnabled: false });
    await page.click('label[for="tool-rclone"]');
    expect(await page.isVisible("#command-rclone")).toBe(true);
    expect(await page.isVisible(".panel-rclone .copy")).toBe(false);
  });

  it("uses the browser's language, and switches to the other language after a click", async () => {
    const { page } = await inside(PHONE);
    expect(await page.textContent("h1")).toBe("全天逐笔 2026");
    expect(await page.getAttribute("html", "lang")).toBe("zh-CN");
    await page.click(".language button");
    expect(await page.textContent("h1")).toBe("Full-day ticks 2026");
  });

  it.each(["light", "dark"] as const)("passes axe's rules in the %s theme", async (colorScheme) => {
    const { page } = await inside({ ...DESK, colorScheme });
    await picture(page, `desk-${colorScheme}`);
    for (const path of ["", `${DAY}/`, `${DAY}/by-symbol/`]) {
      await page.goto(world.share.url + path);
      expect.soft(await axeFindings(page), path).toEqual([]);
    }
    await page.context().clearCookies();
    await enter(page, "wrong");
    expect.soft(await axeFindings(page), "the form").toEqual([]);
  });

  it("passes axe's rules at five widths", async () => {
    const { page } = await inside();
    expect.soft(await findingsAtWidths(page), "the share").toEqual([]);
    for (const path of [`${DAY}/`, `${DAY}/by-symbol/`, "nothing"]) {
      await page.goto(world.share.url + path);
      expect.soft(await findingsAtWidths(page), path).toEqual([]);
    }
    await page.context().clearCookies();
    await enter(page, "wrong");
    expect.soft(await findingsAtWidths(page), "the form").toEqual([]);
  });

  it("prints its days, files and commands without buttons", async () => {
    const { page } = await inside();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    for (const gone of [".top", ".copy", ".tabs"]) {
      expect(await page.locator(gone).first().isVisible(), gone).toBe(false);
    }
    for (const kept of ["h1", ".stats", ".year", "#command-wget"]) {
      expect(await page.locator(kept).first().isVisible(), kept).toBe(true);
    }
    await picture(page, "print");
  });

  it.each(["light", "dark"] as const)("fits a screen 360 px wide in the %s theme", async (colorScheme) => {
    const { page } = await inside({ ...PHONE, colorScheme });
    await picture(page, `phone-${colorScheme}`);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
    for (const path of [`${DAY}/`, `${DAY}/by-symbol/`]) {
      await page.goto(world.share.url + path);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(360);
      // File names are not cut, and size and day are visible.
      const cells = await page
        .locator(".files td")
        .evaluateAll((all) =>
          all.map((cell) => [cell.scrollWidth <= cell.clientWidth, cell.clientWidth > 0]),
        );
      expect(cells.flat()).not.toContain(false);
    }
  });
});

describe.skipIf(isMissing("chromium"))("the page of a share with an incomplete day", () => {
  it("names the missing datasets in the calendar and in the line above it", async () => {
    const columns = randomRows(randomFrom(20_260_210), DATASETS.trades, { rows: 5 });
    const sections = [{ symbol: "600519", market: "SH" as const, columns }];
    // Trades are published for this day only. Later days should have them too, so the next loaded day is incomplete.
    await publishSections(world.service, "trades", BEFORE_WINDOW, sections);
    for (const [options, said, line] of [
      [DESK, "Incomplete (without trades)", /; 1 is incomplete: 02-11 \(without trades\)$/],
      [PHONE, "不完整（缺成交）", /；1 个交易日不完整：02-11（缺成交）$/],
    ] as const) {
      const { page } = await inside(options);
      expect(await page.getAttribute(`.year a[href="${FIRST_OF_WINDOW}/"]`, "title")).toContain(said);
      expect(await page.textContent(".missing-line")).toMatch(line);
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect.soft(await axeFindings(page), colorScheme).toEqual([]);
        await picture(page, `share-incomplete-${options.locale}-${colorScheme}`);
      }
    }
  });
});
