/**
 * SQL statements for the restore of an older backup. They keep revoked tokens, keys and shares revoked, cleared
 * external shares cleared, and disabled accounts disabled. They also keep subscriptions that an operator has changed
 * since the backup. The restore runs them in its transaction, with its id as `?1`. The SQL condition `open` is false
 * once the restore is done, so that a repeated run changes nothing.
 */
import { BACKUP_TABLES } from "./backup.ts";

/** A revocation or a change of plans that stays in force although the backup lacks it. */
export interface KeptRevocation {
  kind: "token" | "account" | "key" | "key_end" | "share" | "external" | "plans";
  /** A token's name, a key's id, a share's id, an account's id, or `<data type>/<year>`. */
  subject: string;
  /** Unix milliseconds: when it was revoked or changed, or when the key ends. */
  atMs: number;
}

/** A table whose rows have a column with the instant of their revocation. */
interface Revocable {
  kind: "token" | "account" | "key" | "share";
  table: "admin_tokens" | "accounts" | "api_keys" | "shares";
  id: string;
  subject: string;
  instant: string;
}

const REVOCABLE: readonly Revocable[] = [
  { kind: "token", table: "admin_tokens", id: "sha256", subject: "name", instant: "revoked_at_ms" },
  { kind: "account", table: "accounts", id: "account_id", subject: "account_id", instant: "disabled_at_ms" },
  { kind: "key", table: "api_keys", id: "sha256", subject: "key_id", instant: "revoked_at_ms" },
  { kind: "share", table: "shares", id: "share_id", subject: "share_id", instant: "revoked_at_ms" },
];

const columnsOf = (table: string): readonly string[] =>
  BACKUP_TABLES.find(({ name }) => name === table)?.columns ?? [];
const asJson = (table: string) => `json_array(${columnsOf(table).join(", ")})`;

/** Audit actions that change an account's subscriptions. */
const PLAN_ACTIONS = "('account.subscription', 'account.subscriptions')";

/** Returns the SQL of an account's subscriptions as JSON; `id` is the SQL expression for the account's id. */
const subscriptionsOf = (id: string) => `(SELECT json_group_array(json_array(plan, start_ms, end_ms))
  FROM (SELECT * FROM subscriptions WHERE account_id = ${id} ORDER BY plan, start_ms))`;

/** Selects the restored accounts whose subscriptions in the backup differ from those before the restore. */
const CHANGED_PLANS = "SELECT id FROM revoked_over WHERE kind = 'plans' AND came_back = 1";

/**
 * Returns a SELECT of the subscriptions of every account whose plans have a later change in the current audit than in
 * the backup's audit. `columns` are the columns of the backup's audit; undefined when it has none.
 */
function plansOf(columns: readonly string[] | undefined): string {
  const cell = (name: string) => `(row.value ->> ${columns?.indexOf(name)})`;
  const known =
    columns === undefined
      ? "SELECT NULL AS account_id, NULL AS at_ms"
      : `SELECT ${cell("subject")} AS account_id, max(${cell("at_ms")}) AS at_ms
         FROM restore_chunks c, json_each(c.rows) row
         WHERE c.restore_id = ?1 AND c.table_name = 'audit' AND ${cell("action")} IN ${PLAN_ACTIONS} GROUP BY 1`;
  return `SELECT 'plans', changed.account_id, changed.account_id, changed.at_ms,
      ${subscriptionsOf("changed.account_id")}
    FROM (SELECT subject AS account_id, max(at_ms) AS at_ms FROM audit
          WHERE action IN ${PLAN_ACTIONS} GROUP BY subject) changed
    LEFT JOIN (${known}) known ON known.account_id = changed.account_id
    WHERE changed.at_ms > coalesce(known.at_ms, -1)`;
}

/**
 * Returns statements to run before any table is replaced. They record revocations, disabled accounts, keys with an
 * expiry, cleared external shares and changed subscriptions. `auditColumns`: those of the backup's audit, if any.
 */
export function rememberRevoked(open: string, auditColumns: readonly string[] | undefined): string[] {
  const remember = (select: string) =>
    `INSERT OR IGNORE INTO revoked_over (kind, id, subject, at_ms, row) ${select} AND ${open}`;
  return [
    `DELETE FROM revoked_over WHERE ${open}`,
    ...REVOCABLE.map(({ kind, table, id, subject, instant }) =>
      remember(
        `SELECT '${kind}', ${id}, ${subject}, ${instant}, ${asJson(table)} FROM ${table} WHERE ${instant} IS NOT NULL`,
      ),
    ),
    // A revoked key or share whose account is not in the backup needs that account's row.
    remember(
      `SELECT 'owner', account_id, account_id, 0, ${asJson("accounts")} FROM accounts WHERE account_id IN (
         SELECT account_id FROM api_keys WHERE revoked_at_ms IS NOT NULL
         UNION SELECT account_id FROM shares WHERE revoked_at_ms IS NOT NULL)`,
    ),
    // A rolled key has an expiry time, which can be missing in the backup.
    remember(
      `SELECT 'key_end', sha256, key_id, expires_at_ms, '[]' FROM api_keys
       WHERE revoked_at_ms IS NULL AND expires_at_ms IS NOT NULL`,
    ),
    // A cleared external share has no row of its own; only the audit records that it was cleared.
    remember(
      `SELECT 'external', subject, subject, at_ms, '[]' FROM audit a WHERE action = 'external.clear'
         AND NOT EXISTS (SELECT 1 FROM audit b WHERE b.subject = a.subject AND b.audit_id > a.audit_id
           AND b.action IN ('external.set', 'external.clear'))`,
    ),
    remember(plansOf(auditColumns)),
  ];
}

/** Returns statements to run after all tables are replaced. They record what the backup undid, and apply it again. */
export function revokeAgain(open: string): string[] {
  const noteBack = (kind: string, inForce: string) =>
    `UPDATE revoked_over SET came_back = 1 WHERE kind = '${kind}' AND ${inForce} AND ${open}`;
  const kept = (kind: string, id: string) =>
    `(SELECT at_ms FROM revoked_over o WHERE o.kind = '${kind}' AND o.id = ${id})`;
  return [
    ...REVOCABLE.map(({ kind, table, id, instant }) =>
      noteBack(
        kind,
        `NOT EXISTS (SELECT 1 FROM ${table} t WHERE t.${id} = revoked_over.id AND t.${instant} IS NOT NULL)`,
      ),
    ),
    noteBack(
      "key_end",
      "EXISTS (SELECT 1 FROM api_keys k WHERE k.sha256 = id AND coalesce(k.expires_at_ms > at_ms, 1) AND k.revoked_at_ms IS NULL)",
    ),
    noteBack("external", "EXISTS (SELECT 1 FROM external_shares WHERE data_type || '/' || year = id)"),
    // Runs before the accounts that the backup lacks are inserted, so that those accounts get no subscriptions.
    noteBack(
      "plans",
      `EXISTS (SELECT 1 FROM accounts WHERE account_id = id) AND row <> ${subscriptionsOf("id")}`,
    ),
    insertRemembered("accounts", ["account", "owner"], open),
    ...REVOCABLE.filter(({ table }) => table !== "accounts").map(({ kind, table }) =>
      insertRemembered(table, [kind], open),
    ),
    ...REVOCABLE.map(
      ({ kind, table, id, instant }) =>
        `UPDATE ${table} SET ${instant} = ${kept(kind, id)}
         WHERE ${instant} IS NULL AND ${kept(kind, id)} IS NOT NULL AND ${open}`,
    ),
    `UPDATE api_keys SET expires_at_ms = ${kept("key_end", "sha256")}
     WHERE ${kept("key_end", "sha256")} < coalesce(expires_at_ms, 9e15) AND ${open}`,
    `DELETE FROM external_shares
     WHERE data_type || '/' || year IN (SELECT id FROM revoked_over WHERE kind = 'external') AND ${open}`,
    `DELETE FROM subscriptions WHERE account_id IN (${CHANGED_PLANS}) AND ${open}`,
    `INSERT INTO subscriptions (account_id, plan, start_ms, end_ms)
     SELECT o.id, each.value ->> 0, each.value ->> 1, each.value ->> 2 FROM revoked_over o, json_each(o.row) each
     WHERE o.kind = 'plans' AND o.came_back = 1 AND ${open}`,
    `UPDATE restores SET kept = (
       SELECT json_group_array(json_object('kind', kind, 'subject', subject, 'atMs', at_ms) ORDER BY kind, subject)
       FROM revoked_over WHERE came_back = 1)
     WHERE restore_id = ?1 AND ${open}`,
    `DELETE FROM revoked_over WHERE ${open}`,
  ];
}

/**
 * Returns the statement that inserts the remembered rows that the backup lacks. For example, a revoked key stays in
 * the catalog, so that it cannot be imported again.
 */
function insertRemembered(table: string, kinds: readonly string[], open: string): string {
  const columns = columnsOf(table);
  const values = columns.map((_, place) => `row ->> ${place}`);
  return `INSERT OR IGNORE INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")}
    FROM revoked_over WHERE kind IN (${kinds.map((kind) => `'${kind}'`).join(", ")}) AND ${open}`;
}

/** The columns that identify an audit entry, without its number. */
const ENTRY_COLUMNS = ["at_ms", "actor_kind", "actor", "action", "subject", "before", "after"] as const;

/**
 * Returns statements that append the missing entries of the backup's audit to the current one. `tables`: the backup's
 * columns by table. Run them after the tokens are restored, which determine the actor kinds of older entries.
 */
export function appendAudit(tables: Readonly<Record<string, string[]>>, open: string): string[] {
  const columns = tables.audit;
  if (columns === undefined) return [];
  const cell = (name: string) => `(row.value ->> ${columns.indexOf(name)})`;
  const hasKinds = columns.includes("actor_kind");
  const isAccount = `${cell("actor")} LIKE 'account %' AND ${cell("actor")} NOT IN (SELECT name FROM admin_tokens)`;
  const kind = `CASE WHEN ${cell("actor")} = 'ADMIN_TOKEN' THEN 'bootstrap'
    WHEN ${cell("actor")} = 'service' THEN 'service' WHEN ${isAccount} THEN 'account' ELSE 'operator' END`;
  const actor = `CASE WHEN ${isAccount} THEN substr(${cell("actor")}, 9) ELSE ${cell("actor")} END`;
  const valueFor = (name: (typeof ENTRY_COLUMNS)[number]) => {
    if (hasKinds) return cell(name);
    if (name === "actor_kind") return kind;
    return name === "actor" ? actor : cell(name);
  };
  const values = ENTRY_COLUMNS.map(valueFor);
  const same = ENTRY_COLUMNS.map((name, place) => `a.${name} IS ${values[place]}`);
  return [
    `INSERT INTO audit (${ENTRY_COLUMNS.join(", ")}) SELECT ${values.join(", ")}
     FROM restore_chunks c, json_each(c.rows) row
     WHERE c.restore_id = ?1 AND c.table_name = 'audit' AND ${open}
       AND NOT EXISTS (SELECT 1 FROM audit a WHERE ${same.join(" AND ")})
     ORDER BY ${cell("audit_id")}`,
  ];
}
