/** Writes rows into the tables of each migration in plain SQL, as the version with that migration did. */
import { generateToken } from "../../src/access/key.ts";
import type { BeijingDate } from "../../src/calendar/beijing.ts";
import { DATASETS } from "../../src/datasets/registry.ts";
import { encodeBlocks } from "../../src/packs/blocks-blob.ts";
import { packObjectKey } from "../../src/packs/layout.ts";
import { randomRows } from "./builders.ts";
import { auctionPack } from "./files.ts";
import { sha256 } from "./operator.ts";
import { buildPackBytes } from "./pack-bytes.ts";
import { openTestPack } from "./packs.ts";
import { randomFrom } from "./random.ts";
import type { Service } from "./service.ts";

/** Values that `fillSince` writes. */
export const OLD = {
  tradedate: "20260311",
  shareId: "ShareOfAnEarlierVers",
  /** A named operator's token. */
  token: generateToken(),
  refusedRequest: "refusedbyanearlierv",
  auction: auctionPack("20260311"),
} as const;

const HOUR_MS = 3_600_000;
/** A fixed instant for all deployments, because a restore keeps earlier decisions, even those of another deployment. */
const DECIDED_AT_MS = Date.parse("2026-03-11T10:00:00+08:00");

type Row = Record<string, string | number | null | Uint8Array>;

/**
 * Fills the tables that the migration file `name` creates or changes, in a deployment that has applied it, in addition
 * to the rows of `fillFirstSchema`.
 */
export async function fillSince(service: Service, name: string): Promise<void> {
  const now = Math.floor(service.nowMs());
  const db = await service.mf.getD1Database("DB");
  const rows = Object.entries(await rowsSince(service, name.slice(0, 4), now));
  if (rows.length === 0) return;
  await db.batch(
    rows.map(([table, row]) =>
      db
        .prepare(
          `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row).map(() => "?")})`,
        )
        .bind(...Object.values(row)),
    ),
  );
}

/** Stores the pack of a day of trades and returns its rows by table; `fillFirstSchema` has written the day's orders. */
async function tradesOf(service: Service, now: number): Promise<Record<string, Row>> {
  const { tradedate } = OLD;
  const columns = randomRows(randomFrom(17), DATASETS.trades, { rows: 5 });
  const sections = [{ symbol: "600519", market: "SH" as const, columns }];
  const { bytes, index, entryOf } = await openTestPack(
    await buildPackBytes(tradedate as BeijingDate, sections, undefined, "trades"),
  );
  const object_key = packObjectKey(tradedate as BeijingDate, 1, "trades");
  const bucket = await service.mf.getR2Bucket("PACKS");
  const { etag } = (await bucket.put(object_key, bytes)) ?? { etag: "" };
  const { offset, length, footerLength, rows, lastTime, crc, blocks } = entryOf("600519");
  return {
    day_packs: {
      ...{ pack_id: 200, dataset: "trades", tradedate, object_key, etag, size_bytes: bytes.length },
      ...{ sha256: sha256(bytes), build_id: index.buildId, rows, securities: 1, degraded: 0 },
    },
    day_revisions: { dataset: "trades", tradedate, revision: 1, pack_id: 200, published_at_ms: now },
    order_days: { dataset: "trades", tradedate, revision: 1, pack_id: 200, state: "available" },
    day_changes: { at_ms: now, dataset: "trades", tradedate, kind: "published", revision: 1 },
    day_securities: {
      ...{ pack_id: 200, symbol: "600519", market: "SH", section_offset: offset, section_length: length },
      ...{ footer_length: footerLength, rows, last_time: lastTime, crc, blocks: encodeBlocks(blocks) },
    },
  };
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
    // These migrations create no table.
    case "0010":
    case "0014":
    case "0015":
    case "0016":
      return {};
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
    case "0012":
      return {};
    case "0017":
      return tradesOf(service, now);
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
