/** Numbers of revisions against what lies in R2. */
import { nextRevision, targetUploadIds } from "../catalog/uploads.ts";
import { listObjects } from "../packs/list-objects.ts";
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
    listObjects(bucket, { prefix, include: ["customMetadata"] }),
  ]);
  const strange = stored
    .filter(({ customMetadata }) => !own.has(customMetadata?.uploadId ?? ""))
    .map((object) => Number(NUMBER.exec(object.key.slice(prefix.length))?.[1] ?? 0));
  return Math.max(next, ...strange.map((number) => number + 1));
}
