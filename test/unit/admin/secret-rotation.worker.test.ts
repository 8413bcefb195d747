import { beforeAll, describe, expect, it } from "vitest";
import type {
  AuditList,
  ExternalList,
  RotatedSecret,
  SecretVersions,
  ShareList,
} from "../../../src/admin/wire.ts";
import { externalShareOf, externalShareStatement } from "../../../src/catalog/external-shares.ts";
import { makeShare } from "../../../src/catalog/shares.ts";
import { openPassword, parseShareSecrets } from "../../../src/shares/secrets.ts";
import { admin, testEnv } from "./operator.ts";

const FIRST = "1:the-first-share-secret-the-first-share";
const SECOND = "2:the-second-share-secret-the-second-one";
const withSecret = (SHARE_SECRET: string) => ({ bindings: { ...testEnv, SHARE_SECRET } });
const [before, both, after] = [withSecret(FIRST), withSecret(`${FIRST},${SECOND}`), withSecret(SECOND)];
const DAY_MS = 86_400_000;
const DRIVE = { dataType: "level2", year: 2025 } as const;

/** Returns the external share's password decrypted with `secret`. */
async function passwordWith(secret: string): Promise<string> {
  const link = externalShareOf(await externalShareStatement(testEnv.DB, DRIVE).all())?.link;
  const secrets = parseShareSecrets(secret);
  if (secrets === null || link == null) throw new Error("no drive, or no secret");
  return openPassword(secrets, DRIVE, link);
}

async function share(
  shareId: string,
  generation: number,
  secretVersion: number,
  ageDays: number,
): Promise<void> {
  const createdAtMs = Date.now() - ageDays * DAY_MS;
  const owner = { accountId: "holder", dataType: "level2", year: 2026 } as const;
  await makeShare(testEnv.DB, { ...owner, shareId, generation, secretVersion, createdAtMs });
}

beforeAll(async () => {
  await admin("POST", "/accounts", { accountId: "holder" });
  const link = { url: "https://drive.example/x", password: "over there", expires: Date.now() + DAY_MS };
  const drive = { firstDay: "20250102", lastDay: "20251231", fileCount: 243, sizeBytes: 1, link };
  await admin<ExternalList>("PUT", "/external/level2/2025", drive, before);
  await share("old", 1, 1, 8);
  await share("first", 2, 1, 3);
  await share("second", 3, 2, 0);
});

describe("the list of shares", () => {
  it("returns the active shares of all accounts in pages when no account is named", async () => {
    const page = async (query: string) => (await admin<ShareList>("GET", `/shares${query}`)).body;
    expect((await page("")).shares.map(({ shareId }) => shareId)).toEqual(["first", "second"]);
    const first = await page("?limit=1");
    expect(first).toMatchObject({ shares: [{ shareId: "first", accountId: "holder" }], next: "first" });
    expect(await page(`?limit=1&after=${first.next}`)).toMatchObject({
      shares: [{ shareId: "second" }],
      next: null,
    });
    expect((await page("?account=holder")).shares.map(({ shareId }) => shareId)).toEqual([
      "second",
      "first",
      "old",
    ]);
    expect((await admin("GET", "/shares?limit=many")).status).toBe(400);
  });
});

describe("the secret of own and external shares", () => {
  it("is listed by version, with the number of shares and whether the setting still contains the version", async () => {
    const { body } = await admin<SecretVersions>("GET", "/shares/secret", undefined, both);
    expect(body).toEqual({
      current: 2,
      versions: [
        { version: 1, present: true, shares: 1, drives: 1 },
        { version: 2, present: true, shares: 1, drives: 0 },
      ],
    });
    const gone = await admin<SecretVersions>("GET", "/shares/secret", undefined, after);
    expect(gone.body.versions[0]).toEqual({ version: 1, present: false, shares: 1, drives: 1 });
  });

  it("is rotated without changing the passwords of external shares if the setting has both versions", async () => {
    expect(await passwordWith(FIRST)).toBe("over there");
    const early = await admin<RotatedSecret>("POST", "/shares/secret/rotate", {}, before);
    expect(early.body).toMatchObject({ current: 1, resealed: [], revoked: 0 });
    const late = await admin<RotatedSecret>("POST", "/shares/secret/rotate", {}, after);
    expect(late.body).toMatchObject({ resealed: [], revoked: 0 });
    const { body } = await admin<RotatedSecret>("POST", "/shares/secret/rotate", {}, both);
    expect(body).toEqual({
      current: 2,
      versions: [
        { version: 1, present: true, shares: 1, drives: 0 },
        { version: 2, present: true, shares: 1, drives: 1 },
      ],
      resealed: [DRIVE],
      revoked: 0,
    });
    expect(await passwordWith(SECOND)).toBe("over there");
    const { body: audit } = await admin<AuditList>("GET", "/audit?subject=level2/2025&limit=1");
    expect(audit.entries).toMatchObject([
      { action: "external.reseal", before: { secretVersion: 1 }, after: { secretVersion: 2 } },
    ]);
  });

  it("is rotated and, if the request says so, the active shares of older versions are revoked", async () => {
    const rotate = () =>
      admin<RotatedSecret>("POST", "/shares/secret/rotate", { olderShares: "revoke" }, both);
    expect((await rotate()).body).toMatchObject({
      revoked: 1,
      versions: [{ version: 1, shares: 0, drives: 0 }, {}],
    });
    expect((await rotate()).body.revoked).toBe(0);
    const { body } = await admin<ShareList>("GET", "/shares?account=holder");
    const revoked = body.shares.filter(({ revokedAt }) => revokedAt !== null);
    expect(revoked.map(({ shareId }) => shareId)).toEqual(["first"]);
    const { body: audit } = await admin<AuditList>("GET", "/audit?action=share.revoke");
    expect(audit.entries).toMatchObject([
      { actor: "ADMIN_TOKEN", subject: "first", after: { revoked: true } },
    ]);
    expect((await admin("POST", "/shares/secret/rotate", { olderShares: "end" })).status).toBe(400);
  });
});
