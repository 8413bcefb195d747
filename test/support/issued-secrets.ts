/** Collects the secrets that a service issued and must never log or store: keys, tokens and passwords. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Matches the JSON properties that hold secrets in answers. */
const MEMBERS = /"(?:key|token|password)":"([^"]{16,})"/g;

/** Collects the secrets of answers and finds them in texts and files. */
export class IssuedSecrets {
  readonly #secrets = new Set<string>();

  /** Adds the secrets in an answer's body. */
  hear(text: string): void {
    for (const [, secret] of text.matchAll(MEMBERS)) if (secret !== undefined) this.#secrets.add(secret);
  }

  /** Adds secrets that are not in JSON answers, such as a cookie or the last part of a one-time link. */
  add(...secrets: string[]): void {
    for (const secret of secrets) this.#secrets.add(secret);
  }

  get size(): number {
    return this.#secrets.size;
  }

  /** Returns the secrets in `text`, each shortened so that a failing test does not reveal it. */
  in(text: string): string[] {
    return [...this.#secrets].filter((secret) => text.includes(secret)).map((secret) => secret.slice(0, 6));
  }

  /** Returns which secrets occur in which files below `folder`. */
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
