/** Errors raised while reading a pack: invalid bytes, and a stored pack that cannot be read. */

/** Thrown when bytes violate the layout in `README.md`. The message is one sentence that describes the violation. */
export class PackFormatError extends Error {
  override readonly name = "PackFormatError";
}

/**
 * Why a stored pack could not be read. `missing`: there is no such object. `changed`: it is not the object that the
 * catalog names. `damaged`: the bytes contradict the index or violate the layout. `unreadable`: the reader failed
 * although the bytes are not proven wrong, which is a bug.
 */
export type PackReadErrorKind = "missing" | "changed" | "damaged" | "unreadable";

/**
 * Thrown when a stored pack cannot be read. After `missing` or `changed`, the catalog should be read again
 * (`README.md`).
 */
export class PackReadError extends Error {
  override readonly name = "PackReadError";
  readonly kind: PackReadErrorKind;

  constructor(kind: PackReadErrorKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/**
 * Returns the error for a failure to read `what` from a stored pack. Only a failed check counts as damage. A damaged
 * day is not served until it is published again, and a reader's bug must not have this effect on valid bytes.
 */
export function asReadError(error: unknown, what: string): PackReadError {
  if (error instanceof PackReadError) return error;
  if (error instanceof PackFormatError) {
    return new PackReadError("damaged", `${what}: ${error.message}`, { cause: error });
  }
  const why = error instanceof Error ? error.stack : String(error);
  return new PackReadError("unreadable", `${what} cannot be read: ${why}`, { cause: error });
}

/**
 * Returns the result of `read`. Any error becomes a `PackFormatError`, because libraries throw various errors for
 * invalid bytes.
 */
export function asFormat<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof PackFormatError) throw error;
    throw new PackFormatError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}
