/**
 * Compares every column of every row in the auction packs of real snapshots with the values of contract 8.10. The
 * expected values are computed here, with exact integers, from the text of the source's lines.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { readVendorLines } from "../../support/vendor-zip.ts";
import { builtDay, temporaryFolder } from "./deliveries.ts";

const DATA = "../shared/data";
if (!existsSync(DATA)) console.error(`\n!!! SKIPPED: ${DATA} is absent, no real auction was built !!!\n`);

/**
 * The expected numbers of rows: of the call phase, with a match (`matched`) and without a match (`empty`), and of
 * auction results (`results`).
 */
const DAYS = [
  { archive: "quotes-20211201-sse-vendor.zip", tradedate: "20211201", matched: 224, empty: 1, results: 5 },
  { archive: "quotes-20220601-szse-vendor.zip", tradedate: "20220601", matched: 104, empty: 4, results: 3 },
  { archive: "full-20230201-600519-vendor.zip", tradedate: "20230201", matched: 125, empty: 0, results: 1 },
];

type Cell = string | number | bigint | boolean | null;

/** Returns the double nearest to `units` × 10^-`decimals`. */
const decimal = (units: bigint, decimals: number) => Number(`${units}e-${decimals}`);

/** Returns (price − close) / close × 100, rounded half away from zero to 4 decimals. */
function change(price: bigint, close: bigint): number | null {
  if (price === 0n || close === 0n) return null;
  const [top, sign] = price < close ? [close - price, -1n] : [price - close, 1n];
  const [whole, rest] = [(top * 1_000_000n) / close, (top * 1_000_000n) % close];
  return decimal(sign * (2n * rest >= close ? whole + 1n : whole), 4);
}

/**
 * Returns the expected rows of a security from its lines in time order. `turnover` is the day's turnover up to the row,
 * as the source states it.
 */
function expectedRows(lines: readonly ReadonlyMap<string, string>[]): { cells: Cell[]; turnover: number }[] {
  const rows: { cells: Cell[]; turnover: number }[] = [];
  for (const line of lines) {
    const text = (name: string) => line.get(name) ?? "";
    const number = (name: string) => BigInt(text(name).trim());
    const time = text("时间").trim().padStart(9, "0");
    if (time < "091500000" || time >= "093000000") continue;
    const all = (name: string, from: number) =>
      Array.from({ length: 11 - from }, (_, place) => number(`${name}${from + place}`)).every(
        (n) => n === 0n,
      );
    const [bid, ask, bids, asks] = [
      number("申买价1"),
      number("申卖价1"),
      number("申买量1"),
      number("申卖量1"),
    ];
    const isMatch = bid > 0n && bid === ask && bids === asks && all("申买价", 2) && all("申卖价", 2);
    const isEmpty = ["申买价", "申卖价", "申买量", "申卖量"].every((name) => all(name, 1));
    const isCall = time < "092510000" && number("当日累计成交量") === 0n && (isMatch || isEmpty);
    if (!isCall && time < "092500000")
      throw new Error(`${text("万得代码")} ${time} is neither call nor result`);
    const volume = isCall ? bids : number("当日累计成交量");
    const price = isCall ? bid : volume === 0n ? 0n : number("成交价");
    let [left, side] = [0n, ""];
    if (isCall) {
      [left, side] = number("申买量2") > 0n ? [number("申买量2"), "b"] : [number("申卖量2"), "s"];
    } else if (price > 0n && bid === price) [left, side] = [bids, "b"];
    else if (price > 0n && ask === price) [left, side] = [asks, "s"];
    if (left === 0n) side = "";
    const code = text("万得代码");
    rows.push({
      cells: [
        ...[text("自然日"), code.slice(0, 6), time, decimal(price, 4), change(price, number("前收盘"))],
        ...[decimal(volume, 2), decimal(price * volume, 4), decimal(left, 2), side],
        ...[code.slice(7), !isCall, volume, left],
      ],
      turnover: Number(text("当日成交额")),
    });
    if (!isCall) break;
  }
  return rows;
}

describe.skipIf(!existsSync(DATA))("the auction pack of the real day", () => {
  it.each(DAYS)("$tradedate has in every column the values computed from the snapshots", async (day) => {
    const outFolder = temporaryFolder();
    const tradedate = day.tradedate as BeijingDate;
    const said = { tradedate, outFolder, datasets: ["quotes"] } as const;
    const { auction } = await builtDay(join(DATA, day.archive), said);
    const lines = await readVendorLines(join(DATA, day.archive), "行情.csv");
    const codes = [...lines.keys()].sort();
    const expected = codes.flatMap((code) => expectedRows(lines.get(code) ?? []));
    const path = join(outFolder, `${day.tradedate}_aucde.parquet`);
    expect(auction).toEqual({ path, securities: codes.length, rows: expected.length, defects: 0 });
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const rows = (await connection.runAndReadAll(`SELECT * FROM '${path}'`)).getRows();
    expect(rows).toEqual(expected.map(({ cells }) => cells));

    const results = expected.filter(({ cells }) => cells[10] === true);
    const calls = expected.filter(({ cells }) => cells[10] === false);
    expect(calls.filter(({ cells }) => cells[3] !== 0)).toHaveLength(day.matched);
    expect(calls.filter(({ cells }) => cells[3] === 0)).toHaveLength(day.empty);
    expect(results).toHaveLength(day.results);
    for (const { cells, turnover } of results) expect(cells[6]).toBe(turnover);
    const untraded = results.filter(({ cells }) => cells[11] === 0n).map(({ cells }) => cells[1]);
    expect(untraded).toEqual(day.tradedate === "20211201" ? ["688218"] : []);
  });
});
