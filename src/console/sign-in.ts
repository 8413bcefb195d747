/** Signs in to the console and out of it. */
import { hashKey } from "../access/key.ts";
import { endSessions, inviteDenial, isInvite, spendInvite } from "../catalog/console-access.ts";
import { settingsOf } from "../env.ts";
import { callerOf, keyedHash } from "../shares/credentials.ts";
import { type ConsoleContext, type Desk, deskOf, formOf, nowOf, seeOther, signInFirst } from "./desk.tsx";
import {
  isSameOrigin,
  isSecure,
  newPress,
  SESSION_MS,
  sessionCookie,
  sessionOfPress,
  sessionTokens,
} from "./session.ts";

/** The format of a link's token. A token of a different format is not looked up. */
const INVITE = /^[0-9A-Za-z]{32}$/;

/** The format of a form token. */
const PRESS = /^[0-9A-Za-z]{43}$/;

/**
 * The number of objects that count wrong links. Several objects share the load, and requests cannot create more of
 * them.
 */
const GUARDS = 64;

/**
 * Serves a page with a sign-in button for a link, or says why the link is refused. Opening the page does not use the
 * link. An unknown link gets the button as well, and is refused only when the button is pressed, which counts as an
 * attempt.
 */
export async function showInvite(c: ConsoleContext): Promise<Response> {
  const token = c.req.param("token") ?? "";
  if (!INVITE.test(token)) return signInFirst(c, { problem: "link_unknown", status: 404 });
  const denial = await inviteDenial(c.env.DB, await hashKey(token), nowOf(c));
  if (denial !== null && denial.reason !== "link_unknown") {
    // A visitor who is signed in and opens a used link is redirected to the console.
    if (denial.reason === "link_spent" && (await deskOf(c)) !== null) return seeOther("/console/");
    return signInFirst(c, { problem: denial.reason, status: 403 });
  }
  return signInFirst(c, { action: `/console/invite/${token}`, press: newPress() });
}

/**
 * Handles the button: uses the link and opens a session. A second press of the same button, as in a double click, gets
 * the same answer as the first, because browsers show only the last answer and ignore the cookies of earlier ones.
 */
export async function acceptInvite(c: ConsoleContext): Promise<Response> {
  if (!isSameOrigin(c.req.raw)) return signInFirst(c, { problem: "form_foreign", status: 403 });
  const token = c.req.param("token") ?? "";
  if (!INVITE.test(token)) return signInFirst(c, { problem: "link_unknown", status: 404 });
  const nowMs = nowOf(c);
  const inviteSha256 = await hashKey(token);
  const isLocked = await isLockedOut(c, await isInvite(c.env.DB, inviteSha256));
  if (isLocked) return signInFirst(c, { problem: "too_many", status: 429 });

  const session = sessionOfPress(token, await pressIn(c));
  const endsAtMs = nowMs + SESSION_MS;
  const sessionSha256 = await hashKey(session);
  const spent = await spendInvite(c.env.DB, { inviteSha256, sessionSha256, nowMs, endsAtMs });
  if (!spent.ok) return signInFirst(c, { problem: spent.refusal.reason, status: 403 });
  c.var.log.note({ accountId: spent.value.accountId });
  const former = await Promise.all(
    sessionTokens(c.req.raw)
      .filter((each) => each !== session)
      .map(hashKey),
  );
  if (former.length > 0) await endSessions(c.env.DB, former);
  return seeOther("/console/", { "Set-Cookie": cookieFor(c, session, SESSION_MS) });
}

/** Returns the form token, which identifies a repeated press. Returns a new token for a form without one. */
async function pressIn(c: ConsoleContext): Promise<string> {
  const press = (await formOf(c.req.raw))?.get("press") ?? "";
  return PRESS.test(press) ? press : newPress();
}

/** Ends the session here and in the catalog. */
export async function signOut({ c, env, who }: Desk): Promise<Response> {
  await endSessions(env.DB, [who.sha256]);
  return seeOther("/console/", { "Set-Cookie": cookieFor(c, "", 0) });
}

function cookieFor(c: ConsoleContext, token: string, lifeMs: number): string {
  // Uses the real clock, because the browser expires the cookie.
  const endMs = lifeMs === 0 ? 0 : Date.now() + lifeMs;
  return sessionCookie(token, { endMs, secure: isSecure(c.req.raw) });
}

/**
 * Counts the attempt and returns whether the address is locked out. Ten wrong links in 15 minutes lock an address out,
 * like ten wrong passwords of a share.
 */
async function isLockedOut(c: ConsoleContext, right: boolean): Promise<boolean> {
  const { SHARE_SECRET, LOCATION_HINT } = settingsOf(c.env);
  const secret = SHARE_SECRET.secrets.get(SHARE_SECRET.current) ?? "";
  const { address } = callerOf(c.req.raw.headers, secret);
  const hashed = keyedHash(secret, `guard console ${address}`);
  const name = `console ${Number.parseInt(hashed.slice(0, 4), 16) % GUARDS}`;
  const guard = c.env.GUARD.getByName(name, { locationHint: LOCATION_HINT });
  return (await guard.attempt({ address: hashed, right })) !== null;
}
