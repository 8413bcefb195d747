/**
 * Steps 6 and 7 of contract 2.1 for history, estimate and `explain`: whether the caller may read the day, and whether
 * the day has the security. Nothing is charged yet.
 */
import { ok, type Result, refused } from "../../base/result.ts";
import { beijingDate } from "../../calendar/beijing.ts";
import { keptOrderDay } from "../../catalog/kept-days.ts";
import * as catalog from "../../catalog/order-day.ts";
import { dayDenial, securityDenial } from "../../catalog/order-day.ts";
import { DATASETS, type DatasetName } from "../../datasets/registry.ts";
import type { UseDenial } from "../../entitlement/caller-denial.ts";
import type { Grant } from "../../entitlement/entitle.ts";
import type { GateState } from "../../gate/protocol.ts";
import { gateOf } from "../../gate/slot.ts";
import type { Denial } from "../../http/denial.ts";
import { type Paging, packMark } from "../../orders/query/cursor.ts";
import type { HistoryQuery } from "../../orders/query/history-query.ts";
import { isIndexCode, type MarketChoice, resolveMarket } from "../../orders/query/symbol.ts";
import type { Market } from "../../orders/record.ts";
import { decodeBlocks } from "../../packs/blocks-blob.ts";
import type { SectionEntry } from "../../packs/layout.ts";
import { type Call, openDay } from "../operation.ts";

/** A validated history request: the query, where its page begins, and the question to the catalog. */
export interface Asked {
  query: HistoryQuery;
  paging: Paging;
  question: catalog.OrderDayQuestion;
  /** The day from this isolate's cache; null when the catalog must be read. */
  kept: catalog.OrderDay | null;
}

/** Returns the request for `query` of `dataset`, without looking into the cache. */
export function askedFor(
  dataset: DatasetName,
  query: HistoryQuery,
  paging: Paging,
  { nowMs }: Pick<Call, "nowMs">,
): Asked {
  const { tradedate } = paging;
  const question = { dataset, tradedate, symbol: query.symbol, today: beijingDate(nowMs) };
  return { query, paging, question, kept: null };
}

/**
 * Returns the account and interface whose slot and counters a request uses; the interface is the dataset's `apiname`
 * (contract 1.2, 2.4, 7.3).
 */
export function holderOf(
  { principal }: Pick<Call, "principal">,
  { question }: Pick<Asked, "question">,
): { accountId: string; interface: string } {
  return { accountId: principal.accountId, interface: DATASETS[question.dataset].apiname };
}

/** Returns the gate's refusal as a denial. The denial of an exhausted quota names the interface. */
export function gateDenial(refusal: UseDenial, { question }: Pick<Asked, "question">): Denial {
  const { apiname } = DATASETS[question.dataset];
  return refusal.reason === "quota_used" ? { ...refusal, interface: apiname } : refusal;
}

/** A security's section in a day's current revision. */
export interface Located {
  day: catalog.LoadedDay;
  entry: SectionEntry;
}

/** The facts of an allowed request. */
export interface Found extends Located {
  grant: Grant;
}

/** Why no section is returned; `grant` is null when the plan does not cover the day. */
export interface NotFound {
  denial: Denial;
  grant: Grant | null;
}

/** Reads the requested day, checks the plan and finds the section. */
export async function findSection(call: Call, asked: Asked): Promise<Result<Found, NotFound>> {
  const open = await openDay(call, asked.question, asked.kept);
  if (!open.ok) return refused({ denial: open.refusal, grant: null });
  const { grant, orderDay } = open.value;
  const located = locate(call, asked, orderDay);
  return located.ok ? ok({ ...located.value, grant }) : refused({ denial: located.refusal, grant });
}

/** Finds the section of a request and reads the state of its gate, without taking the slot or counting the request. */
export async function lookAhead(
  call: Call,
  asked: Asked,
): Promise<Result<Found & { gate: GateState }, NotFound>> {
  const found = await findSection(call, asked);
  if (!found.ok) return found;
  const { env, settings, log } = call;
  const home = { namespace: env.GATE, locationHint: settings.LOCATION_HINT };
  const { accountId, interface: apiname } = holderOf(call, asked);
  const gate = await log.stage("gate", () => gateOf(home, accountId, apiname).state());
  return ok({ ...found.value, gate });
}

/** Finds the section of an accepted request again in the current catalog, after its pack could not be read. */
export async function findAgain(call: Call, asked: Asked): Promise<Result<Located, Denial>> {
  const { question } = asked;
  const result = await call.log.stage("d1", () => catalog.orderDayStatement(call.env.DB, question).run());
  return locate(call, asked, catalog.orderDayOf(result, question));
}

/**
 * Finds the section of `query` in `orderDay`. Checks in the order in which a caller can fix problems: the day, the
 * cursor's revision, the exchange, the security.
 */
function locate(
  { nowMs }: Call,
  { query, paging, question }: Asked,
  orderDay: catalog.OrderDay,
): Result<Located, Denial> {
  const unserved = dayDenial(orderDay, beijingDate(nowMs), question.dataset);
  if (unserved !== null) return refused(unserved);
  const { day, sections, tradedate } = orderDay;
  if (day === null) throw new Error("the day is not loaded, but dayDenial returned no refusal");
  if (isRebuilt(paging, day)) return refused({ reason: "data_rebuilt", tradedate });

  const resolved = resolveMarket(query, { ...marketsOf(orderDay, query), cursorMarket: paging.market });
  if (!resolved.ok) return resolved;
  const market = resolved.value;
  const unheld = securityDenial(orderDay, query.symbol, market ?? query.market, question.dataset);
  if (unheld !== null) return refused(unheld);

  const section = sections.find((each) => each.market === market);
  if (section === undefined)
    throw new Error("the security has no section, but securityDenial returned no refusal");
  const { blocksBlob, ...entry } = section;
  return ok({ day, entry: { ...entry, blocks: decodeBlocks(blocksBlob) } });
}

/**
 * Returns the exchanges that the query can mean. `candidates` are the exchanges on which the code has rows in any
 * dataset of the day, so that a code means the same security at every interface. If there are none, `candidates` are
 * the exchanges that list the code without rows. `own` are the exchanges on which the code has rows in the requested
 * dataset. A code without an exchange never means an index.
 */
function marketsOf(
  { sections, elsewhere }: catalog.OrderDay,
  { symbol, market }: HistoryQuery,
): Omit<MarketChoice, "cursorMarket"> {
  const isMeant = (each: Market) => market !== null || !isIndexCode(symbol, each);
  const listed = sections.filter((section) => isMeant(section.market));
  const own = listed.filter(({ rows }) => rows > 0).map((section) => section.market);
  const held = [...new Set([...own, ...elsewhere.filter(isMeant)])].toSorted();
  return { candidates: held.length > 0 ? held : listed.map((section) => section.market), own };
}

/**
 * Returns the cached day. Returns null when the day must be read, because it is not cached or the cursor belongs to
 * different content.
 */
export function keptFor(
  question: catalog.OrderDayQuestion,
  paging: Paging,
  { settings, nowMs }: Pick<Call, "settings" | "nowMs">,
): catalog.OrderDay | null {
  const kept = keptOrderDay(question, { nowMs, maxAgeMs: settings.DAY_CACHE_MS });
  return kept?.day != null && isRebuilt(paging, kept.day) ? null : kept;
}

/**
 * Returns whether paging began on different content from that of `day`: a different revision, or the same revision
 * number with a different pack.
 */
function isRebuilt({ revision, packMark: mark }: Paging, day: catalog.LoadedDay): boolean {
  if (revision === null) return false;
  return revision !== day.revision || mark !== packMark(day.pack.sha256);
}
