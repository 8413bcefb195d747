/** Files that are read again after a kill. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Replaces the file at `path` in one step, so that a reader finds the old text or the new one, never half of
 * it. Readable by its owner only; folders above it are made.
 */
export function writeWhole(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.partial`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
