/** Language and appearance of the pages: chosen once by a link, then kept in a cookie; else the browser's. */
import type { Language } from "../http/language.ts";
import type { PageLanguage, Theme } from "./messages.ts";

const COOKIE = "edgetape_look";
const YEAR_SECONDS = 365 * 86_400;

export interface Look {
  language: PageLanguage;
  theme: Theme;
}

/** How pages look to the sender of `request`; `preferred` is the browser's language. */
export function lookOf(request: Request, preferred: Language): Look {
  const kept = /(?:^|;\s*)edgetape_look=(zh|en)\.(auto|light|dark)/.exec(request.headers.get("Cookie") ?? "");
  const language = kept?.[1] as PageLanguage | undefined;
  const theme = kept?.[2] as Theme | undefined;
  return { language: language ?? (preferred === "en" ? "en" : "zh"), theme: theme ?? "auto" };
}

/** The answer to an address that chooses (`?lang=`, `?theme=`): back to the page itself; null when it does not. */
export function chooseLook(request: Request, present: Look): Response | null {
  const url = new URL(request.url);
  const lang = url.searchParams.get("lang");
  const theme = url.searchParams.get("theme");
  if (lang === null && theme === null) return null;
  const chosen: Look = {
    language: lang === "zh" || lang === "en" ? lang : present.language,
    theme: theme === "light" || theme === "dark" || theme === "auto" ? theme : present.theme,
  };
  url.searchParams.delete("lang");
  url.searchParams.delete("theme");
  const secure = url.protocol === "https:" ? "; Secure" : "";
  const cookie = `${COOKIE}=${chosen.language}.${chosen.theme}; Path=/console; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
  return new Response(null, {
    status: 303,
    headers: { Location: url.pathname + url.search, "Set-Cookie": cookie, "Cache-Control": "no-store" },
  });
}
