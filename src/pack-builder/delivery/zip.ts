/** Reads the files of a ZIP archive in place, without unpacking to disk. */
import { lstat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { crc32, createInflateRaw } from "node:zlib";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { decodeText } from "../parse/file-head.ts";
import { openUnchanged, refuseChanged } from "./folder.ts";
import {
  type ByteSource,
  DeliveryError,
  fillFrom,
  type LeftOutReason,
  type Listing,
  leavesItsArchive,
} from "./source-file.ts";

/** The creator-system number of entries that were written on Unix and carry a Unix file type. */
const MADE_BY_UNIX = 3;
const FILE_TYPE = 0o170000;
const LINK_TYPE = 0o120000;
const STORED = 0;
const DEFLATED = 8;
const UNICODE_PATH_FIELD = 0x7075;
/** The size of a decompressed piece. Node's default of 16 KB would cause too many events. */
const INFLATE_BYTES = 1 << 20;

export interface OpenZip extends Listing {
  /** Throws `DeliveryError` when the archive has changed since it was opened. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the archive `place`; paths of its files begin with `name`. Throws `DeliveryError` when it is damaged. */
export async function openZip(place: string, name: string): Promise<OpenZip> {
  const listing: Listing = { files: [], folders: [], leftOut: [] };
  const listed = await lstat(place);
  const file = await openUnchanged(place, name, listed);
  let zip: ZipFile;
  try {
    zip = await yauzl.fromFdPromise(file.fd, { autoClose: false, lazyEntries: true, decodeStrings: false });
    for await (const entry of zip.eachEntry()) {
      const path = `${name}/${entryName(entry).replaceAll("\\", "/")}`;
      const reason = leftOutReason(entry, path);
      if (reason !== null) listing.leftOut.push({ path, reason });
      else if (path.endsWith("/")) listing.folders.push(path.slice(0, -1));
      else
        listing.files.push({
          path,
          sizeBytes: entry.uncompressedSize,
          place: null,
          delivered: { path: name, place },
          open: () => openEntry(zip, entry, path),
        });
    }
  } catch (error) {
    await file.close();
    throw new DeliveryError(`${name} cannot be read as a ZIP archive: ${sentence(error)}`, { cause: error });
  }
  return {
    ...listing,
    check: () => refuseChanged(file, name, listed),
    close: () => file.close(),
  };
}

function leftOutReason(entry: Entry, path: string): LeftOutReason | null {
  if (leavesItsArchive(path)) return "outside";
  const isLink =
    entry.versionMadeBy >>> 8 === MADE_BY_UNIX &&
    ((entry.externalFileAttributes >>> 16) & FILE_TYPE) === LINK_TYPE;
  return isLink ? "link" : null;
}

/**
 * Decodes an entry's name. Chinese archivers write names in GBK and do not mark them, so CP437, the standard's
 * encoding, would garble them.
 */
function entryName(entry: Entry): string {
  const unicode = entry.extraFields.find(({ id }) => id === UNICODE_PATH_FIELD);
  if (unicode !== undefined && unicode.data[0] === 1) return unicode.data.subarray(5).toString("utf8");
  return decodeText(entry.fileName);
}

async function openEntry(zip: ZipFile, entry: Entry, path: string): Promise<ByteSource> {
  if (entry.isEncrypted()) throw new DeliveryError(`${path} is encrypted`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw new DeliveryError(`${path} uses compression method ${entry.compressionMethod}; unpack it first`);
  }
  const stored = await zip.openReadStreamPromise(entry, { decodeFileData: false });
  let plain = stored;
  if (entry.compressionMethod === DEFLATED) {
    const inflate = createInflateRaw({ chunkSize: INFLATE_BYTES });
    plain = stored.pipe(inflate);
    stored.on("error", (error) => inflate.destroy(error));
  }
  const close = async () => {
    stored.unpipe();
    stored.destroy();
    plain.destroy();
  };
  return { fill: fillFrom(checkedPieces(plain, entry, path)), close };
}

/**
 * Yields the bytes of an entry and checks its size and CRC-32. Yields the last byte after the checks, so that a reader
 * that stops at the entry's size also receives their error.
 */
async function* checkedPieces(plain: Readable, entry: Entry, path: string): AsyncGenerator<Uint8Array> {
  let [sizeBytes, crc] = [0, 0];
  let last: Uint8Array = new Uint8Array(0);
  try {
    for await (const piece of plain as AsyncIterable<Buffer>) {
      if (last.length > 0) yield last;
      sizeBytes += piece.length;
      crc = crc32(piece, crc);
      last = piece.subarray(sizeBytes === entry.uncompressedSize ? -1 : piece.length);
      yield piece.subarray(0, piece.length - last.length);
    }
  } catch (error) {
    throw new DeliveryError(`${path} is damaged in the archive: ${sentence(error)}`, { cause: error });
  }
  if (sizeBytes !== entry.uncompressedSize || crc !== entry.crc32 >>> 0) {
    throw new DeliveryError(`${path} is damaged in the archive: its bytes do not match its checksum`);
  }
  if (last.length > 0) yield last;
}

function sentence(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
