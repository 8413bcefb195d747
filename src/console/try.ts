/** Try it: its page, and the requests that are run from it. */
import { addDays, type BeijingDate, beijingDate } from "../calendar/beijing.ts";
import { overviewOf } from "../catalog/day-overview.ts";
import { exampleSecurity } from "../catalog/day-securities.ts";
import { servedSpan } from "../catalog/day-span.ts";
import { standingOf } from "../entitlement/standing.ts";
import { serveApi } from "../operations/serve-api.ts";
import { type ConsoleContext, type Desk, deskOf, html } from "./exchange.ts";
import { isFormToken, isSameOrigin } from "./session.ts";
import { FORMS } from "./try-forms.ts";
import { tryPage } from "./try-page.tsx";
import { isServed } from "./year-heat.ts";

/** Where the form token of a run stands. */
const FORM_TOKEN = "X-Form-Token";

/** Kweichow Moutai. */
const KNOWN_SECURITY = "600519";

/** Longer values of the address are not put into fields. */
const MAX_VALUE = 200;

/** Days that the form offers: those of the last 90 before the newest one. */
const OFFERED_DAYS = 90;

/** The page with the form of the operation that the address names. */
export async function showTry(desk: Desk): Promise<Response> {
  const { c, settings, nowMs, reader } = desk;
  const asked = c.req.query("op");
  const form = FORMS.find(({ apiname }) => apiname === asked) ?? FORMS[0];
  if (form === undefined) throw new Error("there is no form");
  const given = new Map(
    Object.entries(c.req.query()).map(([name, value]) => [name, value.slice(0, MAX_VALUE)]),
  );
  const base = settings.PUBLIC_BASE_URL ?? new URL(c.req.url).origin;
  const year = Number(beijingDate(nowMs).slice(0, 4));
  const days = await daysOffered(desk);
  const symbol = await securityOf(desk, given.get("tradedate") ?? days[0] ?? "");
  return html(c, tryPage({ reader, form, given, apiUrl: `${base}/api`, days, symbol, year }));
}

/** The newest served days that the plan covers, newest first; without order history none. */
async function daysOffered({ env, who, nowMs }: Desk): Promise<BeijingDate[]> {
  const window = standingOf(who.principal, nowMs).windows.order_history;
  const { newest } = await servedSpan(env.DB);
  if (newest === null || window === null) return [];
  const first = addDays(newest, -OFFERED_DAYS);
  const from = window.from !== null && window.from > first ? window.from : first;
  const days = await overviewOf(env.DB, { first: from, last: newest, today: newest });
  return days
    .filter(isServed)
    .map(({ tradedate }) => tradedate)
    .toReversed();
}

/** A security that has orders on the day, if it can be read: one that most people know where it is among them. */
async function securityOf({ env }: Desk, tradedate: string): Promise<string> {
  return (await exampleSecurity(env.DB, tradedate, KNOWN_SECURITY)) ?? KNOWN_SECURITY;
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
