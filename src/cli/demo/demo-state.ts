/** The state that a demo keeps between starts in its folder: secrets and demo keys. */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { lockFolder, writeWhole } from "../work-folder.ts";

const CHECKOUT = join(import.meta.dirname, "../../..");

/** State folders in the checkout; the demo and an empty deployment have separate ones. */
export const STATE = { demo: ".wrangler/state", empty: ".wrangler/empty" };
/** The file for scripts that belongs to the default state folder. Any other state folder contains its own file. */
const DEMO_FILE = ".edgetape/demo.json";

const rememberedSchema = z.object({
  adminToken: z.string(),
  cursorSecret: z.string(),
  shareSecret: z.string().default(secret),
  backupSecret: z.string().default(secret),
  /** The digest of the applied migrations; empty before the first migration. */
  migrations: z.string().default(""),
  /** Demo keys by name. The service shows a key only once, so the demo stores it here. */
  keys: z.record(z.string(), z.object({ keyId: z.string(), key: z.string() })),
});
export type Remembered = z.infer<typeof rememberedSchema>;

/**
 * Returns the absolute paths of the state folder and the file for scripts. Relative paths are resolved from the
 * checkout. Each state folder has its own file, so that two demos can run at the same time.
 */
export function placesOf({ state = "", out = "", empty = false }): { stateDir: string; demoFile: string } {
  const stateDir = resolve(CHECKOUT, state || (empty ? STATE.empty : STATE.demo));
  const isDefault = stateDir === resolve(CHECKOUT, STATE.demo);
  return {
    stateDir,
    demoFile: resolve(CHECKOUT, out || (isDefault ? DEMO_FILE : join(stateDir, "demo.json"))),
  };
}

const memoryPath = (stateDir: string) => join(stateDir, "demo-memory.json");

/** Locks `stateDir`, because two runtimes on the same database files would damage them. */
export function lockState(stateDir: string): Promise<() => void> {
  return lockFolder(stateDir, {
    file: "demo.lock",
    commandLine: /start\.ts/,
    holder: "Another demo",
    advice: "stop that demo first, or give this demo its own folder with --state",
  });
}

/** Returns the stored state of this folder, or new random secrets. */
export function recall(stateDir: string): Remembered {
  try {
    return rememberedSchema.parse(JSON.parse(readFileSync(memoryPath(stateDir), "utf8")));
  } catch {
    return rememberedSchema.parse({ adminToken: secret(), cursorSecret: secret(), keys: {} });
  }
}

/** Stores the state in a file that only its owner can read. */
export function remember(stateDir: string, remembered: Remembered): void {
  writeWhole(memoryPath(stateDir), `${JSON.stringify(remembered, null, 2)}\n`);
}

/** Writes the worker's secrets for the dev server and returns the file's path. */
export function writeSecrets(stateDir: string, remembered: Remembered): string {
  const path = join(stateDir, "demo-secrets.env");
  const settings = {
    ADMIN_TOKEN: remembered.adminToken,
    CURSOR_SECRET: remembered.cursorSecret,
    SHARE_SECRET: `1:${remembered.shareSecret}`,
    BACKUP_SECRET: `1:${remembered.backupSecret}`,
    ENVIRONMENT: "demo",
    // A withdrawal takes effect immediately in the demo.
    DAY_CACHE_MS: "0",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
  writeWhole(path, lines.join(""));
  return path;
}

/** Removes the files of the demo and the dev server from the folder, and no others. */
export function forget(stateDir: string): void {
  const files = ["demo-memory.json", "demo-secrets.env", "demo.log", "demo.json"];
  for (const name of [...files, "v3", "demo-packs", "dev-registry"]) {
    rmSync(join(stateDir, name), { recursive: true, force: true });
  }
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}
