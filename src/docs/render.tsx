/** Blocks as HTML. All text is escaped; the only markup in it is `code`, **strong** and [links](…). */
import type { Child } from "hono/jsx";
import type { Block } from "./block.ts";
import { type ExampleFacts, withExample } from "./example-day.ts";
import { SNIPPETS, type SnippetName } from "./snippets.ts";

/** What a page needs to know of the service it describes. */
export interface RenderFacts extends ExampleFacts {
  copy: string;
  copied: string;
}

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^()\s]+)\)/g;

/** The text with its inline markup. */
export function inline(said: string): Child[] {
  const parts: Child[] = [];
  let at = 0;
  for (const match of said.matchAll(INLINE)) {
    const [whole, code, strong, label, href] = match;
    if (match.index > at) parts.push(said.slice(at, match.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (strong !== undefined) parts.push(<strong>{inline(strong)}</strong>);
    else parts.push(<a href={href}>{inline(label ?? "")}</a>);
    at = match.index + whole.length;
  }
  parts.push(said.slice(at));
  return parts;
}

/** One block. */
export function BlockView({ block, facts }: { block: Block; facts: RenderFacts }) {
  switch (block.kind) {
    case "text":
      return <p>{inline(block.text)}</p>;
    case "heading":
      return (
        <h2 id={block.id}>
          <a href={`#${block.id}`}>{inline(block.text)}</a>
        </h2>
      );
    case "list":
      return (
        <ul>
          {block.items.map((item) => (
            <li>{inline(item)}</li>
          ))}
        </ul>
      );
    case "note":
      return <p class="note">{inline(block.text)}</p>;
    case "table":
      return <TableView head={block.head} rows={block.rows} />;
    case "code":
      return <CodeView name={block.snippet} facts={facts} />;
  }
}

/** On a phone each row becomes a card; `data-head` repeats there what its column is. */
function TableView({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {head.map((cell) => (
              <th scope="col">{inline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {row.map((cell, column) => (
                <td data-head={column === 0 ? undefined : head[column]}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const LANGUAGE_NAMES = {
  sh: "sh",
  python: "Python",
  typescript: "TypeScript",
  sql: "SQL",
  json: "JSON",
} as const;

function CodeView({ name, facts }: { name: SnippetName; facts: RenderFacts }) {
  const { language, text } = SNIPPETS[name];
  const id = `code-${name.replaceAll("_", "-")}`;
  return (
    <figure class="code">
      <figcaption>
        <span>{LANGUAGE_NAMES[language]}</span>
        <button type="button" data-copy={id} data-done={facts.copied}>
          {facts.copy}
        </button>
      </figcaption>
      <pre id={id} tabindex={0}>
        {withExample(text, facts)}
      </pre>
    </figure>
  );
}
