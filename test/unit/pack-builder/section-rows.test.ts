import { describe, expect, it } from "vitest";
import type { BeijingDate } from "../../../src/calendar/beijing.ts";
import { orders } from "../../../src/datasets/orders.ts";
import { sectionRows } from "../../../src/pack-builder/verify/section-rows.ts";
import { PackFormatError } from "../../../src/packs/errors.ts";
import { locateIndex } from "../../../src/packs/locate.ts";
import { columnsOf, randomSecurity } from "../../support/builders.ts";
import { buildPackBytes } from "../../support/pack-bytes.ts";
import { printedRandom } from "../../support/random.ts";

const DAY = "20240102" as BeijingDate;

describe("the rows of a section whose checksums are not checked", () => {
  it("are refused with a PackFormatError or read, whichever byte of the block is wrong", async () => {
    const random = printedRandom("section-rows");
    const { symbol, market, orders: rows } = randomSecurity(random, { symbol: "600519", rows: 50 });
    const bytes = await buildPackBytes(DAY, [{ symbol, market, columns: columnsOf(rows) }]);
    const read = async (offset: number, length: number) => bytes.subarray(offset, offset + length);
    const [entry] = (await locateIndex(bytes.length, read)).index.entries;
    if (entry === undefined) throw new Error("the pack has no securities");
    const section = bytes.subarray(entry.offset, entry.offset + entry.length);
    let refused = 0;
    for (let at = entry.blocks[0]?.offset ?? 0; at < entry.length - entry.footerLength; at++) {
      for (const mask of [0x01, 0x80, 0xff]) {
        const damaged = section.slice();
        damaged[at] = (damaged[at] ?? 0) ^ mask;
        try {
          sectionRows(entry, damaged, orders);
        } catch (error) {
          expect(error, `byte ${at} ^ ${mask}`).toBeInstanceOf(PackFormatError);
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(100);
  });
});
