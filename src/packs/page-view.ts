/** Bit-packed values are read a word at a time, from whatever byte they begin in. */

/** A copy of `page` with zeros behind it: a word of four bytes can be read from each of its bytes and from its end. */
export function viewOf(page: Uint8Array): DataView {
  const bytes = new Uint8Array(page.length + 4);
  bytes.set(page);
  return new DataView(bytes.buffer);
}
