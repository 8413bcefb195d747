/** Drives Debian's Chromium with playwright-core. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll } from "vitest";
import { isMissing } from "./tools.ts";

/** The path of the browser in Debian's package. */
const EXECUTABLE = "/usr/bin/chromium";

export const DESK: BrowserContextOptions = { viewport: { width: 1280, height: 900 }, locale: "en-GB" };
export const PHONE: BrowserContextOptions = { viewport: { width: 360, height: 780 }, locale: "zh-CN" };

/** A page, with its requests and errors. */
export interface Watched {
  page: Page;
  /** URLs of all requests. */
  requests: string[];
  /** Errors of scripts and violations of the content policy. */
  errors: string[];
}

/**
 * Starts the browser for the tests of the calling file, if it is installed. Returns a function that opens a page in a
 * new context, which is closed at the end of the test.
 */
export function testBrowser(): (options?: BrowserContextOptions) => Promise<Watched> {
  let browser: Browser;
  beforeAll(async () => {
    // Without its sandbox, because the sandbox does not work for root.
    if (!isMissing("chromium"))
      browser = await chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
  });
  afterEach(async () => {
    for (const context of browser?.contexts() ?? []) await context.close();
  });
  afterAll(() => browser?.close());
  return async (options = DESK) => {
    const page = await (await browser.newContext(options)).newPage();
    const requests: string[] = [];
    const errors: string[] = [];
    page.on("request", (request) => requests.push(request.url()));
    page.on("pageerror", (error) => errors.push(String(error)));
    page.on("console", (message) => {
      // For an answer with status 400 or above, the browser itself writes a message, which is not recorded.
      if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
        errors.push(message.text());
      }
    });
    return { page, requests, errors };
  };
}

/** The folder for screenshots, from `EDGETAPE_SCREENSHOTS`. Without it, no screenshots are made. */
export const SCREENSHOTS = process.env.EDGETAPE_SCREENSHOTS;

/** Makes a screenshot of the whole page, if there is a folder for screenshots. */
export async function picture(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS !== undefined)
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), fullPage: true });
}

/** The widths at which pages are checked: two phones, a tablet, two desktops. */
export const WIDTHS = [360, 390, 768, 1280, 1440] as const;

/**
 * Returns axe's findings on the page as text. The script of axe is injected through the debugger, which bypasses the
 * page's policy.
 */
export async function axeFindings(page: Page, runOnly?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) {
    const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    await page.evaluate(await readFile(path, "utf8"));
  }
  // Leaves out the elements that pass, which axe would describe one by one.
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target} ${html}`));
}

/** Returns axe's findings at each width, and the widths at which the page overflows its window. */
export async function findingsAtWidths(page: Page): Promise<string[]> {
  const findings: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    const found = await axeFindings(page);
    const scrolled = await page.evaluate<number>("document.documentElement.scrollWidth");
    if (scrolled > width) found.push(`the page is ${scrolled} px wide`);
    findings.push(...found.map((each) => `${width} px: ${each}`));
  }
  return findings;
}
