/** `GET /openapi.json` and the pages below `/docs/`. The integrating app mounts them at the root. */
import { type Context, Hono } from "hono";
import { type Env, settingsOf, VERSION } from "../env.ts";
import { SECURITY_HEADERS } from "../http/headers.ts";
import type { Language } from "../http/language.ts";
import type { RequestLog } from "../http/request-log.ts";
import { openApiDocument } from "./openapi/document.ts";

/** The app around the pages opens the log and reads the language that messages are to be in. */
export type DocsEnv = { Bindings: Env; Variables: { log: RequestLog; language: Language } };

/** Documentation changes with a deployment only. */
const CACHE = "public, max-age=300";

/**
 * All routes of the documentation.
 *
 * @example app.route("/", docsRoutes())
 */
export function docsRoutes(): Hono<DocsEnv> {
  const docs = new Hono<DocsEnv>();
  docs.get("/openapi.json", openApi);
  return docs;
}

/** The document as last made: it is the same for every request of one address. */
let made: { base: string; text: string } | undefined;

function openApi(c: Context<DocsEnv>): Response {
  note(c);
  const base = baseOf(c);
  if (made?.base !== base) made = { base, text: JSON.stringify(openApiDocument(base, VERSION)) };
  return new Response(made.text, {
    headers: {
      ...SECURITY_HEADERS,
      "Access-Control-Allow-Origin": "*",
      "Cache-Control": CACHE,
      "Content-Type": "application/json; charset=utf-8",
      "X-Request-Id": c.var.log.requestId,
    },
  });
}

/** Where the service is reached, as its own pages write it. */
function baseOf(c: Context<DocsEnv>): string {
  return settingsOf(c.env).PUBLIC_BASE_URL ?? new URL(c.req.url).origin;
}

function note(c: Context<DocsEnv>): void {
  c.var.log.note({ interface: "docs", code: 200 });
}
