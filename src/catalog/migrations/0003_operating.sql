-- What operators ask about and change beside serving: where days differ and what is usual, who the operators
-- are, when a key was last used, and why a request was refused.

-- Days -----------------------------------------------------------------------------------------------------

-- HHMMSSmmm of the security's last row, as a number; the time of its first one is the t0 of its first block.
ALTER TABLE day_securities ADD COLUMN last_time INTEGER NOT NULL DEFAULT 0;

-- What a pack has of each exchange, for the check before a day goes live. `securities` are those with orders.
CREATE TABLE pack_markets (
  pack_id INTEGER NOT NULL,
  market TEXT NOT NULL CHECK (market IN ('SH', 'SZ')),
  securities INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  PRIMARY KEY (pack_id, market)
) STRICT, WITHOUT ROWID;

INSERT INTO pack_markets (pack_id, market, securities, rows)
  SELECT pack_id, market, sum(rows > 0), sum(rows) FROM day_securities GROUP BY pack_id, market;

-- Whether the operator wants the pack served even when it is implausible.
ALTER TABLE uploads ADD COLUMN forced INTEGER NOT NULL DEFAULT 0 CHECK (forced IN (0, 1));

-- Every change of what a day serves, in the order it happened. `previous` is the revision before, if any. The
-- lists hold codes such as 600519.SH as JSON and are NULL where nothing was served to compare with.
CREATE TABLE day_changes (
  change_id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  tradedate TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('published', 'restored', 'withdrawn', 'damaged')),
  revision INTEGER NOT NULL,
  previous INTEGER,
  added TEXT CHECK (added IS NULL OR json_valid(added)),
  removed TEXT CHECK (removed IS NULL OR json_valid(removed)),
  changed TEXT CHECK (changed IS NULL OR json_valid(changed))
) STRICT;

CREATE INDEX day_changes_by_time ON day_changes (at_ms);

INSERT INTO day_changes (at_ms, tradedate, kind, revision, previous)
  SELECT published_at_ms, tradedate, 'published', revision, nullif(revision - 1, 0)
  FROM day_revisions ORDER BY published_at_ms, tradedate;

-- Operators ------------------------------------------------------------------------------------------------

-- Named bearer tokens beside the secret ADMIN_TOKEN. A name is never given twice: the audit speaks of it.
CREATE TABLE admin_tokens (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  name TEXT NOT NULL UNIQUE,
  first_characters TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- The operator who made it.
  created_by TEXT NOT NULL,
  last_used_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- Key holders ----------------------------------------------------------------------------------------------

-- Written at most once an hour, so it may lag that much behind.
ALTER TABLE api_keys ADD COLUMN last_used_at_ms INTEGER;

-- Refused requests of POST /api, kept for some days so that an operator can explain one from its request id.
-- `denial` is the refusal's facts as JSON. Not all of a flood are kept. Never a key, a token or a password.
CREATE TABLE refusals (
  request_id TEXT PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  account_id TEXT,
  key_id TEXT,
  interface TEXT,
  denial TEXT NOT NULL CHECK (json_valid(denial))
) STRICT, WITHOUT ROWID;

CREATE INDEX refusals_by_account ON refusals (account_id, at_ms);
