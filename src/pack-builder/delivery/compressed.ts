/** Decompresses `.gz` and `.zst` files to disk, and copies files out of archives. */
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip, createZstdDecompress, type ZstdDecompress } from "node:zlib";
import type { Compression } from "./file-names.ts";
import { diskFile } from "./folder.ts";
import { DeliveryError, type SourceFile } from "./source-file.ts";

const PIECE_BYTES = 256 * 1024;

/** Decompresses `file` to `place`. Throws `DeliveryError` when it is truncated or damaged. */
export async function decompressed(
  file: SourceFile,
  compression: Compression,
  place: string,
): Promise<SourceFile> {
  const target = createWriteStream(place, { flags: "wx" });
  try {
    if (compression === "gzip") await pipeline(piecesOf(file), createGunzip(), target);
    else await pipeline(piecesOf(file), zstdFrames, target);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!/^(Z_|ZSTD_)/.test(code)) throw error;
    throw new DeliveryError(
      `${file.path} is truncated or damaged: its ${compression} data ends too early or is invalid; deliver it again`,
      { cause: error },
    );
  }
  return { ...(await diskFile(place, file.path)), delivered: file.delivered };
}

/** Copies `file` from an archive to `place`. */
export async function copiedOut(file: SourceFile, place: string): Promise<SourceFile> {
  await pipeline(piecesOf(file), createWriteStream(place, { flags: "wx" }));
  return { ...(await diskFile(place, file.path)), delivered: file.delivered };
}

/** Yields the bytes of `file` in order. */
export async function* piecesOf(file: SourceFile): AsyncGenerator<Uint8Array> {
  const source = await file.open();
  try {
    for (;;) {
      const bytes = new Uint8Array(PIECE_BYTES);
      const count = await source.fill(bytes);
      if (count > 0) yield bytes.subarray(0, count);
      if (count < bytes.length) return;
    }
  } finally {
    await source.close();
  }
}

/**
 * Decompresses frame by frame. Parallel compressors write many frames, but Node's decoder ends silently after one, so
 * each frame gets its own decoder.
 */
async function* zstdFrames(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const out: Uint8Array[] = [];
  const newDecoder = () => createZstdDecompress().on("data", (bytes: Uint8Array) => out.push(bytes));
  let decoder = newDecoder();
  let isEmpty = true;
  for await (const piece of pieces) {
    for (let rest = piece; rest.length > 0; ) {
      isEmpty = false;
      const before = decoder.bytesWritten;
      // The decoder takes the bytes up to the end of the current frame.
      await settled(decoder, (done) => decoder.write(rest, () => setImmediate(done)));
      yield* out.splice(0);
      const used = decoder.bytesWritten - before;
      if (used === 0) throw new Error("the zstd decoder accepts no more bytes");
      if (used < rest.length) decoder = newDecoder();
      rest = rest.subarray(used);
    }
  }
  // Ending a decoder that has received no bytes throws. For a file of 0 bytes this is intended, because the file is
  // incomplete. After the last frame the new decoder has received no bytes either, so it is not ended.
  if (!isEmpty && decoder.bytesWritten === 0) return;
  await settled(decoder, () => decoder.end());
  yield* out.splice(0);
}

/** Waits until `act` calls its argument or the decoder ends. Throws the decoder's error. */
async function settled(decoder: ZstdDecompress, act: (done: () => void) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  decoder.once("error", reject).once("end", resolve);
  act(resolve);
  await promise;
  decoder.off("error", reject).off("end", resolve);
}
