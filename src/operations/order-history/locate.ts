/** Step 7 of contract 2.1: the section that answers a query, or why there is none. Nothing is charged yet. */
import { beijingDate } from "../../calendar/beijing.ts";
import { dayDenial, securityDenial } from "../../catalog/day-denial.ts";
import type { LoadedDay, OrderDay } from "../../catalog/order-day.ts";
import type { Denial } from "../../http/denial.ts";
import { packMark } from "../../orders/cursor.ts";
import type { OrderQuery } from "../../orders/query.ts";
import { resolveMarket } from "../../orders/symbol.ts";
import type { Walk } from "../../orders/walk.ts";
import { decodeBlocks } from "../../packs/blocks-blob.ts";
import type { SectionEntry } from "../../packs/layout.ts";
import type { Call } from "../operation.ts";

/** What is served: a security's section in a day's present revision. */
export interface Located {
  day: LoadedDay;
  entry: SectionEntry;
}

/**
 * Finds the section of `query` in `orderDay`. The order of refusals is the order of what a caller can mend:
 * the day, the revision a cursor stands on, which exchange, the security.
 */
export function locate(
  { nowMs }: Pick<Call, "nowMs">,
  query: OrderQuery,
  walk: Walk,
  orderDay: OrderDay,
): Located | Denial {
  const unserved = dayDenial(orderDay, beijingDate(nowMs));
  if (unserved !== null) return unserved;
  const { day, sections, tradedate } = orderDay;
  if (day === null) throw new Error("a day without a denial is loaded");
  if (isRebuilt(walk, day)) return { reason: "data_rebuilt", tradedate };

  const traded = sections.filter(({ rows }) => rows > 0);
  const candidates = (traded.length > 0 ? traded : sections).map(({ market }) => market);
  const market = resolveMarket(query, candidates, walk.market);
  if (market !== null && typeof market === "object") return market;
  const unheld = securityDenial(orderDay, query.symbol, market ?? query.market);
  if (unheld !== null) return unheld;

  const section = sections.find((each) => each.market === market);
  if (section === undefined) throw new Error("a security without a denial has a section");
  const { blocksBlob, ...entry } = section;
  return { day, entry: { ...entry, blocks: decodeBlocks(blocksBlob) } };
}

/** Whether the walk began on another content than `day` has: another revision, or its number on another pack. */
function isRebuilt({ revision, packMark: mark }: Walk, day: LoadedDay): boolean {
  if (revision === null) return false;
  return revision !== day.revision || mark !== packMark(day.pack.sha256);
}
