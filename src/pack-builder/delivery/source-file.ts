/** One file of a delivery, wherever it lies: on the disk or in an archive. */

/** Reads a file from its beginning to its end. */
export interface ByteSource {
  /** Fills `target` and returns how many bytes came: fewer than it holds only at the end of the file. */
  fill(target: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

export interface SourceFile {
  /** For people: the path inside what was given, archives included, with `/`. */
  path: string;
  sizeBytes: number;
  /** Where it lies on the disk; `null` inside an archive. */
  place: string | null;
  open(): Promise<ByteSource>;
}

/** What a folder or archive holds. */
export interface Listing {
  files: SourceFile[];
  /** Paths of its folders, those that only their files imply not included. */
  folders: string[];
}

/** A delivery that cannot be built from: the sentence says what is wrong and where. */
export class DeliveryError extends Error {
  override readonly name = "DeliveryError";
}

/** The last component of a path. */
export function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Reads a whole file. Throws `DeliveryError` when it is shorter than announced. */
export async function readWhole(file: SourceFile): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(file.sizeBytes);
  const source = await file.open();
  try {
    const count = await source.fill(bytes);
    if (count !== bytes.length) throw new DeliveryError(`${file.path} ends after ${count} bytes`);
  } finally {
    await source.close();
  }
  return bytes;
}
