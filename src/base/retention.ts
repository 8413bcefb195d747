/** The retention of replaced content. */

/**
 * How long a replaced revision of a day or file is kept. During this time it can be restored, and clients that began to
 * download it can finish.
 */
export const REPLACED_KEPT_MS = 7 * 86_400_000;
