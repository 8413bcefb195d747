/** The `symbol` parameter: one security in any of the accepted spellings (contract 3.4). */
import * as z from "zod";
import { ok, type Result, refused } from "../../base/result.ts";
import type { Market } from "../record.ts";
import type { Problem } from "./parameters.ts";
import { type AskedMarket, type CursorDenial, invalid, type ParamInvalid } from "./query-denial.ts";

/** A requested security; without an exchange, the day's index determines the exchange. */
export interface AskedSecurity {
  /** Exactly six digits. */
  symbol: string;
  market: AskedMarket | null;
}

/** The names of each exchange in a suffix. The first is also accepted as a prefix. */
const SUFFIXES_OF: Readonly<Record<AskedMarket, readonly string[]>> = {
  SH: ["SH", "SS", "SSE", "XSHG"],
  SZ: ["SZ", "SZSE", "XSHE"],
  BJ: ["BJ"],
};
const ASKED_MARKETS = Object.keys(SUFFIXES_OF) as AskedMarket[];

/** Returns a pattern for names in any case. It works without a flag, because patterns in JSON Schema have no flags. */
const anyCase = (names: readonly string[]) =>
  names.map((word) => word.replaceAll(/[A-Z]/g, (letter) => `[${letter}${letter.toLowerCase()}]`)).join("|");

const SUFFIXES = anyCase(Object.values(SUFFIXES_OF).flat());
const PREFIXES = anyCase(ASKED_MARKETS);
const FORM = new RegExp(String.raw`^\s*((${PREFIXES})(\d{6})|(\d{6})(\.(${SUFFIXES}))?)\s*$`);

/**
 * Returns the parameter of a security: `NNNNNN`, `NNNNNN.<suffix>` or `<prefix>NNNNNN` in any case, trimmed. A list of
 * one such text counts as that text. Refuses every other form, with a separate problem for several securities (a list,
 * a comma). A code of the Beijing exchange is valid with market `BJ`; the answer is 1002 instead of 422.
 *
 * @example symbolParameter().schema.parse("sz000001") // {symbol: "000001", market: "SZ"}
 */
export function symbolParameter() {
  const text = z
    .string()
    .regex(FORM)
    .meta({ examples: ["600519", "600519.SH", "sz000001"] });
  const only = z
    .array(text)
    .length(1)
    .transform(([symbol = ""]) => symbol);
  const schema = z.union([text, only]).transform(readSymbol).meta({
    description:
      "One security: six digits, with a suffix (.SH .SS .SSE .XSHG, .SZ .SZSE .XSHE) or a prefix (sh, sz), in any case. Bare digits are looked up in the day's data. The Beijing exchange (.BJ) is recognised but not carried.",
  });
  return { schema, problemOf };
}

function problemOf(value: unknown): Problem {
  if (Array.isArray(value)) {
    const [only] = value as unknown[];
    return value.length === 1 && !Array.isArray(only) ? problemOf(only) : ["one_symbol_only"];
  }
  if (typeof value === "number") return ["not_string", numberMeant(value)];
  if (typeof value !== "string") return ["not_string"];
  return [/[,，;；、]/.test(value) ? "one_symbol_only" : "symbol_form"];
}

/** Returns the six digits of a code that was sent as a number without leading zeros. */
function numberMeant(code: number): string | undefined {
  return Number.isInteger(code) && code > 0 && code < 1_000_000 ? String(code).padStart(6, "0") : undefined;
}

function readSymbol(text: string): AskedSecurity {
  const [, , prefix, prefixed, suffixed, , suffix] = FORM.exec(text) ?? [];
  const exchange = (prefix ?? suffix)?.toUpperCase();
  const market = ASKED_MARKETS.find((each) => exchange !== undefined && SUFFIXES_OF[each].includes(exchange));
  return { symbol: prefixed ?? suffixed ?? "", market: market ?? null };
}

/**
 * The leading digits of shares (`SHARES`) and of funds (`FUNDS`) on each exchange. They are used only when a code
 * without an exchange trades on both.
 */
const SHARES: Readonly<Record<Market, RegExp>> = { SH: /^(60|68|90)/, SZ: /^(00|20|30)/ };
const FUNDS: Readonly<Record<Market, RegExp>> = { SH: /^5/, SZ: /^1[568]/ };

/**
 * Returns the exchange that bare digits mean among the `candidates` of that day; `null` without candidates. Of two
 * candidates, it is the one on which the code is a share, else the one on which it is a fund. If neither decides,
 * refuses with "add .SH or .SZ". Code ranges are used only to decide between two candidates, because exchanges open new
 * ranges.
 */
export function chooseMarket(
  symbol: string,
  candidates: readonly Market[],
): Result<Market | null, ParamInvalid> {
  const [first, second] = candidates;
  if (first === undefined || second === undefined) return ok(first ?? null);
  for (const kind of [SHARES, FUNDS]) {
    const ofKind = candidates.filter((market) => kind[market].test(symbol));
    if (ofKind.length === 1) return ok(ofKind[0] ?? null);
  }
  return refused(invalid("symbol", "symbol_on_both_exchanges", symbol));
}

/**
 * Returns whether the code is that of an index. Bare digits never mean an index, because Shanghai's indices begin with
 * the same digits as Shenzhen's shares.
 */
export function isIndexCode(symbol: string, market: Market): boolean {
  return market === "SH" && symbol.startsWith("000");
}

/** The exchanges that a query can mean, and the exchange that its cursor names. */
export interface MarketChoice {
  /** The exchanges for which any dataset of the day has a security with the requested digits. */
  candidates: readonly Market[];
  /** The exchanges for which the requested dataset has a security with these digits. */
  own: readonly Market[];
  /** The exchange of the cursor; `null` without one. */
  cursorMarket: Market | null;
}

/**
 * Returns the exchange of the query: the requested one, or the one that bare digits mean. Returns `null` when the day's
 * `candidates` do not include it (1002 `security_unknown`). Refuses a cursor of another exchange with
 * `cursor_mismatch`, because the query then means another security. Bare digits that mean the cursor's exchange
 * according to `own` are accepted without regard to `candidates`, which can change when another dataset of the day is
 * published while a client pages. The caller must check the day's revision first, because a rebuilt day can have other
 * securities.
 */
export function resolveMarket(
  asked: AskedSecurity,
  { candidates, own, cursorMarket }: MarketChoice,
): Result<Market | null, ParamInvalid | CursorDenial> {
  if (asked.market === null && cursorMarket !== null) {
    const began = chooseMarket(asked.symbol, own);
    if (began.ok && began.value === cursorMarket) return began;
  }
  const market =
    asked.market === null
      ? chooseMarket(asked.symbol, candidates)
      : ok(candidates.find((candidate) => candidate === asked.market) ?? null);
  if (!market.ok || market.value === null || cursorMarket === null || market.value === cursorMarket)
    return market;
  return refused({ reason: "cursor_mismatch", parameter: "symbol" });
}
