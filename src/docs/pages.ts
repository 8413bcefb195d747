/** The pages in the order of the menu, with their text in both languages. */
import type { DocsLanguage, PageText } from "./block.ts";
import * as answers from "./pages/answers.ts";
import * as auction from "./pages/auction.ts";
import * as changes from "./pages/changes.ts";
import * as choosing from "./pages/choosing.ts";
import * as clients from "./pages/clients.ts";
import * as day from "./pages/day.ts";
import * as errors from "./pages/errors.ts";
import * as fields from "./pages/fields.ts";
import * as integrity from "./pages/integrity.ts";
import * as paging from "./pages/paging.ts";
import * as plans from "./pages/plans.ts";
import * as quickstart from "./pages/quickstart.ts";
import * as quirks from "./pages/quirks.ts";
import * as requests from "./pages/requests.ts";
import * as shares from "./pages/shares.ts";
import * as tutorial from "./pages/tutorial.ts";

export const PAGES = {
  quickstart,
  tutorial,
  requests,
  fields,
  day,
  quirks,
  paging,
  choosing,
  clients,
  plans,
  errors,
  answers,
  shares,
  auction,
  integrity,
  changes,
} as const satisfies Record<string, Record<DocsLanguage, PageText>>;

/** The last part of a page's URL. */
export type PageSlug = keyof typeof PAGES;

export const SLUGS = Object.keys(PAGES) as readonly PageSlug[];
