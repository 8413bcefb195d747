/** Order packs as what is uploaded: the index rows are loaded first, the row that makes the day visible last. */
import type { BeijingDate } from "../calendar/beijing.ts";
import type { SectionRow } from "../catalog/order-day.ts";
import { comparisonOf } from "../catalog/plausibility.ts";
import { isForced, loadIndexRows, type PackClaims, packTarget, serveUpload } from "../catalog/publish-day.ts";
import { encodeBlocks } from "../packs/blocks-blob.ts";
import { packObjectKey, type SectionEntry } from "../packs/layout.ts";
import { checkPack } from "./arrival.ts";
import type { UploadTarget } from "./upload-target.ts";

/** The order pack of `tradedate`. */
export function packUpload(tradedate: BeijingDate): UploadTarget<PackClaims> {
  return {
    target: packTarget(tradedate),
    called: tradedate,
    objectKey: (revision) => packObjectKey(tradedate, revision),
    async settle({ db, bucket }, upload, etag, by) {
      const index = await checkPack(bucket, { tradedate, upload, etag });
      if ("problem" in index) return index;
      await loadIndexRows(db, upload.objectId, index.entries.map(rowOf));
      const comparison = await comparisonOf(db, tradedate, upload.objectId);
      const implausible = comparison.markets.some(({ plausible }) => !plausible);
      if (implausible && !(await isForced(db, upload.uploadId))) {
        return { held: { reason: "implausible", tradedate, ...comparison } };
      }
      return (await serveUpload(db, { tradedate, upload, etag, ...by })) ? "settled" : "lost";
    },
  };
}

function rowOf({ blocks, ...entry }: SectionEntry): SectionRow {
  return { ...entry, blocksBlob: encodeBlocks(blocks) };
}
