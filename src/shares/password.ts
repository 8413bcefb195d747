/** The password of a share: derived whenever it is needed, never stored (contract 8.4). */
import { base62 } from "./base62.ts";
import type { ShareSecrets } from "./secrets.ts";

/** 24 base62 characters are 142 bits. */
const PASSWORD_LENGTH = 24;

const encoder = new TextEncoder();

/** The password of the share `shareId` under version `version` of the share secret. */
export async function sharePassword(secret: string, version: number, shareId: string): Promise<string> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign"]);
  const message = encoder.encode(`edgetape share password ${version} ${shareId}`);
  return base62(new Uint8Array(await crypto.subtle.sign("HMAC", key, message)), PASSWORD_LENGTH);
}

/** The password of `share`, or null when the secret it was made with is not among `secrets` any more. */
export async function passwordOf(
  { secrets }: ShareSecrets,
  share: { shareId: string; secretVersion: number },
): Promise<string | null> {
  const secret = secrets.get(share.secretVersion);
  return secret === undefined ? null : sharePassword(secret, share.secretVersion, share.shareId);
}
