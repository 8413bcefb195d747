/** What all pages of the drive share: the document, its assets, the way to the other language. */
import type { Child } from "hono/jsx";
import { ASSETS } from "./assets.ts";
import { type PageLanguage, WORDS } from "./words.ts";

/** Pages load their own style, script and icon, and nothing from anybody else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

interface LayoutProps {
  language: PageLanguage;
  title: string;
  children?: Child;
}

/** A whole document; write it with `document`. */
export function Layout({ language, title, children }: LayoutProps) {
  const words = WORDS[language];
  return (
    <html lang={words.htmlLang}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="icon" href={ASSETS.icon.path} type="image/svg+xml" />
        <link rel="stylesheet" href={ASSETS.style.path} />
        <script src={ASSETS.script.path} defer />
      </head>
      <body>
        <div class="tape" aria-hidden="true" />
        <header class="top">
          <span class="brand">edgetape</span>
          {/* A form, not a link: whoever mirrors the page by its links gets it once. */}
          <form method="get" class="language">
            <button
              type="submit"
              name="lang"
              value={words.other.language}
              lang={WORDS[words.other.language].htmlLang}
            >
              {words.other.name}
            </button>
          </form>
        </header>
        <main>{children}</main>
      </body>
    </html>
  );
}

/** The text of a page. */
export function documentOf(page: ReturnType<typeof Layout>): string {
  return `<!doctype html>${page}`;
}
