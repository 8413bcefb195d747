/** Prepares pages for reading bit-packed values a word at a time. */

/**
 * Returns a copy of `page` followed by zeros, so that a word of four bytes can be read at every position, including the
 * page's end.
 */
export function viewOf(page: Uint8Array): DataView {
  const bytes = new Uint8Array(page.length + 4);
  bytes.set(page);
  return new DataView(bytes.buffer);
}
