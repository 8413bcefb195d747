/**
 * Finds and deletes objects in R2 that are not in the catalog. They are leftovers, or content that is newer than a
 * restored backup. Only leftovers are deleted without asking.
 */
import { REPLACED_KEPT_MS } from "../base/retention.ts";
import { type BeijingDate, beijingTimestamp, parseBeijingDate } from "../calendar/beijing.ts";
import type { By } from "../catalog/accounts.ts";
import type { DatasetDay } from "../catalog/days.ts";
import { fileTarget } from "../catalog/files.ts";
import { packTarget } from "../catalog/publish-day.ts";
import { giveUp, newestRevisions } from "../catalog/upkeep.ts";
import { datasetFlag } from "../datasets/day-name.ts";
import type { DataType } from "../entitlement/data-types.ts";
import { PackFormatError } from "../packs/errors.ts";
import { parsePackObjectKey } from "../packs/layout.ts";
import { abridged, done, type Finding, finding } from "../upkeep/finding.ts";
import { type Judgement, judgedObjects, type StoredObject, type Upkeep } from "../upkeep/objects.ts";
import { packIndex } from "./arrival.ts";
import { calledOf } from "./refusal.ts";
import type { UnknownObjects } from "./wire.ts";

/** Younger objects may belong to an upload in progress, so they are ignored. */
const UNKNOWN_AFTER_MS = 86_400_000;

const FILE_KEY = /^files\/(auction_tick|level2)\/\d{4}\/(\d{8})\/(.+)\/(\d+)(\.built)?$/;

/** The day or file and the revision that an object's key names. */
interface Place {
  target: string;
  revision: number;
  called: string;
  /** The day and dataset of a pack; null for a file. */
  day: DatasetDay | null;
  /** The day from whose quotes the builder made the file; null for a pack and for an operator's file. */
  quotesOf: BeijingDate | null;
}

/**
 * An object that is not in the catalog. `newer` is what its key names if the revision is higher than every revision of
 * the day or file in the catalog and, for a pack, the index can be read. It is null for any other object, which is not
 * needed.
 */
interface UnknownObject {
  object: StoredObject;
  newer: Place | null;
}

/** Returns what `key` names; null when the service does not use keys of this form. */
function placeOf(key: string): Place | null {
  const pack = parsePackObjectKey(key);
  if (pack !== null) {
    const { dataset, tradedate, revision } = pack;
    const day = { dataset, tradedate };
    return { target: packTarget(day), revision, called: calledOf(day), day, quotesOf: null };
  }
  const [, dataType, fileDay = "", name = "", number, built] = FILE_KEY.exec(key) ?? [];
  const tradedate = parseBeijingDate(fileDay);
  if (tradedate === null) return null;
  const target = fileTarget({ dataType: dataType as DataType, tradedate, name });
  const quotesOf = built === undefined ? null : tradedate;
  return { target, revision: Number(number), called: name, day: null, quotesOf };
}

/** Returns a finding for each unknown object older than a day, with what to do about it. */
export async function unknownFindings(place: Upkeep, judged: Judgement): Promise<Finding[]> {
  const found = await compared(place, judged);
  const needed = found.flatMap(({ object, newer }) => (newer === null ? [] : [newerFinding(object, newer)]));
  const left = found.filter(({ newer }) => newer === null);
  return [...abridged(needed), ...abridged(left.map(({ object }) => leftFinding(object, place.nowMs)))];
}

/** Deletes unknown objects that are not needed and are at least 7 days old. */
export async function deleteLeft(place: Upkeep, judged: Judgement): Promise<Finding[]> {
  const left = (await compared(place, judged)).filter(
    ({ object, newer }) => newer === null && place.nowMs - object.uploaded.getTime() >= REPLACED_KEPT_MS,
  );
  const deleted = left.map(({ object }) => object);
  return abridged(await deleteAll(place, deleted));
}

/** Returns every unknown object older than a day, in the order of their keys. */
export async function unknownObjects(place: Upkeep): Promise<UnknownObjects> {
  const objects = oldUnknowns(place, await judgedObjects(place)).map(({ key, size, uploaded }) => {
    return { key, sizeBytes: size, uploadedAt: beijingTimestamp(uploaded.getTime()) };
  });
  return { objects };
}

/** Deletes those of these objects that are not in the catalog and older than a day, even if their content is newer. */
export async function deleteUnknown(place: Upkeep, keys: readonly string[]): Promise<Finding[]> {
  const unknown = oldUnknowns(place, await judgedObjects(place));
  const named = unknown.filter(({ key }) => keys.includes(key));
  return deleteAll(place, named);
}

async function deleteAll({ bucket }: Upkeep, objects: readonly StoredObject[]): Promise<Finding[]> {
  const deleted: Finding[] = [];
  for (const { key } of objects) {
    await bucket.delete(key);
    deleted.push(done("objects", key, `${key}, which was not in the catalog, was deleted.`));
  }
  return deleted;
}

/** Marks content as lost when its object is missing, unless the content is served. */
export async function giveUpLost({ db }: Upkeep, { missing }: Judgement, by: By): Promise<Finding[]> {
  const given: Finding[] = [];
  for (const { objectKey, called, duty } of missing) {
    if (duty !== "spare" || !(await giveUp(db, objectKey, by))) continue;
    given.push(done("objects", objectKey, `${objectKey} of ${called} is not in R2 and was marked as lost.`));
  }
  return abridged(given);
}

function oldUnknowns({ nowMs }: Upkeep, { unknown }: Judgement): StoredObject[] {
  return unknown.filter(({ uploaded }) => nowMs - uploaded.getTime() > UNKNOWN_AFTER_MS);
}

/** Returns the unknown objects older than a day, compared with the revisions in the catalog. */
async function compared(place: Upkeep, judged: Judgement): Promise<UnknownObject[]> {
  const objects = oldUnknowns(place, judged);
  if (objects.length === 0) return [];
  const newest = await newestRevisions(place.db);
  const found: UnknownObject[] = [];
  for (const object of objects) {
    const named = placeOf(object.key);
    const isAhead = named !== null && named.revision > (newest.get(named.target) ?? 0);
    const isNewer = isAhead && (named.day === null || (await isWholePack(place.bucket, object, named.day)));
    found.push({ object, newer: isNewer ? named : null });
  }
  return found;
}

async function isWholePack(bucket: R2Bucket, { key, size }: StoredObject, { dataset }: DatasetDay) {
  const readRange = async (offset: number, length: number) => {
    const part = await bucket.get(key, { range: { offset, length } });
    if (part === null) throw new PackFormatError("its object is not in R2");
    return new Uint8Array(await part.arrayBuffer());
  };
  const index = await packIndex(size, readRange, dataset);
  return !("problem" in index);
}

const DELETED_NOW = "`edgetape doctor --delete-unknown` deletes it now, after a confirmation.";

function newerFinding({ key }: StoredObject, place: Place): Finding {
  const sentence = `${key} is not in the catalog, and its revision is higher than every revision of ${place.called} there. The catalog may have been restored from an older backup.`;
  return finding("objects", "warning", key, { en: [sentence, `${adviceFor(key, place)}; ${DELETED_NOW}`] });
}

function leftFinding({ key, uploaded }: StoredObject, nowMs: number): Finding {
  const dueMs = uploaded.getTime() + REPLACED_KEPT_MS;
  const advice =
    nowMs >= dueMs
      ? "`edgetape doctor --repair` deletes it."
      : `\`edgetape doctor --repair\` deletes it once it is 7 days old, at ${beijingTimestamp(dueMs)}; ${DELETED_NOW}`;
  const sentence = `The object ${key} is not in the catalog and is not needed.`;
  return finding("objects", "warning", key, { en: [sentence, advice] });
}

/** Returns what the operator must do to serve the content of an object that is newer than the catalog. */
function adviceFor(key: string, { day, quotesOf, called }: Place): string {
  if (day !== null) {
    return `\`edgetape day adopt ${day.tradedate}${datasetFlag(day.dataset)}\` serves it`;
  }
  if (quotesOf !== null) {
    // A file that an operator adds is never replaced by one that is made from later quotes.
    return `Publish the quotes of ${quotesOf} again from their pack (\`edgetape publish\`), or rebuild them: this makes ${called} again and offers it`;
  }
  return `Download it (\`npx wrangler r2 object get edgetape-packs/${key} --file ${called}\`) and add it again with \`edgetape files add\``;
}
