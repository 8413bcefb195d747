/** The days in a range of dates, for operators and key holders: loaded days and missing trading days. */
import type { BeijingDate } from "../calendar/beijing.ts";
import { DATASET_NAMES, type DatasetName, perDataset } from "../datasets/registry.ts";
import type { ServedDay } from "./days.ts";
import type { DayState } from "./order-day.ts";
import { type PackQuality, packTarget } from "./publish-day.ts";
import { rows } from "./sql.ts";

/**
 * `degraded`: served, but the build left out rows. `pending`: not loaded yet (today, or a day that is being uploaded).
 * `missing`: an earlier trading day that is not loaded.
 */
export type OverviewState = DayState | "degraded" | "pending" | "missing";

/** Facts about a day's current revision, even when it is withdrawn or damaged. */
export interface LoadedFacts
  extends Pick<ServedDay, "revision" | "buildId" | "rows" | "securities" | "sizeBytes" | "publishedAtMs"> {
  /** The result of the builder's quality check; null when none ran. */
  quality: PackQuality | null;
}

export interface DayOverview {
  tradedate: BeijingDate;
  state: OverviewState;
  /** The reason for the withdrawal or the damage, or what a degraded day lacks, for operators; otherwise empty. */
  note: string;
  /** The facts about the current revision; null when the day was never loaded. */
  loaded: LoadedFacts | null;
}

/** The note for a degraded day whose publisher did not say what it lacks. */
const LEFT_OUT = "the build left rows or files out";

interface Row extends Omit<LoadedFacts, "revision" | "quality"> {
  tradedate: BeijingDate;
  revision: number | null;
  state: DayState;
  note: string | null;
  /** JSON. */
  quality: string | null;
  shortfall: string | null;
  degraded: number;
  uploading: number;
}

/**
 * Selects the days as they were at the instant `?5`. If a day changed later, the last change up to that instant
 * determines its state; without such a change, the day was not loaded.
 */
const OVERVIEW = `
  WITH later AS (
    SELECT tradedate, max(iif(at_ms <= ?5, change_id, NULL)) AS last_id FROM day_changes
    WHERE dataset = ?6 AND tradedate BETWEEN ?1 AND ?2 GROUP BY tradedate HAVING max(at_ms) > ?5),
  shown AS (
    SELECT tradedate, revision, state, state_note AS note FROM order_days
    WHERE dataset = ?6 AND tradedate BETWEEN ?1 AND ?2 AND tradedate NOT IN (SELECT tradedate FROM later)
    UNION ALL
    SELECT c.tradedate, c.revision, iif(c.kind IN ('withdrawn', 'damaged'), c.kind, 'available'), ''
    FROM later JOIN day_changes c ON c.change_id = later.last_id),
  days AS (
    SELECT day AS tradedate FROM trading_days WHERE open = 1 AND day BETWEEN ?1 AND min(?2, ?3)
    UNION SELECT tradedate FROM shown)
  SELECT days.tradedate, d.revision, d.state, d.note, p.degraded, p.build_id AS buildId, p.rows, p.securities,
    p.size_bytes AS sizeBytes, r.published_at_ms AS publishedAtMs,
    (SELECT claims ->> 'quality' FROM uploads WHERE object_id = p.pack_id) AS quality,
    (SELECT claims ->> 'shortfall' FROM uploads WHERE object_id = p.pack_id) AS shortfall,
    EXISTS (SELECT 1 FROM uploads u WHERE u.target = ?4 || days.tradedate
      AND u.state IN ('uploading', 'completing')) AS uploading
  FROM days
  LEFT JOIN shown d ON d.tradedate = days.tradedate
  LEFT JOIN day_revisions r ON r.dataset = ?6 AND r.tradedate = d.tradedate AND r.revision = d.revision
  LEFT JOIN day_packs p ON p.pack_id = r.pack_id
  ORDER BY days.tradedate`;

/** Selects the days `first` to `last`, both included, as they were at `untilMs` (Unix milliseconds; default: now). */
export interface OverviewSpan {
  first: BeijingDate;
  last: BeijingDate;
  today: BeijingDate;
  untilMs?: number;
  dataset: DatasetName;
}

/** Returns the selected days, oldest first: every loaded day, and every other trading day up to `today`. */
export async function overviewOf(db: D1Database, span: OverviewSpan): Promise<DayOverview[]> {
  return (await rows<Row>(overviewStatement(db, span))).map((row) => overviewRow(row, span.today));
}

/** Returns the overview of every dataset, in one read. */
export async function overviewsOf(
  db: D1Database,
  span: Omit<OverviewSpan, "dataset">,
): Promise<Record<DatasetName, DayOverview[]>> {
  const statements = DATASET_NAMES.map((dataset) => overviewStatement(db, { ...span, dataset }));
  const found = await db.batch<Row>(statements);
  const shown = found.map(({ results }) => results.map((row) => overviewRow(row, span.today)));
  return perDataset("name", (name) => shown[DATASET_NAMES.indexOf(name)] ?? []);
}

function overviewStatement(db: D1Database, span: OverviewSpan): D1PreparedStatement {
  const { first, last, today, untilMs = Number.MAX_SAFE_INTEGER, dataset } = span;
  const targets = packTarget({ dataset, tradedate: "" as BeijingDate });
  return db.prepare(OVERVIEW).bind(first, last, today, targets, untilMs, dataset);
}

function overviewRow(row: Row, today: BeijingDate): DayOverview {
  const { tradedate, revision, buildId, securities, sizeBytes, publishedAtMs } = row;
  if (revision === null) {
    const state = row.uploading === 1 || tradedate >= today ? "pending" : "missing";
    return { tradedate, state, note: "", loaded: null };
  }
  const quality = row.quality === null ? null : (JSON.parse(row.quality) as PackQuality);
  const isDegraded = row.state === "available" && row.degraded === 1;
  return {
    tradedate,
    state: isDegraded ? "degraded" : row.state,
    note: isDegraded ? (row.shortfall ?? LEFT_OUT) : (row.note ?? ""),
    loaded: { revision, buildId, rows: row.rows, securities, sizeBytes, publishedAtMs, quality },
  };
}
