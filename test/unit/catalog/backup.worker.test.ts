import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { BACKUP_TABLES, type BackupTable, backupPage } from "../../../src/catalog/backup.ts";
import {
  addRestoreChunk,
  beginRestore,
  completeRestore,
  findRestore,
  markReady,
  sweepIndexRows,
} from "../../../src/catalog/restores.ts";
import { sql, type Value } from "../../../src/catalog/sql.ts";

/** Tables that are not in backups, and why. A restore empties those that refer to replaced rows. */
const NOT_IN_BACKUP: Record<string, string> = {
  day_securities: "rebuilt from the packs in R2",
  pack_markets: "rebuilt together with day_securities",
  catalog_revision: "must never go back: caches key on it",
  refusals: "kept for two weeks only",
  console_invites: "used or expired within a day",
  console_sessions: "people sign in again",
  restores: "state of a restore",
  restore_chunks: "state of a restore",
  restore_objects: "state of a restore",
  restored_over: "state of a restore",
  revoked_over: "state of a restore",
};

const { DB: db } = env as unknown as { DB: D1Database };
const query = sql(db);

describe("the tables of a backup", () => {
  it("include every table and column of the schema, except for tables that are excluded with a reason", async () => {
    const { results } = await query`SELECT m.name AS name, group_concat(c.name, ' ') AS columns
         FROM sqlite_master m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE '_cf_%' AND m.name <> 'd1_migrations'
         GROUP BY m.name`.all<{ name: string; columns: string }>();
    const known = new Map(BACKUP_TABLES.map(({ name, columns }) => [name, columns]));
    for (const { name, columns } of results) {
      if (name in NOT_IN_BACKUP) expect(known.has(name)).toBe(false);
      else expect([name, [...(known.get(name) ?? [])].sort()]).toEqual([name, columns.split(" ").sort()]);
    }
    const there = results.map(({ name }) => name);
    expect([...known.keys(), ...Object.keys(NOT_IN_BACKUP)].sort()).toEqual(there.sort());
  });

  it("are listed after the tables that they refer to", async () => {
    const order = BACKUP_TABLES.map(({ name }) => name);
    for (const name of order) {
      const { results } = await query`
        SELECT DISTINCT "table" AS target FROM pragma_foreign_key_list(${name})`.all<{ target: string }>();
      for (const { target } of results) expect(order.indexOf(target)).toBeLessThan(order.indexOf(name));
    }
  });
});

describe("the pages of a backup", () => {
  it("contain every row once, in the order of the key, even if the key has several columns", async () => {
    const insert =
      "INSERT INTO audit (audit_id, at_ms, actor, action, subject, before) VALUES (?, 1, '', 'a', ?, ?)";
    await db.batch(
      Array.from({ length: 250 }, (_, n) =>
        db.prepare(insert).bind(n + 1, `s "${n}" 客户`, n % 2 ? '{"a":[1]}' : null),
      ),
    );
    await query`
      INSERT INTO accounts (account_id, contact, note, created_at_ms) VALUES ('a', '', '', 1)`.run();
    const subscription =
      "INSERT INTO subscriptions (account_id, plan, start_ms, end_ms) VALUES ('a', ?, ?, 99)";
    for (const plan of ["trial", "flagship"]) {
      for (const start of [3, 1, 2]) await db.prepare(subscription).bind(plan, start).run();
    }
    const audit = await all("audit");
    expect(audit).toHaveLength(250);
    expect(audit[249]).toEqual([250, 1, "operator", "", "a", 's "249" 客户', '{"a":[1]}', null]);
    expect((await all("subscriptions", 2)).map(([, plan, start]) => [plan, start])).toEqual([
      ["flagship", 1],
      ["flagship", 2],
      ["flagship", 3],
      ["trial", 1],
      ["trial", 2],
      ["trial", 3],
    ]);
  });

  async function all(name: string, pageRows?: number): Promise<Value[][]> {
    const table = BACKUP_TABLES.find((each) => each.name === name) as BackupTable;
    const rows: Value[][] = [];
    let after: Value[] | null = null;
    do {
      const page = await backupPage(db, { ...table, pageRows: pageRows ?? table.pageRows }, after);
      rows.push(...page.rows);
      after = page.next;
    } while (after !== null);
    return rows;
  }
});

describe("the cleanup of index rows", () => {
  it("deletes rows that belong to no pack and no upload, except those of an open restore", async () => {
    const row = `INSERT INTO day_securities (pack_id, symbol, market, section_offset, section_length, footer_length,
      rows, crc, blocks) VALUES (?, ?, 'SH', 0, 0, 0, 0, 0, x'')`;
    const pack =
      "INSERT INTO day_packs VALUES (5, '20260312', 'k5', 'e', 1, '', '', 1, 1, 0, NULL, NULL, 'orders')";
    const upload = `INSERT INTO uploads (object_id, upload_id, target, revision, object_key, r2_upload_id, state,
      size_bytes, sha256, begun_at_ms) VALUES (6, 'u6', 't', 1, 'k6', 'r', 'completing', 1, '', 1)`;
    const restore = `INSERT INTO restores (restore_id, state, id_shift, chunks, tables, begun_at_ms)
      VALUES ('${"0".repeat(64)}', 'open', 1000, 1, '{}', 1)`;
    await db.batch([pack, upload, restore].map((sql) => db.prepare(sql)));
    const ids = [...Array.from({ length: 30 }, (_, n) => n + 10), 5, 6, 1_001];
    await db.batch(
      ids.flatMap((id) => ["600519", "601318"].map((symbol) => db.prepare(row).bind(id, symbol))),
    );
    expect(await sweepIndexRows(db)).toBe(10);
    expect(await sweepIndexRows(db)).toBe(0);
    const left = await query`SELECT DISTINCT pack_id AS id FROM day_securities`.all<{ id: number }>();
    expect(left.results.map(({ id }) => id)).toEqual([5, 6, 1_001]);
    await query`UPDATE restores SET state = 'done'`.run();
    expect(await sweepIndexRows(db)).toBe(0);
    expect(
      (await query`SELECT count(DISTINCT pack_id) AS n FROM day_securities`.first<{ n: number }>())?.n,
    ).toBe(2);
  });
});

describe("a restore", () => {
  type Rows = [table: string, row: Record<string, Value>][];

  /** Restores a backup of these rows. Columns that a row does not name are null. Every pack is in R2. */
  async function restored(restoreId: string, rows: Rows): Promise<void> {
    const tables = Object.fromEntries(BACKUP_TABLES.map(({ name, columns }) => [name, [...columns]]));
    await beginRestore(db, { restoreId, chunks: rows.length, tables }, 1);
    for (const [place, [table, row]] of rows.entries()) {
      const values = (tables[table] ?? []).map((column) => row[column] ?? null);
      await addRestoreChunk(db, restoreId, { n: place + 1, table, rows: [values] });
      if (table === "day_packs") await markReady(db, restoreId, { objectId: Number(row.pack_id), etag: "e" });
    }
    const restore = await findRestore(db, restoreId);
    if (restore === null) throw new Error("no restore");
    await completeRestore(db, restore, { actor: { kind: "operator", name: "test" } as const, nowMs: 2 });
  }

  it("replaces the end of a plan beyond the year 9999 with the last valid instant", async () => {
    const far = Number.MAX_SAFE_INTEGER;
    const rows = {
      accounts: { account_id: "b", contact: "", note: "", own_limits: "{}", created_at_ms: 1 },
      plans: { plan: "trial", requests: 100, files: null },
      subscriptions: { account_id: "b", plan: "trial", start_ms: 1, end_ms: far },
    };
    await restored("a".repeat(64), Object.entries(rows));
    const { results } = await query`SELECT account_id, end_ms FROM subscriptions`.all();
    expect(results).toEqual([{ account_id: "b", end_ms: 253_402_271_999_999 }]);
  });

  it("keeps the higher value of each usage counter, whether from the backup or from the catalog", async () => {
    const usage = (day: string, requests: number, files: number, bytes: number) => ({
      ...{ day, account_id: "b", service: "level2_order_history", requests, files, bytes },
    });
    const insert =
      "INSERT INTO usage (day, account_id, service, requests, files, bytes) VALUES (?, ?, ?, ?, ?, ?)";
    const present = [usage("20260311", 5, 2, 100), usage("20260312", 1, 0, 9)];
    await db.batch(present.map((row) => db.prepare(insert).bind(...Object.values(row))));
    const rows: Rows = [
      ["usage", usage("20260310", 3, 0, 4)],
      ["usage", usage("20260311", 7, 1, 300)],
    ];
    await restored("b".repeat(64), rows);
    const { results } = await query`SELECT * FROM usage WHERE account_id = 'b' ORDER BY day`.all();
    const expected = [usage("20260310", 3, 0, 4), usage("20260311", 7, 2, 300), usage("20260312", 1, 0, 9)];
    expect(results).toEqual(expected);
  });

  it("takes a withdrawal's operator and time from the newest audit entry if the backup lacks them", async () => {
    const day = (tradedate: string, packId: number): Rows => [
      [
        "day_packs",
        {
          ...{ pack_id: packId, dataset: "orders", tradedate, object_key: `k${packId}`, etag: "e" },
          ...{ size_bytes: 1, sha256: "", build_id: `b${packId}`, rows: 1, securities: 1, degraded: 0 },
        },
      ],
      [
        "order_days",
        {
          ...{ dataset: "orders", tradedate, revision: 1, pack_id: packId },
          state: "withdrawn",
          state_note: "n",
        },
      ],
    ];
    const entry = (audit_id: number, at_ms: number, actor: string, subject: string) => ({
      ...{ audit_id, at_ms, actor_kind: "operator", actor, action: "day.withdraw", subject },
      ...{ before: null, after: null },
    });
    const insert = `INSERT INTO audit (at_ms, actor_kind, actor, action, subject)
      VALUES (20, 'operator', 'own', 'day.withdraw', '20260304')`;
    await db.prepare(insert).run();
    await restored("c".repeat(64), [
      ...[...day("20260303", 1), ...day("20260304", 2)],
      ["audit", entry(1, 10, "ann", "20260303")],
      ["audit", entry(2, 10, "ann", "20260304")],
    ]);
    const { results } = await query`SELECT target, actor, at_ms FROM withdrawals ORDER BY target`.all();
    expect(results).toEqual([
      { target: "orders/20260303", actor: "ann", at_ms: 10 },
      { target: "orders/20260304", actor: "own", at_ms: 20 },
    ]);
  });
});
