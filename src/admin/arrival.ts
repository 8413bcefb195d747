/** What arrived in R2, checked against what the operator said of it before anything can serve it. */
import type { Upload } from "../catalog/uploads.ts";
import { PackFormatError } from "../packs/errors.ts";
import type { DayIndex } from "../packs/layout.ts";
import { locateIndex } from "../packs/locate.ts";

/** The pack is not what was announced; `problem` is a clause for the operator. */
export interface ArrivalProblem {
  problem: string;
}

/**
 * The day index of the object of `upload` with this etag, after its size, its SHA-256 (streamed, never in
 * memory as a whole) and its index region were compared with what the operator announced.
 */
export async function checkArrival(
  bucket: R2Bucket,
  upload: Upload,
  etag: string,
): Promise<DayIndex | ArrivalProblem> {
  const object = await bucket.get(upload.objectKey, { onlyIf: { etagMatches: etag } });
  if (object === null || !("body" in object))
    throw new Error(`${upload.objectKey} changed while being checked`);
  const sha256 = await streamedSha256(object.body);
  if (object.size !== upload.sizeBytes) {
    return { problem: `it has ${object.size} bytes, ${upload.sizeBytes} were announced` };
  }
  if (sha256 !== upload.sha256) return { problem: `its SHA-256 is ${sha256}, not the announced one` };
  try {
    const { index } = await locateIndex(object.size, (offset, length) =>
      readRange(bucket, upload.objectKey, { offset, length, etag }),
    );
    return problemOf(index, upload) ?? index;
  } catch (failure) {
    if (failure instanceof PackFormatError) return { problem: failure.message };
    throw failure;
  }
}

function problemOf(index: DayIndex, upload: Upload): ArrivalProblem | null {
  const rows = index.entries.reduce((sum, entry) => sum + entry.rows, 0);
  const said = [
    ["trading day", index.tradedate, upload.tradedate],
    ["build id", index.buildId, upload.buildId],
    ["number of rows", rows, upload.rows],
    ["number of securities", index.entries.length, upload.securities],
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

async function readRange(
  bucket: R2Bucket,
  objectKey: string,
  { offset, length, etag }: { offset: number; length: number; etag: string },
): Promise<Uint8Array> {
  const object = await bucket.get(objectKey, { range: { offset, length }, onlyIf: { etagMatches: etag } });
  if (object === null || !("body" in object)) throw new Error(`${objectKey} changed while being checked`);
  return new Uint8Array(await object.arrayBuffer());
}
