/** Language and appearance of all pages: chosen once on any of them, then kept in a cookie; else the browser's. */

export type PageLanguage = "zh" | "en";
export type Theme = "auto" | "light" | "dark";

const COOKIE = "edgetape_look";
const YEAR_SECONDS = 365 * 86_400;

export interface Look {
  language: PageLanguage;
  theme: Theme;
}

/** Returns how pages look to the sender of `request`; `preferred` is the browser's language. */
export function lookOf(request: Request, preferred: string): Look {
  const kept = /(?:^|;\s*)edgetape_look=(zh|en)\.(auto|light|dark)/.exec(request.headers.get("Cookie") ?? "");
  const language = kept?.[1] as PageLanguage | undefined;
  const theme = kept?.[2] as Theme | undefined;
  return { language: language ?? (preferred === "en" ? "en" : "zh"), theme: theme ?? "auto" };
}

/**
 * Returns the answer to an address that chooses (`?lang=`, `?theme=`): back to the page itself; null for any other
 * address.
 */
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
  // A page of documentation has its language in its address.
  const path = url.pathname.replace(/^\/docs\/(?:zh|en)(?=\/|$)/, `/docs/${chosen.language}`);
  const secure = url.protocol === "https:" ? "; Secure" : "";
  const cookie = `${COOKIE}=${chosen.language}.${chosen.theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
  return new Response(null, {
    status: 303,
    headers: {
      // Never more than one slash in front: the address of another host begins with two.
      Location: path.replace(/^\/+/, "/") + url.search,
      "Set-Cookie": cookie,
      "Cache-Control": "no-store",
    },
  });
}
