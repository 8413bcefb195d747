/**
 * A sample day of the opening call auction: what the exchanges would match at each moment from 09:15 to
 * 09:25, for the securities of the sample orders. Invented, and the same on every machine for the same date.
 */
import type { BeijingDate } from "../../calendar/beijing.ts";
import { DEFAULT_ROWS, DEFAULT_SEED } from "./day.ts";
import { type Random, seededRandom } from "./random.ts";
import { type SampleSecurity, sampleSecurities } from "./securities.ts";
import { clockTime } from "./session.ts";

/** One virtual match; `um` is what the other side could not take. */
export interface AuctionTick {
  symbol: string;
  tradedate: BeijingDate;
  /** HHMMSSmmm. */
  time: string;
  /** Virtual match price, yuan. */
  m_price: number;
  /** Virtual matched quantity, shares or units, and its amount in yuan. */
  auc_vol: number;
  auc_amt: number;
  um_vol: number;
  /** Whose quantity is left over: `B`, `S`, or `""` when none is. */
  um_side: string;
}

const OPEN_MS = (9 * 60 + 15) * 60_000;
const END_MS = (9 * 60 + 25) * 60_000;
/** Quotes come every three seconds. */
const STEP_MS = 3_000;

/** The ticks of every security that has orders that day, by symbol and then time. */
export function sampleAuction(tradedate: BeijingDate, seed = DEFAULT_SEED): AuctionTick[] {
  return sampleSecurities(DEFAULT_ROWS, seed)
    .filter(({ rows }) => rows > 0)
    .flatMap((security) => ticksOf(security, tradedate, seed));
}

function ticksOf(security: SampleSecurity, tradedate: BeijingDate, seed: string): AuctionTick[] {
  const { symbol, market, priceE4, tickE4, lot } = security;
  const random = seededRandom(`${seed} ${tradedate} auction ${symbol}.${market}`);
  const ticks: AuctionTick[] = [];
  let price = priceE4;
  let matched = 0;
  for (let atMs = OPEN_MS; atMs <= END_MS; atMs += STEP_MS) {
    price = nextPrice(random, { price, priceE4, tickE4 });
    // Orders pile up until the match; cancels take some of them away before 09:20.
    matched = Math.max(lot, matched + lot * (random.below(1 + Math.ceil(security.rows / 400)) - 1));
    const left = random.chance(0.04) ? 0 : lot * (1 + random.below(60));
    ticks.push({
      symbol,
      tradedate,
      time: String(clockTime(atMs)).padStart(9, "0"),
      m_price: price / 10_000,
      auc_vol: matched,
      auc_amt: (price * matched) / 10_000,
      um_vol: left,
      um_side: left === 0 ? "" : random.chance(0.5) ? "B" : "S",
    });
  }
  return ticks;
}

/** One step up or down now and then, within 3 % of the reference. */
function nextPrice(
  random: Random,
  { price, priceE4, tickE4 }: { price: number; priceE4: number; tickE4: number },
): number {
  const moved = price + (random.chance(0.3) ? (random.chance(0.5) ? tickE4 : -tickE4) : 0);
  return Math.abs(moved - priceE4) <= priceE4 * 0.03 ? moved : price;
}
