/** The Chromium that Debian ships, driven by playwright-core. */
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/** Where Debian's package puts it. */
const EXECUTABLE = "/usr/bin/chromium";

/** Starts the browser; it may not sandbox itself where tests run as root. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE, args: ["--no-sandbox"] });
}

/** What a page did that a person would not see. */
export interface Watched {
  page: Page;
  /** Addresses of all requests. */
  requests: string[];
  /** Errors of scripts and of the content policy. */
  errors: string[];
  close(): Promise<void>;
}

/** A page in a context of its own, watched. */
export async function watchedPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Watched> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const requests: string[] = [];
  const errors: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    // The browser itself reports every answer of 400 and above here.
    if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
      errors.push(message.text());
    }
  });
  return { page, requests, errors, close: () => context.close() };
}

/** The widths at which pages are looked at: two telephones, a tablet, two desks. */
export const WIDTHS = [360, 390, 768, 1280, 1440] as const;

/** What axe finds wrong with the page, as text. Its script goes in by the debugger, past the page's policy. */
export async function axeFindings(page: Page, rules = "{}"): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) {
    const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
    await page.evaluate(await readFile(path, "utf8"));
  }
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${rules})`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html }) => `${id}: ${target} ${html}`));
}

/** What axe finds wrong at each of the widths, and where the page is wider than its window. */
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
