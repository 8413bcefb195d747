/** Passwords of external drives, encrypted for the catalog: only who has the share secret can read them. */
import type { DataType } from "../entitlement/data-types.ts";
import type { ShareSecrets } from "./secrets.ts";

/** AES-GCM's usual nonce, drawn anew for every password. */
const NONCE_BYTES = 12;

const encoder = new TextEncoder();

/** An encrypted password; `sealed` is base64 of the nonce and the ciphertext. */
export interface SealedPassword {
  sealed: string;
  secretVersion: number;
}

/** The drive that a password is for. It is authenticated: a password moved to another row does not open. */
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
 * The password of `drive`. Throws when its secret is not among `secrets` any more or the row was tampered
 * with: a fault that says nothing of the password.
 */
export async function openPassword(
  { secrets }: ShareSecrets,
  drive: Drive,
  { sealed, secretVersion }: SealedPassword,
): Promise<string> {
  const of = `the external drive of ${drive.dataType} ${drive.year}`;
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
    throw new Error(`the password of ${of} does not open under version ${secretVersion} of SHARE_SECRET`);
  }
}

function parametersOf(iv: Uint8Array, { dataType, year }: Drive) {
  return { name: "AES-GCM", iv, additionalData: encoder.encode(`edgetape external ${dataType} ${year}`) };
}

/** The secret also derives the passwords of shares; HKDF gives this use a key of its own. */
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
