/** Parses security codes: `600519.SH`, or six digits (sometimes without leading zeros). */
import type { Market } from "../../orders/record.ts";

/** Suffixes of exchanges; codes of the Beijing exchange are recognised, but its data is not served. */
const SUFFIXES: Record<string, Market | "BJ"> = {
  SH: "SH",
  SS: "SH",
  SSE: "SH",
  XSHG: "SH",
  SZ: "SZ",
  SZSE: "SZ",
  XSHE: "SZ",
  BJ: "BJ",
};

export interface SecurityCell {
  symbol: string;
  market: Market | "BJ" | null;
  zerosLost: boolean;
}

/** Parses `text` as a security; its market is `null` without a suffix. Returns `null` for anything else. */
export function readSecurity(text: string): SecurityCell | null {
  const parts = /^(\d{1,6})(?:\.([A-Za-z]{2,4}))?$/.exec(text);
  if (parts === null) return null;
  const [, digits = "", suffix] = parts;
  const market = suffix === undefined ? null : SUFFIXES[suffix.toUpperCase()];
  if (market === undefined) return null;
  return { symbol: digits.padStart(6, "0"), market, zerosLost: digits.length < 6 };
}

/** The first digits of codes of shares, funds, bonds and repos, with their exchange. */
const RANGES: readonly [RegExp, Market][] = [
  [/^(?:5|6|9|11|20[45])/, "SH"],
  [/^(?:00|30|20[01]|1[2-8])/, "SZ"],
];

/**
 * Returns the exchange of a six-digit code without a suffix; `null` for codes outside the known ranges. Indices need a
 * suffix, because Shenzhen shares have codes with the same digits.
 */
export function exchangeOfCode(symbol: string): Market | null {
  return RANGES.find(([digits]) => digits.test(symbol))?.[1] ?? null;
}

/** Returns a security as one number that sorts in the order of the pack: symbol, then market. */
export function securityKey(symbol: string, market: Market): number {
  return Number(symbol) * 2 + (market === "SZ" ? 1 : 0);
}

/** Returns the security of a `securityKey`. */
export function securityOfKey(key: number): { symbol: string; market: Market } {
  const symbol = String(Math.floor(key / 2)).padStart(6, "0");
  return { symbol, market: key % 2 === 1 ? "SZ" : "SH" };
}
