/** The listing of a folder inside a share: every name once, as a plain link. */

import { exactBytes, instantText, sizeText } from "../../pages/figures.ts";
import { documentOf } from "../../pages/frame.tsx";
import type { Look } from "../../pages/look.ts";
import { type Entry, hrefOf } from "../resource.ts";
import { Layout } from "./layout.tsx";
import { WORDS, type Words } from "./messages.ts";

export interface FolderFacts {
  look: Look;
  /** The folder's path inside the share. */
  path: string;
  /** Relative path of the share's root. */
  root: string;
  entries: readonly Entry[];
  /** An example of a security's file to tell of, not to link. */
  bySymbol: string | null;
}

/** The listing as HTML; never paged, so that a mirror is whole. */
export function folderPage({ look, path, root, entries, bySymbol }: FolderFacts): string {
  const words = WORDS[look.language];
  return documentOf(
    <Layout look={look} title={path}>
      <p class="up">
        <a href={root}>{words.folderUp}</a>
      </p>
      <h1 class="path">{path}</h1>
      <p class="lead">{words.folderFiles(entries.length)}</p>
      <section class="card listing">
        <table class="files">
          <thead>
            <tr>
              <th scope="col">{words.name}</th>
              <th scope="col" class="number">
                {words.fileSize}
              </th>
              <th scope="col">
                {words.published} <small>{words.beijing}</small>
              </th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <EntryRow entry={entry} words={words} />
            ))}
          </tbody>
        </table>
      </section>
      {bySymbol === null ? null : (
        <p class="note">
          {words.bySymbolNote} <code>{bySymbol}</code>
        </p>
      )}
    </Layout>,
  );
}

function EntryRow({ entry, words }: { entry: Entry; words: Words }) {
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
          <small> · {words.revision(entry.revision)}</small>
        )}
      </td>
    </tr>
  );
}
