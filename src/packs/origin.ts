/**
 * The origin of a pack's rows: the builder's version, the files that were read, and the row accounting. Packs of index
 * format 2 have no origin and count as older than any version.
 */
import * as zlib from "node:zlib";
import * as z from "zod";
import { decompressPage } from "./decompress.ts";
import { asFormat, PackFormatError } from "./errors.ts";

/**
 * The version of the pack builder: three numbers separated by points. Raise it with every change that produces
 * different rows or a different verdict for the same delivery: the version determines which days are rebuilt.
 */
export const BUILDER_VERSION = "0.3.0";

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);

const sourceRecord = z.strictObject({
  /** The path inside the delivery, with `/`. */
  path: z.string(),
  sizeBytes: count,
  /** 64 hex digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const packOrigin = z.strictObject({
  builderVersion: z.string().regex(/^\d+\.\d+\.\d+$/),
  /** SHA-256 of `sourceList(sources)`, 64 hex digits. */
  sourcesSha256: z.string().regex(/^[0-9a-f]{64}$/),
  /**
   * The delivered files that were read, sorted by path. They are listed as stored on disk, so an archive is one file.
   */
  sources: z.array(sourceRecord),
  rows: z.strictObject({
    /** The number of rows read: lines with content after the header, and rows of Parquet files. */
    read: count,
    quarantined: count,
    /** The number of rows that were read but do not belong to this dataset and day, by reason. */
    leftOut: counts,
  }),
  files: z.strictObject({
    /** Number of files of the dataset that were read; files in an archive are counted one by one. */
    read: count,
    /** Number of files that could not be read and are quarantined as a whole. */
    quarantined: count,
    /** The number of files that were neither read nor quarantined, by reason. */
    leftOut: counts,
  }),
});

/** A file of the delivery as stored on disk. */
export type SourceRecord = z.infer<typeof sourceRecord>;

export type PackOrigin = z.infer<typeof packOrigin>;

/** Returns the list that `sourcesSha256` is computed from: the lines of `sha256sum`, sorted by path. */
export function sourceList(sources: readonly SourceRecord[]): string {
  return sources.map(({ path, sha256 }) => `${sha256}  ${path}\n`).join("");
}

/**
 * Returns `null` when the row accounting adds up with `stored` rows in the pack, else a sentence with the numbers.
 * Every row read must be stored, quarantined or left out with a reason.
 */
export function accountingGap({ rows }: PackOrigin, stored: number): string | null {
  const leftOut = Object.values(rows.leftOut).reduce((sum, each) => sum + each, 0);
  if (stored + rows.quarantined + leftOut === rows.read) return null;
  return (
    `${rows.read} rows were read, ${stored} are stored, ${rows.quarantined} quarantined and ` +
    `${leftOut} left out: the numbers do not add up`
  );
}

/**
 * Compares two builder versions as `Array.sort` expects; `null`, a pack without a version, comes first.
 *
 * @example compareBuilderVersions("0.10.0", "0.2.0") // 1
 */
export function compareBuilderVersions(a: string | null, b: string | null): number {
  const [left, right] = [a, b].map((version) => version?.split(".").map(Number) ?? [-1]);
  for (let part = 0; part < 3; part++) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  return 0;
}

const LENGTHS_BYTES = 8;

/** Encodes `origin` for the index region: u32 length of the frame, u32 length of the JSON text, ZSTD frame. */
export function encodeOrigin(origin: PackOrigin): Uint8Array {
  const text = Buffer.from(JSON.stringify(packOrigin.parse(origin)));
  const frame = zlib.zstdCompressSync(text);
  const bytes = new Uint8Array(LENGTHS_BYTES + frame.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, frame.length, true);
  view.setUint32(4, text.length, true);
  bytes.set(frame, LENGTHS_BYTES);
  return bytes;
}

/** Decodes the origin, which fills `bytes` entirely. Throws `PackFormatError`. */
export function decodeOrigin(bytes: Uint8Array): PackOrigin {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < LENGTHS_BYTES || view.getUint32(0, true) !== bytes.length - LENGTHS_BYTES) {
    throw new PackFormatError("the index region ends inside the pack's origin, or bytes follow it");
  }
  const text = asFormat(() => decompressPage(bytes.subarray(LENGTHS_BYTES), view.getUint32(4, true)));
  const read = asFormat(() => packOrigin.safeParse(JSON.parse(new TextDecoder().decode(text))));
  if (!read.success)
    throw new PackFormatError("the pack's origin does not have the form that this code reads");
  return read.data;
}
