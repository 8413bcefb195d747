/** The context of a request to the console, the headers of every page, and the sign-in page. */
import type { Context } from "hono";
import { SECURITY_HEADERS } from "../base/security-headers.ts";
import type { By } from "../catalog/accounts.ts";
import { type Env, nowMs, type Settings, settingsOf } from "../env.ts";
import type { AppEnv } from "../http/request-log.ts";
import { documentOf } from "../pages/frame.tsx";
import { lookOf } from "../pages/look.ts";
import { type Holder, Layout, Notice, PAGE_POLICY, type Reader } from "./layout.tsx";
import { MESSAGES, type Messages, type Problem } from "./messages.ts";
import { isFormToken, isSameOrigin, type SignedIn, signedIn } from "./session.ts";

export type ConsoleContext = Context<AppEnv>;

/** The largest form body the console accepts. */
const MAX_FORM_BYTES = 4_096;

/** A request of a signed-in holder. */
export interface Desk {
  c: ConsoleContext;
  env: Env;
  settings: Settings;
  nowMs: number;
  who: SignedIn;
  reader: Holder;
}

/**
 * Headers of pages: no caching (a page can show a key), no type sniffing, framing or indexing, and the referrer only
 * within this origin. With `no-referrer`, browsers would send `Origin: null` with the console's forms.
 */
const PAGE_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "Content-Type": "text/html; charset=utf-8",
  "Cache-Control": "no-store, no-transform",
  "Content-Security-Policy": PAGE_POLICY,
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "same-origin",
  "X-Robots-Tag": "noindex, nofollow",
};

/** Returns a page, a `Layout`, as the answer. */
export function html(c: ConsoleContext, page: ReturnType<typeof Layout>, status = 200): Response {
  const headers = { ...PAGE_HEADERS, "X-Request-Id": c.var.log.requestId };
  return new Response(c.req.method === "HEAD" ? null : documentOf(page), { status, headers });
}

/** Returns a redirect to another page of the console after a form. */
export function seeOther(path: string, more: Record<string, string> = {}): Response {
  return new Response(null, {
    status: 303,
    headers: { Location: path, "Cache-Control": "no-store", ...more },
  });
}

/** Returns the current Unix milliseconds by the deployment's clock. */
export function nowOf(c: ConsoleContext): number {
  return nowMs(settingsOf(c.env));
}

/** Returns the reader with the language and theme of the request's sender. */
export function readerOf<Account>(c: ConsoleContext, account: Account): Reader<Account> {
  const look = lookOf(c.req.raw, c.var.language);
  return { ...look, account, messages: MESSAGES[look.language] };
}

interface SignInFacts {
  /** The action of the button; null without a button. */
  action?: string | null;
  /** Identifies repeated presses of the same button. */
  press?: string;
  problem?: Problem | null;
  status?: number;
}

/**
 * Returns the sign-in page for a caller without a session. Opening the page does not use up a sign-in link, because
 * link previews and scanners open links too.
 */
export function signInFirst(c: ConsoleContext, facts: SignInFacts) {
  const { action = null, press, problem = null, status = 200 } = facts;
  if (problem !== null) c.var.log.note({ reason: problem });
  const reader = readerOf(c, null);
  const { messages } = reader;
  const page = (
    <Layout reader={reader} title={messages.signIn}>
      <section class="sign-in card">
        <h1>{messages.signIn}</h1>
        {problem === null ? null : <Notice kind="problem" text={messages.problems[problem]} />}
        {action === null ? (
          <p class="quiet">{messages.signInNote}</p>
        ) : (
          <form method="post" action={action}>
            <input type="hidden" name="press" value={press} />
            <p>{messages.signInInvite}</p>
            <button type="submit" class="primary" autofocus>
              {messages.signIn}
            </button>
          </form>
        )}
        {problem === null ? null : <RequestId id={c.var.log.requestId} messages={messages} />}
      </section>
    </Layout>
  );
  return html(c, page, status);
}

/** Returns a page for a signed-in reader that contains only the description of a problem. */
export function problem({ c, reader }: Desk, what: Problem, status: number): Response {
  c.var.log.note({ reason: what });
  const { messages } = reader;
  const page = (
    <Layout reader={reader} title={messages.console}>
      <Notice kind="problem" text={messages.problems[what]} />
      <RequestId id={c.var.log.requestId} messages={messages} />
    </Layout>
  );
  return html(c, page, status);
}

/** Returns the context of a signed-in holder's request, or null. */
export async function deskOf(c: ConsoleContext): Promise<Desk | null> {
  const settings = settingsOf(c.env);
  const now = nowMs(settings);
  const who = await signedIn(c.env.DB, c.req.raw, now);
  if (who === null) return null;
  const { accountId } = who.principal;
  c.var.log.note({ accountId });
  const reader = readerOf(c, { accountId, formToken: who.formToken });
  return { c, env: c.env, settings, nowMs: now, who, reader };
}

/** Returns the holder as the actor of an audit entry. */
export function byHolder({ who, nowMs }: Desk): By {
  return { actor: { kind: "account", name: who.principal.accountId }, nowMs };
}

/** Serves a page to a signed-in holder, and the sign-in page to other callers. */
export function forHolder(serve: (desk: Desk) => Response | Promise<Response>) {
  return async (c: ConsoleContext): Promise<Response> => {
    const desk = await deskOf(c);
    return desk === null ? signInFirst(c, { problem: "signed_out", status: 401 }) : serve(desk);
  };
}

/** Passes a form to `serve` if a signed-in holder sent it from this origin with the session's form token. */
export function forHolderForm(serve: (desk: Desk, form: URLSearchParams) => Promise<Response>) {
  return forHolder(async (desk) => {
    const form = isSameOrigin(desk.c.req.raw) ? await formOf(desk.c.req.raw) : null;
    if (form === null || !isFormToken(form.get("form"), desk.who)) {
      return problem(desk, "form_foreign", 403);
    }
    return serve(desk, form);
  });
}

/** Returns the posted form; null when the body is not a URL-encoded form, is too large or is incomplete. */
export async function formOf(request: Request): Promise<URLSearchParams | null> {
  const type = request.headers.get("Content-Type") ?? "";
  const length = Number(request.headers.get("Content-Length") ?? Number.NaN);
  if (!/^application\/x-www-form-urlencoded\b/i.test(type) || !(length <= MAX_FORM_BYTES)) return null;
  const text = await request.text().catch(() => null);
  return text === null ? null : new URLSearchParams(text);
}

/** Renders the request id for support. */
function RequestId({ id, messages }: { id: string; messages: Messages }) {
  return (
    <p class="request-id">
      {messages.requestId} <code>{id}</code>
    </p>
  );
}
