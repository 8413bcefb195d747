/** `/admin/shares` and `/admin/external`: shares, external shares, and the versions of the share secret. */
import * as z from "zod";
import { ok, refused } from "../base/result.ts";
import { findAccount } from "../catalog/accounts.ts";
import * as external from "../catalog/external-shares.ts";
import { resealDrive, revokeOlderShares, secretVersionUse } from "../catalog/secret-versions.ts";
import { revokeShare, shareById, sharesInForce, sharesOfAccount } from "../catalog/shares.ts";
import { settingsOf } from "../env.ts";
import { type Drive, openPassword, sealPassword } from "../shares/secrets.ts";
import type { AdminContext, Routes } from "./context.ts";
import { absent, bodyOf, byOf, dataTypeOf, inPath, queryOf, readable, reading } from "./context.ts";
import type { Answered } from "./refusal.ts";
import * as wire from "./wire.ts";
import { yearSchema } from "./wire-fields.ts";

/** The default and maximum number of shares in one answer. */
const MAX_SHARES = 500;

const inForceSchema = z.object({
  after: z.string().default(""),
  limit: z.coerce.number().int().min(1).max(MAX_SHARES).default(MAX_SHARES),
});

async function list(c: AdminContext): Promise<Answered<object>> {
  const accountId = c.req.query("account");
  if (accountId === undefined) return listInForce(c);
  const account = await findAccount(c.env.DB, accountId);
  if (account === null) return refused(absent("account", accountId));
  const shares = readable(await sharesOfAccount(c.env.DB, account.accountId));
  return ok<wire.ShareList>({ shares, next: null });
}

const listInForce = reading([queryOf(inForceSchema)], async (c, { after, limit }) => {
  // One row more than requested is read, to know whether another page follows.
  const found = await sharesInForce(c.env.DB, { nowMs: byOf(c).nowMs, after, count: limit + 1 });
  const shown = found.slice(0, limit);
  const next = found.length > shown.length ? (shown.at(-1)?.shareId ?? null) : null;
  return ok<wire.ShareList>({ shares: readable(shown), next });
});

async function revoke(c: AdminContext): Promise<Answered<wire.ShareSummary>> {
  const shareId = c.req.param("shareId") ?? "";
  await revokeShare(c.env.DB, shareId, byOf(c));
  const held = await shareById(c.env.DB, shareId);
  return held === null ? refused(absent("share", shareId)) : ok(readable(held.share));
}

/** Answers `GET /admin/shares/secret` with the versions in the secret and the versions that shares use. */
async function secretVersions(c: AdminContext): Promise<wire.SecretVersions> {
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
 * Answers `POST /admin/shares/secret/rotate`: re-encrypts the passwords of external shares under the current version of
 * the secret, except passwords whose version the secret no longer contains. Shares of older versions are revoked if the
 * body asks for it; otherwise they end within 7 days. Repeating the call completes an interrupted rotation.
 */
const rotateSecret = reading([bodyOf(wire.rotateSecretSchema)], async (c, { olderShares }) => {
  const { SHARE_SECRET: secrets } = settingsOf(c.env);
  const by = byOf(c);
  const resealed: wire.RotatedSecret["resealed"] = [];
  for (const drive of await external.externalShares(c.env.DB)) {
    const { link, dataType, year } = drive;
    if (link === null || link.secretVersion >= secrets.current || !secrets.secrets.has(link.secretVersion))
      continue;
    const sealed = await sealPassword(secrets, drive, await openPassword(secrets, drive, link));
    if (await resealDrive(c.env.DB, drive, sealed, by)) resealed.push({ dataType, year });
  }
  const revoked = olderShares === "revoke" ? await revokeOlderShares(c.env.DB, secrets.current, by) : 0;
  return ok<wire.RotatedSecret>({ ...(await secretVersions(c)), resealed, revoked });
});

async function listExternal(c: AdminContext) {
  const shares = await external.externalShares(c.env.DB);
  return ok<wire.ExternalList>({ external: shares.map(externalSummaryOf) });
}

const driveOf = reading(
  [dataTypeOf, inPath("year", yearSchema)],
  (_, dataType, year): Answered<Drive> => ok({ dataType, year }),
);

const setExternal = reading([driveOf, bodyOf(wire.externalShareSchema)], async (c, drive, body) => {
  const { link, ...coverage } = body;
  for (const day of [coverage.firstDay, coverage.lastDay]) {
    if (Number(day.slice(0, 4)) !== drive.year)
      return refused({ reason: "day_of_other_year", day, year: drive.year });
  }
  const sealed = link && {
    url: link.url,
    expiresAtMs: link.expires,
    ...(await sealPassword(settingsOf(c.env).SHARE_SECRET, drive, link.password)),
  };
  await external.setExternalShare(c.env.DB, { ...drive, ...coverage, link: sealed }, byOf(c));
  return listExternal(c);
});

const clearExternal = reading([driveOf], async (c, drive) => {
  if (await external.clearExternalShare(c.env.DB, drive, byOf(c))) return listExternal(c);
  return refused({ reason: "absent", what: `external share for ${drive.dataType} ${drive.year}` });
});

function externalSummaryOf({ link, ...share }: external.ExternalShare): wire.ExternalSummary {
  const shown = link && { url: link.url, expiresAtMs: link.expiresAtMs, secretVersion: link.secretVersion };
  return readable({ ...share, link: shown });
}

export const SHARE_ROUTES: Routes = {
  "GET /shares": ["read", list],
  "GET /shares/secret": ["read", async (c) => ok(await secretVersions(c))],
  "POST /shares/secret/rotate": ["admin", rotateSecret],
  "POST /shares/:shareId/revoke": ["admin", revoke],
  "GET /external": ["read", listExternal],
  "PUT /external/:type/:year": ["admin", setExternal],
  "POST /external/:type/:year/clear": ["admin", clearExternal],
};
