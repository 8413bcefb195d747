/** A page of documentation as a whole document. */
import { ASSETS as DRIVE_ASSETS } from "../shares/page/assets.ts";
import { STYLE_ASSET } from "./assets.ts";
import type { DocsLanguage } from "./block.ts";
import type { ExampleFacts } from "./example-day.ts";
import { PAGES, type PageSlug, SLUGS } from "./pages.ts";
import { BlockView } from "./render.tsx";

/** Pages load the service's own style, script and icon, and nothing from anybody else. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const WORDS = {
  zh: {
    html: "zh-CN",
    other: "en",
    otherName: "English",
    menu: "目录",
    copy: "复制",
    copied: "已复制",
    console: "控制台",
    docs: "文档",
    lost: "没有这个页面",
    lostLead: "请检查网址是否完整。可从以下入口继续：",
    docsLead: "接口用法、字段、错误与示例",
    consoleLead: "密钥、额度、数据日历与文件共享",
    lostApi: "程序请用 POST /api。",
    requestId: "请求编号",
  },
  en: {
    html: "en",
    other: "zh",
    otherName: "中文",
    menu: "Contents",
    copy: "Copy",
    copied: "Copied",
    console: "Console",
    docs: "Documentation",
    lost: "There is no page here",
    lostLead: "Check that the address is complete, or go on from here:",
    docsLead: "how to call the API: fields, errors, examples",
    consoleLead: "keys, quota, the calendar of days, file shares",
    lostApi: "Programs call POST /api.",
    requestId: "Request id",
  },
} as const;

/** Where a page is. */
export function pathOf(slug: PageSlug, language: DocsLanguage): string {
  return `/docs/${language}/${slug}`;
}

/** The page as HTML; `example` is for the commands on it. */
export function docsPage(slug: PageSlug, language: DocsLanguage, example: ExampleFacts): string {
  const words = WORDS[language];
  const page = PAGES[slug][language];
  const facts = { ...example, copy: words.copy, copied: words.copied };
  const document = (
    <html lang={words.html}>
      <head>
        <HeadOf title={page.title} />
        <meta name="description" content={page.lead} />
        <link rel="alternate" hreflang={WORDS[words.other].html} href={pathOf(slug, words.other)} />
        <script src={DRIVE_ASSETS.script.path} defer />
      </head>
      <body>
        <div class="tape" aria-hidden="true" />
        <header class="top">
          <a class="brand" href={pathOf("quickstart", language)}>
            edgetape
          </a>
          <a href="/console/">{words.console}</a>
          <a
            href={pathOf(slug, words.other)}
            lang={WORDS[words.other].html}
            hreflang={WORDS[words.other].html}
          >
            {words.otherName}
          </a>
        </header>
        <div class="columns">
          <Menu slug={slug} language={language} />
          <main>
            <h1>{page.title}</h1>
            <p class="lead">{page.lead}</p>
            {page.blocks.map((block) => (
              <BlockView block={block} facts={facts} />
            ))}
            <Next slug={slug} language={language} />
          </main>
        </div>
      </body>
    </html>
  );
  return `<!doctype html>${document}`;
}

/** What a browser gets at an address that nothing answers: where it can go instead. */
export function lostPage(language: DocsLanguage, requestId: string): string {
  const words = WORDS[language];
  const document = (
    <html lang={words.html}>
      <head>
        <HeadOf title={words.lost} />
      </head>
      <body>
        <div class="tape" aria-hidden="true" />
        <header class="top">
          <a class="brand" href="/docs/">
            edgetape
          </a>
        </header>
        <main class="lost">
          <h1>{words.lost}</h1>
          <p class="lead">{words.lostLead}</p>
          <ul>
            <li>
              <a href="/docs/">{words.docs}</a>: <span>{words.docsLead}</span>
            </li>
            <li>
              <a href="/console/">{words.console}</a>: <span>{words.consoleLead}</span>
            </li>
          </ul>
          <p>{words.lostApi}</p>
          <p class="foot">
            404 · {words.requestId} <code>{requestId}</code>
          </p>
        </main>
      </body>
    </html>
  );
  return `<!doctype html>${document}`;
}

function HeadOf({ title }: { title: string }) {
  return (
    <>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{`${title} · edgetape`}</title>
      <link rel="icon" href={DRIVE_ASSETS.icon.path} type="image/svg+xml" />
      <link rel="stylesheet" href={STYLE_ASSET.path} />
    </>
  );
}

interface Place {
  slug: PageSlug;
  language: DocsLanguage;
}

/** Beside the text, or folded above it on a phone: two lists, because browsers hide a closed one for good. */
function Menu(place: Place) {
  const { menu } = WORDS[place.language];
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
  const at = SLUGS.indexOf(slug);
  const [before, after] = [SLUGS[at - 1], SLUGS[at + 1]];
  return (
    <nav class="next">
      {before === undefined ? (
        <span />
      ) : (
        <a href={pathOf(before, language)}>{`← ${PAGES[before][language].title}`}</a>
      )}
      {after === undefined ? (
        <span />
      ) : (
        <a href={pathOf(after, language)}>{`${PAGES[after][language].title} →`}</a>
      )}
    </nav>
  );
}
