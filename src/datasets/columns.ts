/** Properties that all datasets share: how each kind of value is stored, and the leading columns. */
import type { Column } from "./dataset.ts";

export const TEXT = { type: "BYTE_ARRAY", encoding: "RLE_DICTIONARY", unit: null } as const;
export const NUMBER = { type: "INT64", encoding: "DELTA_BINARY_PACKED", unit: null } as const;
/**
 * For numbers whose differences from row to row are large but recur (`../packs/README.md`, "Encodings by measurement").
 */
export const JUMPING_NUMBER = { ...NUMBER, wholeBytes: true } as const;
export const YUAN = { type: "DOUBLE", encoding: "RLE_DICTIONARY", unit: { en: "yuan", zh: "元" } } as const;

export const LEADING = [
  {
    name: "symbol",
    kind: "symbol",
    ...TEXT,
    description: { en: "The security's code, six digits.", zh: "证券代码，六位数字。" },
  },
  {
    name: "tradedate",
    kind: "tradedate",
    ...TEXT,
    description: { en: "The trading day, YYYYMMDD.", zh: "交易日，YYYYMMDD。" },
  },
  {
    name: "time",
    kind: "time",
    ...TEXT,
    encoding: "PLAIN",
    zstdLevel: 7,
    description: { en: "Beijing time, HHMMSSmmm.", zh: "北京时间，HHMMSSmmm。" },
  },
] as const satisfies readonly Column[];
