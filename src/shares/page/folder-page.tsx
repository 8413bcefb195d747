/** The listing of a folder inside a share, with one plain link for each name. */

import type { DatasetName } from "../../datasets/registry.ts";
import { exactBytes, instantText, sizeText } from "../../pages/figures.ts";
import { documentOf } from "../../pages/frame.tsx";
import type { Look } from "../../pages/look.ts";
import { type Entry, hrefOf } from "../resource.ts";
import { OneSecurity } from "./commands.tsx";
import { Layout } from "./layout.tsx";
import { MESSAGES, type Messages } from "./messages.ts";

export interface FolderFacts {
  look: Look;
  /** The folder's path inside the share. */
  path: string;
  /** The relative path to the share's root. */
  root: string;
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

/** Returns the listing as HTML. It is never paged, so that a mirror is complete. */
export function folderPage({ look, path, root, entries, bySymbol, ...share }: FolderFacts): string {
  const messages = MESSAGES[look.language];
  return documentOf(
    <Layout look={look} title={path}>
      <p class="up">
        <a href={root}>{messages.folderUp}</a>
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
        {entry.sha256 === null ? null : <code class="sum">{entry.sha256}</code>}
      </td>
      <td class="number" title={entry.sizeBytes === null ? undefined : exactBytes(entry.sizeBytes)}>
        {entry.sizeBytes === null ? "" : sizeText(entry.sizeBytes)}
      </td>
      <td class="when">
        {instantText(entry.lastModifiedMs)}
        {entry.revision === null || entry.revision === 1 ? null : (
          <small> · {messages.revision(entry.revision)}</small>
        )}
      </td>
    </tr>
  );
}
