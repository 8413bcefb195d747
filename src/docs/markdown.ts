/** Reads a page of the documentation, which is written in Markdown. */
import type { PageLanguage } from "../pages/look.ts";
import type { SnippetName } from "./snippets.ts";
import { TABLES, type Table } from "./tables.ts";

/** A block of a page. Texts can contain `code`, **strong** and [links](/docs/en/fields). */
export type Block =
  | { kind: "text"; text: string }
  /** `id` is part of URLs, so it stays when the text changes. */
  | { kind: "heading"; id: string; text: string }
  | { kind: "list"; items: readonly string[] }
  | ({ kind: "table" } & Table)
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

/**
 * Returns the page in `source`: its title (`# …`), its lead, then blocks, all separated by empty lines. A block is a
 * heading with its id (`## … {#id}`), a list (`- …`), a table, a generated table (`{{table name}}`), a note
 * (`> …`), a snippet (`{{name}}`) or a paragraph.
 */
export function pageOf(source: string, language: PageLanguage): PageText {
  const [title = "", lead = "", ...blocks] = source.trim().split("\n\n");
  return { title: title.replace("# ", ""), lead, blocks: blocks.map((block) => blockOf(block, language)) };
}

function blockOf(source: string, language: PageLanguage): Block {
  const lines = source.split("\n");
  const [, text, id] = /^## (.*) \{#([\w-]+)\}$/.exec(source) ?? [];
  if (text !== undefined && id !== undefined) return { kind: "heading", id, text };
  const [, table = ""] = /^\{\{table (\w+)\}\}$/.exec(source) ?? [];
  const found = TABLES[table]?.(language);
  if (found !== undefined) return { kind: "table", ...found };
  const [, snippet] = /^\{\{(\w+)\}\}$/.exec(source) ?? [];
  // An unknown snippet name makes the rendering throw, and a test renders every page.
  if (snippet !== undefined) return { kind: "code", snippet: snippet as SnippetName };
  if (source.startsWith("> ")) return { kind: "note", text: source.slice(2) };
  if (source.startsWith("- ")) return { kind: "list", items: lines.map((line) => line.slice(2)) };
  if (!source.startsWith("| ")) return { kind: "text", text: source };
  const [head = [], , ...rows] = lines.map((line) => line.slice(2, -2).split(" | "));
  return { kind: "table", head, rows };
}
