/** What all pages share: the document, its assets, the menu, language and appearance, notices and cards. */
import type { Child } from "hono/jsx";
import { ASSETS as DRIVE_ASSETS } from "../shares/page/assets.ts";
import { ASSETS, type Asset } from "./assets.ts";
import type { Look } from "./look.ts";
import { type PageName, type Theme, WORDS } from "./messages.ts";

/** Pages load their own styles and scripts, ask their own origin, and know nobody else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Whom the page is for. */
export interface Reader extends Look {
  /** Null for somebody who is not signed in. */
  account: { accountId: string; formToken: string } | null;
}

interface LayoutProps {
  reader: Reader;
  title: string;
  /** The page of the menu that is shown. */
  page?: PageName;
  scripts?: readonly Asset[];
  children?: Child;
}

const PAGES: readonly PageName[] = ["overview", "keys", "data", "try", "shares"];
const THEMES: readonly Theme[] = ["auto", "light", "dark"];

/** Where a page is. */
export function pathOf(page: PageName): string {
  return page === "overview" ? "/console/" : `/console/${page}`;
}

/** A whole document; write it with `documentOf`. */
export function Layout({ reader, title, page, scripts = [ASSETS.copy], children }: LayoutProps) {
  const { language, theme, account } = reader;
  const words = WORDS[language];
  return (
    <html lang={words.htmlLang} data-theme={theme === "auto" ? undefined : theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · edgetape`}</title>
        <link rel="icon" href={DRIVE_ASSETS.icon.path} type="image/svg+xml" />
        <link rel="stylesheet" href={ASSETS.style.path} />
        {scripts.map(({ path }) =>
          // uPlot is a classic script that defines a global; ours are modules, which wait for it.
          path === ASSETS.chart.path ? <script src={path} defer /> : <script type="module" src={path} />,
        )}
      </head>
      <body>
        <a class="skip" href="#main">
          {words.skip}
        </a>
        <header class="top">
          <div class="bar">
            <a class="brand" href="/console/">
              <span class="tape" aria-hidden="true" />
              edgetape
            </a>
            {account === null ? null : (
              <span class="account">
                <span class="quiet">{words.signedInAs}</span> <b>{account.accountId}</b>
              </span>
            )}
            <Preferences reader={reader} />
            {account === null ? null : (
              <form method="post" action="/console/sign-out">
                <FormToken account={account} />
                <button type="submit">{words.signOut}</button>
              </form>
            )}
          </div>
          {account === null ? null : (
            <nav class="pages" aria-label={words.console}>
              {PAGES.map((each) => (
                <a href={pathOf(each)} aria-current={each === page ? "page" : undefined}>
                  {words.pages[each]}
                </a>
              ))}
              <a href={`/docs/${language}/`}>{words.docs}</a>
            </nav>
          )}
        </header>
        <main id="main" tabindex={-1}>
          {children}
        </main>
      </body>
    </html>
  );
}

/** Language and appearance: forms, so that nothing but the reader's own press follows them. */
function Preferences({ reader: { language, theme } }: { reader: Reader }) {
  const words = WORDS[language];
  const { other } = words;
  return (
    <form method="get" class="look">
      <fieldset class="themes" aria-label={words.theme}>
        {THEMES.map((each) => (
          <button type="submit" name="theme" value={each} aria-pressed={each === theme ? "true" : "false"}>
            {words.themes[each]}
          </button>
        ))}
      </fieldset>
      <button type="submit" name="lang" value={other.language} lang={WORDS[other.language].htmlLang}>
        {other.name}
      </button>
    </form>
  );
}

/** What makes a form one of this session. */
export function FormToken({ account }: { account: { formToken: string } }) {
  return <input type="hidden" name="form" value={account.formToken} />;
}

/** A sentence about what went wrong (`problem`) or was done (`done`). */
export function Notice({ kind, text }: { kind: "problem" | "done"; text: string }) {
  return (
    <p class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {text}
    </p>
  );
}

/** The text of a page. */
export function documentOf(page: ReturnType<typeof Layout>): string {
  return `<!doctype html>${page}`;
}

/** A labelled value; `wide` ones have a line of their own. */
export interface Fact {
  label: string;
  value: Child;
  wide?: true;
}

/** The card of one key or share, with its acts as children. */
export function Card({ name, facts, children }: { name: string; facts: readonly Fact[]; children?: Child }) {
  return (
    <li class="card held">
      <div>
        <h2>{name}</h2>
        <dl class="inline">
          {facts.map(({ label, value, wide }) => (
            <div class={wide ? "wide" : undefined}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <div class="acts">{children}</div>
    </li>
  );
}

interface ActProps {
  summary: string;
  /** Where its form is posted. */
  action: string;
  button: string;
  /** `danger` for what cannot be undone. */
  kind: "primary" | "danger";
  account: { formToken: string };
  children?: Child;
}

/** An act: opened by a press, carried out by a second one on its button. */
export function Act({ summary, action, button, kind, account, children }: ActProps) {
  return (
    <details class="act">
      <summary>{summary}</summary>
      <form method="post" action={action}>
        <FormToken account={account} />
        {children}
        <button type="submit" class={kind}>
          {button}
        </button>
      </form>
    </details>
  );
}
