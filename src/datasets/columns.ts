/** How each kind of value is stored, and the leading columns of every dataset. */
import type { Bilingual, Column } from "./dataset.ts";

const TEXT = { type: "BYTE_ARRAY", encoding: "RLE_DICTIONARY", unit: null } as const;
const SHARES = { en: "shares", zh: "股" } as const;

export const CODE = { kind: "code", ...TEXT } as const;
const INT64 = { type: "INT64", encoding: "DELTA_BINARY_PACKED", unit: null } as const;
export const INTEGER = { kind: "integer", ...INT64 } as const;
/**
 * For numbers whose differences from row to row are large but recur (`../packs/README.md`, "Encodings by measurement").
 */
export const JUMPING = { ...INTEGER, wholeBytes: true } as const;
export const JUMPING_SHARES = { ...JUMPING, unit: SHARES } as const;
/** For quantities. Most values occur in many rows, but rarely in two successive rows. */
export const VOLUME = { ...INTEGER, encoding: "RLE_DICTIONARY", unit: SHARES } as const;
const YUAN = { type: "DOUBLE", encoding: "RLE_DICTIONARY", unit: { en: "yuan", zh: "元" } } as const;
export const PRICE = { kind: "price", ...YUAN } as const;
/** The column `amount` of a dataset that has the columns `price` and `volume`. */
export const AMOUNT = { name: "amount", kind: "amount", price: "price", volume: "volume", ...YUAN } as const;

/**
 * Returns the column called `name` in answers and `key` in memory, stored in the given form. The last argument contains
 * the description in both languages and the column's other properties.
 */
export function column<const Name extends string, const Key extends string, const Form, const More>(
  name: Name,
  key: Key,
  form: Form,
  { en, zh, ...more }: Bilingual & More,
) {
  return { name, key, ...form, ...more, description: { en, zh } };
}

const SYMBOL = { en: "The security's code, six digits.", zh: "证券代码，六位数字。" };
const TRADEDATE = { en: "The trading day, YYYYMMDD.", zh: "交易日，YYYYMMDD。" };
const TIME = { en: "Beijing time, HHMMSSmmm.", zh: "北京时间，HHMMSSmmm。" };

export const LEADING = [
  { name: "symbol", kind: "symbol", ...TEXT, description: SYMBOL },
  { name: "tradedate", kind: "tradedate", ...TEXT, description: TRADEDATE },
  { name: "time", kind: "time", ...TEXT, encoding: "PLAIN", description: TIME },
] as const satisfies readonly Column[];
