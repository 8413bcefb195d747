import { readdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { columnsOf, day, randomSecurity, type TestSecurity } from "../../support/builders.ts";
import { buildPackBytes } from "../../support/pack-bytes.ts";
import { printedRandom } from "../../support/random.ts";
import { HEADERS } from "../../support/random-deliveries.ts";
import { built, contentOf, DAY, delivery } from "./deliveries.ts";

const random = printedRandom("mixed files");

/** Numbers the phase flags too, because equal rows in two files would count as the same order. */
function numbered(security: TestSecurity): TestSecurity {
  const orders = security.orders.map((each, row) =>
    each.orderType === "S" ? { ...each, exchangeOrderId: 1_000_000 + row } : each,
  );
  return { ...security, orders };
}

const test = day({
  tradedate: DAY,
  securities: [
    randomSecurity(random, { symbol: "000001", rows: 600, crowd: 5 }),
    randomSecurity(random, { symbol: "600519", rows: 800, crowd: 50 }),
    randomSecurity(random, { symbol: "601825", rows: 1 }),
  ].map(numbered),
});

/** Returns all rows as lines of plain CSV, with securities mixed at random and each security's rows in order. */
function mixedLines(): string[] {
  const waiting = test.securities.map(({ symbol, market }) => ({
    market,
    rows: test.rowsOf(symbol, market).map((row) => row.slice(0, -1)),
  }));
  const lines: string[] = [];
  while (waiting.some(({ rows }) => rows.length > 0)) {
    const next = random.pick(waiting.filter(({ rows }) => rows.length > 0));
    const row = next.rows.shift() ?? [];
    lines.push([`${row[0]}.${next.market}`, ...row.slice(1)].join(","));
  }
  return lines;
}

async function expected(): Promise<Buffer> {
  const sections = test.securities.map(({ symbol, market, orders }) => ({
    symbol,
    market,
    columns: columnsOf(orders),
  }));
  return contentOf(await buildPackBytes(DAY, sections));
}

describe("a file with many securities", () => {
  it("gives the same pack at any chunk size and number of threads", async () => {
    const folder = delivery({ "orders.csv": `${[HEADERS.orders.plain, ...mixedLines()].join("\n")}\n` });
    const whole = await expected();
    for (const said of [{ chunkBytes: 700 }, { chunkBytes: 20_000, threads: 2 }, { chunkBytes: 30 }, {}]) {
      const { pack, report } = await built(folder, said);
      expect((await contentOf(readFileSync(pack))).equals(whole), JSON.stringify(said)).toBe(true);
      expect(report).toMatchObject({ rows: 1401, result: "whole" });
      expect(readdirSync(dirname(pack))).toEqual([`${DAY}.parquet`]);
    }
  });

  it("may be split into several files, which are read in the order of their paths", async () => {
    const lines = mixedLines();
    const half = random.integer(1, lines.length - 1);
    const folder = delivery({
      "b.csv": `${[HEADERS.orders.plain, ...lines.slice(half)].join("\n")}\n`,
      "a.csv": `${[HEADERS.orders.plain, ...lines.slice(0, half)].join("\n")}\n`,
    });
    const { pack } = await built(folder, { chunkBytes: 5000, threads: 2 });
    expect((await contentOf(readFileSync(pack))).equals(await expected())).toBe(true);
  });
});
