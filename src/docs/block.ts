/** The blocks of a documentation page. Texts can contain `code`, **strong** and [links](/docs/en/fields). */
import type { SnippetName } from "./snippets.ts";

export type DocsLanguage = "zh" | "en";

export type Block =
  | { kind: "text"; text: string }
  /** `id` is part of URLs, so it stays when the text changes. */
  | { kind: "heading"; id: string; text: string }
  | { kind: "list"; items: readonly string[] }
  | { kind: "table"; head: readonly string[]; rows: readonly (readonly string[])[] }
  | { kind: "note"; text: string }
  | { kind: "code"; snippet: SnippetName };

/** One page in one language. */
export interface PageText {
  /** The title in the menu and above the page. */
  title: string;
  /** One sentence under the title. */
  lead: string;
  blocks: readonly Block[];
}

export const text = (said: string): Block => ({ kind: "text", text: said });
export const heading = (id: string, said: string): Block => ({ kind: "heading", id, text: said });
export const list = (...items: string[]): Block => ({ kind: "list", items });
export const note = (said: string): Block => ({ kind: "note", text: said });
export const code = (snippet: SnippetName): Block => ({ kind: "code", snippet });
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): Block => ({
  kind: "table",
  head,
  rows,
});
