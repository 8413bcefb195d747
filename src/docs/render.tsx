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
  return marked(said, INLINE, ([, code, strong, label = "", href]) => {
    if (code !== undefined) return <code>{code}</code>;
    return strong === undefined ? <a href={href}>{inline(label)}</a> : <strong>{inline(strong)}</strong>;
  });
}

/** Returns `text` with each match of `pattern` replaced by its node. */
function marked(text: string, pattern: RegExp, nodeOf: (match: RegExpExecArray) => Child): Child[] {
  const parts: Child[] = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    parts.push(text.slice(at, match.index), nodeOf(match));
    at = match.index + match[0].length;
  }
  return [...parts, text.slice(at)];
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
  const { pattern, keywords } = LANGUAGES[language];
  return marked(code, pattern, ({ 0: token, groups = {} }) => {
    if (groups.keyword !== undefined && !keywords.has(token)) return token;
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    return <span class={`code-${kind}`}>{token}</span>;
  });
}
