/** The console's words in both languages; numbers and dates are put in by the functions. */
import type { PlanName } from "../entitlement/principal.ts";
import type { PageLanguage } from "../shares/page/words.ts";
import { EN } from "./words-en.ts";
import { ZH } from "./words-zh.ts";

export type { PageLanguage };

export type Theme = "auto" | "light" | "dark";
export type PageName = "overview" | "keys" | "data" | "try" | "shares";

export interface Words {
  htmlLang: string;
  other: { language: PageLanguage; name: string };
  console: string;
  skip: string;
  skipCalendar: string;
  pages: Record<PageName, string>;
  docs: string;
  theme: string;
  themes: Record<Theme, string>;
  signOut: string;
  signedInAs: string;
  beijing: string;
  never: string;
  none: string;
  copy: string;
  copied: string;

  plans: Record<PlanName, string>;
  planNone: string;
  planEnds: (when: string) => string;
  planEnded: (when: string) => string;
  covers: string;
  services: Record<"level2_order_history" | "auction_tick" | "level2", string>;
  allHistory: (to: string) => string;
  window: (from: string, to: string) => string;
  notCovered: string;
  today: string;
  requests: string;
  files: string;
  usedOf: (used: string, limit: string) => string;
  usedUnlimited: (used: string) => string;
  usedWithin: (used: string) => string;
  nothingToUse: string;
  credited: (count: number) => string;
  resets: (hours: number, minutes: number) => string;
  busy: string;
  lastRequests: string;
  lastNote: string;
  noRequests: string;
  time: string;
  request: string;
  outcome: string;
  rows: string;
  requestId: string;
  firstSteps: string;
  firstKey: string;
  firstTry: string;
  firstDocs: string;

  keysLead: string;
  keyName: string;
  keyNameHint: string;
  keyBegins: string;
  keyCreated: string;
  keyLastUse: string;
  keyState: string;
  keyInForce: string;
  keyUntil: (when: string) => string;
  keyOver: (when: string) => string;
  keyCreate: string;
  keyCreateButton: string;
  keyNew: string;
  keyNewNote: string;
  keyNewUse: string;
  keyNewTry: string;
  keyHashed: string;
  noKeys: string;
  roll: string;
  rollNote: string;
  rollSpans: Record<"0" | "1" | "24" | "168", string>;
  rollButton: string;
  revoke: string;
  revokeNote: string;
  revokeButton: string;
  revoked: string;
  olderKeys: (count: number) => string;

  dataLead: string;
  dataOutside: string;
  year: string;
  daysLoaded: string;
  ofDays: (count: number) => string;
  rowsOfYear: string;
  sizeOfYear: string;
  newestDay: string;
  fewer: string;
  more: string;
  weekdays: readonly string[];
  month: (month: number) => string;
  dayStates: Record<DayMark, string>;
  dayRows: (rows: string) => string;
  dayRange: (from: string, to: string, count: number) => string;
  attention: string;
  noAttention: string;
  byMonth: string;
  monthColumn: string;
  daysColumn: string;
  missingColumn: string;
  sizeColumn: string;

  sharesLead: string;
  noShares: string;
  share: string;
  shareMade: string;
  shareEnds: string;
  shareRevokeNote: string;
  shareAsk: string;
  sharePassword: string;
  sharePasswordAsk: string;
  shareRevokeButton: string;
  dataTypes: Record<"auction_tick" | "level2", string>;

  doorTitle: string;
  doorInvite: string;
  doorButton: string;
  doorNote: string;
  problems: Record<Problem, string>;
}

/** What a day of the calendar is, besides the number of its rows. */
export type DayMark =
  | "available"
  | "degraded"
  | "pending"
  | "missing"
  | "withdrawn"
  | "damaged"
  | "closed"
  | "outside"
  | "upcoming";

/** Why a page is not what was asked for. */
export type Problem =
  | "signed_out"
  | "link_unknown"
  | "link_spent"
  | "link_expired"
  | "account_disabled"
  | "too_many"
  | "form_foreign"
  | "key_gone"
  | "share_gone"
  | "keys_full"
  | "not_found"
  | "unavailable";

export const WORDS: Readonly<Record<PageLanguage, Words>> = { zh: ZH, en: EN };
