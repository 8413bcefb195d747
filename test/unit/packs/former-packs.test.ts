/** Sections of earlier builders, which stored the order numbers of trades PLAIN. */
import { describe, expect, it } from "vitest";
import { trades } from "../../../src/datasets/trades.ts";
import { writeItems } from "../../../src/orders/page-json.ts";
import { ByteWriter } from "../../../src/pack-builder/parquet/byte-writer.ts";
import { ENCODING, plainChunk } from "../../../src/pack-builder/parquet/column-chunk.ts";
import { openBlock } from "../../../src/packs/block-columns.ts";
import { decodeChunkTable } from "../../../src/packs/chunk-table.ts";
import { projectedFile } from "../../../src/packs/projected-file.ts";
import { randomRows } from "../../support/builders.ts";
import { answerRows, fieldNames } from "../../support/dataset-days.ts";
import { readParquet } from "../../support/parquet-reader.ts";
import { printedRandom } from "../../support/random.ts";
import { testSection } from "../../support/sections.ts";

const DAY = "20230201";
const rows = 2_500;
const columns = randomRows(printedRandom("former packs"), trades, { rows });
const section = { symbol: "600519", market: "SH", columns } as const;
const standard = fieldNames(trades);
const expected = answerRows(trades, section, DAY);

/** Returns the section's only block with PLAIN order numbers, its entry and the sizes of its chunks. */
function formerBlock() {
  const { entry, bytes } = testSection(trades, section, DAY);
  const start = entry.blocks[0]?.offset ?? 0;
  const [sizes = []] = decodeChunkTable(bytes.subarray(4, start), 1, trades.columns.length);
  const out = new ByteWriter(1 << 16);
  let at = start;
  const former = trades.columns.map((column, place) => {
    const size = sizes[place] ?? { dictionary: 0, total: 0, uncompressed: 0 };
    at += size.total;
    if (!("formerEncoding" in column)) {
      out.append(bytes.subarray(at - size.total, at));
      return size;
    }
    const numbers = columns[column.key as keyof typeof columns] as unknown as Float64Array;
    const chunk = plainChunk(out, rows, ENCODING.PLAIN, (body) => {
      for (const number of numbers) body.int64(number);
    });
    return { dictionary: 0, total: chunk.size, uncompressed: chunk.rawSize };
  });
  const block = out.take();
  const length = start + block.length + entry.footerLength;
  return { block, sizes: former, entry: { ...entry, length } };
}

describe("a section of trades with PLAIN order numbers", () => {
  const { block, sizes, entry } = formerBlock();

  it("gives the same page as one of this builder", () => {
    const page = writeItems([
      { columns: openBlock(block, rows, trades).columns(standard, rows), startRow: 0, endRow: rows },
    ]);
    expect(new TextDecoder().decode(page)).toBe(JSON.stringify(expected));
  });

  it.each([
    ["the standard columns", standard],
    ["three columns", ["sell_order_id", "time", "buy_order_id"]],
  ])("gives a Parquet file with %s that another reader reads cell by cell", async (_what, fields) => {
    const asked = fields.map((field) => ({ field, name: field }));
    const { keep, tail } = projectedFile(entry, [sizes], asked, trades);
    const kept = (keep[0] ?? []).map(({ offset, length }) => block.subarray(offset, offset + length));
    const file = new Uint8Array(Buffer.concat([Buffer.from("PAR1"), ...kept, tail]));
    expect((await readParquet(file)).rows).toEqual(answerRows(trades, section, DAY, fields));
  });
});
