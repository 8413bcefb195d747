import { describe, expect, it } from "vitest";
import * as z from "zod";
import { onOneDay, withExample } from "../../../src/docs/example-day.ts";
import { docsPage } from "../../../src/docs/layout.tsx";
import { openApiDocument } from "../../../src/docs/openapi/document.ts";
import { SLUGS } from "../../../src/docs/pages.ts";
import { BlockView, inline } from "../../../src/docs/render.tsx";
import { SNIPPETS } from "../../../src/docs/snippets.ts";

const EXAMPLE = { base: "https://api.example.com", days: onOneDay("20270104") };
const FACTS = { ...EXAMPLE, copy: "Copy", copied: "Copied", answer: "Output" };
const look = (language: "zh" | "en") => ({ language, theme: "auto" }) as const;
const html = (said: string) => String(BlockView({ block: { kind: "text", text: said }, facts: FACTS }));

/** Returns the page without syntax highlighting. */
const plain = (page: string) => page.replaceAll(/<span class="code-\w+">([^<]*)<\/span>/g, "$1");

describe("the text of the docs pages", () => {
  it.each([
    ["a `b` c", "<p>a <code>b</code> c</p>"],
    ["**a `b`**", "<p><strong>a <code>b</code></strong></p>"],
    ["[a](/docs/en/fields#legacy)", '<p><a href="/docs/en/fields#legacy">a</a></p>'],
    ['`{"a": 1}` < 2 & [3]', "<p><code>{&quot;a&quot;: 1}</code> &lt; 2 &amp; [3]</p>"],
    ["<script>`<b>`</script>", "<p>&lt;script&gt;<code>&lt;b&gt;</code>&lt;/script&gt;</p>"],
  ])("is rendered as HTML, for example %s", (said, expected) => {
    expect(html(said)).toBe(expected);
  });

  it("is kept unchanged if it has no markup", () => {
    expect(inline("2 * 3 ** 4 [x] (y)").join("")).toBe("2 * 3 ** 4 [x] (y)");
  });

  it("contains the service's own URL in its commands, escaped", () => {
    const page = plain(docsPage("quickstart", look("en"), { ...EXAMPLE, base: "https://a.example/<x>" }));
    expect(page).toContain("export EDGETAPE_URL=https://a.example/&lt;x&gt;");
    expect(page).not.toContain("{base}");
  });

  it("contains only the given day in the commands of every page", () => {
    for (const slug of SLUGS) {
      const page = docsPage(slug, look("zh"), EXAMPLE);
      expect(page, slug).not.toMatch(/\{(\w+_)?(day|date|month|year)\}|2026\d{4}/);
    }
    expect(plain(docsPage("quickstart", look("zh"), EXAMPLE))).toContain(
      "&quot;tradedate&quot;: &quot;20270104&quot;",
    );
    expect(plain(docsPage("integrity", look("zh"), EXAMPLE))).toContain("since=&quot;20270101&quot;");
  });
});

describe("an example", () => {
  const days = { orders: "20270104", trades: "20261231", quotes: "20261230" };
  const filled = (text: string) => withExample(text, { base: "", days });

  it("uses the newest day of its dataset, or the earliest such day if it reads several datasets", () => {
    expect(filled("{day} {date} {month} {year}")).toBe("20270104 2027-01-04 202701 2027");
    expect(filled("{trades_day} {quotes_day} {quotes_year} {whole_day}")).toBe(
      "20261231 20261230 2026 20261230",
    );
    expect(filled("{whole_year} {other_day} {")).toBe("2026 {other_day} {");
  });

  it.each([
    ["python_trades", "20261231"],
    ["typescript_trades", "20261231"],
    ["auction_curve", "20261230"],
    ["day_fills", "20261230"],
    ["day_quotes", "20261230"],
    ["tutorial_choose", "20261230"],
    ["python_rows", "20270104"],
  ] as const)("reads only a loaded day (%s)", (name, day) => {
    expect(new Set(filled(SNIPPETS[name].text).match(/\b202\d{5}(?=\b|_)/g))).toEqual(new Set([day]));
  });
});

describe("a code block", () => {
  it("marks comments, strings, keywords and numbers without changing the text", () => {
    for (const name of Object.keys(SNIPPETS) as (keyof typeof SNIPPETS)[]) {
      const block = String(BlockView({ block: { kind: "code", snippet: name }, facts: FACTS }));
      const [, pre = ""] = /<pre id="[^"]+" tabindex="0">([\s\S]*?)<\/pre>/.exec(block) ?? [];
      const text = plain(pre).replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&lt;", "<");
      expect(text.replaceAll("&gt;", ">").replaceAll("&amp;", "&"), name).toBe(
        withExample(SNIPPETS[name].text, EXAMPLE),
      );
      expect(pre, name).toContain('<span class="code-');
    }
  });

  it("fits the width of a page on a desktop", () => {
    const lines = Object.entries(SNIPPETS).flatMap(([name, { text }]) =>
      withExample(text, EXAMPLE)
        .split("\n")
        .map((line) => `${name}: ${line}`),
    );
    expect(lines.filter((line) => line.length > line.indexOf(":") + 2 + 88)).toEqual([]);
  });
});

/** Returns the names of all properties in a schema. */
function membersOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(membersOf)];
}

/** Returns every subschema that has examples. */
function withExamples(schema: unknown): { examples: unknown[] }[] {
  if (typeof schema !== "object" || schema === null) return [];
  const found = Object.values(schema).flatMap(withExamples);
  return "examples" in schema && Array.isArray(schema.examples)
    ? [schema as { examples: unknown[] }, ...found]
    : found;
}

describe("the OpenAPI document", () => {
  it("contains no property of an answer that the documentation pages do not describe", () => {
    const { components } = openApiDocument(EXAMPLE, "1") as {
      components: { schemas: Record<string, unknown> };
    };
    const answers = Object.entries(components.schemas).filter(([name]) => name.endsWith("_answer"));
    const names = new Set(answers.flatMap(([, schema]) => membersOf(schema)));
    expect(names.size).toBeGreaterThan(60);
    for (const language of ["zh", "en"] as const) {
      const page = docsPage("answers", look(language), EXAMPLE);
      expect([...names].filter((name) => !page.includes(`<code>${name}</code>`))).toEqual([]);
    }
  });

  it("has examples for the parameters with special formats, each valid under its schema", () => {
    const { components } = openApiDocument(EXAMPLE, "1") as { components: { schemas: object } };
    const shown = withExamples(components.schemas);
    for (const { examples, ...schema } of shown) {
      for (const each of examples) expect(z.fromJSONSchema(schema).safeParse(each).success).toBe(true);
    }
    const all = shown.flatMap(({ examples }) => examples);
    const special = ["600519.SH", "093000500", "20260311", "time,price,volume", "SH", "202603", 10_000];
    expect(all).toEqual(expect.arrayContaining(special));
  });

  it("has a request and an answer for every apiname of its discriminator", () => {
    const text = JSON.stringify(openApiDocument({ ...EXAMPLE, base: "https://a.example" }, "9.9.9"));
    const document = JSON.parse(text);
    const { mapping, propertyName } =
      document.paths["/api"].post.requestBody.content["application/json"].schema.discriminator;
    expect(propertyName).toBe("apiname");
    for (const [apiname, ref] of Object.entries(mapping)) {
      expect(ref).toBe(`#/components/schemas/${apiname}_request`);
      expect(document.components.schemas[`${apiname}_request`].properties.apiname.const).toBe(apiname);
      expect(document.components.schemas[`${apiname}_answer`].required).toEqual(["code", "message", "data"]);
    }
    const statuses = Object.keys(document.paths["/api"].post.responses);
    expect(statuses.join(" ")).toBe("200 403 404 405 413 422 429 503");
    expect([document.info.version, document.servers[0].url]).toEqual(["9.9.9", "https://a.example"]);
  });
});
