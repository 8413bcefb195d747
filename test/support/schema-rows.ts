/** Writes rows into the tables of each migration in plain SQL, as the version with that migration did. */
import { generateToken } from "../../src/access/key.ts";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { applyMigrations, MIGRATIONS } from "../../src/cli/demo/migrations.ts";
import { DATASETS } from "../../src/datasets/registry.ts";
import { encodeBlocks } from "../../src/packs/blocks-blob.ts";
import { packObjectKey } from "../../src/packs/layout.ts";
import { randomRows, type TestDay } from "./builders.ts";
import { auctionPack } from "./files.ts";
import { sha256 } from "./operator.ts";
import { buildPackBytes } from "./pack-bytes.ts";
import { openTestPack, packOf, type TestPack } from "./packs.ts";
import { randomFrom } from "./random.ts";
import type { Service } from "./service.ts";

/** The key of the account that `fillFirstSchema` creates. */
export const FIRST_KEY = "a-key-of-the-first-version";

/** Values that `fillSince` writes. */
export const OLD = {
  tradedate: "20260311",
  shareId: "ShareOfAnEarlierVers",
  /** The token of an operator with the name Ann. */
  token: generateToken(),
  refusedRequest: "refusedbyanearlierv",
  auction: auctionPack("20260311"),
} as const;

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
/**
 * The time of the decisions, the same in every test deployment. A restore keeps the deployment's own decisions. With
 * different times, the deployment would therefore differ from the backup after the restore.
 */
const DECIDED_AT_MS = Date.parse("2026-03-11T10:00:00+08:00");

type Row = Record<string, string | number | null | Uint8Array>;
type TableRow = [table: string, row: Row];

/** Returns the declaration of every table, index, view and trigger of the catalog. */
export async function schemaOf(service: Service): Promise<string> {
  const db = await service.mf.getD1Database("DB");
  const sql = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name";
  return JSON.stringify((await db.prepare(sql).all()).results);
}

/**
 * Applies all migrations to an empty catalog, one by one. Returns, for each number of applied migrations, the schema
 * and the duration of the last migration.
 */
export async function schemaVersions(service: Service): Promise<{ schema: string; tookMs: number }[]> {
  const db = await service.mf.getD1Database("DB");
  const versions = [];
  for (let count = 0; count <= MIGRATIONS.length; count++) {
    const startedMs = performance.now();
    await applyMigrations(db, MIGRATIONS.slice(0, count));
    versions.push({ tookMs: performance.now() - startedMs, schema: await schemaOf(service) });
  }
  return versions;
}

async function insertAll(service: Service, rows: TableRow[]): Promise<void> {
  if (rows.length === 0) return;
  const db = await service.mf.getD1Database("DB");
  const insert = ([table, row]: TableRow) => {
    const names = Object.keys(row);
    const sql = `INSERT INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`;
    return db.prepare(sql).bind(...Object.values(row));
  };
  await db.batch(rows.map(insert));
}

/** Stores a pack as revision 1 of its day and returns its rows. */
async function storedPack(
  service: Service,
  { bytes, index: { dataset, tradedate, buildId, entries } }: TestPack,
  pack_id: number,
): Promise<[pack: TableRow, ...others: TableRow[]]> {
  const object_key = packObjectKey(tradedate, 1, dataset);
  const bucket = await service.mf.getR2Bucket("PACKS");
  const { etag } = (await bucket.put(object_key, bytes)) ?? { etag: "" };
  // Schemas that stored only orders had no dataset column, and the first schema did not have the time of the last row.
  const [named, isFirst] = dataset === "orders" ? [{}, true] : [{ dataset }, false];
  const day = { ...named, tradedate, revision: 1, pack_id };
  const rows = entries.reduce((sum, entry) => sum + entry.rows, 0);
  return [
    [
      "day_packs",
      {
        ...{ ...named, pack_id, tradedate, object_key, etag, size_bytes: bytes.length },
        ...{ sha256: sha256(bytes), build_id: buildId, rows, securities: entries.length, degraded: 0 },
      },
    ],
    ["day_revisions", { ...day, published_at_ms: Math.floor(service.nowMs()) }],
    ["order_days", { ...day, state: "available" }],
    ...entries.map(
      ({ symbol, market, offset, length, footerLength, ...entry }): TableRow => [
        "day_securities",
        {
          ...{ pack_id, symbol, market, section_offset: offset, section_length: length },
          ...{ footer_length: footerLength, rows: entry.rows, crc: entry.crc },
          ...(isFirst ? {} : { last_time: entry.lastTime }),
          blocks: encodeBlocks(entry.blocks),
        },
      ],
    ),
  ];
}

/**
 * Writes data under the schema of the first version into an empty deployment: an account with a key and the flagship
 * plan, the calendar's entry of the day, and `day` as revision 1.
 */
export async function fillFirstSchema(service: Service, day: TestDay): Promise<void> {
  const [pack, ...others] = await storedPack(service, await packOf(day), 1);
  const { pack_id, tradedate, object_key, size_bytes, build_id, rows, securities, degraded, ...more } =
    pack[1];
  const now = Math.floor(service.nowMs());
  const account_id = "first";
  await insertAll(service, [
    ["accounts", { account_id, contact: "Ann", note: "of version 1", created_at_ms: now }],
    [
      "api_keys",
      {
        ...{ sha256: sha256(FIRST_KEY), key_id: "key_1", account_id, name: "main" },
        ...{ first_characters: "a-key", created_at_ms: now },
      },
    ],
    ["subscriptions", { account_id, plan: "flagship", start_ms: now - YEAR_MS, end_ms: now + YEAR_MS }],
    ["trading_days", { day: day.tradedate, open: 1, source: "test" }],
    pack,
    ...others,
    [
      "uploads",
      {
        ...{
          pack_id,
          upload_id: "upload-1",
          tradedate,
          revision: 1,
          object_key,
          r2_upload_id: "r2-upload-1",
        },
        ...{ state: "served", size_bytes, sha256: more.sha256 ?? "", build_id, rows, securities, degraded },
        begun_at_ms: now,
      },
    ],
  ] as TableRow[]);
}

/**
 * Fills the tables that the migration file `name` creates or changes, in a deployment that has applied it, in addition
 * to the rows of `fillFirstSchema`.
 */
export async function fillSince(service: Service, name: string): Promise<void> {
  const number = name.slice(0, 4);
  const now = Math.floor(service.nowMs());
  const rows =
    number === "0017" ? await tradesOf(service, now) : Object.entries(await rowsSince(service, number, now));
  await insertAll(service, rows);
}

/** Stores the pack of a day of trades and returns its rows; `fillFirstSchema` has written the day's orders. */
async function tradesOf(service: Service, now: number): Promise<TableRow[]> {
  const { tradedate } = OLD;
  const columns = randomRows(randomFrom(17), DATASETS.trades, { rows: 5 });
  const sections = [{ symbol: "600519", market: "SH" as const, columns }];
  const bytes = await buildPackBytes(tradedate as BeijingDate, sections, undefined, "trades");
  return [
    ...(await storedPack(service, await openTestPack(bytes), 200)),
    ["day_changes", { at_ms: now, dataset: "trades", tradedate, kind: "published", revision: 1 }],
  ];
}

async function rowsSince(service: Service, number: string, now: number): Promise<Record<string, Row>> {
  const { tradedate, shareId, token, refusedRequest, auction } = OLD;
  const refusal = (request_id: string) => ({
    request_id,
    at_ms: now - HOUR_MS,
    account_id: "first",
    key_id: "key_1",
    interface: "level2_order_history",
    denial: JSON.stringify({ reason: "no_orders", tradedate, symbol: "688111" }),
  });
  switch (number) {
    case "0001":
      return {
        audit: {
          at_ms: now,
          actor: "Ann",
          action: "day.publish",
          subject: tradedate,
          before: null,
          after: "{}",
        },
        // Earlier versions accepted this end to mean "no end".
        subscriptions: { account_id: "first", plan: "free", start_ms: now, end_ms: Number.MAX_SAFE_INTEGER },
        upload_parts: { upload_id: "upload-1", n: 1, size_bytes: 1, sha256: sha256("part"), etag: "part" },
      };
    case "0002": {
      const object_key = `files/auction_tick/2026/${tradedate}/${auction.name}/1`;
      const bucket = await service.mf.getR2Bucket("PACKS");
      const { etag } = (await bucket.put(object_key, Uint8Array.from(auction.bytes))) ?? { etag: "" };
      const file = { data_type: "auction_tick", tradedate, name: auction.name, revision: 1 };
      const content = { object_key, etag, size_bytes: auction.bytes.length, sha256: sha256(auction.bytes) };
      const state = { state: "published", uploaded_at_ms: now, published_at_ms: now };
      return {
        day_files: { file_id: 100, ...file, ...content, ...state },
        shares: {
          ...{ share_id: shareId, account_id: "first", data_type: "auction_tick", year: 2026 },
          ...{ generation: 1, secret_version: 1, created_at_ms: now - HOUR_MS },
        },
        external_shares: {
          ...{
            data_type: "level2",
            year: 2025,
            first_day: "20250102",
            last_day: "20251231",
            file_count: 243,
          },
          ...{
            size_bytes: 1,
            url: "",
            secret_version: 0,
            sealed_password: "",
            expires_at_ms: null,
            set_at_ms: now,
          },
        },
      };
    }
    case "0003":
      return {
        admin_tokens: {
          ...{ sha256: sha256(token), name: "Ann", first_characters: token.slice(0, 8) },
          ...{ created_at_ms: now, created_by: "ADMIN_TOKEN" },
        },
        refusals: refusal(refusedRequest),
      };
    case "0004":
      return {
        uploads: {
          ...{ upload_id: "upload-2", target: `orders/${tradedate}`, revision: 2 },
          ...{
            object_key: `orders/2026/${tradedate}/2.parquet`,
            r2_upload_id: "r2-upload-2",
            state: "refused",
          },
          ...{ size_bytes: 9, sha256: sha256("refused"), claims: "{}", begun_at_ms: now },
        },
      };
    case "0006":
      return {
        audit: {
          at_ms: now,
          actor: "account first",
          action: "key.issue",
          subject: "key_of_console",
          before: null,
          after: "{}",
        },
        console_invites: {
          ...{
            sha256: sha256("invite"),
            account_id: "first",
            created_at_ms: now,
            expires_at_ms: now + HOUR_MS,
          },
        },
        console_sessions: {
          ...{
            sha256: sha256("session"),
            account_id: "first",
            created_at_ms: now,
            expires_at_ms: now + HOUR_MS,
          },
        },
      };
    case "0007":
      return {
        restores: {
          ...{ restore_id: sha256("backup"), state: "done", id_shift: 7, chunks: 1, tables: "{}" },
          ...{ begun_at_ms: now, done_at_ms: now },
        },
      };
    case "0008":
      return { revision_floors: { target: `orders/${tradedate}`, revision: 4 } };
    case "0009":
      return { refusals: { ...refusal("refusedatlast"), symbol: "688111", tradedate } };
    case "0013":
      return {
        admin_tokens: {
          ...{
            sha256: sha256("publisher"),
            name: "account first",
            scope: "publish",
            first_characters: "eta_",
          },
          ...{ created_at_ms: now, created_by: "Ann" },
        },
        audit: {
          ...{ at_ms: now, actor_kind: "operator", actor: "account first", action: "day.publish" },
          ...{ subject: tradedate, before: null, after: "{}" },
        },
      };
    case "0011":
      return {
        withdrawals: {
          ...{
            target: `level2/${tradedate}/${tradedate}_old.csv`,
            content: sha256("withdrawn"),
            revision: 1,
          },
          ...{ at_ms: DECIDED_AT_MS, actor: "Ann", note: "asked to", standing: 1 },
        },
        damaged_packs: {
          object_key: `orders/2026/${tradedate}/9.parquet`,
          at_ms: DECIDED_AT_MS,
          note: "block 0",
        },
      };
    // These migrations create no table.
    case "0010":
    case "0012":
    case "0014":
    case "0015":
    case "0016":
      return {};
    case "0018":
      return {
        usage: {
          ...{ day: tradedate, account_id: "first", service: "level2_order_history" },
          ...{ requests: 3, files: 1, bytes: 4_000 },
        },
      };
    default:
      throw new Error(`add to rowsSince what the version with migration ${number} stored`);
  }
}
