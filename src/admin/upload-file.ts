/** The operator's daily files as what is uploaded: checked on arrival, then kept until they are published. */
import { acceptFile, enterFile, fileObjectKey, fileTarget } from "../catalog/file-states.ts";
import type { FilePlace } from "../catalog/files.ts";
import type { Upload } from "../catalog/uploads.ts";
import { auctionProblem } from "../packs/auction-file.ts";
import { parquetProblem } from "../packs/parquet-footer.ts";
import { arrivedRange, checkBytes } from "./arrival.ts";
import type { ArrivalProblem, UploadTarget } from "./upload-target.ts";

/** Beside size and sum, nothing is announced of a file. */
export type NoClaims = Record<string, never>;

/** The file at `place`. */
export function fileUpload(place: FilePlace): UploadTarget<NoClaims> {
  return {
    target: fileTarget(place),
    called: place.name,
    objectKey: (revision) => fileObjectKey(place, revision),
    async settle({ db, bucket }, upload, etag, by) {
      const arrived = { place, upload, etag };
      await enterFile(db, arrived, by.nowMs);
      const wrong = await checkFile(bucket, arrived);
      if (wrong !== null) return wrong;
      return (await acceptFile(db, arrived, by)) ? "settled" : "lost";
    },
  };
}

/**
 * Size and sum of any file; of an auction pack also what its footer says (contract 8.7), of any other `.parquet`
 * that it has one. Every page of them was decoded by the command that sent it: a worker has no memory for that.
 */
async function checkFile(
  bucket: R2Bucket,
  { place, ...arrived }: { place: FilePlace; upload: Upload; etag: string },
): Promise<ArrivalProblem | null> {
  const wrong = await checkBytes(bucket, arrived);
  const isAuction = place.dataType === "auction_tick";
  if (wrong !== null || !(isAuction || /\.parquet$/i.test(place.name))) return wrong;
  const { upload, etag } = arrived;
  const readRange = arrivedRange(bucket, { ...upload, etag });
  const problem = isAuction
    ? await auctionProblem(upload.sizeBytes, readRange, place.tradedate)
    : await parquetProblem(upload.sizeBytes, readRange);
  return problem === null ? null : { problem };
}
