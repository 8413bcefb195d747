/** Reads bodies of bounded size. The announced length is not trusted. */

/** Returns all bytes of `body`; null when there are more than `maxBytes` or the body is incomplete. */
export async function readAtMost(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | null> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const piece of body ?? []) {
      length += piece.length;
      if (length > maxBytes) return null;
      pieces.push(piece);
    }
  } catch {
    // The connection broke. That is not a fault of the service, and the client cannot receive the answer.
    return null;
  }
  return Buffer.concat(pieces);
}
