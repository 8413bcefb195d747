/** What arrived in R2, checked against what the operator said of it before anything can serve it. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { PackClaims } from "../catalog/publish-day.ts";
import type { Upload } from "../catalog/uploads.ts";
import { PackFormatError } from "../packs/errors.ts";
import type { DayIndex } from "../packs/layout.ts";
import { locateIndex, type ReadRange } from "../packs/locate.ts";
import type { ArrivalProblem } from "./upload-target.ts";

/** An object in R2 and what is said of its bytes. */
export type AnnouncedObject = Pick<Upload, "objectKey" | "sizeBytes" | "sha256">;

/** The object of an upload. */
interface Arrived<Claims> {
  upload: Upload<Claims>;
  etag: string;
}

/**
 * Compares size and SHA-256 (streamed, never in memory as a whole) of the object of `upload` that has this
 * etag with what the operator announced; null when both are right.
 */
export async function checkBytes(
  bucket: R2Bucket,
  { upload, etag }: { upload: AnnouncedObject; etag: string },
): Promise<ArrivalProblem | null> {
  const object = await bucket.get(upload.objectKey, { onlyIf: { etagMatches: etag } });
  if (object === null || !("body" in object))
    throw new Error(`${upload.objectKey} changed while being checked`);
  const sha256 = await streamedSha256(object.body);
  if (object.size !== upload.sizeBytes) {
    return { problem: `it has ${object.size} bytes, ${upload.sizeBytes} were announced` };
  }
  return sha256 === upload.sha256 ? null : { problem: `its SHA-256 is ${sha256}, not the announced one` };
}

/** The day index of an order pack that arrived, after its bytes and its index region were checked. */
export async function checkPack(
  bucket: R2Bucket,
  { tradedate, ...arrived }: Arrived<PackClaims> & { tradedate: BeijingDate },
): Promise<DayIndex | ArrivalProblem> {
  const wrong = await checkBytes(bucket, arrived);
  if (wrong !== null) return wrong;
  const { upload, etag } = arrived;
  const index = await packIndex(upload.sizeBytes, arrivedRange(bucket, { ...upload, etag }));
  return "problem" in index ? index : (problemOf(index, tradedate, upload.claims) ?? index);
}

/** The index of the pack of `sizeBytes` bytes that `readRange` reads, or why it holds none. */
export async function packIndex(sizeBytes: number, readRange: ReadRange): Promise<DayIndex | ArrivalProblem> {
  try {
    return (await locateIndex(sizeBytes, readRange)).index;
  } catch (failure) {
    if (failure instanceof PackFormatError) return { problem: failure.message };
    throw failure;
  }
}

function problemOf(index: DayIndex, tradedate: BeijingDate, claims: PackClaims): ArrivalProblem | null {
  const rows = index.entries.reduce((sum, entry) => sum + entry.rows, 0);
  const said = [
    ["trading day", index.tradedate, tradedate],
    ["build id", index.buildId, claims.buildId],
    ["number of rows", rows, claims.rows],
    ["number of securities", index.entries.length, claims.securities],
  ] as const;
  for (const [what, found, announced] of said) {
    if (found !== announced) return { problem: `its ${what} is ${found}, announced was ${announced}` };
  }
  return null;
}

async function streamedSha256(body: ReadableStream): Promise<string> {
  const digest = new crypto.DigestStream("SHA-256");
  await body.pipeTo(digest);
  return Buffer.from(await digest.digest).toString("hex");
}

/** Reads ranges of the object with this etag, and of no other. */
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
