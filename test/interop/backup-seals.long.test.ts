/** A backup restores no access that was revoked after the backup, and no rows that the service did not write. */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type {
  Account,
  AuditList,
  ExternalList,
  IssuedKey,
  IssuedToken,
  RolledKey,
} from "../../src/admin/wire.ts";
import { beijingTimestamp } from "../../src/calendar/beijing.ts";
import { catalogRows } from "../support/catalog-rows.ts";
import { inviteTo, ownForm, signIn } from "../support/console.ts";
import { onDrive, shareOf } from "../support/drive.ts";
import { commandsOf } from "../support/edgetape.ts";
import { auctionPack, publishFiles } from "../support/files.ts";
import { call } from "../support/http-client.ts";
import { account, asOperator, openDays } from "../support/operator.ts";
import { type Service, startAfter } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const DAY = "20260311";
/** The exit status of a restore that succeeded, but found that objects are missing in the bucket. */
const WITHOUT_OBJECTS = 3;
const folder = testFolder("edgetape-seals-");
const file = join(folder, "backup.jsonl");
const service = await testService();
await openDays(service, DAY);
await publishFiles(service, auctionPack(DAY));

const post = (path: string, body?: object) => asOperator(service, "POST", `/admin/${path}`, body);
const reasonOf = async (apikey: string, of = service) =>
  (await of.post({ apiname: "account_info", apikey })).reason;

async function backupTo(path: string, from = service): Promise<void> {
  expect(await commandsOf(from).run`backup create --out ${path}`).toMatchObject({ status: 0, stderr: "" });
}
const restore = (path: string, to: Service, ...more: string[]) =>
  commandsOf(to).run`backup restore ${path} --force --yes ${more}`;

const subscriptionsOf = async (accountId: string) =>
  (await asOperator<Account>(service, "GET", `/admin/accounts/${accountId}`)).subscriptions;
const setSubscriptions = (accountId: string, subscriptions: object[]) =>
  asOperator(service, "PUT", `/admin/accounts/${accountId}/subscriptions`, { subscriptions });

const external = {
  firstDay: "20250101",
  lastDay: "20251231",
  fileCount: 1,
  sizeBytes: 1,
  link: {
    url: "https://drive.example/x",
    password: "password-of-a-drive",
    expires: "2027-01-01T00:00:00+08:00",
  },
};

describe("a key, token, share or account revoked after a backup", () => {
  it("stays revoked when the backup is restored, and the restore lists it", async () => {
    const body = { name: "Ann", scope: "admin" };
    const token = await asOperator<IssuedToken>(service, "POST", "/admin/tokens", body);
    const owner = await account(service, { plan: "flagship", keys: 3 });
    const [kept, revoked, rolled] = owner.keys as [IssuedKey, IssuedKey, IssuedKey];
    const gone = await account(service, { plan: "flagship" });
    const shortened = await account(service, { plan: "flagship" });
    const removed = await account(service, { plan: "professional" });
    const untouched = await account(service, { plan: "professional" });
    const share = await shareOf(service, kept.key, "auction_tick");
    await asOperator(service, "PUT", "/admin/external/level2/2025", external);
    await backupTo(file);

    const holder = await signIn(service, owner.accountId);
    const invite = await inviteTo(service, owner.accountId);
    const late = await account(service, { plan: "flagship" });
    await post("tokens/Ann/revoke");
    await post(`keys/${revoked.keyId}/revoke`);
    await asOperator<RolledKey>(service, "POST", `/admin/keys/${rolled.keyId}/roll`, { overlapMs: 0 });
    await post(`keys/${late.keys[0]?.keyId}/revoke`);
    await post(`shares/${share.shareId}/revoke`);
    await post(`accounts/${gone.accountId}/disable`);
    await post("external/level2/2025/clear");
    const endMs = Math.floor(service.nowMs()) + 60_000;
    const [before] = await subscriptionsOf(shortened.accountId);
    await setSubscriptions(shortened.accountId, [{ plan: "flagship", start: before?.start, end: endMs }]);
    await setSubscriptions(removed.accountId, []);

    const done = await restore(file, service);
    expect(done).toMatchObject({ status: 0, stderr: "" });
    for (const line of [
      /operator's token Ann: revoked 2026-03-12T/,
      new RegExp(`key ${revoked.keyId}: revoked 2026-`),
      new RegExp(`key ${rolled.keyId}: ends 2026-`),
      new RegExp(`key ${late.keys[0]?.keyId}: revoked 2026-`),
      new RegExp(`share ${share.shareId}: revoked 2026-`),
      new RegExp(`account ${gone.accountId}: disabled 2026-`),
      /external share level2\/2025: cleared 2026-/,
      new RegExp(`subscriptions of ${shortened.accountId}: kept as an operator set them 2026-`),
      new RegExp(`subscriptions of ${removed.accountId}: kept as an operator set them 2026-`),
    ]) {
      expect(done.stdout).toMatch(line);
    }

    const bearer = { authorization: `Bearer ${token.token}` };
    expect((await service.admin("GET", "/admin/days?month=202603", undefined, bearer)).status).toBe(401);
    expect(await reasonOf(kept.key)).toBeNull();
    for (const { key } of [revoked, rolled, late]) expect(await reasonOf(key)).toBe("key_revoked");
    expect(await reasonOf(gone.key)).toBe("account_disabled");
    expect(await subscriptionsOf(shortened.accountId)).toEqual([{ ...before, end: beijingTimestamp(endMs) }]);
    expect(await subscriptionsOf(removed.accountId)).toEqual([]);
    expect(await subscriptionsOf(untouched.accountId)).toHaveLength(1);
    expect(done.stdout).not.toContain(untouched.accountId);
    expect((await onDrive(share, "")).status).toBe(403);
    expect((await asOperator<ExternalList>(service, "GET", "/admin/external")).external).toEqual([]);
    expect((await holder.ask("GET", "/console/")).status).toBe(401);
    expect((await call(invite, { method: "POST", headers: ownForm(service) })).status).toBe(403);
    const row = {
      key: late.key,
      account: late.accountId,
      plan: "trial",
      start: Math.floor(service.nowMs()),
      end: Math.floor(service.nowMs()) + 1e9,
    };
    const refused = [{ error: expect.stringContaining("was revoked") }];
    expect(await post("keys/import", { rows: [row] })).toMatchObject({ refused });

    const { entries } = await asOperator<AuditList>(service, "GET", "/admin/audit?limit=500");
    const actions = entries.map(({ action, subject }) => `${action} ${subject}`);
    expect(actions[0]).toMatch(/^backup\.restore /);
    expect(entries[0]?.after).toMatchObject({ authenticated: true });
    for (const lasting of [
      "token.revoke Ann",
      `key.revoke ${revoked.keyId}`,
      `account.disable ${gone.accountId}`,
    ])
      expect(actions.filter((each) => each === lasting)).toHaveLength(1);
    expect(actions.filter((each) => each === "token.issue Ann")).toHaveLength(1);
  });
});

describe("a restore into an empty deployment", () => {
  it("warns that revocations after the backup are unknown", async () => {
    await using target = await startAfter(service);
    const done = await commandsOf(target).run`backup restore ${file}`;
    expect(done.stderr).toContain("WARNING: this deployment was empty");
    const { entries } = await asOperator<AuditList>(target, "GET", "/admin/audit?limit=500");
    expect(entries.map(({ action }) => action)).toContain("token.issue");
    // At the second restore, the deployment is no longer empty.
    expect((await restore(file, target)).stderr).toBe("");
    const again = await asOperator<AuditList>(target, "GET", "/admin/audit?limit=500");
    expect(again.entries).toHaveLength(entries.length + 1);
  });
});

describe("the seal of a backup", () => {
  const lines = () => readFileSync(file, "utf8").trimEnd().split("\n");

  /** Writes the lines to a backup file with a correct checksum, and returns its path. */
  function written(name: string, body: string[]): string {
    const path = join(folder, name);
    const rows: Record<string, number> = {};
    for (const line of body.slice(1)) {
      const [table = ""] = Object.keys(JSON.parse(line) as object);
      if (table !== "page") rows[table] = (rows[table] ?? 0) + 1;
    }
    const text = body.map((line) => `${line}\n`).join("");
    const end = { end: true, rows, sha256: createHash("sha256").update(text).digest("hex") };
    writeFileSync(path, `${text}${JSON.stringify(end)}\n`);
    return path;
  }

  it("prevents a restore with an edited row, a missing page, pages of another backup or a changed head", async () => {
    const body = lines().slice(0, -1);
    const is = (text: string) => body.findIndex((line) => line.startsWith(text));
    const edited = body.map((line) => line.replace('"account.create"', '"account.delete"'));
    const pageEnd = body.findIndex((line) => line.startsWith('{"page":{"table":"api_keys"'));
    const first = is('{"api_keys":');
    const without = body.filter((_, place) => place < first || place > pageEnd);
    const other = join(folder, "other.jsonl");
    await backupTo(other);
    const foreign = readFileSync(other, "utf8").trimEnd().split("\n").slice(1, -1);
    const mixed = [body[0] ?? "", ...foreign];
    const head = [body[0]?.replace(/"takenAtMs":\d/, '"takenAtMs":9') ?? "", ...body.slice(1)];
    const before = await catalogRows(service);
    for (const [name, changed] of Object.entries({ edited, without, mixed, head })) {
      expect(changed.join()).not.toBe(body.join());
      const refused = await restore(written(`${name}.jsonl`, changed), service);
      expect([name, refused.status, refused.stderr]).toEqual([
        name,
        1,
        expect.stringContaining("differs from what the service wrote"),
      ]);
    }
    expect(await catalogRows(service)).toEqual(before);
  });

  it("is ignored only with --unauthenticated, which the audit records", async () => {
    const body = lines().slice(0, -1);
    const edited = body.map((line) => line.replace('"account.create"', '"account.invented"'));
    await using target = await startAfter(service, {
      settings: { BACKUP_SECRET: "1:another-backup-secret-of-another-deployment" },
    });
    expect((await restore(file, target)).stderr).toContain("--unauthenticated");
    const path = written("invented.jsonl", edited);
    expect((await restore(path, target, "--unauthenticated")).status).toBe(WITHOUT_OBJECTS);
    const { entries } = await asOperator<AuditList>(target, "GET", "/admin/audit?limit=500");
    expect(entries[0]?.after).toMatchObject({ authenticated: false });
    expect(await asOperator<Account[]>(target, "GET", "/admin/accounts")).toBeDefined();
  });

  it("is accepted after the secret is rotated, and refused by a deployment without the new secret", async () => {
    const [old, fresh] = [
      "test-backup-secret-of-this-deployment-001",
      "a-newer-backup-secret-of-this-deployment",
    ];
    await using rotated = await startAfter(service, {
      settings: { BACKUP_SECRET: `1:${old},2:${fresh}` },
    });
    expect((await restore(file, rotated)).status).toBe(WITHOUT_OBJECTS);
    const second = join(folder, "second.jsonl");
    await backupTo(second, rotated);
    expect((await commandsOf(rotated).run`backup verify ${second}`).stdout).toContain(
      "sealed with version 2",
    );
    const refused = await restore(second, service);
    expect(refused.stderr).toContain("a version of BACKUP_SECRET that this deployment does not have");
  });

  it("is missing in backups of the first format, so their restore needs --unauthenticated", async () => {
    const [head = "", ...rest] = lines().slice(0, -1);
    const { identity: _, ...first } = JSON.parse(head) as Record<string, unknown>;
    const body = [
      JSON.stringify({ ...first, edgetape_backup: 1 }),
      ...rest.filter((line) => !line.startsWith('{"page":{')),
    ];
    const path = written("first.jsonl", body);
    await using target = await startAfter(service);
    expect((await restore(path, target)).stderr).toContain("is not sealed");
    expect((await restore(path, target, "--unauthenticated")).status).toBe(WITHOUT_OBJECTS);
    const again = await catalogRows(target);
    expect((await restore(file, target)).status).toBe(WITHOUT_OBJECTS);
    expect(await catalogRows(target)).toEqual(again);
  });
});
