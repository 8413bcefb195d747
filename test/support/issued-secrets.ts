/** What a service handed out and must never write down: keys, tokens and passwords of its answers. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Members of answers that hold a secret. */
const MEMBERS = /"(?:key|token|password)":"([^"]{16,})"/g;

/** Collects the secrets of answers and finds them again where they do not belong. */
export class IssuedSecrets {
  readonly #secrets = new Set<string>();

  /** Adds the secrets of an answer's body. */
  hear(text: string): void {
    for (const [, secret] of text.matchAll(MEMBERS)) if (secret !== undefined) this.#secrets.add(secret);
  }

  /** Adds a secret that no JSON answer holds: a cookie, a one-time link's last part. */
  add(...secrets: string[]): void {
    for (const secret of secrets) this.#secrets.add(secret);
  }

  get size(): number {
    return this.#secrets.size;
  }

  /** The secrets that stand in `text`, each cut short so that a failing test does not spread it. */
  in(text: string): string[] {
    return [...this.#secrets].filter((secret) => text.includes(secret)).map((secret) => secret.slice(0, 6));
  }

  /** Which secrets stand in which file below `folder`, byte for byte. */
  async inFiles(folder: string): Promise<string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const found = await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async (entry) => {
          const path = join(entry.parentPath, entry.name);
          const text = (await readFile(path)).toString("latin1");
          return this.in(text).map((secret) => `${secret}… in ${path}`);
        }),
    );
    return found.flat();
  }
}
