/** Reads a page of the documentation, which is written in Markdown. */
import { type Block, code, heading, list, note, type PageText, table, text } from "./block.ts";
import type { SnippetName } from "./snippets.ts";

/**
 * Returns the page in `source`: its title (`# …`), its lead, then blocks, all separated by empty lines. A block is a
 * heading with its id (`## … {#id}`), a list (`- …`), a table, a note (`> …`), a snippet (`{{name}}`) or a paragraph.
 */
export function pageOf(source: string): PageText {
  const [title = "", lead = "", ...blocks] = source.trim().split("\n\n");
  return { title: title.replace("# ", ""), lead, blocks: blocks.map(blockOf) };
}

function blockOf(source: string): Block {
  const lines = source.split("\n");
  const [, said, id] = /^## (.*) \{#([\w-]+)\}$/.exec(source) ?? [];
  if (said !== undefined && id !== undefined) return heading(id, said);
  const [, snippet] = /^\{\{(\w+)\}\}$/.exec(source) ?? [];
  // A test renders every page. Rendering throws for an unknown name.
  if (snippet !== undefined) return code(snippet as SnippetName);
  if (source.startsWith("> ")) return note(source.slice(2));
  if (source.startsWith("- ")) return list(...lines.map((line) => line.slice(2)));
  if (!source.startsWith("| ")) return text(source);
  const [head = [], , ...rows] = lines.map((line) => line.slice(2, -2).split(" | "));
  return table(head, rows);
}
