/** Maps security cells to `securityKey` with a cache: a day has few codes and millions of rows. */
import type { Market } from "../../orders/record.ts";
import { decodeText } from "./file-head.ts";
import { readSecurity, type SecurityCell, securityKey } from "./security-cell.ts";

/** Results of `keyOf` and `keyIn` that are not keys. */
const NO_SECURITY = -1;
export const NOT_CARRIED = -2;
export const UNKNOWN_MARKET = -3;

/** The largest key is 2 × 999,999 + 1. */
const KEYS = 2_000_000;
const ZERO = 48;
const NINE = 57;
const POINT = 46;

/** A cached code. `base` is the key of the Shanghai security with this code; the key in Shenzhen is `base + 1`. */
interface KnownCode {
  cell: SecurityCell | null;
  base: number;
}

export class SecurityReader {
  /** Whether the last cell lacked its leading zeros. */
  zerosLost = false;
  private readonly market: Market | null;
  private readonly known = new Map<number, KnownCode>();
  /**
   * The time of each security's last row, by key. Allocated when a second security occurs, because most files have
   * only one.
   */
  private lastTimes: Int32Array | null = null;
  private runKey = NO_SECURITY;
  private runTime = 0;
  private code: KnownCode = { cell: null, base: NO_SECURITY };
  private lastStamp = -1;
  private lastKey = NO_SECURITY;

  /** `market` is the exchange of codes without a suffix, if the layout defines it. */
  constructor(market: Market | null) {
    this.market = market;
  }

  /** Returns the key of the code in `bytes[from, to)`, or `NO_SECURITY`, `NOT_CARRIED`, `UNKNOWN_MARKET`. */
  keyOf(bytes: Uint8Array, from: number, to: number): number {
    const stamp = stampOf(bytes, from, to);
    if (stamp >= 0 && stamp === this.lastStamp) return this.lastKey;
    let code = stamp < 0 ? undefined : this.known.get(stamp);
    if (code === undefined) {
      const cell = readSecurity(decodeText(bytes.subarray(from, to)));
      code = { cell, base: cell === null ? NO_SECURITY : securityKey(cell.symbol, "SH") };
      if (stamp >= 0) this.known.set(stamp, code);
    }
    this.code = code;
    this.zerosLost = code.cell?.zerosLost ?? false;
    this.lastStamp = -1;
    const key = this.keyIn(null);
    // A result that depends on the row (an unknown market) is not cached.
    if (key !== UNKNOWN_MARKET) {
      this.lastStamp = stamp;
      this.lastKey = key;
    }
    return key;
  }

  /**
   * Returns the key of the code that `keyOf` read last. `market` is used only when neither that code nor the layout
   * names the exchange.
   */
  keyIn(market: Market | null): number {
    const { cell, base } = this.code;
    if (cell === null) return NO_SECURITY;
    const found = cell.market ?? this.market ?? market;
    if (found === null) return UNKNOWN_MARKET;
    if (found === "BJ") return NOT_CARRIED;
    return found === "SZ" ? base + 1 : base;
  }

  /** Returns whether `time` is earlier than the security's previous row. */
  wentBack(key: number, time: number): boolean {
    if (key !== this.runKey) this.changeRun(key);
    const before = this.runTime;
    this.runTime = time;
    return time < before;
  }

  private changeRun(key: number): void {
    if (this.runKey >= 0) {
      this.lastTimes ??= new Int32Array(KEYS);
      this.lastTimes[this.runKey] = this.runTime;
    }
    this.runKey = key;
    this.runTime = this.lastTimes?.[key] ?? 0;
  }
}

/** Returns a code of up to six digits with an optional suffix of two letters as one number; -1 for other forms. */
function stampOf(bytes: Uint8Array, from: number, to: number): number {
  let stamp = to - from;
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) break;
    stamp = stamp * 10 + byte - ZERO;
  }
  if (at === from || at - from > 6) return -1;
  if (at === to) return stamp;
  if (bytes[at] !== POINT || to - at !== 3) return -1;
  return (stamp * 256 + (bytes[at + 1] ?? 0)) * 256 + (bytes[at + 2] ?? 0);
}
