/** The two errors of reading a pack: bytes that are no pack, and a stored pack that cannot be read. */

/** Bytes that do not follow the layout of `README.md`; the message is one sentence that says where. */
export class PackFormatError extends Error {
  override readonly name = "PackFormatError";
}

/**
 * Why a stored pack could not be read: `missing` (no such object), `changed` (the object is not the one the
 * catalog names), `damaged` (its bytes are not what the index promises, or their content is none of the layout's),
 * `unreadable` (nothing is proven against the bytes, the reader failed on them: a bug of ours).
 */
export type PackReadErrorKind = "missing" | "changed" | "damaged" | "unreadable";

/** A read of a stored pack failed. `missing` and `changed` are worth a second look at the catalog (`README.md`). */
export class PackReadError extends Error {
  override readonly name = "PackReadError";
  readonly kind: PackReadErrorKind;

  constructor(kind: PackReadErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * What went wrong while stored bytes were read as `what`. Only what a check of ours found is damage: a day that
 * is marked so is not served until it is published again, which no bug in a reader may do to good bytes.
 */
export function asReadError(error: unknown, what: string): PackReadError {
  if (error instanceof PackReadError) return error;
  if (error instanceof PackFormatError) {
    return new PackReadError("damaged", `${what}: ${error.message}`, { cause: error });
  }
  const why = error instanceof Error ? error.stack : String(error);
  return new PackReadError("unreadable", `${what} cannot be read: ${why}`, { cause: error });
}

/** What `read` gives; whatever it throws becomes a `PackFormatError`: libraries throw what they like at wrong bytes. */
export function asFormat<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof PackFormatError) throw error;
    throw new PackFormatError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
