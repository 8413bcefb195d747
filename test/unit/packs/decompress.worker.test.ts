import { zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { decompressPage } from "../../../src/packs/decompress.ts";

describe("decompressPage in the worker's runtime", () => {
  it("restores pages of every size, including sizes at which the runtime's own decoder fails", () => {
    const steps = [1, 2, 3, 4, 8, 16].flatMap((step) => [-1, 0, 1].map((change) => step * 40_960 + change));
    for (const size of [1, 9, 63, 64, 65, 130_000, 300_000, ...steps]) {
      const page = Uint8Array.from({ length: size }, (_, at) => (at * 7 + (at >> 5) * 31) & 0xff);
      const bytes = decompressPage(new Uint8Array(zstdCompressSync(page)), size);
      expect(bytes.length).toBe(size);
      expect(bytes.every((byte, at) => byte === page[at])).toBe(true);
    }
  });

  it("refuses a page whose size differs from the stated size, and bytes that are not a zstd frame", () => {
    const page = new Uint8Array(
      zstdCompressSync(new Uint8Array(5_000).map((_, at) => (at * at) >> (at % 7))),
    );
    expect(page.length).toBeGreaterThan(200);
    expect(() => decompressPage(page, 4_999)).toThrow(/decompressed to 5000/);
    expect(() => decompressPage(page.subarray(0, page.length - 5), 5_000)).toThrow();
    expect(() => decompressPage(page.subarray(4), 5_000)).toThrow();
    const empty = new Uint8Array(zstdCompressSync(new Uint8Array(0)));
    expect(() => decompressPage(empty, 0)).toThrow(/states a size of 0 bytes/);
  });

  it("does not decode a large frame after a frame of the stated size", () => {
    const [first, second] = [300, 200_000].map((size) => zstdCompressSync(new Uint8Array(size)));
    const page = new Uint8Array([...(first ?? []), ...(second ?? [])]);
    expect(page.length).toBeLessThan(128);
    expect(() => decompressPage(page, 300)).not.toThrow(/decompressed to 200300/);
  });

  it("restores each page, even after truncated, corrupt and wrongly sized pages", () => {
    const content = (number: number) =>
      Uint8Array.from({ length: 3_000 + number }, (_, at) => (at * at * number) >> (at % 7));
    for (let number = 1; number < 60; number++) {
      const bytes = content(number);
      const page = new Uint8Array(zstdCompressSync(bytes));
      expect(decompressPage(page, bytes.length)).toEqual(bytes);
      const corrupt = page.slice();
      for (let at = 20; at < 200; at++) corrupt[at] = (corrupt[at] ?? 0) ^ (at + number);
      const [cut, doubled] = [page.subarray(0, page.length - number), new Uint8Array(2 * page.length)];
      doubled.set(page);
      doubled.set(page, page.length);
      expect(() => decompressPage(cut, bytes.length)).toThrow();
      expect(() => decompressPage(page, bytes.length + number)).toThrow();
      expect(restored(corrupt, bytes.length)).not.toEqual(bytes);
      expect(restored(doubled, bytes.length) ?? bytes).toEqual(bytes);
    }
  });
});

/** Returns the bytes of `page`, or null when it is refused. */
function restored(page: Uint8Array, size: number): Uint8Array | null {
  try {
    return new Uint8Array(decompressPage(page, size));
  } catch {
    return null;
  }
}
