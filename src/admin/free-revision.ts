/** Numbers of revisions against what lies in R2. */
import { nextRevision, targetUploadIds } from "../catalog/uploads.ts";
import type { Stores, UploadTarget } from "./upload-target.ts";

/** The number in the last piece of a key, as `UploadTarget.objectKey` writes it. */
const NUMBER = /^(\d+)(\.|$)/;

/**
 * The target's next number: above all that the catalog has given, and above those of objects in R2 that the
 * catalog does not know. A catalog that was put back to an earlier state has forgotten revisions of which
 * cursors, downloads, copies elsewhere and newer backups still speak.
 */
export async function freeRevision(
  { db, bucket }: Stores,
  { target, objectKey: keyOf }: Pick<UploadTarget<unknown>, "target" | "objectKey">,
): Promise<number> {
  const key = keyOf(1);
  const prefix = key.slice(0, key.lastIndexOf("/") + 1);
  const [next, own, stored] = await Promise.all([
    nextRevision(db, target),
    targetUploadIds(db, target),
    storedUnder(bucket, prefix),
  ]);
  const strange = stored
    .filter(({ customMetadata }) => !own.has(customMetadata?.uploadId ?? ""))
    .map((object) => Number(NUMBER.exec(object.key.slice(prefix.length))?.[1] ?? 0));
  return Math.max(next, ...strange.map((number) => number + 1));
}

/** Every object of `prefix` with what it says of itself; R2 gives fewer at once when it is asked for that. */
async function storedUnder(bucket: R2Bucket, prefix: string): Promise<R2Object[]> {
  const objects: R2Object[] = [];
  let cursor: string | undefined;
  do {
    const asked = { prefix, include: ["customMetadata" as const] };
    const page = await bucket.list(cursor === undefined ? asked : { ...asked, cursor });
    objects.push(...page.objects);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return objects;
}
