/** The service of an earlier commit, from git: its bundled worker and its migrations. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { bundledFrom, type WorkerBundle } from "./bundle.ts";

export interface FormerVersion {
  worker: WorkerBundle;
  /** The names of the former version's migration files, in order. The current checkout also contains these files. */
  migrations: string[];
}

/**
 * Returns whether this clone lacks `commit`, as a shallow clone may, and prints a message if so. For use with
 * `describe.skipIf`.
 */
export function isUnknown(commit: string): boolean {
  try {
    execFileSync("git", ["cat-file", "-e", `${commit}^{commit}`], { stdio: "ignore" });
    return false;
  } catch {
    console.log(`SKIPPED: this clone has no commit ${commit}`);
    return true;
  }
}

/** Bundles the worker of `commit` with the present dependencies. */
export async function formerVersion(commit: string): Promise<FormerVersion> {
  const checkout = mkdtempSync(join(tmpdir(), "edgetape-former-"));
  try {
    const archive = execFileSync("git", ["archive", commit], { maxBuffer: 1 << 28 });
    execFileSync("tar", ["-x", "-C", checkout], { input: archive });
    symlinkSync(resolve("node_modules"), join(checkout, "node_modules"));
    const migrations = readdirSync(join(checkout, "src/catalog/migrations"))
      .filter((name) => name.endsWith(".sql"))
      .sort();
    return { worker: await bundledFrom(checkout), migrations };
  } finally {
    rmSync(checkout, { recursive: true });
  }
}
