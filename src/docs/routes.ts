/** `GET /openapi.json` and the pages below `/docs/`, mounted at the root. */
import { type Context, Hono } from "hono";
import { accepts } from "hono/accepts";
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import { servedSpans } from "../catalog/days.ts";
import { perDataset } from "../datasets/registry.ts";
import { settingsOf, VERSION } from "../env.ts";
import type { AppEnv } from "../http/request-log.ts";
import { PAGE_POLICY } from "../pages/frame.tsx";
import { chooseLook, LANGUAGE_TAGS, type Look, lookOf, type PageLanguage } from "../pages/look.ts";
import { EXAMPLE, type ExampleFacts } from "./example-day.ts";
import { landingPage } from "./landing.tsx";
import { docsPage, lostPage, pathOf } from "./layout.tsx";
import { openApiDocument } from "./openapi/document.ts";
import { type PageSlug, SLUGS } from "./pages.ts";

/** The documentation changes with each deployment and each new day, so caches may keep it for only a minute. */
const CACHE = "public, max-age=60";
/** Pages also depend on the reader's theme and language, so no shared cache may store them. */
const PAGE_CACHE = "private, max-age=60";

/**
 * Returns all routes of the documentation.
 *
 * @example app.route("/", docsRoutes())
 */
export function docsRoutes(): Hono<AppEnv> {
  const routes = new Hono<AppEnv>();
  routes.get("/", forPeople);
  routes.get("/openapi.json", openApi);
  // Hono needs groups around alternatives.
  const ofLanguage = "/docs/:language{(?:zh|en)}";
  for (const path of ["/docs", ofLanguage]) {
    routes.get(path, firstPage);
    routes.get(`${path}/`, firstPage);
  }
  routes.get(`${ofLanguage}/:slug{(?:${SLUGS.join("|")})}`, docs);
  return routes;
}

/** The OpenAPI document of the latest request. It is reused as long as `from`, the JSON of its facts, is the same. */
let made: { from: string; text: string } | undefined;

async function openApi(c: Context<AppEnv>): Promise<Response> {
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
export function lostFor(c: Context<AppEnv>, refusal: Response): Response | null {
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

function lookFor(c: Context<AppEnv>): Look {
  return lookOf(c.req.raw, c.var.language);
}

/** Redirects to the first page. Its language is the one in the path, or else the reader's. */
function firstPage(c: Context<AppEnv>): Response {
  note(c);
  const language = (c.req.param("language") as PageLanguage | undefined) ?? lookFor(c).language;
  const headers = headersOf(c, { Location: pathOf("quickstart", language), Vary: "Accept-Language, Cookie" });
  return new Response(null, { status: 302, headers });
}

/** Serves the landing page to browsers; scripts get the usual 404 with the API's path. */
async function forPeople(c: Context<AppEnv>, next: () => Promise<void>): Promise<Response | undefined> {
  if (!c.req.header("Accept")?.includes("text/html")) return void (await next());
  return page(c, lookFor(c), "Accept, Accept-Language, Cookie", landingPage);
}

function docs(c: Context<AppEnv>): Promise<Response> {
  const { language, slug } = c.req.param() as { language: PageLanguage; slug: PageSlug };
  return page(c, { ...lookFor(c), language }, "Cookie", (look, example) => docsPage(slug, look, example));
}

async function page(
  c: Context<AppEnv>,
  look: Look,
  vary: string,
  textOf: (look: Look, example: ExampleFacts) => string,
): Promise<Response> {
  note(c);
  const chosen = chooseLook(c.req.raw, look);
  if (chosen !== null) return chosen;
  const headers = headersOf(c, { ...pageHeaders(look.language), "Cache-Control": PAGE_CACHE, Vary: vary });
  return new Response(textOf(look, await exampleFacts(c)), { headers });
}

function pageHeaders(language: PageLanguage): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Language": LANGUAGE_TAGS[language],
    "Content-Security-Policy": PAGE_POLICY,
  };
}

function headersOf(c: Context<AppEnv>, more: Readonly<Record<string, string>>): Record<string, string> {
  return {
    ...SECURITY_HEADERS,
    "Cross-Origin-Resource-Policy": "cross-origin",
    "X-Request-Id": c.var.log.requestId,
    ...more,
  };
}

/**
 * Returns the service's URL and each dataset's newest day. A dataset without days gets the newest day of orders. If
 * there is no such day, or the catalog cannot be read, the day of `EXAMPLE` replaces it.
 */
async function exampleFacts(c: Context<AppEnv>): Promise<ExampleFacts> {
  const base = settingsOf(c.env).PUBLIC_BASE_URL ?? new URL(c.req.url).origin;
  const newest = (await servedSpans(c.env.DB).catch(() => null))?.newest;
  const orders = newest?.orders ?? EXAMPLE.tradedate;
  return { base, days: perDataset("name", (name) => newest?.[name] ?? orders) };
}

function note(c: Context<AppEnv>): void {
  c.var.log.note({ interface: "docs", code: 200 });
}
