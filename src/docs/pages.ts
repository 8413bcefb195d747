/** The pages in the order of the menu, with their text in both languages. */
import type { PageLanguage } from "../pages/look.ts";
import { type PageText, pageOf } from "./markdown.ts";
import answersEn from "./pages/answers.en.md" with { type: "text" };
import answersZh from "./pages/answers.zh.md" with { type: "text" };
import auctionEn from "./pages/auction.en.md" with { type: "text" };
import auctionZh from "./pages/auction.zh.md" with { type: "text" };
import changesEn from "./pages/changes.en.md" with { type: "text" };
import changesZh from "./pages/changes.zh.md" with { type: "text" };
import choosingEn from "./pages/choosing.en.md" with { type: "text" };
import choosingZh from "./pages/choosing.zh.md" with { type: "text" };
import clientsEn from "./pages/clients.en.md" with { type: "text" };
import clientsZh from "./pages/clients.zh.md" with { type: "text" };
import dayEn from "./pages/day.en.md" with { type: "text" };
import dayZh from "./pages/day.zh.md" with { type: "text" };
import errorsEn from "./pages/errors.en.md" with { type: "text" };
import errorsZh from "./pages/errors.zh.md" with { type: "text" };
import fieldsEn from "./pages/fields.en.md" with { type: "text" };
import fieldsZh from "./pages/fields.zh.md" with { type: "text" };
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

const written = (zh: string, en: string): Record<PageLanguage, PageText> => ({
  zh: pageOf(zh, "zh"),
  en: pageOf(en, "en"),
});

export const PAGES = {
  quickstart: written(quickstartZh, quickstartEn),
  tutorial: written(tutorialZh, tutorialEn),
  requests: written(requestsZh, requestsEn),
  fields: written(fieldsZh, fieldsEn),
  day: written(dayZh, dayEn),
  quirks: written(quirksZh, quirksEn),
  paging: written(pagingZh, pagingEn),
  choosing: written(choosingZh, choosingEn),
  clients: written(clientsZh, clientsEn),
  plans: written(plansZh, plansEn),
  errors: written(errorsZh, errorsEn),
  answers: written(answersZh, answersEn),
  shares: written(sharesZh, sharesEn),
  auction: written(auctionZh, auctionEn),
  integrity: written(integrityZh, integrityEn),
  changes: written(changesZh, changesEn),
} as const satisfies Record<string, Record<PageLanguage, PageText>>;

/** The last part of a page's URL. */
export type PageSlug = keyof typeof PAGES;

export const SLUGS = Object.keys(PAGES) as readonly PageSlug[];
