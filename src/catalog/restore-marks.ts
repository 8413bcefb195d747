/** Statements by which a restore keeps issued revision numbers, decisions, and the list of changes for clients. */
import { differences } from "./day-changes.ts";
import { plain } from "./sql.ts";

/**
 * Returns statements to run before anything is replaced. They record the issued revision numbers and what each day
 * serves. `open` is an SQL condition that is true while the restore `?1` is open.
 */
export function rememberSeen(open: string): string[] {
  return [
    `INSERT INTO revision_floors (target, revision)
     SELECT target, max(revision) FROM taken_revisions WHERE ${open} GROUP BY target
     ON CONFLICT (target) DO UPDATE SET revision = excluded.revision`,
    `DELETE FROM restored_over WHERE ${open}`,
    `INSERT INTO restored_over (dataset, tradedate, revision, pack_id, state, sha256)
     SELECT d.dataset, d.tradedate, d.revision, d.pack_id, d.state, p.sha256
     FROM order_days d JOIN day_packs p ON p.pack_id = d.pack_id WHERE ${open}`,
  ];
}

/** Returns FROM and WHERE clauses that select the withdrawals that prevent serving `content` of `target`. */
const against = (target: string, content: string) =>
  `FROM withdrawals w WHERE w.target = ${target} AND (w.content = ${content} OR w.standing = 1)`;
const DAY_DECISIONS = against(
  "order_days.dataset || '/' || order_days.tradedate",
  "(SELECT build_id FROM day_packs p WHERE p.pack_id = order_days.pack_id)",
);
const FILE_DECISIONS = against(
  "day_files.data_type || '/' || day_files.tradedate || '/' || day_files.name",
  "day_files.sha256",
);

/**
 * The FROM clause that selects the newest audit entry about a withdrawal of the day `d`. The newest entry is the one
 * with the latest time, not the highest id, because a restore appends older entries with higher ids.
 */
const DAY_AUDIT =
  "FROM audit a WHERE a.action = 'day.withdraw' AND a.subject = iif(d.dataset = 'orders', d.tradedate, d.dataset || '/' || d.tradedate) ORDER BY a.at_ms DESC, a.audit_id DESC LIMIT 1";

/**
 * Returns statements to run after everything was replaced. Withdrawals and damage recorded since the backup stay in
 * force. The withdrawn and damaged states in the backup are recorded too, because backups of earlier versions have no
 * other record of them.
 */
export function keepDecisions(open: string): string[] {
  return [
    `INSERT OR IGNORE INTO withdrawals (target, content, revision, at_ms, actor, note, standing)
     SELECT d.dataset || '/' || d.tradedate, p.build_id, d.revision, coalesce((SELECT a.at_ms ${DAY_AUDIT}), 0),
       coalesce((SELECT a.actor ${DAY_AUDIT}), 'service'), d.state_note, 1
     FROM order_days d JOIN day_packs p ON p.pack_id = d.pack_id WHERE d.state = 'withdrawn' AND ${open}`,
    `INSERT OR IGNORE INTO withdrawals (target, content, revision, at_ms, actor, note, standing)
     SELECT f.data_type || '/' || f.tradedate || '/' || f.name, f.sha256, f.revision, f.uploaded_at_ms, 'service',
       f.state_note, NOT EXISTS (SELECT 1 FROM day_files o WHERE o.data_type = f.data_type
         AND o.tradedate = f.tradedate AND o.name = f.name AND o.state = 'published' AND o.replaced_at_ms IS NULL)
     FROM day_files f WHERE f.state = 'withdrawn' AND f.replaced_at_ms IS NULL
       AND f.state_note <> '${OBJECT_ABSENT}' AND ${open}`,
    `INSERT OR IGNORE INTO damaged_packs (object_key, at_ms, note)
     SELECT p.object_key, 0, d.state_note FROM order_days d JOIN day_packs p ON p.pack_id = d.pack_id
     WHERE d.state = 'damaged' AND ${open}`,
    `UPDATE order_days SET state = 'damaged', state_note = (SELECT b.note FROM damaged_packs b
       JOIN day_packs p ON p.object_key = b.object_key WHERE p.pack_id = order_days.pack_id)
     WHERE state = 'available' AND EXISTS (SELECT 1 FROM damaged_packs b
       JOIN day_packs p ON p.object_key = b.object_key WHERE p.pack_id = order_days.pack_id) AND ${open}`,
    `UPDATE order_days SET state = 'withdrawn', state_note = (SELECT w.note ${DAY_DECISIONS} ORDER BY w.at_ms DESC LIMIT 1)
     WHERE state <> 'withdrawn' AND EXISTS (SELECT 1 ${DAY_DECISIONS}) AND ${open}`,
    `UPDATE withdrawals SET standing = 1 WHERE standing = 0 AND EXISTS (SELECT 1 FROM order_days d
       JOIN day_packs p ON p.pack_id = d.pack_id WHERE d.dataset || '/' || d.tradedate = withdrawals.target
       AND p.build_id = withdrawals.content AND d.state = 'withdrawn') AND ${open}`,
    `UPDATE day_files SET state = 'withdrawn', state_note = (SELECT w.note ${FILE_DECISIONS} ORDER BY w.at_ms DESC LIMIT 1)
     WHERE state = 'published' AND EXISTS (SELECT 1 ${FILE_DECISIONS}) AND ${open}`,
  ];
}

/** The note of a file that a restore withdraws because its object is not in R2. This is not an operator's decision. */
export const OBJECT_ABSENT = "its object was not there at the restore";

/**
 * An SQL condition: what the day serves (`d` with its pack `p`) differs from what it served before the restore (`was`).
 * The rows `d` and `p`, or the row `was`, can be absent.
 */
const DIFFERS = `
  iif(d.state = 'available',
    was.state IS NOT 'available' OR was.revision <> d.revision OR was.sha256 <> p.sha256,
    was.state IS 'available')`;

/**
 * The maximum number of days for which a restore compares packs. Comparing two packs takes tens of milliseconds, and a
 * statement may take at most 30 s. When more days changed, their entries do not list the differing securities.
 */
const COMPARED_DAYS = 100;

const OTHER_PACKS = `(SELECT count(*) FROM restored_over o
  JOIN order_days n ON n.dataset = o.dataset AND n.tradedate = o.tradedate JOIN day_packs q ON q.pack_id = n.pack_id
  WHERE q.sha256 <> o.sha256)`;

const DIFFERENCES = differences(plain("d.pack_id"), plain("was.pack_id")).map(
  ({ text: codes }) => `CASE
    WHEN d.state IS NOT 'available' OR was.pack_id IS NULL THEN NULL
    WHEN was.sha256 = p.sha256 THEN '[]'
    WHEN ${OTHER_PACKS} <= ${COMPARED_DAYS} THEN ${codes}
  END`,
);

/**
 * Returns statements to run after everything was replaced. They record a change for each day of a dataset that now
 * serves different content. If the deployment was empty, these are all served days.
 *
 * The new change numbers must be higher than every number issued before. A lost catalog may have issued numbers after
 * the backup, so the new numbers begin at the current Unix time in seconds. It is higher than every earlier number,
 * because there is less than one change per second. The catalog revision, on which caches depend, is raised likewise.
 */
export function tellSeen(open: string, nowMs: number): string[] {
  const second = Math.floor(nowMs / 1000);
  return [
    `INSERT INTO day_changes (change_id, at_ms, tradedate, kind, revision)
     SELECT ${second}, ${nowMs}, '', 'restored', 1
     WHERE ${open} AND NOT EXISTS (SELECT 1 FROM day_changes WHERE change_id >= ${second})`,
    // AUTOINCREMENT assigns numbers above the number of the row just inserted, even after that row is deleted.
    `DELETE FROM day_changes WHERE tradedate = '' AND ${open}`,
    `INSERT INTO day_changes (at_ms, dataset, tradedate, kind, revision, previous, added, removed, changed)
     SELECT ${nowMs}, days.dataset, days.tradedate,
       CASE d.state WHEN 'available' THEN 'restored' WHEN 'damaged' THEN 'damaged' ELSE 'withdrawn' END,
       iif(d.state = 'available', d.revision, was.revision), was.revision, ${DIFFERENCES.join(", ")}
     FROM (SELECT dataset, tradedate FROM order_days UNION SELECT dataset, tradedate FROM restored_over) days
     LEFT JOIN restored_over was ON was.dataset = days.dataset AND was.tradedate = days.tradedate
     LEFT JOIN order_days d ON d.dataset = days.dataset AND d.tradedate = days.tradedate
     LEFT JOIN day_packs p ON p.pack_id = d.pack_id
     WHERE ${DIFFERS} AND ${open} ORDER BY days.tradedate, days.dataset`,
    `DELETE FROM restored_over WHERE ${open}`,
    `UPDATE catalog_revision SET revision = max(revision + 1, ${second}) WHERE ${open}`,
  ];
}
