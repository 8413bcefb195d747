/** Tests sections from earlier builders, which stored the order numbers of trades in the encoding PLAIN. */
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import type { Column, Dataset } from "../../../src/datasets/dataset.ts";
import { trades } from "../../../src/datasets/trades.ts";
import { writeItems } from "../../../src/orders/page-json.ts";
import { FileSink } from "../../../src/pack-builder/pack-sink.ts";
import { PackWriter } from "../../../src/pack-builder/pack-writer.ts";
import { ByteWriter } from "../../../src/pack-builder/parquet/byte-writer.ts";
import { ENCODING, plainChunk } from "../../../src/pack-builder/parquet/column-chunk.ts";
import { footerPieces, rowGroupsMetadata } from "../../../src/pack-builder/parquet/footer.ts";
import { verifyPack } from "../../../src/pack-builder/verify/verify-pack.ts";
import { openBlock } from "../../../src/packs/block-columns.ts";
import { decodeChunkTable, encodeChunkTable } from "../../../src/packs/chunk-table.ts";
import { PARQUET_MAGIC } from "../../../src/packs/layout.ts";
import { projectedFile } from "../../../src/packs/projected-file.ts";
import { randomRows } from "../../support/builders.ts";
import { answerRows, fieldNames } from "../../support/dataset-days.ts";
import { readParquet } from "../../support/parquet-reader.ts";
import { printedRandom } from "../../support/random.ts";
import { testSection } from "../../support/sections.ts";
import { temporaryFolder } from "../pack-builder/deliveries.ts";

const DAY = "20230201" as BeijingDate;
const rows = 2_500;
const columns = randomRows(printedRandom("former packs"), trades, { rows });
const section = { symbol: "600519", market: "SH", columns } as const;
const standard = fieldNames(trades);
const expected = answerRows(trades, section, DAY);

/** Rewrites the section's only block with PLAIN order numbers. Returns it, its chunk sizes and the section's entry. */
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

/** Writes a pack whose only block is from `formerBlock`, with the former builder's footers. Returns the pack's path. */
async function writeFormerPack({ block, sizes, entry }: ReturnType<typeof formerBlock>): Promise<string> {
  const former: Dataset = {
    ...trades,
    columns: trades.columns.map(
      (column): Column =>
        "formerEncoding" in column ? { ...column, encoding: column.formerEncoding } : column,
    ),
  };
  const start = entry.blocks[0]?.offset ?? 0;
  let at = start;
  const chunks = sizes.map(({ dictionary, total, uncompressed }) => {
    at += total;
    const offset = at - total;
    return { offset, dataOffset: offset + dictionary, size: total, rawSize: uncompressed };
  });
  const [firstTime = "", lastTime = ""] = [columns.time[0], columns.time[rows - 1]].map((time) =>
    String(time).padStart(9, "0"),
  );
  const group = { rows, symbol: section.symbol, firstTime, lastTime, chunks };
  const metadata = rowGroupsMetadata([group], 0, former);
  const footer = Buffer.concat([...footerPieces(rows, 1, [metadata], former)]);
  const out = new ByteWriter(1 << 16);
  for (const part of [PARQUET_MAGIC, encodeChunkTable([sizes], sizes.length), block, footer])
    out.append(part);
  const bytes = out.take();
  const path = join(temporaryFolder(), "former.parquet");
  const writer = new PackWriter(DAY, await FileSink.create(path), "trades");
  Reflect.set(writer, "dataset", former);
  const places = {
    ...{ length: bytes.length, footerLength: footer.length, crc: crc32(bytes) },
    blocks: entry.blocks.map((each) => ({ ...each, crc: crc32(block) })),
  };
  await writer.append({ entry: { ...entry, ...places }, bytes, groups: [group] });
  await writer.finish();
  return path;
}

describe("a section of trades with PLAIN order numbers", () => {
  const former = formerBlock();
  const { block, sizes, entry } = former;

  it("passes the verification of its checksums, footers and rows", async () => {
    expect(await verifyPack(await writeFormerPack(former))).toMatchObject({ ok: true, value: { rows } });
  });

  it("gives the same page as a section from the current builder", () => {
    const page = writeItems([
      { columns: openBlock(block, rows, trades).columns(standard, rows), startRow: 0, endRow: rows },
    ]);
    expect(Buffer.concat(page).toString()).toBe(JSON.stringify(expected));
  });

  it.each([
    ["the standard columns", standard],
    ["three columns", ["sell_order_id", "time", "buy_order_id"]],
  ])(
    "gives a Parquet file with %s, in which another reader finds the expected value of every cell",
    async (_what, fields) => {
      const asked = fields.map((field) => ({ field, name: field }));
      const { keep, tail } = projectedFile(entry, [sizes], asked, trades);
      const kept = (keep[0] ?? []).map(({ offset, length }) => block.subarray(offset, offset + length));
      const file = new Uint8Array(Buffer.concat([Buffer.from("PAR1"), ...kept, tail]));
      expect((await readParquet(file)).rows).toEqual(answerRows(trades, section, DAY, fields));
    },
  );
});
