/** Compares the index rows of a pack with the index region of its object in R2, and rebuilds them from that region. */
import { type IndexedPack, indexRowsOf, keepOnly } from "../catalog/day-securities.ts";
import type { DatasetDay } from "../catalog/days.ts";
import { loadIndexRows } from "../catalog/publish-day.ts";
import type { DatasetName } from "../datasets/registry.ts";
import { encodeBlocks } from "../packs/blocks-blob.ts";
import type { DayIndex, SectionEntry } from "../packs/layout.ts";
import { type Finding, finding } from "../upkeep/finding.ts";
import { arrivedRange, indexRowOf, packIndex } from "./arrival.ts";
import { calledOf } from "./refusal.ts";
import type { ArrivalProblem, Stores } from "./uploads.ts";

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
  if ("problem" in found) {
    const sentence = `The index of ${called} cannot be read: ${found.problem}.`;
    return {
      securities: 0,
      findings: [wrongIndex(called, sentence, "Publish the day again from its pack.")],
    };
  }
  const rows = new Map((await indexRowsOf(db, pack.packId)).map(({ code, facts }) => [code, facts]));
  const wrong: string[] = [];
  for (const entry of found.index.entries) {
    const code = `${entry.symbol}.${entry.market}`;
    if (rows.get(code) !== factsOf(entry)) wrong.push(code);
    rows.delete(code);
  }
  wrong.push(...rows.keys());
  const securities = found.index.entries.length;
  if (wrong.length === 0) return { securities, findings: [] };
  const listed = wrong.slice(0, 5).join(", ") + (wrong.length > 5 ? ` and ${wrong.length - 5} more` : "");
  const sentence = `The index rows of ${called} differ from its pack: ${listed}.`;
  const advice = "`edgetape doctor --repair` rebuilds the index rows from the pack.";
  return { securities, findings: [wrongIndex(called, sentence, advice)] };
}

/**
 * Rebuilds the index rows of a pack of `dataset` from its object and stores them under `pack.packId`. Returns the
 * object's etag and the number of securities, or the problem that prevents the rebuild.
 */
export async function rebuildIndex(
  { db, bucket }: Stores,
  pack: IndexedPack,
  dataset: DatasetName,
): Promise<{ etag: string; securities: number } | ArrivalProblem> {
  const found = await indexInObject(bucket, pack, dataset);
  if ("problem" in found) return found;
  const { entries } = found.index;
  await keepOnly(
    db,
    pack.packId,
    entries.map(({ symbol, market }) => `${symbol}.${market}`),
  );
  await loadIndexRows(db, pack.packId, entries.map(indexRowOf));
  return { etag: found.etag, securities: entries.length };
}

/** Returns an entry as a string in the same format as the `facts` of `indexRowsOf`. */
function factsOf({ offset, length, footerLength, rows, lastTime, crc, blocks }: SectionEntry): string {
  const hex = Buffer.from(encodeBlocks(blocks)).toString("hex").toUpperCase();
  return [offset, length, footerLength, rows, lastTime, crc, hex].join(" ");
}

function wrongIndex(subject: string, sentence: string, advice: string): Finding {
  return finding("index", "failed", subject, { en: [sentence, advice] });
}
