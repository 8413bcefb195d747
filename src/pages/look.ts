/** Language and theme of all pages: the reader's choice, kept in a cookie, else the browser's preference. */

export type PageLanguage = "zh" | "en";
/** The languages as HTML and HTTP name them. */
export const LANGUAGE_TAGS: Readonly<Record<PageLanguage, string>> = { zh: "zh-CN", en: "en" };

export type Theme = "auto" | "light" | "dark";

const COOKIE = "edgetape_look";
const YEAR_SECONDS = 365 * 86_400;

export interface Look {
  language: PageLanguage;
  theme: Theme;
}

/** Returns the language and theme for `request`; `preferred` is the language that the browser prefers. */
export function lookOf(request: Request, preferred: string): Look {
  const kept = /(?:^|;\s*)edgetape_look=(zh|en)\.(auto|light|dark)/.exec(request.headers.get("Cookie") ?? "");
  const language = kept?.[1] as PageLanguage | undefined;
  const theme = kept?.[2] as Theme | undefined;
  return { language: language ?? (preferred === "en" ? "en" : "zh"), theme: theme ?? "auto" };
}

/**
 * Answers a URL that sets a preference (`?lang=`, `?theme=`) with a redirect to the page itself; returns null for any
 * other URL.
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
  // A documentation page has its language in its path.
  const path = url.pathname.replace(/^\/docs\/(?:zh|en)(?=\/|$)/, `/docs/${chosen.language}`);
  const secure = url.protocol === "https:" ? "; Secure" : "";
  const cookie = `${COOKIE}=${chosen.language}.${chosen.theme}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
  return new Response(null, {
    status: 303,
    headers: {
      // The path gets exactly one leading slash, because a path that begins with two would redirect to another host.
      Location: path.replace(/^\/+/, "/") + url.search,
      "Set-Cookie": cookie,
      "Cache-Control": "no-store",
    },
  });
}
