/** The kinds of daily files that shares hand out (contract 3.12). */

export const DATA_TYPES = ["auction_tick", "level2"] as const;

export type DataType = (typeof DATA_TYPES)[number];

/** The first year that may be asked for; the last one is the present year in Beijing (contract 3.11). */
export const FIRST_YEAR: Readonly<Record<DataType, number>> = { auction_tick: 2022, level2: 2017 };
