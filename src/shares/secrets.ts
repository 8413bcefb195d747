/**
 * The deployment's share secrets: passwords of shares are derived from them and passwords of external drives
 * encrypted under them. Every row names the version it was made with, so a new version can be added while
 * the old ones still open what they made. `BACKUP_SECRET` has the same form.
 */

export interface ShareSecrets {
  /** The version that new shares and external drives get: the highest one. */
  current: number;
  secrets: ReadonlyMap<number, string>;
}

const ENTRY = /^(?:(\d{1,6}):)?(\S{32,})$/;

/**
 * Secrets written as `<version>:<secret>`, separated by commas or blanks; a secret without a version is
 * version 1. Each has at least 32 characters. Null for anything else, and for a version that comes twice.
 *
 * @example parseShareSecrets("1:<old secret>,2:<new secret>") // current: 2
 */
export function parseShareSecrets(text: string): ShareSecrets | null {
  const secrets = new Map<number, string>();
  for (const entry of text.split(/[\s,]+/).filter((each) => each !== "")) {
    const [, version = "1", secret] = ENTRY.exec(entry) ?? [];
    if (secret === undefined || secrets.has(Number(version))) return null;
    secrets.set(Number(version), secret);
  }
  return secrets.size === 0 ? null : { current: Math.max(...secrets.keys()), secrets };
}
