/**
 * Generates a sample opening call auction: the virtual match from 09:15 to 09:25 for the securities of the sample
 * orders. Synthetic, and the same on every machine for the same date.
 */
import type { BeijingDate } from "../../calendar/beijing.ts";
import { DEFAULT_ROWS, DEFAULT_SEED } from "./day.ts";
import { type Random, seededRandom } from "./random.ts";
import { type SampleSecurity, sampleSecurities } from "./securities.ts";
import { clockTime } from "./session.ts";

/** One virtual match; `um` is the unmatched quantity. */
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
  /** The side with unmatched quantity: `B`, `S`, or `""` when there is none. */
  um_side: string;
}

const OPEN_MS = (9 * 60 + 15) * 60_000;
const END_MS = (9 * 60 + 25) * 60_000;
/** Quotes come every three seconds. */
const STEP_MS = 3_000;

/** Returns the ticks of every security with orders that day, by symbol and then time. */
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
    // Orders accumulate until the match; before 09:20 cancels remove some of them.
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

/** Occasionally moves the price by one step, within 3 % of the reference. */
function nextPrice(
  random: Random,
  { price, priceE4, tickE4 }: { price: number; priceE4: number; tickE4: number },
): number {
  const moved = price + (random.chance(0.3) ? (random.chance(0.5) ? tickE4 : -tickE4) : 0);
  return Math.abs(moved - priceE4) <= priceE4 * 0.03 ? moved : price;
}
