/** What a demo remembers between starts, inside its state folder: secrets and demo keys. */
import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import * as z from "zod";
import { lockFolder, writeWhole } from "../work-folder.ts";

const CHECKOUT = join(import.meta.dirname, "../../..");

/** State folders in the checkout. A deployment that began empty is not the demo, so each has its own. */
export const STATE = { demo: ".wrangler/state", empty: ".wrangler/empty" };
/** The file for scripts of the default state; every other state keeps its own in its folder. */
const DEMO_FILE = ".edgetape/demo.json";

const rememberedSchema = z.object({
  adminToken: z.string(),
  cursorSecret: z.string(),
  shareSecret: z.string().default(secret),
  backupSecret: z.string().default(secret),
  /** Digest of the migrations that the database has; empty before the first. */
  migrations: z.string().default(""),
  /** Demo keys by name. A key is shown once by the service, so this file is where the demo finds it again. */
  keys: z.record(z.string(), z.object({ keyId: z.string(), key: z.string() })),
});
export type Remembered = z.infer<typeof rememberedSchema>;

/**
 * Returns the absolute paths of a start's state folder and of its file for scripts; relative ones begin at the
 * checkout. Two states that run at the same time have two files, so that neither replaces or removes the other's.
 */
export function placesOf({ state = "", out = "", empty = false }): { stateDir: string; demoFile: string } {
  const stateDir = resolve(CHECKOUT, state || (empty ? STATE.empty : STATE.demo));
  const isDefault = stateDir === resolve(CHECKOUT, STATE.demo);
  return {
    stateDir,
    demoFile: resolve(CHECKOUT, out || (isDefault ? DEMO_FILE : join(stateDir, "demo.json"))),
  };
}

/**
 * Takes the lock of `stateDir` (made if absent) and returns the function that releases it: two runtimes on the same database
 * files damage them.
 */
export function lockState(stateDir: string): Promise<() => void> {
  return lockFolder(stateDir, {
    file: "demo.lock",
    commandLine: /start\.ts/,
    holder: "Another demo",
    advice: "stop it first, or give this one its own folder with --state",
  });
}

/** What the last demo on this folder remembered, or fresh random secrets. */
export function recall(stateDir: string): Remembered {
  try {
    return rememberedSchema.parse(JSON.parse(readFileSync(memoryPath(stateDir), "utf8")));
  } catch {
    return {
      adminToken: secret(),
      cursorSecret: secret(),
      shareSecret: secret(),
      backupSecret: secret(),
      migrations: "",
      keys: {},
    };
  }
}

/** Writes it down, readable by its owner only. */
export function remember(stateDir: string, remembered: Remembered): void {
  writeWhole(memoryPath(stateDir), `${JSON.stringify(remembered, null, 2)}\n`);
}

/** Writes the worker's secrets as the dev server reads them and returns the file's path. */
export function writeSecrets(stateDir: string, remembered: Remembered): string {
  const path = join(stateDir, "demo-secrets.env");
  const settings = {
    ADMIN_TOKEN: remembered.adminToken,
    CURSOR_SECRET: remembered.cursorSecret,
    SHARE_SECRET: `1:${remembered.shareSecret}`,
    BACKUP_SECRET: `1:${remembered.backupSecret}`,
    ENVIRONMENT: "demo",
    // A withdrawal that is tried here shows at once.
    DAY_CACHE_MS: "0",
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}="${value}"\n`);
  writeWhole(path, lines.join(""));
  return path;
}

/** Removes what a demo and the dev server keep in the folder, and nothing somebody else may have put there. */
export function forget(stateDir: string): void {
  for (const name of [
    "v3",
    "demo-memory.json",
    "demo-secrets.env",
    "demo-packs",
    "demo.log",
    "demo.json",
    "dev-registry",
  ]) {
    rmSync(join(stateDir, name), { recursive: true, force: true });
  }
}

function memoryPath(stateDir: string): string {
  return join(stateDir, "demo-memory.json");
}

function secret(): string {
  return randomBytes(32).toString("base64url");
}
