/** What all pages share: the document, its assets, the menu, language and appearance, notices and cards. */
import type { Child } from "hono/jsx";
import type { Asset } from "../pages/assets.ts";
import { PAGE_POLICY as COMMON_POLICY, Frame } from "../pages/frame.tsx";
import type { Look } from "../pages/look.ts";
import { ASSETS } from "./assets.ts";
import { MESSAGES, type Messages, type PageName } from "./messages.ts";

/** Beside the common policy: scripts ask the service itself, and the charts draw a cursor from a data address. */
export const PAGE_POLICY = `${COMMON_POLICY.replace("img-src 'self'", "img-src 'self' data:")}; connect-src 'self'`;

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
  libraries?: readonly Asset[];
  children?: Child;
}

const PAGES: readonly PageName[] = ["overview", "keys", "data", "try", "shares"];

/** Returns where a page is. */
export function pathOf(page: PageName): string {
  return page === "overview" ? "/console/" : `/console/${page}`;
}

/** A whole document; write it with `documentOf`. */
export function Layout({ reader, title, page, scripts = [], libraries = [], children }: LayoutProps) {
  const { account } = reader;
  return (
    <Frame
      look={reader}
      title={title}
      place="console"
      styles={[ASSETS.style]}
      scripts={scripts}
      libraries={libraries}
      account={account === null ? null : <SignedIn account={account} messages={MESSAGES[reader.language]} />}
      menu={account === null ? null : <Menu page={page} messages={MESSAGES[reader.language]} />}
    >
      {children}
    </Frame>
  );
}

function SignedIn({
  account,
  messages,
}: {
  account: { accountId: string; formToken: string };
  messages: Messages;
}) {
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
