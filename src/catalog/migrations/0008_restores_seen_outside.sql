-- What a restore must not take back: callers and copies elsewhere have seen numbers that an earlier state of the
-- catalog does not know.

-- The highest revision that was given of a target before a restore: none up to it is given again.
CREATE TABLE revision_floors (
  target TEXT PRIMARY KEY,
  revision INTEGER NOT NULL CHECK (revision >= 1)
) STRICT, WITHOUT ROWID;

DROP VIEW taken_revisions;

-- Numbers that an upload of a target can never get again, by whatever way they were given.
CREATE VIEW taken_revisions AS
SELECT 'orders/' || tradedate AS target, revision FROM day_revisions
UNION ALL SELECT data_type || '/' || tradedate || '/' || name, revision FROM day_files
UNION ALL SELECT target, revision FROM uploads WHERE state IN ('completing', 'abandoned')
UNION ALL SELECT target, revision FROM revision_floors;

-- What days served when a restore put others in their place, for the list of changes. Empty outside of one.
CREATE TABLE restored_over (
  tradedate TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  pack_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  sha256 TEXT NOT NULL
) STRICT, WITHOUT ROWID;
