/** The pages in the order of the menu, with their text in both languages, as Markdown or as code if built from data. */
import type { DocsLanguage, PageText } from "./block.ts";
import { pageOf } from "./markdown.ts";
import * as answers from "./pages/answers.ts";
import * as auction from "./pages/auction.ts";
import changesEn from "./pages/changes.en.md" with { type: "text" };
import changesZh from "./pages/changes.zh.md" with { type: "text" };
import choosingEn from "./pages/choosing.en.md" with { type: "text" };
import choosingZh from "./pages/choosing.zh.md" with { type: "text" };
import clientsEn from "./pages/clients.en.md" with { type: "text" };
import clientsZh from "./pages/clients.zh.md" with { type: "text" };
import dayEn from "./pages/day.en.md" with { type: "text" };
import dayZh from "./pages/day.zh.md" with { type: "text" };
import * as errors from "./pages/errors.ts";
import * as fields from "./pages/fields.ts";
import integrityEn from "./pages/integrity.en.md" with { type: "text" };
import integrityZh from "./pages/integrity.zh.md" with { type: "text" };
import pagingEn from "./pages/paging.en.md" with { type: "text" };
import pagingZh from "./pages/paging.zh.md" with { type: "text" };
import plansEn from "./pages/plans.en.md" with { type: "text" };
import plansZh from "./pages/plans.zh.md" with { type: "text" };
import quickstartEn from "./pages/quickstart.en.md" with { type: "text" };
import quickstartZh from "./pages/quickstart.zh.md" with { type: "text" };
import quirksEn from "./pages/quirks.en.md" with { type: "text" };
import quirksZh from "./pages/quirks.zh.md" with { type: "text" };
import requestsEn from "./pages/requests.en.md" with { type: "text" };
import requestsZh from "./pages/requests.zh.md" with { type: "text" };
import sharesEn from "./pages/shares.en.md" with { type: "text" };
import sharesZh from "./pages/shares.zh.md" with { type: "text" };
import tutorialEn from "./pages/tutorial.en.md" with { type: "text" };
import tutorialZh from "./pages/tutorial.zh.md" with { type: "text" };

const written = (zh: string, en: string): Record<DocsLanguage, PageText> => ({
  zh: pageOf(zh),
  en: pageOf(en),
});

export const PAGES = {
  quickstart: written(quickstartZh, quickstartEn),
  tutorial: written(tutorialZh, tutorialEn),
  requests: written(requestsZh, requestsEn),
  fields,
  day: written(dayZh, dayEn),
  quirks: written(quirksZh, quirksEn),
  paging: written(pagingZh, pagingEn),
  choosing: written(choosingZh, choosingEn),
  clients: written(clientsZh, clientsEn),
  plans: written(plansZh, plansEn),
  errors,
  answers,
  shares: written(sharesZh, sharesEn),
  auction,
  integrity: written(integrityZh, integrityEn),
  changes: written(changesZh, changesEn),
} as const satisfies Record<string, Record<DocsLanguage, PageText>>;

/** The last part of a page's URL. */
export type PageSlug = keyof typeof PAGES;

export const SLUGS = Object.keys(PAGES) as readonly PageSlug[];
