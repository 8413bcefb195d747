-- Run this before a worker without datasets (up to migration 0016) runs on the schema of 0017 or later. It puts aside
-- all rows that are not of orders, because that worker treats every row as orders. See `src/cli/guide/upgrade.md`.
CREATE TABLE aside_days AS SELECT * FROM order_days WHERE dataset <> 'orders';
DELETE FROM order_days WHERE dataset <> 'orders';
-- The revisions stay under dates that no day has, because a pack without a revision would be deleted.
UPDATE day_revisions SET tradedate = '-' || tradedate WHERE dataset <> 'orders';
CREATE TABLE aside_changes AS SELECT * FROM day_changes WHERE dataset <> 'orders';
DELETE FROM day_changes WHERE dataset <> 'orders';
-- That worker publishes a day with ON CONFLICT (tradedate), which needs a unique index.
CREATE UNIQUE INDEX order_days_without_dataset ON order_days (tradedate);
