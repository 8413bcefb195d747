/**
 * Reads a data file as lines that end with LF, in an encoding that is a superset of ASCII. UTF-16 becomes UTF-8. When a
 * CR alone ends the first line, every CR becomes LF. Nothing else is changed.
 */
import type { ByteSource, SourceFile } from "../delivery/source-file.ts";

const LF = 10;
const CR = 13;
const HEAD_BYTES = 64 * 1024;
/** The piece size for decoding UTF-16. */
const PIECE_BYTES = 1 << 20;

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
  try {
    const head = new Uint8Array(HEAD_BYTES);
    const filled = head.subarray(0, await source.fill(head));
    onBytes(filled);
    const raw = new Rest(source, filled, onBytes);
    const encoding = utf16Of(filled);
    if (encoding === null) return new Lines(raw, { encoding, crOnly: isCrOnly(filled) }, file.sizeBytes);
    const crOnly = isCrOnly(Buffer.from(new TextDecoder(encoding).decode(filled)));
    return new Lines(new Decoded(raw, encoding), { encoding, crOnly }, Math.ceil(file.sizeBytes * 1.5));
  } catch (error) {
    await source.close();
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

/** Returns first the bytes that were read ahead, then the bytes of the source. */
class Rest implements ByteSource {
  private readonly source: ByteSource;
  private readonly onBytes: (bytes: Uint8Array) => void;
  private ahead: Uint8Array;

  constructor(source: ByteSource, ahead: Uint8Array, onBytes: (bytes: Uint8Array) => void) {
    this.source = source;
    this.ahead = ahead;
    this.onBytes = onBytes;
  }

  async fill(target: Uint8Array): Promise<number> {
    const part = this.ahead.subarray(0, target.length);
    target.set(part);
    this.ahead = this.ahead.subarray(part.length);
    if (part.length === target.length) return part.length;
    const rest = target.subarray(part.length);
    const count = await this.source.fill(rest);
    this.onBytes(rest.subarray(0, count));
    return part.length + count;
  }

  close(): Promise<void> {
    return this.source.close();
  }
}

/** Decodes UTF-16 to UTF-8. An invalid character becomes U+FFFD, which no parsed cell accepts. */
class Decoded implements ByteSource {
  private readonly source: ByteSource;
  private readonly decoder: TextDecoder;
  private rest: Uint8Array = new Uint8Array(0);
  private ended = false;

  constructor(source: ByteSource, encoding: string) {
    this.source = source;
    this.decoder = new TextDecoder(encoding);
  }

  async fill(target: Uint8Array): Promise<number> {
    let filled = 0;
    while (filled < target.length && (this.rest.length > 0 || (await this.next()))) {
      const part = this.rest.subarray(0, target.length - filled);
      target.set(part, filled);
      filled += part.length;
      this.rest = this.rest.subarray(part.length);
    }
    return filled;
  }

  close(): Promise<void> {
    return this.source.close();
  }

  private async next(): Promise<boolean> {
    while (!this.ended && this.rest.length === 0) {
      const piece = new Uint8Array(PIECE_BYTES);
      const count = await this.source.fill(piece);
      this.ended = count < piece.length;
      this.rest = Buffer.from(this.decoder.decode(piece.subarray(0, count), { stream: !this.ended }));
    }
    return this.rest.length > 0;
  }
}

class Lines implements TextSource {
  readonly form: TextForm;
  readonly expectedBytes: number;
  private readonly source: ByteSource;

  constructor(source: ByteSource, form: TextForm, expectedBytes: number) {
    this.source = source;
    this.form = form;
    this.expectedBytes = expectedBytes;
  }

  async fill(target: Uint8Array): Promise<number> {
    const count = await this.source.fill(target);
    if (this.form.crOnly) {
      for (let at = target.indexOf(CR); at >= 0 && at < count; at = target.indexOf(CR, at)) target[at] = LF;
    }
    return count;
  }

  close(): Promise<void> {
    return this.source.close();
  }
}
