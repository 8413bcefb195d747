/**
 * The deployment's share secrets. Passwords of shares are derived from the secrets on demand and never stored (contract
 * 8.4). Passwords of external shares are encrypted with keys that are derived from the secrets. Every row names the
 * version of its secret, so that rows of older versions stay readable when a new version is added. `BACKUP_SECRET` has
 * the same form.
 */

import { createHmac } from "node:crypto";
import { base62 } from "../base/base62.ts";
import type { DataType } from "../entitlement/data-types.ts";

export interface ShareSecrets {
  /** The version for new shares and external shares: the highest one. */
  current: number;
  secrets: ReadonlyMap<number, string>;
}

const ENTRY = /^(?:(\d{1,6}):)?(\S{32,})$/;

/**
 * Parses secrets written as `<version>:<secret>`, separated by commas or blanks; a secret without a version has version
 * 1. Each must have at least 32 characters. Returns null for anything else and for a repeated version.
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

/** 24 base62 characters are 142 bits. */
const PASSWORD_LENGTH = 24;

const encoder = new TextEncoder();

/** Derives the password of the share `shareId` from version `version` of the share secret. */
export function sharePassword(secret: string, version: number, shareId: string): string {
  const message = `edgetape share password ${version} ${shareId}`;
  return base62(createHmac("sha256", secret).update(message).digest(), PASSWORD_LENGTH);
}

/** Returns the password of `share`, or null when its secret is no longer among `secrets`. */
export function passwordOf(
  { secrets }: ShareSecrets,
  { shareId, secretVersion }: { shareId: string; secretVersion: number },
): string | null {
  const secret = secrets.get(secretVersion);
  return secret === undefined ? null : sharePassword(secret, secretVersion, shareId);
}

/** The usual length of a nonce for AES-GCM, in bytes. Every password has its own random nonce. */
const NONCE_BYTES = 12;

/** An encrypted password; `sealed` is base64 of the nonce and the ciphertext. */
interface SealedPassword {
  sealed: string;
  secretVersion: number;
}

/**
 * The external share that a password belongs to. The encryption authenticates the share, so a password that was moved
 * to another row cannot be decrypted.
 */
export interface Drive {
  dataType: DataType;
  year: number;
}

/** Encrypts `password` under the current secret. */
export async function sealPassword(
  { current, secrets }: ShareSecrets,
  drive: Drive,
  password: string,
): Promise<SealedPassword> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const key = await keyOf(secrets.get(current) ?? "", "encrypt");
  const text = await crypto.subtle.encrypt(parametersOf(nonce, drive), key, encoder.encode(password));
  const sealed = Buffer.concat([nonce, new Uint8Array(text)]).toString("base64");
  return { sealed, secretVersion: current };
}

/**
 * Decrypts the password of `drive`. Throws, without details of the password, when its secret is no longer among
 * `secrets` or the row was altered.
 */
export async function openPassword(
  { secrets }: ShareSecrets,
  drive: Drive,
  { sealed, secretVersion }: SealedPassword,
): Promise<string> {
  const of = `the external share of ${drive.dataType} ${drive.year}`;
  const secret = secrets.get(secretVersion);
  if (secret === undefined) throw new Error(`${of} needs version ${secretVersion} of SHARE_SECRET`);
  const bytes = Buffer.from(sealed, "base64");
  const key = await keyOf(secret, "decrypt");
  try {
    const parameters = parametersOf(bytes.subarray(0, NONCE_BYTES), drive);
    return new TextDecoder().decode(
      await crypto.subtle.decrypt(parameters, key, bytes.subarray(NONCE_BYTES)),
    );
  } catch {
    throw new Error(
      `the password of ${of} cannot be decrypted with version ${secretVersion} of SHARE_SECRET`,
    );
  }
}

function parametersOf(iv: Uint8Array, { dataType, year }: Drive) {
  return { name: "AES-GCM", iv, additionalData: encoder.encode(`edgetape external ${dataType} ${year}`) };
}

/** Derives a separate key with HKDF, because the passwords of shares are derived from the same secret. */
async function keyOf(secret: string, use: "encrypt" | "decrypt"): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, ["deriveKey"]);
  const derivation = {
    name: "HKDF",
    hash: "SHA-256",
    salt: new Uint8Array(0),
    info: encoder.encode("edgetape external password"),
  };
  return crypto.subtle.deriveKey(derivation, material, { name: "AES-GCM", length: 256 }, false, [use]);
}
