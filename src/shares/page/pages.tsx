/** The frame of a share's pages, the page with the password form, and the listing of a folder. */
import type { Child } from "hono/jsx";
import type { DatasetName } from "../../datasets/registry.ts";
import { assetOf } from "../../pages/assets.ts";
import calendarStyle from "../../pages/calendar.css" with { type: "text" };
import { exactBytes, instantText, sizeText } from "../../pages/figures.ts";
import { documentOf, Frame } from "../../pages/frame.tsx";
import type { Look } from "../../pages/look.ts";
import { type Entry, hrefOf } from "../resource.ts";
import { OneSecurity } from "./commands.tsx";
import { MESSAGES, type Messages } from "./messages.ts";
import shareStyle from "./share.css" with { type: "text" };

const STYLE = assetOf("share", "css", calendarStyle + shareStyle);

/**
 * Renders a whole document; serialise it with `documentOf`. The header has no links, so that mirror tools follow only
 * the links in the content.
 */
export function Layout({ look, title, children }: { look: Look; title: string; children?: Child }) {
  return (
    <Frame look={look} title={title} styles={[STYLE]} linkless>
      {children}
    </Frame>
  );
}

interface PasswordFacts {
  look: Look;
  /** The form's action; null when no password would help. */
  action: string | null;
  /** The value of the hidden user name that password managers store with the password. */
  shareId: string;
  /** The problem of the last attempt; null at the first visit. */
  problem: string | null;
  requestId: string;
}

/** Returns the page with the password form, or with the reason why there is none, as HTML. */
export function passwordPage({ look, action, shareId, problem, requestId }: PasswordFacts): string {
  const messages = MESSAGES[look.language];
  const title = action === null ? "edgetape" : messages.enter;
  return documentOf(
    <Layout look={look} title={title}>
      <section class="password card">
        <h1>{title}</h1>
        {problem === null ? null : (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        {action === null ? null : (
          <form method="post" action={action}>
            <input type="text" name="username" value={shareId} autocomplete="username" hidden readonly />
            <label for="password">{messages.password}</label>
            <input
              id="password"
              name="password"
              type="password"
              autocomplete="current-password"
              required
              autofocus
            />
            <button type="submit" class="primary">
              {messages.open}
            </button>
            <p class="hint">{messages.passwordHint}</p>
          </form>
        )}
        <p class="request">
          {messages.requestId} <code>{requestId}</code>
        </p>
      </section>
    </Layout>,
  );
}

interface FolderFacts {
  look: Look;
  /** The folder's path inside the share, with its trailing slash. */
  path: string;
  entries: readonly Entry[];
  /** The share's URL, with a trailing slash. */
  shareUrl: string;
  shareId: string;
  /**
   * The datasets for which the page names the file of a single security, without a link to it. Empty outside a day's
   * folder.
   */
  bySymbol: readonly DatasetName[];
}

/** Returns the listing as HTML, with one plain link for each name. It is never paged, so that a mirror is complete. */
export function folderPage({ look, path, entries, bySymbol, ...share }: FolderFacts): string {
  const messages = MESSAGES[look.language];
  return documentOf(
    <Layout look={look} title={path}>
      <p class="up">
        <a href={"../".repeat(path.split("/").length - 1)}>{messages.folderUp}</a>
      </p>
      <h1 class="path">{path}</h1>
      <p class="lead">{messages.folderFiles(entries.length)}</p>
      <section class="card listing">
        <table class="files">
          <thead>
            <tr>
              <th scope="col">{messages.name}</th>
              <th scope="col" class="number">
                {messages.fileSize}
              </th>
              <th scope="col">
                {messages.published} <small>{messages.beijing}</small>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <EntryRow entry={entry} messages={messages} />
            ))}
          </tbody>
        </table>
      </section>
      {bySymbol.length === 0 ? null : (
        <OneSecurity messages={messages} share={share} path={path} datasets={bySymbol} />
      )}
    </Layout>,
  );
}

function EntryRow({ entry, messages }: { entry: Entry; messages: Messages }) {
  return (
    <tr>
      <td>
        <a href={hrefOf(entry)}>{entry.name}</a>
        {entry.sha256 === undefined ? null : <code class="sum">{entry.sha256}</code>}
      </td>
      <td class="number" title={entry.sizeBytes === undefined ? undefined : exactBytes(entry.sizeBytes)}>
        {entry.sizeBytes === undefined ? "" : sizeText(entry.sizeBytes)}
      </td>
      <td class="when">
        {instantText(entry.lastModifiedMs)}
        {entry.revision === undefined || entry.revision === 1 ? null : (
          <small> · {messages.revision(entry.revision)}</small>
        )}
      </td>
    </tr>
  );
}
