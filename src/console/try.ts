/** Try it: its page, and the requests that are run from it. */
import { beijingDate } from "../calendar/beijing.ts";
import { servedSpan } from "../catalog/day-span.ts";
import { serveApi } from "../operations/serve-api.ts";
import { type ConsoleContext, type Desk, deskOf, html } from "./exchange.ts";
import { isFormToken, isSameOrigin } from "./session.ts";
import { FORMS } from "./try-forms.ts";
import { tryPage } from "./try-page.tsx";

/** Where the form token of a run stands. */
const FORM_TOKEN = "X-Form-Token";

/** Longer values of the address are not put into fields. */
const MAX_VALUE = 200;

/** The page with the form of the operation that the address names. */
export async function showTry({ c, env, settings, nowMs, reader }: Desk): Promise<Response> {
  const asked = c.req.query("op");
  const form = FORMS.find(({ apiname }) => apiname === asked) ?? FORMS[0];
  if (form === undefined) throw new Error("there is no form");
  const { newest } = await servedSpan(env.DB);
  const given = new Map(
    Object.entries(c.req.query()).map(([name, value]) => [name, value.slice(0, MAX_VALUE)]),
  );
  const base = settings.PUBLIC_BASE_URL ?? new URL(c.req.url).origin;
  const year = Number(beijingDate(nowMs).slice(0, 4));
  return html(c, tryPage({ reader, form, given, apiUrl: `${base}/api`, newestDay: newest ?? "", year }));
}

/**
 * Runs a request of `POST /api` as the signed-in holder: the session stands in for the key, everything else,
 * from the rate limit to slot and quota, is the same code.
 */
export async function runRequest(c: ConsoleContext): Promise<Response> {
  const desk = await deskOf(c);
  if (desk === null) return refused("signed_out", 401);
  const isOwn = isSameOrigin(c.req.raw) && (await isFormToken(c.req.header(FORM_TOKEN) ?? null, desk.who));
  if (!isOwn) return refused("form_foreign", 403);
  const { env, settings, nowMs, who } = desk;
  const { log } = c.var;
  const scope = {
    env,
    settings,
    ctx: c.executionCtx,
    requestId: log.requestId,
    origin: new URL(c.req.url).origin,
    nowMs,
    signal: c.req.raw.signal,
    log,
  };
  const response = await serveApi(c.req.raw, scope, who.principal);
  // What any origin may read of /api, with a key in hand, is no other origin's here, where a cookie speaks.
  response.headers.delete("Access-Control-Allow-Origin");
  response.headers.delete("Access-Control-Expose-Headers");
  response.headers.set("Cross-Origin-Resource-Policy", "same-origin");
  return response;
}

/** A run that reached no operation; the page goes to the door, or asks to be loaded anew. */
function refused(reason: "signed_out" | "form_foreign", status: number): Response {
  return Response.json({ error: reason }, { status, headers: { "Cache-Control": "no-store" } });
}
