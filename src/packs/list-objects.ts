/** Lists objects of the bucket across R2's pages. */

/** Returns every object of `bucket` whose key begins with `prefix`, sorted by key; empty when there is none. */
export async function listObjects(
  bucket: R2Bucket,
  options: R2ListOptions & { prefix: string },
): Promise<R2Object[]> {
  const objects: R2Object[] = [];
  let cursor: string | undefined;
  do {
    const page = await bucket.list(cursor === undefined ? options : { ...options, cursor });
    objects.push(...page.objects);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  return objects;
}
