/**
 * Reads a data file as lines that end with LF, in an encoding that is a superset of ASCII. UTF-16 becomes UTF-8. When a
 * CR alone ends the first line, every CR becomes LF. Nothing else is changed.
 */
import { type ByteSource, fillFrom, type SourceFile } from "../delivery/source-file.ts";

const LF = 10;
const CR = 13;
const HEAD_BYTES = 64 * 1024;
/** The piece size for decoding UTF-16. */
const PIECE_BYTES = 1 << 20;

type Fill = ByteSource["fill"];

export interface TextForm {
  encoding: "utf-16le" | "utf-16be" | null;
  /** Whether a CR alone ends the first line. */
  crOnly: boolean;
}

export interface TextSource extends ByteSource {
  form: TextForm;
  /** An estimate of the total bytes that `fill` returns; 0 for an empty file. */
  expectedBytes: number;
}

/** Opens `file`; `onBytes` receives its original bytes in order. The caller closes the result. */
export async function openText(
  file: SourceFile,
  onBytes: (bytes: Uint8Array) => void = () => {},
): Promise<TextSource> {
  const source = await file.open();
  const close = () => source.close();
  try {
    const head = new Uint8Array(HEAD_BYTES);
    const filled = head.subarray(0, await source.fill(head));
    onBytes(filled);
    const raw = rest(source, filled, onBytes);
    const encoding = utf16Of(filled);
    if (encoding === null) {
      const form = { encoding, crOnly: isCrOnly(filled) };
      return { form, expectedBytes: file.sizeBytes, fill: lines(raw, form), close };
    }
    const form = { encoding, crOnly: isCrOnly(Buffer.from(new TextDecoder(encoding).decode(filled))) };
    const expectedBytes = Math.ceil(file.sizeBytes * 1.5);
    return { form, expectedBytes, fill: lines(fillFrom(decoded(raw, encoding)), form), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the first 64 KB of `file`, converted as by `openText`. */
export async function headBytes(file: SourceFile): Promise<Uint8Array> {
  const text = await openText(file);
  try {
    const head = new Uint8Array(HEAD_BYTES);
    return head.subarray(0, await text.fill(head));
  } finally {
    await text.close();
  }
}

/** Detects UTF-16 by the byte order mark, or by a NUL in every other byte of a file that begins with ASCII. */
function utf16Of([a = 0, b = 0, c = 0, d = 0]: Uint8Array): TextForm["encoding"] {
  if ((a === 0xff && b === 0xfe) || (a > 0 && b === 0 && c > 0 && d === 0)) return "utf-16le";
  if ((a === 0xfe && b === 0xff) || (a === 0 && b > 0 && c === 0 && d > 0)) return "utf-16be";
  return null;
}

/**
 * Returns whether a CR alone ends the first line; later lines do not count. Programs that append to a file with CR line
 * ends may write LF. Without a split at CR, the header would include all rows before that LF.
 */
function isCrOnly(head: Uint8Array): boolean {
  const first = head.indexOf(CR);
  if (first < 0 || head.subarray(0, first).includes(LF)) return false;
  let next = first;
  while (head[next] === CR) next += 1;
  // If the file goes on after the head, an LF may follow a CR at the head's end. NULs may have overwritten the LF.
  return next < head.length ? head[next] !== LF && head[next] !== 0 : head.length < HEAD_BYTES;
}

/**
 * Returns a `Fill` that gives the bytes of `ahead`, which were read ahead, then the bytes of the source. `onBytes` gets
 * only the latter.
 */
function rest(source: ByteSource, ahead: Uint8Array, onBytes: (bytes: Uint8Array) => void): Fill {
  let left = ahead;
  return async (target) => {
    const part = left.subarray(0, target.length);
    target.set(part);
    left = left.subarray(part.length);
    if (part.length === target.length) return part.length;
    const more = target.subarray(part.length);
    const count = await source.fill(more);
    onBytes(more.subarray(0, count));
    return part.length + count;
  };
}

/** Decodes UTF-16 to UTF-8. An invalid character becomes U+FFFD, which no parsed cell accepts. */
async function* decoded(fill: Fill, encoding: string): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  for (let ended = false; !ended; ) {
    const piece = new Uint8Array(PIECE_BYTES);
    const count = await fill(piece);
    ended = count < piece.length;
    yield Buffer.from(decoder.decode(piece.subarray(0, count), { stream: !ended }));
  }
}

/** Replaces every CR by LF if a CR alone ends the first line. */
function lines(fill: Fill, { crOnly }: TextForm): Fill {
  if (!crOnly) return fill;
  return async (target) => {
    const count = await fill(target);
    for (let at = target.indexOf(CR); at >= 0 && at < count; at = target.indexOf(CR, at)) target[at] = LF;
    return count;
  };
}
