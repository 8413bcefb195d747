/** Accounts as a list: who they are, what they may use, and whose plan is about to end. */
import type { Subscription } from "../entitlement/principal.ts";

export interface ListedAccount {
  accountId: string;
  contact: string;
  note: string;
  disabled: boolean;
  subscriptions: Subscription[];
  /** Keys that are neither revoked nor over. */
  keys: number;
  /** Of any of its keys, at most an hour behind; null: never. */
  lastUsedAtMs: number | null;
}

export interface AccountsQuestion {
  nowMs: number;
  /** Only those whose last subscription holds now and ends within so many milliseconds; null: all. */
  expiringWithinMs: number | null;
  /** Only those whose id, contact or note contain this text, in any case; `""`: all. */
  search: string;
  /** Only those behind this id. */
  after: string;
  /** At most so many. */
  count: number;
}

type Row = Omit<ListedAccount, "disabled" | "subscriptions"> & { disabled: number; subscriptions: string };

const LIST = `
  SELECT a.account_id AS accountId, a.contact, a.note, a.disabled_at_ms IS NOT NULL AS disabled,
    (SELECT json_group_array(json_object('plan', plan, 'startMs', start_ms, 'endMs', end_ms)
       ORDER BY start_ms, plan) FROM subscriptions s WHERE s.account_id = a.account_id) AS subscriptions,
    (SELECT count(*) FROM api_keys k WHERE k.account_id = a.account_id AND revoked_at_ms IS NULL
       AND coalesce(expires_at_ms > ?1, 1)) AS keys,
    (SELECT max(last_used_at_ms) FROM api_keys k WHERE k.account_id = a.account_id) AS lastUsedAtMs
  FROM accounts a
  WHERE a.account_id > ?2
    AND (?3 = '' OR instr(lower(a.account_id || char(10) || a.contact || char(10) || a.note), ?3) > 0)
    AND (?4 IS NULL OR (SELECT max(end_ms) FROM subscriptions s WHERE s.account_id = a.account_id)
      BETWEEN ?1 + 1 AND ?1 + ?4)
  ORDER BY a.account_id LIMIT ?5`;

/** The accounts that answer `question`, by id. */
export async function listAccounts(db: D1Database, question: AccountsQuestion): Promise<ListedAccount[]> {
  const { nowMs, after, search, expiringWithinMs, count } = question;
  const statement = db.prepare(LIST).bind(nowMs, after, search.toLowerCase(), expiringWithinMs, count);
  return (await statement.all<Row>()).results.map(({ disabled, subscriptions, ...row }) => ({
    ...row,
    disabled: disabled === 1,
    subscriptions: JSON.parse(subscriptions) as Subscription[],
  }));
}

/** The accounts whose keys were used since `sinceMs`, the last used first, at most `count`. */
export async function recentlyActive(db: D1Database, sinceMs: number, count: number): Promise<string[]> {
  const { results } = await db
    .prepare(
      `SELECT account_id AS accountId FROM api_keys WHERE last_used_at_ms >= ?1
       GROUP BY account_id ORDER BY max(last_used_at_ms) DESC LIMIT ?2`,
    )
    .bind(sinceMs, count)
    .all<{ accountId: string }>();
  return results.map(({ accountId }) => accountId);
}
