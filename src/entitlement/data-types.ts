/** The kinds of daily files in shares (contract 3.12). */

export const DATA_TYPES = ["auction_tick", "level2"] as const;

export type DataType = (typeof DATA_TYPES)[number];

/** The first year that can be requested; the last one is the current year in Beijing (contract 3.11). */
export const FIRST_YEAR: Readonly<Record<DataType, number>> = { auction_tick: 2022, level2: 2017 };
