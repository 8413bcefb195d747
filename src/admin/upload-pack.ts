/** Order packs as what is uploaded: the index rows are loaded first, the row that makes the day visible last. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { withdrawalAgainst } from "../catalog/decisions.ts";
import type { SectionRow } from "../catalog/order-day.ts";
import { comparisonOf, lossOf, repeatedDay } from "../catalog/plausibility.ts";
import { isForced, loadIndexRows, type PackClaims, packTarget, serveUpload } from "../catalog/publish-day.ts";
import { encodeBlocks } from "../packs/blocks-blob.ts";
import { packObjectKey, type SectionEntry } from "../packs/layout.ts";
import { checkPack } from "./arrival.ts";
import type { AdminRefusal } from "./refusal.ts";
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
      const doubt = await doubtOf(db, tradedate, upload.objectId);
      if (doubt !== null && !(await isForced(db, upload.uploadId))) return { held: doubt };
      const { origin } = index;
      if (await serveUpload(db, { tradedate, upload, etag, origin, ...by })) return "settled";
      const isInsisted = await isForced(db, upload.uploadId);
      const decision = await dayDecision(db, tradedate, upload.claims.buildId, isInsisted);
      return decision === null ? "lost" : { held: decision };
    },
  };
}

/**
 * The operator's decision against serving this content on `tradedate`, or null. `isInsisted`: the publisher wants
 * other content of a withdrawn day served.
 */
export async function dayDecision(
  db: D1Database,
  tradedate: BeijingDate,
  buildId: string,
  isInsisted: boolean,
): Promise<AdminRefusal | null> {
  const against = await withdrawalAgainst(db, { target: packTarget(tradedate), content: buildId });
  if (against === null) return null;
  const { withdrawal, isSame } = against;
  if (isSame) {
    const again = `edgetape day restore ${tradedate} --to ${withdrawal.revision}`;
    return { reason: "content_withdrawn", called: tradedate, again, ...withdrawal };
  }
  return isInsisted ? null : { reason: "target_withdrawn", called: tradedate, ...withdrawal };
}

/** Why the operator should look at the pack before it is served, or null. */
async function doubtOf(db: D1Database, tradedate: BeijingDate, packId: number): Promise<AdminRefusal | null> {
  const loss = await lossOf(db, tradedate, packId);
  if (loss !== null) return { reason: "shrunk", tradedate, ...loss };
  const comparison = await comparisonOf(db, tradedate, packId);
  if (comparison.markets.some(({ plausible }) => !plausible)) {
    return { reason: "implausible", tradedate, ...comparison };
  }
  const of = await repeatedDay(db, tradedate, packId);
  return of === null ? null : { reason: "day_repeated", tradedate, of };
}

function rowOf({ blocks, ...entry }: SectionEntry): SectionRow {
  return { ...entry, blocksBlob: encodeBlocks(blocks) };
}
