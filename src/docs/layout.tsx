/** Renders a documentation page as a whole document. */
import { assetOf } from "../pages/assets.ts";
import { documentOf, Frame } from "../pages/frame.tsx";
import { LANGUAGE_TAGS, type Look, type PageLanguage } from "../pages/look.ts";
import { byLanguage } from "../pages/texts.ts";
import docsStyle from "./docs.css" with { type: "text" };
import type { ExampleFacts } from "./example-day.ts";
import type { Block } from "./markdown.ts";
import { PAGES, type PageSlug, SLUGS } from "./pages.ts";
import { BlockView, CODE_MESSAGES, inline } from "./render.tsx";

export const STYLE = assetOf("docs", "css", docsStyle);

const MESSAGES = byLanguage({
  menu: ["目录", "Contents"],
  onPage: ["本页内容", "On this page"],
  console: ["控制台", "Console"],
  docs: ["文档", "Documentation"],
  lost: ["没有这个页面", "There is no page here"],
  lostLead: [
    "请检查网址是否完整。可从以下入口继续：",
    "Check that the address is complete, or continue from here:",
  ],
  docsLead: ["接口用法、字段、错误与示例", "how to call the API: fields, errors, examples"],
  consoleLead: ["密钥、额度、数据日历与文件共享", "keys, quota, the calendar of days, file shares"],
  lostApi: ["程序请用 POST /api。", "Programs call POST /api."],
  requestId: ["请求编号", "Request id"],
});

/** Returns the path of a page. */
export function pathOf(slug: PageSlug, language: PageLanguage): string {
  return `/docs/${language}/${slug}`;
}

/** Returns the page as HTML; `example` is inserted into its commands. */
export function docsPage(slug: PageSlug, look: Look, example: ExampleFacts): string {
  const { language } = look;
  const other = language === "en" ? "zh" : "en";
  const page = PAGES[slug][language];
  const facts = { ...example, ...CODE_MESSAGES[language] };
  return documentOf(
    <Frame
      look={look}
      title={page.title}
      place="docs"
      styles={[STYLE]}
      head={
        <>
          <meta name="description" content={page.lead} />
          <link rel="alternate" hreflang={LANGUAGE_TAGS[other]} href={pathOf(slug, other)} />
        </>
      }
    >
      <div class="columns">
        <Menu slug={slug} language={language} />
        <article>
          <h1>{page.title}</h1>
          <p class="lead">{page.lead}</p>
          {page.blocks.map((block) => (
            <BlockView block={block} facts={facts} />
          ))}
          <Next slug={slug} language={language} />
        </article>
        <Contents blocks={page.blocks} title={MESSAGES[language].onPage} />
      </div>
    </Frame>,
  );
}

/** Renders the page's table of contents, which is beside the text on a wide screen. */
function Contents({ blocks, title }: { blocks: readonly Block[]; title: string }) {
  const headings = blocks.filter((block) => block.kind === "heading");
  if (headings.length < 2) return null;
  return (
    <nav class="contents" aria-label={title}>
      <p>{title}</p>
      <ul>
        {headings.map(({ id, text }) => (
          <li>
            <a href={`#${id}`}>{inline(text)}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Returns the page for unknown addresses, with links. */
export function lostPage(look: Look, requestId: string): string {
  const messages = MESSAGES[look.language];
  return documentOf(
    <Frame look={look} title={messages.lost} styles={[STYLE]} copies={false}>
      <article class="lost">
        <h1>{messages.lost}</h1>
        <p class="lead">{messages.lostLead}</p>
        <ul>
          <li>
            <a href="/docs/">{messages.docs}</a>: <span>{messages.docsLead}</span>
          </li>
          <li>
            <a href="/console/">{messages.console}</a>: <span>{messages.consoleLead}</span>
          </li>
        </ul>
        <p>{messages.lostApi}</p>
        <p class="foot">
          404 · {messages.requestId} <code>{requestId}</code>
        </p>
      </article>
    </Frame>,
  );
}

interface Place {
  slug: PageSlug;
  language: PageLanguage;
}

/** Renders the menu twice: beside the text, and folded above it for phones. */
function Menu(place: Place) {
  const { menu } = MESSAGES[place.language];
  return (
    <nav class="menu" aria-label={menu}>
      <details>
        <summary>{menu}</summary>
        <MenuList {...place} />
      </details>
      <MenuList {...place} />
    </nav>
  );
}

function MenuList({ slug, language }: Place) {
  return (
    <ul>
      {SLUGS.map((each) => (
        <li>
          <a href={pathOf(each, language)} aria-current={each === slug ? "page" : undefined}>
            {PAGES[each][language].title}
          </a>
        </li>
      ))}
    </ul>
  );
}

function Next({ slug, language }: Place) {
  const link = (to: PageSlug | undefined, textOf: (title: string) => string) =>
    to === undefined ? <span /> : <a href={pathOf(to, language)}>{textOf(PAGES[to][language].title)}</a>;
  const at = SLUGS.indexOf(slug);
  return (
    <nav class="next">
      {link(SLUGS[at - 1], (title) => `← ${title}`)}
      {link(SLUGS[at + 1], (title) => `${title} →`)}
    </nav>
  );
}
