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
      {
        cause: error,
      },
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
  let decoder = newDecoder();
  let isEmpty = true;
  for await (const piece of pieces) {
    for (let rest = piece; rest.length > 0; ) {
      isEmpty = false;
      const before = decoder.stream.bytesWritten;
      yield* await decoder.feed(rest);
      const used = decoder.stream.bytesWritten - before;
      if (used === 0) throw new Error("the zstd decoder accepts no more bytes");
      if (used < rest.length) decoder = newDecoder();
      rest = rest.subarray(used);
    }
  }
  // Ending a decoder that has received no bytes throws. For a file of 0 bytes this is intended, because the file is
  // incomplete. After the last frame the new decoder has received no bytes either, so it is not ended.
  if (isEmpty || decoder.stream.bytesWritten > 0) yield* await decoder.end();
}

interface Decoder {
  stream: ZstdDecompress;
  /** Decompresses `bytes` up to the end of the current frame. */
  feed(bytes: Uint8Array): Promise<Uint8Array[]>;
  /** Throws when the frame is incomplete. */
  end(): Promise<Uint8Array[]>;
}

function newDecoder(): Decoder {
  const stream = createZstdDecompress();
  let out: Uint8Array[] = [];
  stream.on("data", (bytes: Uint8Array) => out.push(bytes));
  const taken = () => {
    const bytes = out;
    out = [];
    return bytes;
  };
  const settled = (act: (done: () => void) => void) =>
    new Promise<Uint8Array[]>((resolve, reject) => {
      let isDone = false;
      const done = () => {
        if (isDone) return;
        isDone = true;
        stream.off("error", reject);
        stream.off("end", done);
        resolve(taken());
      };
      stream.once("error", reject);
      stream.once("end", done);
      act(done);
    });
  return {
    stream,
    feed: (bytes) => settled((done) => stream.write(bytes, () => setImmediate(done))),
    end: () => settled(() => stream.end()),
  };
}
