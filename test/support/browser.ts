/** The Chromium that Debian ships, driven by playwright-core. */
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
