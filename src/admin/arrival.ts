/**
 * Checks the objects of packs and files in R2. Compares an uploaded object with the operator's claims before it can be
 * served. Compares the index region of a served pack with the index rows in the catalog, and can rebuild these rows.
 */
import type { BeijingDate } from "../calendar/beijing.ts";
import { type IndexedPack, indexRowsOf, keepOnly } from "../catalog/day-securities.ts";
import type { DatasetDay } from "../catalog/days.ts";
import type { SectionRow } from "../catalog/order-day.ts";
import { loadIndexRows, type PackClaims } from "../catalog/publish-day.ts";
import type { Upload } from "../catalog/uploads.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { encodeBlocks } from "../packs/blocks-blob.ts";
import { ByteStream } from "../packs/byte-stream.ts";
import { PackFormatError } from "../packs/errors.ts";
import type { DayIndex, SectionEntry } from "../packs/layout.ts";
import { locateIndex, type ReadRange } from "../packs/locate.ts";
import { PackCheck } from "../packs/section-check.ts";
import { type Finding, finding } from "../upkeep/finding.ts";
import { calledOf } from "./refusal.ts";
import type { ArrivalProblem, Stores } from "./uploads.ts";

/** An object in R2, with the size and checksum that its publisher announced. */
type AnnouncedObject = Pick<Upload, "objectKey" | "sizeBytes" | "sha256">;

/**
 * Returns how the size or the SHA-256 of the upload's object differs from what was announced; null when both match. The
 * object is streamed, and `take` receives every byte in order. Throws when the object no longer has this etag.
 */
export async function checkBytes(
  bucket: R2Bucket,
  { upload, etag }: { upload: AnnouncedObject; etag: string },
  take: (piece: Uint8Array) => void = () => undefined,
): Promise<ArrivalProblem | null> {
  const object = await bucket.get(upload.objectKey, { onlyIf: { etagMatches: etag } });
  if (object === null || !("body" in object))
    throw new Error(`${upload.objectKey} changed while being checked`);
  const sha256 = await streamedSha256(object.body, take);
  if (object.size !== upload.sizeBytes) {
    return { problem: `it has ${object.size} bytes, but ${upload.sizeBytes} were announced` };
  }
  return sha256 === upload.sha256 ? null : { problem: `its SHA-256 is ${sha256}, not the announced one` };
}

/**
 * Returns the index of a pack of `dataset`, or what is wrong with its object. Checks the object's bytes, the index
 * region, and the checksum of every block and section.
 */
export async function wholePack(
  bucket: R2Bucket,
  arrived: { upload: AnnouncedObject; etag: string },
  dataset: DatasetName,
): Promise<DayIndex | ArrivalProblem> {
  const { objectKey, sizeBytes } = arrived.upload;
  const head = await bucket.head(objectKey);
  if (head?.size !== sizeBytes) {
    return { problem: `it has ${head?.size ?? 0} bytes, but ${sizeBytes} were announced` };
  }
  const readRange = arrivedRange(bucket, { objectKey, etag: arrived.etag });
  const index = await packIndex(sizeBytes, readRange, dataset);
  if ("problem" in index) return (await checkBytes(bucket, arrived)) ?? index;
  const check = new PackCheck(index);
  let broken: ArrivalProblem | null = null;
  const checked = (step: () => void) => {
    // Nothing more is checked after a corrupt block. The SHA-256 of all bytes is still computed, because operators can
    // compare it with that of their file.
    if (broken !== null) return;
    try {
      step();
    } catch (failure) {
      if (!(failure instanceof PackFormatError)) throw failure;
      broken = { problem: failure.message };
    }
  };
  const wrong = await checkBytes(bucket, arrived, (piece) => checked(() => check.push(piece)));
  checked(() => check.finish());
  return wrong ?? broken ?? index;
}

/**
 * Reads the index of a pack of `sizeBytes` bytes with `readRange`. Returns the index, or why the bytes are not a valid
 * pack of `dataset`.
 */
export async function packIndex(
  sizeBytes: number,
  readRange: ReadRange,
  dataset: DatasetName,
): Promise<DayIndex | ArrivalProblem> {
  try {
    return (await locateIndex(sizeBytes, readRange, [dataset])).index;
  } catch (failure) {
    if (failure instanceof PackFormatError) return { problem: failure.message };
    throw failure;
  }
}

/** Converts an entry of the day index to the row that the catalog stores. */
export function indexRowOf({ blocks, ...entry }: SectionEntry): SectionRow {
  return { ...entry, blocksBlob: encodeBlocks(blocks) };
}

/** Returns how the pack with this index differs from the day and the claims that were announced, or null. */
export function claimsProblem(
  index: DayIndex,
  tradedate: BeijingDate,
  claims: PackClaims,
): ArrivalProblem | null {
  const rows = index.entries.reduce((sum, entry) => sum + entry.rows, 0);
  const said = [
    ["trading day", index.tradedate, tradedate],
    ["build id", index.buildId, claims.buildId],
    ["number of rows", rows, claims.rows],
    ["number of securities", index.entries.length, claims.securities],
  ] as const;
  for (const [what, found, announced] of said) {
    if (found !== announced) return { problem: `its ${what} is ${found}, but ${announced} was announced` };
  }
  return null;
}

/** Number of bytes hashed at a time. */
const PIECE_BYTES = 1024 * 1024;

async function streamedSha256(body: ReadableStream, take: (piece: Uint8Array) => void): Promise<string> {
  const digest = new crypto.DigestStream("SHA-256");
  const writer = digest.getWriter();
  const stream = new ByteStream(body);
  for (;;) {
    const piece = await stream.read(PIECE_BYTES);
    take(piece);
    if (piece.length > 0) await writer.write(piece);
    if (piece.length < PIECE_BYTES) break;
  }
  await writer.close();
  return Buffer.from(await digest.digest).toString("hex");
}

/** Returns a function that reads byte ranges of the object and throws when the object no longer has this etag. */
export function arrivedRange(
  bucket: R2Bucket,
  { objectKey, etag }: { objectKey: string; etag: string },
): ReadRange {
  return async (offset, length) => {
    const object = await bucket.get(objectKey, { range: { offset, length }, onlyIf: { etagMatches: etag } });
    if (object === null || !("body" in object)) throw new Error(`${objectKey} changed while being checked`);
    return new Uint8Array(await object.arrayBuffer());
  };
}

/**
 * Returns the index and the etag of the pack's object, or a problem. It is a problem if the object is missing or cannot
 * be read, or if its size or build id differs from the catalog.
 */
async function indexInObject(
  bucket: R2Bucket,
  pack: Pick<IndexedPack, "objectKey" | "sizeBytes" | "buildId">,
  dataset: DatasetName,
): Promise<{ index: DayIndex; etag: string } | ArrivalProblem> {
  const { objectKey, sizeBytes, buildId } = pack;
  const head = await bucket.head(objectKey);
  if (head === null) return { problem: "its object is not in R2" };
  if (head.size !== sizeBytes)
    return { problem: `its object has ${head.size} bytes instead of ${sizeBytes}` };
  const { etag } = head;
  const index = await packIndex(sizeBytes, arrivedRange(bucket, { objectKey, etag }), dataset);
  if ("problem" in index) return index;
  if (index.buildId === buildId) return { index, etag };
  return { problem: `its object has build id ${index.buildId} instead of ${buildId}` };
}

/**
 * Compares the index rows of `pack`, the served pack of `day`, with the index in the pack's object. Returns the number
 * of securities in that index, and a finding if the rows differ from it. If the index cannot be read, returns 0 and a
 * finding.
 */
export async function checkIndex(
  { db, bucket }: Stores,
  day: DatasetDay,
  pack: IndexedPack,
): Promise<{ securities: number; findings: Finding[] }> {
  const called = calledOf(day);
  const found = await indexInObject(bucket, pack, day.dataset);
  const failing = (securities: number, ...en: [sentence: string, advice: string]) => {
    return { securities, findings: [finding("index", "failed", called, { en })] };
  };
  if ("problem" in found) {
    const sentence = `The index of ${called} cannot be read: ${found.problem}.`;
    return failing(0, sentence, "Publish the day again from its pack.");
  }
  const rows = new Map((await indexRowsOf(db, pack.packId)).map(({ code, facts }) => [code, facts]));
  const wrong: string[] = [];
  for (const entry of found.index.entries) {
    const code = codeOf(entry);
    if (rows.get(code) !== factsOf(entry)) wrong.push(code);
    rows.delete(code);
  }
  wrong.push(...rows.keys());
  const securities = found.index.entries.length;
  if (wrong.length === 0) return { securities, findings: [] };
  const listed = wrong.slice(0, 5).join(", ") + (wrong.length > 5 ? ` and ${wrong.length - 5} more` : "");
  const sentence = `The index rows of ${called} differ from its pack: ${listed}.`;
  const advice = "`edgetape doctor --repair` rebuilds the index rows from the pack.";
  return failing(securities, sentence, advice);
}

/**
 * Rebuilds the index rows of a pack of `dataset` from its object and stores them under `pack.packId`. Returns the
 * object's etag, or the problem that prevents the rebuild.
 */
export async function rebuildIndex(
  { db, bucket }: Stores,
  pack: IndexedPack,
  dataset: DatasetName,
): Promise<{ etag: string } | ArrivalProblem> {
  const found = await indexInObject(bucket, pack, dataset);
  if ("problem" in found) return found;
  const { entries } = found.index;
  await keepOnly(db, pack.packId, entries.map(codeOf));
  await loadIndexRows(db, pack.packId, entries.map(indexRowOf));
  return { etag: found.etag };
}

function codeOf({ symbol, market }: SectionEntry): string {
  return `${symbol}.${market}`;
}

/** Returns an entry as a string in the same format as the `facts` of `indexRowsOf`. */
function factsOf({ offset, length, footerLength, rows, lastTime, crc, blocks }: SectionEntry): string {
  const hex = Buffer.from(encodeBlocks(blocks)).toString("hex").toUpperCase();
  return [offset, length, footerLength, rows, lastTime, crc, hex].join(" ");
}
