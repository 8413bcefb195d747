/** Shared parts of all pages: the document, assets, menu, language and theme, notices and cards. */
import type { Child } from "hono/jsx";
import type { Asset } from "../pages/assets.ts";
import { PAGE_POLICY as COMMON_POLICY, Frame } from "../pages/frame.tsx";
import type { Look } from "../pages/look.ts";
import { ASSETS } from "./assets.ts";
import type { Messages, PageName } from "./messages.ts";

/** The common policy, extended: scripts may call the service, and charts may use a cursor image from a data URL. */
export const PAGE_POLICY = `${COMMON_POLICY.replace("img-src 'self'", "img-src 'self' data:")}; connect-src 'self'`;

/** The reader of a page. `account` is null when no one is signed in; `formToken` is the token in the session's forms. */
export interface Reader<Account = { accountId: string; formToken: string } | null> extends Look {
  account: Account;
  messages: Messages;
}

/** A signed-in reader. */
export type Holder = Reader<NonNullable<Reader["account"]>>;

interface LayoutProps {
  reader: Reader;
  /** The document's title, which is also the heading of a page for a signed-in reader. */
  title: string;
  /** The current page in the menu. */
  page?: PageName;
  scripts?: readonly Asset[];
  libraries?: readonly Asset[];
  children?: Child;
}

const PAGES: readonly PageName[] = ["overview", "keys", "data", "try", "shares"];

/** Returns the path of a page. */
export function pathOf(page: PageName): string {
  return page === "overview" ? "/console/" : `/console/${page}`;
}

/** Renders a whole document; serialise it with `documentOf`. */
export function Layout({ reader, title, page, children, ...assets }: LayoutProps) {
  const { account, messages } = reader;
  return (
    <Frame
      look={reader}
      title={title}
      place="console"
      styles={[ASSETS.style]}
      {...assets}
      account={account === null ? null : <SignedIn account={account} messages={messages} />}
      menu={account === null ? null : <Menu page={page} messages={messages} />}
    >
      {account === null ? null : <h1>{title}</h1>}
      {children}
    </Frame>
  );
}

function SignedIn({ account, messages }: Pick<Holder, "account" | "messages">) {
  return (
    <form method="post" action="/console/sign-out" class="account">
      <span class="quiet">{messages.signedInAs}</span> <b>{account.accountId}</b>
      <FormToken account={account} />
      <button type="submit">{messages.signOut}</button>
    </form>
  );
}

function Menu({ page, messages }: { page: PageName | undefined; messages: Messages }) {
  return (
    <nav class="pages" aria-label={messages.console}>
      {PAGES.map((each) => (
        <a href={pathOf(each)} aria-current={each === page ? "page" : undefined}>
          {messages.pages[each]}
        </a>
      ))}
    </nav>
  );
}

/** Renders the session's form token. */
export function FormToken({ account }: { account: { formToken: string } }) {
  return <input type="hidden" name="form" value={account.formToken} />;
}

/** Renders a sentence about a problem or a completed action. */
export function Notice({ kind, text }: { kind: "problem" | "done"; text: string }) {
  return (
    <p class={`notice ${kind}`} role={kind === "problem" ? "alert" : "status"}>
      {text}
    </p>
  );
}

/** A labelled value; `wide` values have their own line. */
export interface Fact {
  label: string;
  value: Child;
  wide?: true;
}

/** Renders labelled values. */
export function Facts({ kind, facts }: { kind: "inline" | "stats"; facts: readonly Fact[] }) {
  return (
    <dl class={kind}>
      {facts.map(({ label, value, wide }) => (
        <div class={wide ? "wide" : undefined}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Renders the card of a key or share, with its actions as children. */
export function Card({ name, facts, children }: { name: string; facts: readonly Fact[]; children?: Child }) {
  return (
    <li class="card held">
      <div>
        <h2>{name}</h2>
        <Facts kind="inline" facts={facts} />
      </div>
      <div class="acts">{children}</div>
    </li>
  );
}

interface ActProps {
  summary: string;
  /** The form's action. */
  action: string;
  button: string;
  /** `danger` for irreversible actions. */
  kind: "primary" | "danger";
  account: { formToken: string };
  children?: Child;
}

/** Renders an action: one press opens it, and a press on its button runs it. */
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

interface GridProps {
  /** The text that names the table for screen readers; absent when a heading names it. */
  label?: string;
  /** The id of the heading that names the table. */
  labelledBy?: string;
  /** An additional CSS class of the table. */
  kind?: string;
  /** Whether the table has the border of a card. */
  isCard?: boolean;
  /** Headings of the columns. The heading of a column of numbers is wrapped in an array. */
  headings: readonly (string | [string])[];
  /** The rows. */
  children?: Child;
}

/** Renders a table that scrolls sideways where it is wider than the page. */
export function Grid({ label, labelledBy, kind, isCard = true, headings, children }: GridProps) {
  return (
    <section
      class={isCard ? "card scroll" : "scroll"}
      tabindex={0}
      aria-label={label}
      aria-labelledby={labelledBy}
    >
      <table class={kind === undefined ? "grid" : `grid ${kind}`}>
        <thead>
          <tr>
            {headings.map((heading) => (
              <th scope="col" class={typeof heading === "string" ? undefined : "number"}>
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

interface CopiedProps {
  id: string;
  /** The CSS class of the text's element. */
  kind?: string;
  text: string;
  messages: Messages;
}

/** Renders a text with a button that copies it. */
export function Copied({ id, kind, text, messages }: CopiedProps) {
  return (
    <>
      <code id={id} class={kind}>
        {text}
      </code>{" "}
      <button type="button" data-copy={id} data-done={messages.copied}>
        {messages.copy}
      </button>
    </>
  );
}
