/** How long replaced content is kept. */

/**
 * For this long after a revision of a day or file was replaced, it can be restored, and clients that began to download
 * it can finish.
 */
export const REPLACED_KEPT_MS = 7 * 86_400_000;
