/** Tests sections of quotes: their JSON pages, their Parquet answers, and the rows that verification reads. */
import { describe, expect, it } from "vitest";
import { type RowsOf, storedColumns } from "../../../src/datasets/dataset.ts";
import { quotes } from "../../../src/datasets/quotes.ts";
import { fingerprintOf } from "../../../src/pack-builder/fingerprint.ts";
import { sectionRows } from "../../../src/pack-builder/verify/section-rows.ts";
import { decodeChunkTable } from "../../../src/packs/chunk-table.ts";
import { randomRows } from "../../support/builders.ts";
import { answerRows, fieldNames } from "../../support/dataset-days.ts";
import { readParquet } from "../../support/parquet-reader.ts";
import { printedRandom } from "../../support/random.ts";
import { type TestSection, testSection } from "../../support/sections.ts";

const DAY = "20230201";
const random = printedRandom("quotes");
const section = {
  symbol: "600519",
  market: "SH",
  columns: randomRows(random, quotes, { rows: 10_007, crowd: 2 }),
} as const;
const written = testSection(quotes, section, DAY);
const all = fieldNames(quotes, "all");

/** Returns the names of the columns that have a dictionary in the section's only or first block. */
function withDictionary({ bytes, entry }: TestSection): string[] {
  const table = bytes.subarray(4, entry.blocks[0]?.offset);
  const [sizes = []] = decodeChunkTable(table, entry.blocks.length, quotes.columns.length);
  return quotes.columns.flatMap(({ name }, place) => ((sizes[place]?.dictionary ?? 0) > 0 ? [name] : []));
}

describe("the encoding of a block of quotes", () => {
  const rows = 3_000;
  /** Returns rows in which every column other than `time` holds `number(row)`. */
  const columnsOf = (number: (row: number) => number) => {
    const numbers = Float64Array.from({ length: rows }, (_, row) => number(row));
    const columns = {
      rows,
      time: Int32Array.from({ length: rows }, (_, row) => 93_000_000 + row),
      ...Object.fromEntries(storedColumns(quotes).map(({ key }) => [key, numbers])),
    };
    return { symbol: "600519", market: "SH", columns } as const;
  };

  it.each([
    ["has a dictionary if numbers repeat", (row: number) => 1 + ((row * 7919) % 100), true],
    ["has no dictionary if all numbers differ", (row: number) => 1 + row, false],
    ["has no dictionary if numbers rarely change", (row: number) => 1 + Math.floor(row / 1_000), false],
  ])("%s, and reads back as the same rows", async (_what, number, hasDictionary) => {
    const made = columnsOf(number);
    const one = testSection(quotes, made, DAY);
    const either = quotes.columns.filter(({ encoding }) => encoding === "PLAIN_OR_DICTIONARY");
    const names = either.map(({ name }) => name);
    expect(names).toHaveLength(49);
    expect(withDictionary(one).filter((name) => names.includes(name as "open"))).toEqual(
      hasDictionary ? names : [],
    );
    const { text } = await one.page(all);
    expect(text).toBe(JSON.stringify(answerRows(quotes, made, DAY, all)));
    expect((await readParquet(one.parquet(all))).rows).toEqual(answerRows(quotes, made, DAY, all));
  });

  it("does not depend on the section that was written before", () => {
    expect(testSection(quotes, section, DAY).bytes).toEqual(written.bytes);
  });
});

describe("a section of quotes", () => {
  it("reads back as the written rows, with their fingerprint", () => {
    const read = sectionRows(written.entry, written.bytes, quotes);
    expect(read).toEqual(section.columns);
    expect(fingerprintOf(read, quotes)).toBe(fingerprintOf(section.columns, quotes));
  });

  it.each(storedColumns(quotes).map(({ key, name }) => [name, key] as const))(
    "has a different fingerprint when one value of %s differs",
    (_name, key) => {
      const rows = section.columns as RowsOf<typeof quotes>;
      const changed = rows[key as "amount"].slice();
      const row = random.integer(0, rows.rows - 1);
      changed[row] = (changed[row] ?? 0) + random.pick(key === "amount" ? [0.01, 1] : [1, 2 ** 33]);
      expect(changed[row]).not.toBe(rows[key as "amount"][row]);
      expect(fingerprintOf({ ...rows, [key]: changed }, quotes)).not.toBe(fingerprintOf(rows, quotes));
    },
  );
});
