import { describe, expect, it } from "vitest";
import type { Block } from "../../src/docs/markdown.ts";
import { PAGES, SLUGS } from "../../src/docs/pages.ts";
import { SNIPPETS } from "../../src/docs/snippets.ts";
import { FIELDS } from "../../src/orders/record.ts";
import { CODE_OF_REASON } from "../conformance/expect-refusal.ts";
import {
  axeFindings,
  DESK,
  findingsAtWidths,
  PHONE,
  picture,
  SCREENSHOTS,
  testBrowser,
} from "../support/browser.ts";
import { oneOrder } from "../support/builders.ts";
import { call } from "../support/http-client.ts";
import { loadWeekdays, publish } from "../support/operator.ts";
import { testService } from "../support/test-service.ts";
import { isMissing } from "../support/tools.ts";

const LANGUAGES = ["zh", "en"] as const;
const ALL = LANGUAGES.flatMap((language) => SLUGS.map((slug) => `/docs/${language}/${slug}`));

/** The themes differ only in colours, so only screenshots need both. */
const THEMES = SCREENSHOTS === undefined ? (["light"] as const) : (["light", "dark"] as const);

const open = testBrowser();
const service = await testService();
await loadWeekdays(service, "20260101", "20261231");

const get = (path: string, headers: Record<string, string> = {}) =>
  call(`${service.baseUrl}${path}`, { method: "GET", headers });

describe("the documentation below /docs/", () => {
  it.each([
    ["/docs/", "en-GB,en;q=0.9", "/docs/en/quickstart"],
    ["/docs", "zh-CN,zh;q=0.9", "/docs/zh/quickstart"],
    ["/docs/", "fr", "/docs/zh/quickstart"],
    ["/docs/en", "zh", "/docs/en/quickstart"],
  ])("redirects %s for the language %s to %s", async (path, language, to) => {
    const answer = await get(path, { "accept-language": language });
    expect([answer.status, answer.headers.location]).toEqual([302, to]);
  });

  it("has the same blocks in both languages", () => {
    for (const slug of SLUGS) {
      const kinds = LANGUAGES.map((language) => PAGES[slug][language].blocks.map(shapeOf));
      expect(kinds[0], slug).toEqual(kinds[1]);
    }
  });

  it("shows every snippet, every field and every reason", async () => {
    for (const language of LANGUAGES) {
      const shown = new Set(
        SLUGS.flatMap((slug) =>
          PAGES[slug][language].blocks.map((each) => (each.kind === "code" ? each.snippet : "")),
        ),
      );
      expect(Object.keys(SNIPPETS).filter((name) => !shown.has(name as never))).toEqual([]);
      const fields = (await get(`/docs/${language}/fields`)).text;
      for (const field of FIELDS) expect(fields).toContain(`<code>${field}</code>`);
      const errors = (await get(`/docs/${language}/errors`)).text;
      for (const reason of Object.keys(CODE_OF_REASON)) expect(errors).toContain(`<code>${reason}</code>`);
    }
  });

  it("always uses the newest loaded day in its commands", async () => {
    for (const tradedate of ["20260309", "20260310"]) {
      await publish(service, oneOrder(tradedate));
      for (const path of ["/docs/zh/quickstart", "/docs/en/quickstart", "/openapi.json"]) {
        const { text } = await get(path);
        const asked = [...text.matchAll(/tradedate(?:&quot;|"): ?(?:&quot;|")(\d{8})/g)].map(
          ([, day]) => day,
        );
        expect([...new Set(asked)], path).toEqual([tradedate]);
      }
    }
  });

  it("has no dead link", async () => {
    const pages = new Map(
      await Promise.all(ALL.map(async (path) => [path, (await get(path)).text] as const)),
    );
    for (const [path, html] of pages) {
      expect(html, path).toContain("<h1>");
      for (const [, href = ""] of html.matchAll(/ href="([^"]+)"/g)) {
        const [to = "", id] = href.split("#");
        if (to === "/console/" || to === "/openapi.json") continue;
        if (/^\/(docs\/(zh|en)\/)?$/.test(to)) {
          expect((await get(to, { accept: "text/html" })).status, `${path}: ${href}`).toBeLessThan(400);
          continue;
        }
        if (/^\/-assets\//.test(to)) expect((await get(to)).status, `${path}: ${href}`).toBe(200);
        else {
          const target = to === "" ? html : pages.get(to);
          expect(target, `${path}: ${href}`).toBeDefined();
          if (id !== undefined) expect(target, `${path}: ${href}`).toContain(` id="${id}"`);
        }
      }
    }
  });

  it("answers unknown paths with 404 not_found", async () => {
    for (const path of ["/docs/fr/fields", "/docs/en/nothing", "/-assets/docs-0.css"]) {
      const answer = await get(path);
      expect([answer.status, answer.reason], path).toEqual([404, "not_found"]);
    }
  });
});

describe("the path /", () => {
  it("returns a start page to browsers, and 404 with a link to the documentation to scripts", async () => {
    const accept = "text/html,application/xhtml+xml,*/*;q=0.8";
    const browsers = await get("/", { accept, "accept-language": "en" });
    expect([browsers.status, browsers.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    for (const said of [">Quick start</a>", "<svg ", "curl", "&quot;code&quot;: 200"]) {
      expect(browsers.text).toContain(said);
    }
    const scripts = await get("/", { accept: "*/*" });
    expect([scripts.status, scripts.reason]).toEqual([404, "not_found"]);
    expect(scripts.text).toContain("/docs/");
  });
});

describe.skipIf(isMissing("chromium"))("the documentation in a browser", () => {
  it("runs no inline script, contacts no other host, and obeys its content security policy", async () => {
    const { page, requests, errors } = await open();
    for (const path of ALL) {
      await page.goto(service.baseUrl + path);
      const html = await page.content();
      expect(html, path).not.toMatch(/<style|style="|onclick|<script(?! src)/);
    }
    expect(requests.filter((url) => !url.startsWith(service.baseUrl))).toEqual([]);
    expect(errors).toEqual([]);
  });

  // Each language covers every second page, because the elements that axe checks are the same in both languages.
  it.each(["zh-CN", "en-US"])(
    "passes axe's rules in both themes and at five widths, in %s",
    async (locale) => {
      const { page } = await open({ ...DESK, locale });
      const language = locale.slice(0, 2);
      const docs = SLUGS.filter((_, place) => (place % 2 === 0) === (language === "en"));
      for (const path of ["/", "/nothing", ...docs.map((slug) => `/docs/${language}/${slug}`)]) {
        await page.goto(service.baseUrl + path);
        await page.emulateMedia({ colorScheme: "dark" });
        expect.soft(await axeFindings(page, ["color-contrast"]), `${path}, dark`).toEqual([]);
        await page.emulateMedia({ colorScheme: "light" });
        expect.soft(await findingsAtWidths(page), path).toEqual([]);
      }
    },
  );

  it("shows a page's table of contents only on a wide screen", async () => {
    const { page } = await open({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${service.baseUrl}/docs/en/quickstart`);
    await page.click(".contents a[href='#duckdb']");
    expect(new URL(page.url()).hash).toBe("#duckdb");
    await page.setViewportSize({ width: 900, height: 900 });
    expect(await page.isVisible(".contents")).toBe(false);
  });

  it("prints a page without menus and buttons", async () => {
    const { page } = await open();
    await page.goto(`${service.baseUrl}/docs/en/quickstart`);
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    for (const gone of [".top", ".menu", ".next", "button[data-copy]"]) {
      expect(await page.locator(gone).first().isVisible(), gone).toBe(false);
    }
    expect(await page.isVisible("h1")).toBe(true);
    const ink = await page.evaluate("getComputedStyle(document.querySelector('h1')).color");
    expect(ink).toBe("rgb(23, 32, 31)");
  });

  it("copies a command exactly as it is shown", async () => {
    const { page } = await open({
      ...DESK,
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.goto(`${service.baseUrl}/docs/en/quickstart`);
    await page.click("button[data-copy=code-environment]");
    await page.waitForSelector("button.done");
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toBe(`export EDGETAPE_URL=${service.baseUrl}\nexport EDGETAPE_KEY=et_...`);
  });

  it.each(THEMES)("fits a screen 360 px wide on every page, in the %s theme", async (colorScheme) => {
    const { page } = await open({ ...PHONE, colorScheme });
    for (const path of ALL) {
      await page.goto(service.baseUrl + path);
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBe(360);
      await picture(page, `docs-phone-${colorScheme}${path.replaceAll("/", "-")}`);
    }
    await page.click(".menu summary");
    await page.click('.menu details a[href$="/fields"]');
    expect(await page.textContent("h1")).toBe(PAGES.fields.en.title);
  });

  it.each(THEMES)("fits a desktop screen and shows its menu, in the %s theme", async (colorScheme) => {
    const { page } = await open({ ...DESK, colorScheme });
    for (const path of ALL) {
      await page.goto(service.baseUrl + path);
      expect(await page.isVisible(".menu > ul a[aria-current]")).toBe(true);
      expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBe(1280);
      await picture(page, `docs-desk-${colorScheme}${path.replaceAll("/", "-")}`);
    }
  });
});

/** Returns the properties of a block that must be equal in both languages: its kind, its names and its numbers of parts. */
function shapeOf(block: Block): unknown {
  const { kind, id, snippet, items, rows, head } = { ...EMPTY, ...block };
  return [kind, id, snippet, items.length, rows.length, head.length];
}

const EMPTY = { id: "", snippet: "", items: [] as unknown[], rows: [] as unknown[], head: [] as unknown[] };
