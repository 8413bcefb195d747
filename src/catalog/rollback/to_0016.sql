-- Before a worker that knows no datasets (up to migration 0016) runs on the schema of 0017 and later: what is not
-- orders is put aside, because that worker takes every row for orders. `src/cli/guide/upgrade.md` says when.
CREATE TABLE aside_days AS SELECT * FROM order_days WHERE dataset <> 'orders';
DELETE FROM order_days WHERE dataset <> 'orders';
-- Under no day's name, yet there: a pack without a revision would be deleted.
UPDATE day_revisions SET tradedate = '-' || tradedate WHERE dataset <> 'orders';
CREATE TABLE aside_changes AS SELECT * FROM day_changes WHERE dataset <> 'orders';
DELETE FROM day_changes WHERE dataset <> 'orders';
-- That worker publishes a day by ON CONFLICT (tradedate).
CREATE UNIQUE INDEX order_days_without_dataset ON order_days (tradedate);
