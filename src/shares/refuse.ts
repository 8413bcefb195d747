/** Answers to requests that are turned away: a page for browsers, one line for tools. */
import { PAGE_POLICY } from "../pages/frame.tsx";
import { type Look, lookOf } from "../pages/look.ts";
import { type DriveDenial, describe } from "./denial.ts";
import { driveHeaders, type Exchange } from "./exchange.ts";
import { passwordPage } from "./page/password-page.tsx";
import { finiteDepthError } from "./webdav.ts";

/**
 * Tools are asked for Basic credentials. A browser would ask by a window of its own, which cannot explain
 * anything: it gets a challenge that it does not know, and the page's form.
 */
const BASIC = 'Basic realm="edgetape share", charset="UTF-8"';
const FORM = 'Edgetape-Form realm="edgetape share"';

/** The answer to a denied request; its reason is told to the log. */
export function refuse(exchange: Exchange, denial: DriveDenial): Response {
  const { method, log } = exchange;
  const { status } = describe(denial);
  log.note({ reason: denial.reason });
  const forPeople = wantsPage(exchange);
  const headers = driveHeaders(log.requestId, { "X-Reason": denial.reason });
  switch (denial.reason) {
    case "password_wrong":
      headers.set("WWW-Authenticate", forPeople ? FORM : BASIC);
      break;
    case "password_locked":
      headers.set("Retry-After", String(denial.retryAfterSeconds));
      break;
    case "method_not_allowed":
      headers.set("Allow", denial.allowed);
      break;
    case "range_beyond_end":
      headers.set("Content-Range", `bytes */${denial.sizeBytes}`);
      break;
    case "downloads_busy":
    case "unavailable":
      headers.set("Retry-After", "5");
  }
  const { type, text } = bodyOf(exchange, denial, forPeople);
  headers.set("Content-Type", type);
  if (forPeople) headers.set("Content-Security-Policy", PAGE_POLICY);
  return new Response(method === "HEAD" ? null : text, { status, headers });
}

/** Whether a person looks at the answer: browsers name HTML when they go to a page, tools do not. */
export function wantsPage({ method, request }: Pick<Exchange, "method" | "request">): boolean {
  if (!["GET", "HEAD", "POST"].includes(method)) return false;
  return (request.headers.get("Accept") ?? "").includes("text/html");
}

/** Returns how pages look to the sender: as chosen, else in the browser's language. */
export function lookFor({ request, language }: Pick<Exchange, "request" | "language">): Look {
  return lookOf(request, language);
}

function bodyOf(exchange: Exchange, denial: DriveDenial, forPeople: boolean): { type: string; text: string } {
  const { language, log, door } = exchange;
  const { words } = describe(denial);
  if (denial.reason === "depth_infinite") {
    return { type: "application/xml; charset=utf-8", text: finiteDepthError() };
  }
  if (!forPeople) {
    const sentence = language === "both" ? `${words.zh} ${words.en}` : words[language];
    return {
      type: "text/plain; charset=utf-8",
      text: `${sentence} [${denial.reason} · ${log.requestId}]\n`,
    };
  }
  const look = lookFor(exchange);
  const mayEnter = ["password_wrong", "form_foreign"].includes(denial.reason);
  const untried = denial.reason === "password_wrong" && !denial.given;
  const text = passwordPage({
    look,
    action: mayEnter ? `/s/${encodeURIComponent(door.shareId)}/` : null,
    shareId: door.shareId,
    problem: untried ? null : words[look.language],
    requestId: log.requestId,
  });
  return { type: "text/html; charset=utf-8", text };
}
