-- Each dataset of a day is published, revised, withdrawn and restored by itself. What was there before is orders. The
-- tables keep their names: a backup of an earlier release is restored under them, and its rows are orders.

ALTER TABLE day_packs ADD COLUMN dataset TEXT NOT NULL DEFAULT 'orders' CHECK (dataset IN ('orders', 'trades', 'quotes'));
ALTER TABLE day_changes ADD COLUMN dataset TEXT NOT NULL DEFAULT 'orders' CHECK (dataset IN ('orders', 'trades', 'quotes'));

DROP VIEW taken_revisions;

-- Every revision a dataset of a day ever had.
CREATE TABLE new_day_revisions (
  dataset TEXT NOT NULL DEFAULT 'orders' CHECK (dataset IN ('orders', 'trades', 'quotes')),
  tradedate TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  pack_id INTEGER NOT NULL REFERENCES day_packs (pack_id),
  published_at_ms INTEGER NOT NULL,
  replaced_at_ms INTEGER,
  PRIMARY KEY (dataset, tradedate, revision)
) STRICT, WITHOUT ROWID;

INSERT INTO new_day_revisions (tradedate, revision, pack_id, published_at_ms, replaced_at_ms)
  SELECT tradedate, revision, pack_id, published_at_ms, replaced_at_ms FROM day_revisions;
DROP TABLE day_revisions;
ALTER TABLE new_day_revisions RENAME TO day_revisions;

-- What is served: the one row that makes a dataset of a day visible, written last.
CREATE TABLE new_order_days (
  dataset TEXT NOT NULL DEFAULT 'orders' CHECK (dataset IN ('orders', 'trades', 'quotes')),
  tradedate TEXT NOT NULL CHECK (length(tradedate) = 8),
  revision INTEGER NOT NULL,
  pack_id INTEGER NOT NULL REFERENCES day_packs (pack_id),
  state TEXT NOT NULL CHECK (state IN ('available', 'withdrawn', 'damaged')),
  -- Why it is withdrawn or damaged, for the operator; empty while available.
  state_note TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (dataset, tradedate)
) STRICT, WITHOUT ROWID;

INSERT INTO new_order_days (tradedate, revision, pack_id, state, state_note)
  SELECT tradedate, revision, pack_id, state, state_note FROM order_days;
DROP TABLE order_days;
ALTER TABLE new_order_days RENAME TO order_days;

-- The triggers went with the table.
CREATE TRIGGER order_days_insert AFTER INSERT ON order_days BEGIN UPDATE catalog_revision SET revision = revision + 1; END;
CREATE TRIGGER order_days_update AFTER UPDATE ON order_days BEGIN UPDATE catalog_revision SET revision = revision + 1; END;
CREATE TRIGGER order_days_delete AFTER DELETE ON order_days BEGIN UPDATE catalog_revision SET revision = revision + 1; END;

-- Numbers that an upload of a target can never get again, by whatever way they were given.
CREATE VIEW taken_revisions AS
SELECT dataset || '/' || tradedate AS target, revision FROM day_revisions
UNION ALL SELECT data_type || '/' || tradedate || '/' || name, revision FROM day_files
UNION ALL SELECT target, revision FROM uploads WHERE state IN ('completing', 'abandoned')
UNION ALL SELECT target, revision FROM revision_floors;

-- What days served when a restore put others in their place, for the list of changes. Empty outside of one.
DROP TABLE restored_over;
CREATE TABLE restored_over (
  dataset TEXT NOT NULL,
  tradedate TEXT NOT NULL,
  revision INTEGER NOT NULL,
  pack_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (dataset, tradedate)
) STRICT, WITHOUT ROWID;
