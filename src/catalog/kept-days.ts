/**
 * An isolate's cache of the day index, so that most pages need no D1 query: a day's row (revision, state, pack), which
 * an operator can change at any time, and the sections of a pack, which never change. Only served days and their
 * sections are cached; a new day or security is therefore found immediately.
 */
import type { LoadedDay, OrderDay, OrderDayQuestion, SectionRow } from "./order-day.ts";

/** The maximum number of cached days, of about 500 bytes each. */
const MAX_DAYS = 1_000;
/** The maximum size of the cached sections: three whole days of 5,300 securities, at 20 bytes a block. */
const MAX_SECTION_BYTES = 8 * 2 ** 20;
/** The memory of a cached section without its blocks, in bytes. */
const SECTION_BYTES = 400;

interface KeptDay {
  day: LoadedDay;
  tradedate: OrderDay["tradedate"];
  readAtMs: number;
}

const days = new Map<string, KeptDay>();
/** The index rows of a symbol, and the exchanges for which the day's other datasets have rows of that symbol. */
type KeptSections = Pick<OrderDay, "sections" | "elsewhere">;

/** The cached sections by symbol and packs. They are ordered by last use; the most recently used are at the end. */
const packSections = new Map<string, KeptSections>();
let sectionBytes = 0;

/**
 * Returns the cached answer to `question`, or null. There is an answer only if the day's row was read less than
 * `maxAgeMs` before `nowMs` (Unix milliseconds) and the sections of the symbol are cached.
 */
export function keptOrderDay(
  question: OrderDayQuestion,
  { nowMs, maxAgeMs }: { nowMs: number; maxAgeMs: number },
): OrderDay | null {
  const kept = days.get(dayKey(question));
  if (kept === undefined) return null;
  const ageMs = nowMs - kept.readAtMs;
  if (ageMs < 0 || ageMs >= maxAgeMs) return null;
  const { day, tradedate } = kept;
  const key = sectionsKey(day, question.symbol);
  const found = packSections.get(key);
  if (found === undefined) return null;
  packSections.delete(key);
  packSections.set(key, found);
  return { tradedate, day, ...found };
}

/** Caches the answer to `question`. `readAtMs` is an instant before the answer was read from D1. */
export function keepOrderDay(question: OrderDayQuestion, orderDay: OrderDay, readAtMs: number): void {
  const { day, tradedate, sections, elsewhere } = orderDay;
  const key = dayKey(question);
  days.delete(key);
  if (day === null || day.state !== "available") return;
  days.set(key, { day, tradedate, readAtMs });
  for (const oldest of days.keys()) {
    if (days.size <= MAX_DAYS) break;
    days.delete(oldest);
  }
  if (sections.length > 0) keepSections(sectionsKey(day, question.symbol), { sections, elsewhere });
}

/** Evicts the days with this pack and the sections that answered `question`, after a failed read of the pack. */
export function forgetOrderDay(question: OrderDayQuestion, day: LoadedDay): void {
  for (const [key, kept] of days) if (kept.day.pack.objectKey === day.pack.objectKey) days.delete(key);
  dropSections(sectionsKey(day, question.symbol));
}

function keepSections(key: string, found: KeptSections): void {
  dropSections(key);
  packSections.set(key, found);
  sectionBytes += bytesOf(found.sections);
  for (const oldest of packSections.keys()) {
    if (sectionBytes <= MAX_SECTION_BYTES) break;
    dropSections(oldest);
  }
}

function dropSections(key: string): void {
  sectionBytes -= bytesOf(packSections.get(key)?.sections ?? []);
  packSections.delete(key);
}

function bytesOf(sections: readonly SectionRow[]): number {
  return sections.reduce((sum, { blocksBlob }) => sum + SECTION_BYTES + blocksBlob.length, 0);
}

/** Returns the cache key of a day. Without a date it contains today, because the newest day changes at midnight. */
function dayKey({ dataset, tradedate, today }: OrderDayQuestion): string {
  return `${dataset} ${tradedate ?? `up to ${today}`}`;
}

/** Returns the cache key of a symbol's sections. Objects are never overwritten, and the etag identifies their bytes. */
function sectionsKey({ pack, others }: LoadedDay, symbol: string): string {
  return `${symbol} ${pack.etag} ${pack.objectKey} ${others}`;
}
