import { constants, createZstdCompress, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ZstdContext } from "../../../src/packs/zstd-context.ts";
import { printedRandom } from "../../support/random.ts";

const SIZES = [1, 40, 130_000, 700, 80_000, 16_385, 16_384, 20_000, 3, 80_000, 200_000];

describe("a ZSTD context that compresses many pages", () => {
  it.each([5, 7, 12, 13])("makes the same frames as a new context for each page, at level %i", (level) => {
    const random = printedRandom(`pages at level ${level}`);
    const settings = { params: { [constants.ZSTD_c_compressionLevel]: level } };
    const context = ZstdContext.of(() => createZstdCompress(settings));
    const output = new Uint8Array(1 << 18);
    for (const size of SIZES) {
      // Most bytes repeat an earlier byte, so that the compressor finds matches.
      const page = new Uint8Array(size);
      for (let at = 0; at < size; at++)
        page[at] = random.chance(0.7) ? (page[at - 8] ?? 0) : random.integer(0, 99);
      const length = context?.run(constants.ZSTD_e_end, page, output) ?? -1;
      expect(zstdCompressSync(page, settings).equals(output.subarray(0, length))).toBe(true);
    }
    context?.close();
  });
});
