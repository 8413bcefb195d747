/** Renders blocks as HTML. All text is escaped; its only markup is `code`, **strong** and [links](…). */
import type { Child } from "hono/jsx";
import { type ExampleFacts, withExample } from "./example-day.ts";
import type { Block } from "./markdown.ts";
import { SNIPPETS, type Snippet, type SnippetName } from "./snippets.ts";

/** Labels of code blocks. */
export const CODE_MESSAGES = {
  zh: { copy: "复制", copied: "已复制", answer: "输出" },
  en: { copy: "Copy", copied: "Copied", answer: "Output" },
};

/** The example's facts and the labels of code blocks, in the page's language. */
type RenderFacts = ExampleFacts & typeof CODE_MESSAGES.en;

const INLINE = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^[\]]+)\]\(([^()\s]+)\)/g;

/** Renders a text with its inline markup. */
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

/** Renders one block. */
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

/** Renders a table. On a phone each row becomes a card, and `data-head` repeats the column heading. */
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

/** Renders a code block with its output below it. */
export function CodeView({ name, facts }: { name: SnippetName; facts: RenderFacts }) {
  const { language, text, prints } = SNIPPETS[name];
  const id = `code-${name.replaceAll("_", "-")}`;
  return (
    <figure class="code">
      <figcaption>
        <span>{LANGUAGES[language].name}</span>
        <button type="button" data-copy={id} data-done={facts.copied}>
          {facts.copy}
        </button>
      </figcaption>
      <pre id={id} tabindex={0}>
        {highlighted(withExample(text, facts), language)}
      </pre>
      {prints === undefined ? null : (
        <div class="prints">
          <span class="prints-name">{facts.answer}</span>
          <pre tabindex={0}>{withExample(prints, facts)}</pre>
        </div>
      )}
    </figure>
  );
}

const keywordsIn = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/**
 * The names of the languages, and the tokens that are highlighted. The CSS class of a group is `code-` and the group's
 * name. Identifiers other than `keywords` are plain text.
 */
const LANGUAGES = {
  sh: {
    name: "sh",
    pattern: /(?<comment>#[^\n]*)|(?<string>'[^']*')|(?<keyword>[A-Za-z_]\w*)|(?<number>\d[\d_.]*)/g,
    keywords: keywordsIn("export curl npm pip EDGETAPE_URL EDGETAPE_KEY"),
  },
  python: {
    name: "Python",
    pattern: /(?<comment>#[^\n]*)|(?<string>"[^"\n]*")|(?<keyword>[A-Za-z_]\w*)|(?<number>\d[\d_.]*)/g,
    keywords: keywordsIn("import for in while if not break raise print True def try except return"),
  },
  typescript: {
    name: "TypeScript",
    pattern: /(?<comment>\/\/[^\n]*)|(?<string>"[^"\n]*")|(?<keyword>[A-Za-z_]\w*)|(?<number>\d[\d_.]*)/g,
    keywords: keywordsIn("import from const for await of new try catch if else throw instanceof"),
  },
  sql: {
    name: "SQL",
    pattern: /(?<comment>--[^\n]*)|(?<string>'[^']*')|(?<keyword>[A-Za-z_]\w*)|(?<number>\d[\d_.]*)/g,
    keywords: keywordsIn("SELECT FROM WHERE GROUP ORDER BY AS DESC LIMIT"),
  },
  json: {
    name: "JSON",
    pattern: /(?<string>"[^"\n]*")|(?<keyword>[A-Za-z_]\w*)|(?<number>\d[\d_.]*)/g,
    keywords: keywordsIn("null true false"),
  },
} as const satisfies Record<Snippet["language"], unknown>;

function highlighted(code: string, language: Snippet["language"]): Child[] {
  const parts: Child[] = [];
  let at = 0;
  const { pattern, keywords } = LANGUAGES[language];
  for (const match of code.matchAll(pattern)) {
    const [token] = match;
    if (match.groups?.keyword !== undefined && !keywords.has(token)) continue;
    const kind = Object.entries(match.groups ?? {}).find(([, text]) => text !== undefined)?.[0];
    parts.push(code.slice(at, match.index), <span class={`code-${kind}`}>{token}</span>);
    at = match.index + token.length;
  }
  parts.push(code.slice(at));
  return parts;
}
