import { describe, expect, it } from "vitest";
import { type Block, pageOf } from "../../../src/docs/markdown.ts";
import { PAGES, SLUGS } from "../../../src/docs/pages.ts";

describe("a page in Markdown", () => {
  it("is parsed into a title, a lead and blocks of each kind", () => {
    const source = [
      ...["# A page", "Its lead.", "## Rows & more {#rows}", "Text.", "- one\n- two", "> A note."],
      ...["{{changes}}", "| a | b |\n| --- | --- |\n| `1` | 2 |\n"],
    ];
    expect(pageOf(source.join("\n\n"), "en")).toEqual({
      title: "A page",
      lead: "Its lead.",
      blocks: [
        { kind: "heading", id: "rows", text: "Rows & more" },
        { kind: "text", text: "Text." },
        { kind: "list", items: ["one", "two"] },
        { kind: "note", text: "A note." },
        { kind: "code", snippet: "changes" },
        { kind: "table", head: ["a", "b"], rows: [["`1`", "2"]] },
      ],
    });
  });

  // The parser supports only a few forms of markup. A page would show any other markup as text.
  it("has only markup that the parser supports, and table rows with as many cells as the header", () => {
    for (const slug of SLUGS) {
      for (const { title, lead, blocks } of Object.values(PAGES[slug])) {
        const texts = [title, lead, ...blocks.flatMap(textsOf)];
        expect(
          texts.filter((text) => /\n|^\s|\s$|^(?:#|>|\||\* |- |\{\{)/.test(text)),
          slug,
        ).toEqual([]);
      }
    }
  });
});

/** Returns the texts of a block. Throws for a row with more or fewer cells than the header. */
function textsOf(block: Block): readonly string[] {
  if (block.kind === "list") return block.items;
  if (block.kind === "code") return [];
  if (block.kind !== "table") return [block.text];
  const { head, rows } = block;
  const odd = rows.find((row) => row.length !== head.length);
  if (odd !== undefined) throw new Error(`a row has ${odd.length} cells: ${odd.join(" | ")}`);
  return [...head, ...rows.flat()];
}
