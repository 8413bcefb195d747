/** Derives the kind of a security from its code. The exchanges' rules depend on the kind. */
import type { Security } from "../orders/record.ts";

/** `other`: bonds, repos and all other codes; their rules were not confirmed with real data. */
export type SecurityKind = "share" | "fund" | "other";

const SHARES = { SH: /^(?:60|68|90)/, SZ: /^(?:00|30|20)/ } as const;
const FUNDS = { SH: /^5/, SZ: /^1[568]/ } as const;

/** Returns the kind of a security by its code. */
export function kindOf({ symbol, market }: Security): SecurityKind {
  if (SHARES[market].test(symbol)) return "share";
  return FUNDS[market].test(symbol) ? "fund" : "other";
}

/** Returns whether the code belongs to an index, which has quotes but no trades. */
export function isIndex({ symbol, market }: Security): boolean {
  return symbol.startsWith(market === "SH" ? "000" : "399");
}

/**
 * Returns the price step in ten-thousandths of a yuan: 100 for shares, 10 for other securities and for Shanghai's B
 * shares.
 */
export function tickE4({ symbol, market }: Security): number {
  return kindOf({ symbol, market }) === "share" && !(market === "SH" && symbol.startsWith("90")) ? 100 : 10;
}
