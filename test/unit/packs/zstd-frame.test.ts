import { constants, zstdCompressSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { frameOf } from "../../../src/packs/zstd-frame.ts";
import { printedRandom } from "../../support/random.ts";

const random = printedRandom("zstd frames");

/** Returns `size` bytes of a random kind: incompressible bytes, one repeated byte, or compressible bytes. */
function content(size: number): Uint8Array {
  const kind = random.pick(["random", "equal", "text"]);
  return Uint8Array.from({ length: size }, (_, at) =>
    kind === "random" ? random.integer(0, 255) : kind === "equal" ? 7 : (at * at) % 13,
  );
}

describe("the reader of ZSTD frames", () => {
  it("reads the compressor's frames of every size, with and without checksum and content size", () => {
    for (const size of [0, 1, 255, 256, 257, 65_791, 65_792, 131_072, 131_073, 400_000]) {
      for (const [checksumFlag, contentSizeFlag] of [
        [0, 1],
        [1, 1],
        [0, 0],
      ] as const) {
        const params = {
          [constants.ZSTD_c_checksumFlag]: checksumFlag,
          [constants.ZSTD_c_contentSizeFlag]: contentSizeFlag,
        };
        const frame = zstdCompressSync(content(size), { params });
        const found = { length: frame.length, contentBytes: contentSizeFlag === 1 ? size : null };
        expect(frameOf(frame)).toEqual(found);
        expect(frameOf(Buffer.concat([frame, frame]))).toEqual(found);
        for (const cut of [1, 3, 5]) expect(frameOf(frame.subarray(0, frame.length - cut))).toBeNull();
      }
    }
  });

  it("never returns a frame longer than the given bytes, for 2,000 damaged frames", () => {
    const good = zstdCompressSync(content(3_000));
    for (let run = 0; run < 2_000; run++) {
      const bad = Uint8Array.from(good.subarray(0, random.integer(0, good.length)));
      bad[random.integer(0, Math.min(bad.length, 16))] = random.integer(0, 255);
      expect(frameOf(bad)?.length ?? 0).toBeLessThanOrEqual(bad.length);
    }
  });
});
