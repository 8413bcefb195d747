/** `GET /openapi.json` and the pages below `/docs/`, mounted at the root. */
import { type Context, Hono } from "hono";
import { accepts } from "hono/accepts";
import type { Language } from "../base/language.ts";
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import { newestDays } from "../catalog/days.ts";
import { perDataset } from "../datasets/registry.ts";
import { type Env, settingsOf, VERSION } from "../env.ts";
import type { RequestLog } from "../http/request-log.ts";
import { PAGE_POLICY } from "../pages/frame.tsx";
import { chooseLook, type Look, lookOf, type PageLanguage } from "../pages/look.ts";
import { EXAMPLE, type ExampleFacts } from "./example-day.ts";
import { landingPage } from "./landing.tsx";
import { docsPage, lostPage, pathOf } from "./layout.tsx";
import { openApiDocument } from "./openapi/document.ts";
import { SLUGS } from "./pages.ts";

/** The app opens the log and sets the language before these routes run. */
export type DocsEnv = { Bindings: Env; Variables: { log: RequestLog; language: Language } };

/** Documentation changes with a deployment and with the newest day. */
const CACHE = "public, max-age=60";
/** Pages depend on the reader's theme and language too. */
const PAGE_CACHE = "private, max-age=60";

/**
 * Returns all routes of the documentation.
 *
 * @example app.route("/", docsRoutes())
 */
export function docsRoutes(): Hono<DocsEnv> {
  const docs = new Hono<DocsEnv>();
  docs.get("/", forPeople);
  docs.get("/openapi.json", openApi);
  docs.get("/docs", toFirstPage);
  docs.get("/docs/", toFirstPage);
  docs.get("/docs/:language", ofLanguage);
  docs.get("/docs/:language/", ofLanguage);
  docs.get("/docs/:language/:slug", page);
  return docs;
}

/** The latest OpenAPI document; `from` is the JSON of its facts. Requests with the same facts get the same document. */
let made: { from: string; text: string } | undefined;

async function openApi(c: Context<DocsEnv>): Promise<Response> {
  note(c);
  const facts = await exampleFacts(c);
  const from = JSON.stringify(facts);
  if (made?.from !== from) made = { from, text: JSON.stringify(openApiDocument(facts, VERSION)) };
  return new Response(made.text, {
    headers: headersOf(c, {
      "Access-Control-Allow-Origin": "*",
      "Cache-Control": CACHE,
      "Content-Type": "application/json; charset=utf-8",
    }),
  });
}

/**
 * Returns the HTML page for an unknown address with the headers of `refusal`; null for a caller that does not prefer
 * HTML.
 */
export function lostFor(c: Context<DocsEnv>, refusal: Response): Response | null {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return null;
  const types = ["application/json", "text/html"];
  if (accepts(c, { header: "Accept", supports: types, default: "application/json" }) !== "text/html") {
    return null;
  }
  const look = lookFor(c);
  const chosen = chooseLook(c.req.raw, look);
  if (chosen !== null) return chosen;
  const headers = new Headers(refusal.headers);
  for (const [name, value] of Object.entries(pageHeaders(look.language))) headers.set(name, value);
  headers.set("Cache-Control", "no-store");
  headers.set("Vary", "Accept, Accept-Language, Cookie");
  return new Response(lostPage(look, c.var.log.requestId), { status: refusal.status, headers });
}

type Next = () => Promise<void>;

const LANGUAGES: readonly PageLanguage[] = ["zh", "en"];

/** Returns the language in the path, or undefined. */
function languageIn(c: Context<DocsEnv>): PageLanguage | undefined {
  return LANGUAGES.find((each) => each === c.req.param("language"));
}

function lookFor(c: Context<DocsEnv>): Look {
  return lookOf(c.req.raw, c.var.language);
}

function toFirstPage(c: Context<DocsEnv>): Response {
  return firstPage(c, lookFor(c).language);
}

/** Serves the landing page to browsers; scripts get the usual 404 with the API's path. */
async function forPeople(c: Context<DocsEnv>, next: Next): Promise<Response | undefined> {
  if (!c.req.header("Accept")?.includes("text/html")) return void (await next());
  note(c);
  const look = lookFor(c);
  const chosen = chooseLook(c.req.raw, look);
  if (chosen !== null) return chosen;
  const vary = "Accept, Accept-Language, Cookie";
  const headers = headersOf(c, { ...pageHeaders(look.language), "Cache-Control": PAGE_CACHE, Vary: vary });
  return new Response(landingPage(look, await exampleFacts(c)), { headers });
}

async function ofLanguage(c: Context<DocsEnv>, next: Next): Promise<Response | undefined> {
  const language = languageIn(c);
  return language === undefined ? void (await next()) : firstPage(c, language);
}

function firstPage(c: Context<DocsEnv>, language: PageLanguage): Response {
  note(c);
  const headers = headersOf(c, { Location: pathOf("quickstart", language), Vary: "Accept-Language, Cookie" });
  return new Response(null, { status: 302, headers });
}

async function page(c: Context<DocsEnv>, next: Next): Promise<Response | undefined> {
  const language = languageIn(c);
  const slug = SLUGS.find((each) => each === c.req.param("slug"));
  if (language === undefined || slug === undefined) return void (await next());
  note(c);
  const look = { ...lookFor(c), language };
  const chosen = chooseLook(c.req.raw, look);
  if (chosen !== null) return chosen;
  const example = await exampleFacts(c);
  const headers = headersOf(c, { ...pageHeaders(language), "Cache-Control": PAGE_CACHE, Vary: "Cookie" });
  return new Response(docsPage(slug, look, example), { headers });
}

function pageHeaders(language: PageLanguage): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Language": language === "en" ? "en" : "zh-CN",
    "Content-Security-Policy": PAGE_POLICY,
  };
}

function headersOf(c: Context<DocsEnv>, more: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Request-Id": c.var.log.requestId,
    ...more,
  };
}

/**
 * Returns the service's URL and each dataset's newest day. A dataset without days has the orders' newest day, which is
 * the example day when the catalog has no orders or cannot be read.
 */
async function exampleFacts(c: Context<DocsEnv>): Promise<ExampleFacts> {
  const base = settingsOf(c.env).PUBLIC_BASE_URL ?? new URL(c.req.url).origin;
  const newest = await newestDays(c.env.DB).catch(() => null);
  const orders = newest?.orders ?? EXAMPLE.tradedate;
  return { base, days: perDataset("name", (name) => newest?.[name] ?? orders) };
}

function note(c: Context<DocsEnv>): void {
  c.var.log.note({ interface: "docs", code: 200 });
}
