/**
 * Makes the state of a new deployment: an empty catalog with all migrations. Every service starts with a copy of it.
 */
import { rmSync } from "node:fs";
import { cp, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrateFolder } from "../../src/cli/demo/migrations.ts";

let made: Promise<string> | undefined;

/**
 * The folders of this process, removed when it exits. A service that tests share runs until then, so it cannot remove
 * its folder itself.
 */
const folders = new Set<string>();
process.once("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Returns a new folder for a service's state, which is removed at the end of the process. */
export async function stateFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "edgetape-state-"));
  folders.add(folder);
  return folder;
}

/** Copies the state of a new deployment with these databases into `folder`. */
export async function copyNewState(databases: string[], folder: string): Promise<void> {
  made ??= makeNewState(databases);
  await cp(await made, folder, { recursive: true });
}

/** Makes the new state, once for each process, because the migrations take longer than the start of a service. */
async function makeNewState(databases: string[]): Promise<string> {
  const folder = await stateFolder();
  await migrateFolder(databases, folder);
  return folder;
}
