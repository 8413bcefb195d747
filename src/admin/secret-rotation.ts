/**
 * Leaving older versions of `SHARE_SECRET`. Whoever sets the secret puts a higher version beside the old one, and new
 * shares have it from then on; here what still needs the old one is listed, and made to need it no more.
 */
import { externalShares } from "../catalog/external-shares.ts";
import { resealDrive, revokeOlderShares, secretVersionUse } from "../catalog/secret-versions.ts";
import { settingsOf } from "../env.ts";
import { openPassword, sealPassword } from "../shares/sealed-password.ts";
import { type AdminContext, bodyOf, byOf, isRefusal } from "./exchange.ts";
import type { AdminRefusal } from "./refusal.ts";
import { type RotatedSecret, rotateSecretSchema, type SecretVersions } from "./wire.ts";

/** `GET /admin/shares/secret`: every version that the secret has or that something needs. */
export async function secretVersions(c: AdminContext): Promise<SecretVersions> {
  const { SHARE_SECRET } = settingsOf(c.env);
  const use = new Map((await secretVersionUse(c.env.DB, byOf(c).nowMs)).map((each) => [each.version, each]));
  const versions = [...new Set([...SHARE_SECRET.secrets.keys(), ...use.keys()])].toSorted((a, b) => a - b);
  return {
    current: SHARE_SECRET.current,
    versions: versions.map((version) => {
      const { shares = 0, drives = 0 } = use.get(version) ?? {};
      return { version, present: SHARE_SECRET.secrets.has(version), shares, drives };
    }),
  };
}

/**
 * `POST /admin/shares/secret/rotate`: passwords of drives elsewhere are encrypted under the current version, those
 * apart whose own version is not in the secret any more; shares of older versions end now if that is asked for, and
 * within 7 days by themselves. Again does what is left to do.
 */
export async function rotateSecret(c: AdminContext): Promise<RotatedSecret | AdminRefusal> {
  const body = await bodyOf(c, rotateSecretSchema);
  if (isRefusal(body)) return body;
  const { SHARE_SECRET: secrets } = settingsOf(c.env);
  const by = byOf(c);
  const resealed: RotatedSecret["resealed"] = [];
  for (const drive of await externalShares(c.env.DB)) {
    const { link, dataType, year } = drive;
    if (link === null || link.secretVersion >= secrets.current || !secrets.secrets.has(link.secretVersion))
      continue;
    const sealed = await sealPassword(secrets, drive, await openPassword(secrets, drive, link));
    if (await resealDrive(c.env.DB, drive, sealed, by)) resealed.push({ dataType, year });
  }
  const revoked = body.olderShares === "revoke" ? await revokeOlderShares(c.env.DB, secrets.current, by) : 0;
  return { ...(await secretVersions(c)), resealed, revoked };
}
