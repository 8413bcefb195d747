import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decompressPage } from "../../../src/packs/decompress.ts";

describe("decompression of a page in the worker's runtime", () => {
  it("restores pages of every size, also of those at which the runtime's own decoder fails", () => {
    const steps = [1, 2, 3, 4, 8, 16].flatMap((step) => [-1, 0, 1].map((change) => step * 40_960 + change));
    for (const size of [1, 9, 63, 64, 65, 130_000, 300_000, ...steps]) {
      const page = Uint8Array.from({ length: size }, (_, at) => (at * 7 + (at >> 5) * 31) & 0xff);
      const bytes = decompressPage(new Uint8Array(zstdCompressSync(page)), size);
      expect(bytes.length).toBe(size);
      expect(bytes.every((byte, at) => byte === page[at])).toBe(true);
    }
  });

  it("refuses a page of another size and bytes that are no zstd frame", () => {
    const page = new Uint8Array(
      zstdCompressSync(new Uint8Array(5_000).map((_, at) => (at * at) >> (at % 7))),
    );
    expect(page.length).toBeGreaterThan(200);
    expect(() => decompressPage(page, 4_999)).toThrow(/decompressed to 5000/);
    expect(() => decompressPage(page.subarray(0, page.length - 5), 5_000)).toThrow();
    expect(() => decompressPage(page.subarray(4), 5_000)).toThrow();
  });
});
