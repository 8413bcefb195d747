/**
 * Routes of the key holder's console. Every page shows only the signed-in account: no route takes an account from the
 * request.
 */
import { Hono } from "hono";
import { settingsOf } from "../env.ts";
import type { AppEnv } from "../http/request-log.ts";
import { chooseLook } from "../pages/look.ts";
import { showData } from "./data.tsx";
import { showDay } from "./day.tsx";
import {
  type ConsoleContext,
  deskOf,
  forHolder,
  forHolderForm,
  problem,
  readerOf,
  seeOther,
  signInFirst,
} from "./desk.tsx";
import { createKey, revoke, roll, showKeys } from "./keys.tsx";
import { showOverview } from "./overview.tsx";
import { endShare, openOwnShare, showShares, tellPassword } from "./shares.tsx";
import { acceptInvite, showInvite, signOut } from "./sign-in.ts";
import { runRequest, showTry } from "./try.tsx";

/**
 * Returns all routes of the console with their whole paths. If they were mounted at `/console`, the paths `/console`
 * and `/console/` could not be distinguished, and relative URLs would break.
 *
 * @example app.route("/", consoleRoutes())
 */
export function consoleRoutes(): Hono<AppEnv> {
  const pages = new Hono<AppEnv>();
  pages.use("/console/*", async function once(c, next) {
    c.var.log.note({ interface: "console" });
    return onHttps(c) ?? (c.req.method === "GET" ? chooseLook(c.req.raw, readerOf(c, null)) : null) ?? next();
  });
  pages.get("/console/invite/:token", showInvite);
  pages.post("/console/invite/:token", acceptInvite);
  pages.post("/console/sign-out", forHolderForm(signOut));
  pages.get("/console", () => seeOther("/console/"));
  pages.get("/console/", forHolder(showOverview));
  pages.get("/console/keys", forHolder(showKeys));
  pages.post("/console/keys", forHolderForm(createKey));
  pages.post("/console/keys/:keyId/roll", forHolderForm(roll));
  pages.post("/console/keys/:keyId/revoke", forHolderForm(revoke));
  pages.get("/console/data", forHolder(showData));
  pages.get("/console/day", forHolder(showDay));
  pages.get("/console/try", forHolder(showTry));
  pages.post("/console/api", runRequest);
  pages.get("/console/shares", forHolder(showShares));
  pages.post("/console/shares/:shareId/open", forHolderForm(openOwnShare));
  pages.post("/console/shares/:shareId/password", forHolderForm(tellPassword));
  pages.post("/console/shares/:shareId/revoke", forHolderForm(endShare));
  pages.all(
    "/console/*",
    forHolder((desk) => problem(desk, "not_found", 404)),
  );
  pages.onError(fault);
  return pages;
}

/**
 * Redirects a GET over plain HTTP to https, and refuses other methods over plain HTTP, so that a session is never sent
 * unencrypted. Returns null for a request over https, and for any request if `PUBLIC_BASE_URL` is not an https URL.
 */
function onHttps(c: ConsoleContext): Response | null {
  const url = new URL(c.req.url);
  const base = settingsOf(c.env).PUBLIC_BASE_URL ?? "";
  if (url.protocol !== "http:" || !base.startsWith("https:")) return null;
  if (c.req.method !== "GET") return signInFirst(c, { problem: "form_foreign", status: 403 });
  return new Response(null, { status: 302, headers: { Location: base + url.pathname + url.search } });
}

/** Shows a generic error page for a fault; the details are logged. */
async function fault(error: Error, c: ConsoleContext): Promise<Response> {
  c.var.log.note({ fault: error.stack ?? String(error) });
  const desk = await deskOf(c).catch(() => null);
  if (desk === null) return signInFirst(c, { problem: "unavailable", status: 503 });
  return problem(desk, "unavailable", 503);
}
