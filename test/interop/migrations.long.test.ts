/** Deployments of every earlier schema, with rows in all tables, migrated to the current schema. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AuditList, TokenList } from "../../src/admin/wire.ts";
import { applyMigrations, MIGRATIONS } from "../../src/cli/demo/migrations.ts";
import type { AccountInfo } from "../../src/operations/wire.ts";
import { day, order, security } from "../support/builders.ts";
import { catalogRows, copyObjects, indexRows } from "../support/catalog-rows.ts";
import { onDrive, shareOf } from "../support/drive.ts";
import { commandsOf } from "../support/edgetape.ts";
import { publishFiles } from "../support/files.ts";
import { asOperator, publish } from "../support/operator.ts";
import { readAllPages } from "../support/paging.ts";
import {
  FIRST_KEY,
  fillFirstSchema,
  fillSince,
  OLD,
  schemaOf,
  schemaVersions,
} from "../support/schema-rows.ts";
import { type Service, startService } from "../support/service.ts";
import { testFolder } from "../support/test-folder.ts";
import { testService } from "../support/test-service.ts";

const folder = testFolder("edgetape-schemas-");
const of = (volume: number) =>
  day({
    tradedate: OLD.tradedate,
    securities: [
      security(
        "600519",
        [1, 2, 3, 4, 5].map((n) => order("093000000", { volume: volume + n })),
      ),
      security("688111", []),
    ],
  });
const loaded = of(100);
const request = { apikey: FIRST_KEY, params: { symbol: "600519", tradedate: OLD.tradedate, page_size: 2 } };

/** The deployment into which the backup of each migrated deployment is restored. */
const target = await testService({ migrations: [] });
const versions = await schemaVersions(target);

/** Starts a deployment with the schema of `names`, fills its tables and migrates it to the current schema. */
async function migratedFrom(names: readonly string[]) {
  const service = await startService({ migrations: names.slice(0, 1) });
  const db = await service.mf.getD1Database("DB");
  await fillFirstSchema(service, loaded);
  for (const [place, name] of names.entries()) {
    await applyMigrations(db, names.slice(0, place + 1));
    await fillSince(service, name);
  }
  expect(await schemaOf(service)).toBe(versions[names.length]?.schema);
  await applyMigrations(db);
  expect(await schemaOf(service)).toBe(versions.at(-1)?.schema);
  return service;
}

async function infoOf(service: Service): Promise<AccountInfo> {
  const answer = await service.post({ apiname: "account_info", apikey: FIRST_KEY });
  return answer.envelope.data as unknown as AccountInfo;
}

describe("a deployment migrated to the current schema", () => {
  it.each(MIGRATIONS.map((name, place) => ({ name, count: place + 1 })))(
    "from $name serves days and shares, accepts its keys, and can be backed up and restored",
    async ({ name, count }) => {
      const names = MIGRATIONS.slice(0, count);
      const has = (number: string) => names.some((each) => each.startsWith(number));
      await using service = await migratedFrom(names);

      expect((await readAllPages(service, request)).rows).toEqual(loaded.rowsOf("600519"));
      const symbols = await service.post({
        apiname: "data_symbols",
        apikey: FIRST_KEY,
        params: { tradedate: OLD.tradedate },
      });
      // The first schema did not store the time of the last order.
      expect(symbols.envelope.data?.items).toEqual([
        ["600519", "SH", 5, expect.any(Number), "093000000", null],
        ["688111", "SH", 0, 0, null, null],
      ]);
      const late = { ...request, params: { ...request.params, start_time: "09:29", end_time: "09:31" } };
      expect((await readAllPages(service, late)).rows).toEqual(loaded.rowsOf("600519"));

      const info = await infoOf(service);
      expect(info).toMatchObject({ account_id: "first", plan: "flagship", plan_state: "active" });
      const ends = await service.mf.getD1Database("DB");
      expect(await ends.prepare("SELECT max(end_ms) AS ms FROM subscriptions").first()).toEqual({
        ms: Date.parse("9999-12-31T23:59:59.999+08:00"),
      });
      const refused = info.last_requests.find(({ request_id }) => request_id === OLD.refusedRequest);
      if (has("0003")) expect(refused).toMatchObject({ reason: "no_orders", symbol: "688111" });
      const changes = await service.post({ apiname: "data_changes", apikey: FIRST_KEY });
      expect(changes.envelope.data).toMatchObject({
        changes: has("0003") || count < 3 ? [{ revision: 1 }] : [],
      });

      if (!has("0002")) await publishFiles(service, OLD.auction);
      const share = await shareOf(service, FIRST_KEY, "auction_tick");
      if (has("0002")) expect(share.shareId).toBe(OLD.shareId);
      const file = await onDrive(share, `${OLD.tradedate}/${OLD.auction.name}`);
      expect(Buffer.from(file.bytes).equals(OLD.auction.bytes)).toBe(true);

      const asAnn = await service.admin("GET", `/admin/days/${OLD.tradedate}`, undefined, {
        authorization: `Bearer ${OLD.token}`,
      });
      expect(asAnn.status).toBe(has("0003") ? 200 : 401);
      if (has("0003")) {
        const { tokens } = await asOperator<TokenList>(service, "GET", "/admin/tokens");
        expect(tokens.find((each) => each.name === "Ann")?.scope).toBe("admin");
      }
      if (has("0006")) {
        const path = "/admin/audit?subject=key_of_console";
        const { entries } = await asOperator<AuditList>(service, "GET", path);
        expect(entries).toMatchObject([{ actorKind: "account", actor: "first" }]);
      }

      const backup = join(folder, `${name}.jsonl`);
      expect(await commandsOf(service).run`backup create --out ${backup}`).toMatchObject({ status: 0 });
      await copyObjects(service, target);
      const args = ["backup", "restore", backup, "--force", "--yes"];
      expect(await commandsOf(target).run`${args}`).toMatchObject({ status: 0 });
      expect(await catalogRows(target)).toEqual(await catalogRows(service));
      // The index rows are rebuilt from the pack, which has the time of the last order.
      const timeless = (rows: unknown[]) => rows.map((row) => ({ ...(row as object), last_time: null }));
      const made = await indexRows(target);
      expect(timeless(made)).toEqual(timeless(await indexRows(service)));
      expect(made[0]).toMatchObject({ symbol: "600519", last_time: 93_000_000 });
      expect((await readAllPages(target, request)).rows).toEqual(loaded.rowsOf("600519"));
      expect((await shareOf(target, FIRST_KEY, "auction_tick")).shareId).toBe(share.shareId);

      const rebuilt = of(300);
      expect((await publish(service, rebuilt)).day.revision).toBe(has("0008") ? 5 : 2);
      expect((await readAllPages(service, request)).rows).toEqual(rebuilt.rowsOf("600519"));
    },
  );
});
