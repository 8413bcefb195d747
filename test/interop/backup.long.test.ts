/**
 * Saves a deployment's catalog to a file. Restores it into an empty deployment and into a deployment that has data, and
 * checks what a restore command that is killed leaves behind.
 */
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import { day, order, security } from "../support/builders.ts";
import { catalogRows, copyObjects, indexRows } from "../support/catalog-rows.ts";
import { onDrive, shareOf } from "../support/drive.ts";
import { commandsOf } from "../support/edgetape.ts";
import { auctionPack, publishFiles } from "../support/files.ts";
import { account, asOperator, dayAt, openDays, publish } from "../support/operator.ts";
import { orderHistory, pageOf } from "../support/paging.ts";
import { printedRandom } from "../support/random.ts";
import { startEdgetape } from "../support/running-command.ts";
import { type Service, startAfter } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const DAYS = ["20260309", "20260310", "20260311"];
const OTHER_SECRETS = {
  CURSOR_SECRET: "another-cursor-secret-of-another-deployment",
  SHARE_SECRET: "1:another-share-secret-of-another-deployment",
};
const KILLS = 20;

const random = printedRandom("backup and restore");
const folder = testFolder("edgetape-backups-");
const file = join(folder, "backup.jsonl.gz");
let keys: { flagship: string; revoked: string };

const dayOf = (tradedate: string, price: number) =>
  day({
    tradedate,
    securities: [
      security("600519", [order("093000000", { priceE4: price }), order("093000010")]),
      security("300750", [order("091500000", { priceE4: price })]),
    ],
  });

const ask = (service: Service, apikey: string, tradedate: string, more: object = {}) =>
  service.post(orderHistory({ apikey, params: { symbol: "600519", tradedate, page_size: 1, ...more } }));

const restore = (service: Service, ...more: string[]) =>
  commandsOf(service).run`backup restore ${file} ${more}`;

const origin = await testService();
await openDays(origin, ...DAYS);
for (const each of DAYS) await publish(origin, dayOf(each, 100_000));
await publish(origin, dayOf("20260310", 200_000));
const flagship = await account(origin, { plan: "flagship", keys: 2, limits: { files: 7 } });
const [, second] = flagship.keys;
await asOperator(origin, "POST", `/admin/keys/${second?.keyId}/revoke`);
keys = { flagship: flagship.key, revoked: second?.key ?? "" };
await publishFiles(origin, auctionPack("20260311"));
await shareOf(origin, keys.flagship, "auction_tick");
const made = await commandsOf(origin).run`backup create --out ${file}`;
expect(made).toMatchObject({ status: 0, stderr: "" });

describe("a backup", () => {
  it("is complete and lists its content, but contains no key, token or password", async () => {
    const { status, stdout } = await commandsOf(origin).run`backup verify ${file}`;
    expect(status).toBe(0);
    expect(stdout).toMatch(/^day_revisions {13}4$/m);
    expect(stdout).toMatch(/^api_keys {18}2$/m);
    const plain = join(folder, "plain.jsonl");
    await commandsOf(origin).run`backup create --out ${plain}`;
    const text = readFileSync(plain, "utf8");
    const { password } = await shareOf(origin, keys.flagship, "auction_tick");
    for (const secret of [...Object.values(keys), origin.adminToken, password])
      expect(text).not.toContain(secret);
  });
});

describe("a service restored from a backup into an empty deployment with the objects in R2", () => {
  it("works as before, except for cursors and share passwords, which depend on the deployment's secrets", async () => {
    await using target = await startAfter(origin, { settings: OTHER_SECRETS });
    await copyObjects(origin, target);
    const { status, stdout, stderr } = await restore(target);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: expect.stringContaining("deployment was empty"),
    });
    expect(stdout).toContain("is restored.");
    expect(await catalogRows(target)).toEqual(await catalogRows(origin));
    expect(await indexRows(target)).toEqual(await indexRows(origin));

    for (const each of DAYS) {
      const [before, after] = [
        await ask(origin, keys.flagship, each),
        await ask(target, keys.flagship, each),
      ];
      expect(pageOf(after).items).toEqual(pageOf(before).items);
      expect(after.headers["x-revision"]).toBe(before.headers["x-revision"]);
    }
    expect((await ask(target, keys.revoked, "20260311")).reason).toBe("key_revoked");
    const { next_cursor } = pageOf(await ask(origin, keys.flagship, "20260311"));
    expect((await ask(target, keys.flagship, "20260311", { cursor: next_cursor })).reason).toBe(
      "cursor_invalid",
    );
    const [old, renewed] = [
      await shareOf(origin, keys.flagship, "auction_tick"),
      await shareOf(target, keys.flagship, "auction_tick"),
    ];
    expect(renewed.shareId).toBe(old.shareId);
    expect(renewed.password).not.toBe(old.password);
    const download = await onDrive(renewed, "20260311/20260311_aucde.parquet");
    expect([download.status, download.bytes.length]).toEqual([200, renewed.size_bytes]);

    // Revision numbers continue, so that no new pack overwrites an old one.
    expect((await publish(target, dayOf("20260310", 300_000))).day.revision).toBe(3);
    expect((await publish(target, dayOf("20260312", 100_000))).day.revision).toBe(1);
    const audited = await target.admin("GET", "/admin/audit?action=backup.restore");
    expect(audited.text).toContain("backup.restore");
    const repeated = await restore(target);
    expect([repeated.status, repeated.stdout]).toEqual([
      0,
      expect.stringMatching(/^An earlier run restored .*; this run changed nothing\.\n.*add --force/),
    ]);
    expect((await dayAt(target, "20260310")).revision).toBe(3);
  });
});

describe("a backup restored into an empty deployment without the objects in R2", () => {
  it("leaves every day unserved until its pack is published or copied again", async () => {
    await using target = await startAfter(origin);
    const { status, stdout } = await restore(target);
    expect(status).toBe(3);
    for (const each of DAYS) expect(stdout).toContain(`${each} is not served: its object is not in R2.`);
    expect(stdout).toContain("20260311_aucde.parquet is not served: its object is not in R2.");
    const refused = await ask(target, keys.flagship, "20260311");
    expect([refused.envelope.code, refused.reason]).toEqual([1002, "not_loaded"]);
    expect((await publish(target, dayOf("20260310", 200_000))).day.revision).toBe(3);
    expect(pageOf(await ask(target, keys.flagship, "20260310")).items[0]?.[7]).toBe(20);

    await copyObjects(origin, target);
    expect((await restore(target)).stdout).toContain("this run changed nothing");
    const again = await restore(target, "--force", "--yes");
    expect([again.status, again.stdout]).toEqual([0, expect.stringContaining("is restored.")]);
    expect((await ask(target, keys.flagship, "20260311")).envelope.code).toBe(200);
  });
});

describe("a backup restored into a deployment that is not empty", () => {
  it("changes nothing without --force, and replaces the content with --force", async () => {
    await using target = await startAfter(origin);
    await copyObjects(origin, target);
    await publish(target, dayOf("20260305", 100_000));
    const { key } = await account(target, { plan: "flagship" });
    const before = await catalogRows(target);
    const refused = await restore(target);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toMatch(/not empty \(.*accounts.*\)/);
    const unasked = await restore(target, "--force");
    expect([unasked.status, unasked.stderr]).toEqual([2, expect.stringContaining("add --yes")]);
    expect(await catalogRows(target)).toEqual(before);
    expect((await restore(target, "--force", "--yes")).status).toBe(0);
    expect(await catalogRows(target)).toEqual(await catalogRows(origin));
    expect(await indexRows(target)).toEqual(await indexRows(origin));
    expect((await ask(target, key, "20260311")).reason).toBe("key_unknown");
    const db = await target.mf.getD1Database("DB");
    const strangers =
      "SELECT count(*) AS n FROM day_securities WHERE pack_id NOT IN (SELECT pack_id FROM day_packs)";
    expect(await db.prepare(strangers).first<{ n: number }>()).toEqual({ n: 0 });
  });

  it(`is applied fully or not at all when the command is killed, and fully by the next run (${KILLS} kills)`, async () => {
    await using target = await startAfter(origin);
    await copyObjects(origin, target);
    await publish(target, dayOf("20260305", 100_000));
    const { key } = await account(target, { plan: "flagship" });
    const other = join(folder, "other.jsonl");
    await commandsOf(target).run`backup create --out ${other}`;
    const states = {
      [file]: { rows: await catalogRows(origin), index: await indexRows(origin) },
      [other]: { rows: await catalogRows(target), index: await indexRows(target) },
    };
    const args = (from: string) => ["backup", "restore", from, "--force", "--yes"];
    let [present, next] = [other, file];
    // The revoked key in `file` stays in the catalog, with its account, when `other` is restored after `file`.
    await commandsOf(target).run`${args(file)}`;
    const before = target.logs.length;
    await commandsOf(target).run`${args(present)}`;
    const beside = await catalogRows(target);
    for (const [table, rows] of Object.entries(states[other]?.rows ?? {})) {
      const more = (beside[table] ?? []).filter((row) => !rows.some((each) => isDeepStrictEqual(each, row)));
      expect([table, more.length]).toEqual([table, { accounts: 1, api_keys: 1 }[table] ?? 0]);
      expect(beside[table]).toHaveLength(rows.length + more.length);
    }
    states[other] = { rows: beside, index: await indexRows(target) };
    const requests = target.logs.length - before;
    let killed = 0;
    for (let round = 0; round < KILLS; round++) {
      const running = startEdgetape(args(next), target);
      const killAt = target.logs.length + random.integer(1, requests);
      let isOver = false;
      void running.ended.then(() => {
        isOver = true;
      });
      while (target.logs.length < killAt && !isOver) await new Promise((resolve) => setTimeout(resolve, 2));
      running.kill();
      if ((await running.ended).status === null) killed++;
      const state = { rows: await catalogRows(target), index: await indexRows(target) };
      expect([states[present], states[next]]).toContainEqual(state);
      for (const served of state.index as { tradedate: string }[]) {
        const apikey = isDeepStrictEqual(state.rows, states[file]?.rows) ? keys.flagship : key;
        expect([200, 403]).toContain((await ask(target, apikey, served.tradedate)).envelope.code);
      }
      expect((await commandsOf(target).run`${args(next)}`).status).toBe(0);
      expect(await catalogRows(target)).toEqual(states[next]?.rows);
      expect(await indexRows(target)).toEqual(states[next]?.index);
      [present, next] = [next, present];
    }
    console.log(`${killed} of ${KILLS} runs were killed before their end`);
    expect(killed).toBeGreaterThan(0);
  });
});

describe("a backup made by a release that had only orders", () => {
  /** Copies a backup to `to` in the format of the earlier release, without the column `dataset` and without seals. */
  function asFormerly(from: string, to: string): void {
    const [head = "", ...rest] = readFileSync(from, "utf8").trimEnd().split("\n").slice(0, -1);
    type Head = { tables: Record<string, string[]>; identity?: unknown };
    const { tables, identity: _, ...first }: Head = JSON.parse(head);
    const hasIt = (_: unknown, place: number, columns: unknown[]) => columns[place] !== "dataset";
    const former = Object.entries(tables).map(([name, columns]) => [name, columns.filter(hasIt)]);
    const counts: Record<string, number> = {};
    const lines = rest.flatMap((line) => {
      const [[table = "", values = []] = []] = Object.entries(JSON.parse(line) as Record<string, unknown[]>);
      if (table === "page") return [];
      counts[table] = (counts[table] ?? 0) + 1;
      const place = tables[table]?.indexOf("dataset") ?? -1;
      return JSON.stringify({ [table]: values.filter((_value, column) => column !== place) });
    });
    const opened = JSON.stringify({ ...first, tables: Object.fromEntries(former), edgetape_backup: 1 });
    const text = [opened, ...lines].map((line) => `${line}\n`).join("");
    const sum = createHash("sha256").update(text).digest("hex");
    writeFileSync(to, `${text}${JSON.stringify({ end: true, rows: counts, sha256: sum })}\n`);
  }

  it("is restored, and its days are served as orders", async () => {
    const former = join(folder, "orders-alone.jsonl");
    asFormerly(join(folder, "plain.jsonl"), former);
    expect(readFileSync(former, "utf8")).not.toContain('"dataset"');
    await using target = await startAfter(origin);
    await copyObjects(origin, target);
    const args = ["backup", "restore", former, "--unauthenticated"];
    expect(await commandsOf(target).run`${args}`).toMatchObject({ status: 0 });
    expect(await catalogRows(target)).toEqual(await catalogRows(origin));
    expect(pageOf(await ask(target, keys.flagship, "20260311")).items[0]?.[7]).toBe(10);
  });
});

describe("a backup that is truncated or has the tables of another version", () => {
  it("is refused, and the message says why", async () => {
    const plain = readFileSync(join(folder, "plain.jsonl"), "utf8");
    const cut = join(folder, "cut.jsonl");
    writeFileSync(cut, plain.slice(0, plain.length - 200));
    const refused = await commandsOf(origin).run`backup restore ${cut}`;
    expect([refused.status, refused.stderr]).toEqual([
      1,
      expect.stringContaining("is not a complete backup"),
    ]);
    const body = {
      restoreId: "a".repeat(64),
      chunks: 1,
      tables: { accounts: ["account_id", "colour"] },
      force: true,
    };
    const answer = await origin.admin("POST", "/admin/restores", body);
    expect([answer.status, answer.text]).toEqual([
      422,
      expect.stringContaining("its table accounts has a column colour"),
    ]);
  });
});
