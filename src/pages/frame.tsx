/** The frame of every page: the document, its common assets, the header with theme and language. */
import type { Child } from "hono/jsx";
import { type Asset, COMMON } from "./assets.ts";
import { LANGUAGE_TAGS, type Look, type Theme } from "./look.ts";
import { byLanguage } from "./texts.ts";

/** The content security policy: pages load only the service's own styles, scripts and images. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const MESSAGES = byLanguage({
  skip: ["跳到正文", "Skip to content"],
  places: ["站点", "Site"],
  docs: ["文档", "Docs"],
  console: ["控制台", "Console"],
  theme: ["外观", "Appearance"],
  themes: { auto: ["自动", "Auto"], light: ["浅色", "Light"], dark: ["深色", "Dark"] },
  otherLanguage: ["English", "中文"],
});

const THEMES: readonly Theme[] = ["auto", "light", "dark"];

export interface FrameProps {
  look: Look;
  title: string;
  /** Styles that are loaded after the common style, in this order. */
  styles: readonly Asset[];
  /** Modules that are loaded in addition to the common script. */
  scripts?: readonly Asset[];
  /** Classic scripts that define a global, loaded before the modules. */
  libraries?: readonly Asset[];
  /** Additional elements of the head. */
  head?: Child;
  /** Whether the page has copy buttons. */
  copies?: boolean;
  /** The section of the site that the page belongs to. */
  place?: "docs" | "console";
  /**
   * Whether the header has no links. It has none on a page that lists files, because a mirror tool follows every link.
   */
  linkless?: boolean;
  /** The signed-in account, shown in the header. */
  account?: Child;
  /** The menu of the section, below the header. */
  menu?: Child;
  children?: Child;
}

/** Renders a whole document; serialise it with `documentOf`. */
export function Frame(props: FrameProps) {
  const { look, title, styles, scripts = [], libraries = [], head, menu, account, children } = props;
  const { copies = true } = props;
  const messages = MESSAGES[look.language];
  return (
    <html lang={LANGUAGE_TAGS[look.language]} data-theme={look.theme === "auto" ? undefined : look.theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title === "edgetape" ? title : `${title} · edgetape`}</title>
        <link rel="icon" href={COMMON.icon.path} type="image/svg+xml" />
        {[COMMON.style, ...styles].map(({ path }) => (
          <link rel="stylesheet" href={path} />
        ))}
        {[...(copies ? [COMMON.copy] : []), ...libraries].map(({ path }) => (
          <script src={path} defer />
        ))}
        {scripts.map(({ path }) => (
          <script type="module" src={path} />
        ))}
        {head}
      </head>
      <body>
        {props.linkless ? null : (
          <a class="skip" href="#main">
            {messages.skip}
          </a>
        )}
        <header class="top">
          <div class="bar">
            <Places {...props} />
            {account}
            <Preferences look={look} />
          </div>
          {menu}
        </header>
        <main id="main" tabindex={-1}>
          {children}
        </main>
      </body>
    </html>
  );
}

/** Returns the HTML text of a page. */
export function documentOf(page: ReturnType<typeof Frame>): string {
  return `<!doctype html>${page}`;
}

/** Renders the product's name and links to its sections; on a page without links, they are buttons. */
function Places({ look: { language }, place, linkless = false }: FrameProps) {
  const { docs, console, places } = MESSAGES[language];
  const link = (kind: "brand" | "place", path: string, name: Child, isHere = false) =>
    linkless ? (
      <form method="get" action={path}>
        <button type="submit" class={kind}>
          {name}
        </button>
      </form>
    ) : (
      <a class={kind} href={path} aria-current={isHere ? "true" : undefined}>
        {name}
      </a>
    );
  const sections = (
    <>
      {link("place", `/docs/${language}/`, docs, place === "docs")}
      {link("place", "/console/", console, place === "console")}
    </>
  );
  return (
    <>
      {link("brand", "/", [<span class="tape" aria-hidden="true" />, "edgetape"])}
      {linkless ? (
        sections
      ) : (
        <nav class="places" aria-label={places}>
          {sections}
        </nav>
      )}
    </>
  );
}

/** Renders theme and language as forms rather than links, so that crawlers and mirrors do not follow them. */
function Preferences({ look: { language, theme } }: { look: Look }) {
  const messages = MESSAGES[language];
  const other = language === "en" ? "zh" : "en";
  return (
    <form method="get" class="look">
      <fieldset class="themes" aria-label={messages.theme}>
        {THEMES.map((each) => (
          <button type="submit" name="theme" value={each} aria-pressed={each === theme ? "true" : "false"}>
            {messages.themes[each]}
          </button>
        ))}
      </fieldset>
      <div class="language">
        <button type="submit" name="lang" value={other} lang={LANGUAGE_TAGS[other]}>
          {messages.otherLanguage}
        </button>
      </div>
    </form>
  );
}
