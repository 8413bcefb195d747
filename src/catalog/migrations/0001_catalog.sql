-- The catalog: who may ask, and what is served. Instants are Unix milliseconds (`_ms`), days are Beijing
-- days as YYYYMMDD. Every change writes an audit row in the same transaction.

-- Accounts, keys, plans ------------------------------------------------------------------------------------

CREATE TABLE accounts (
  account_id TEXT PRIMARY KEY,
  contact TEXT NOT NULL,
  note TEXT NOT NULL,
  -- The account's own daily limits as JSON {requests?, files?}: absent falls back to the plan, null is unlimited.
  own_limits TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(own_limits)),
  created_at_ms INTEGER NOT NULL,
  disabled_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- A key itself is never stored. Looked up by its hash on every cold request, so the hash is the key of the table.
CREATE TABLE api_keys (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  key_id TEXT NOT NULL UNIQUE,
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  name TEXT NOT NULL,
  -- For people to tell keys apart; empty when only the hash was imported.
  first_characters TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER,
  revoked_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX api_keys_by_account ON api_keys (account_id);

-- Daily limits of the order-history interface; NULL is unlimited. `requests` counts JSON and Parquet together.
CREATE TABLE plans (
  plan TEXT PRIMARY KEY,
  requests INTEGER,
  files INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO plans (plan, requests, files) VALUES
  ('free', NULL, NULL),
  ('standard', NULL, NULL),
  ('trial', 100, NULL),
  ('weekly', NULL, 30),
  ('professional', NULL, 30),
  ('flagship', NULL, 300);

-- A plan holds from start_ms (inclusive) to end_ms (exclusive). They may overlap: the best one counts.
CREATE TABLE subscriptions (
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  plan TEXT NOT NULL REFERENCES plans (plan),
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL CHECK (start_ms < end_ms),
  PRIMARY KEY (account_id, plan, start_ms)
) STRICT, WITHOUT ROWID;

-- Days -----------------------------------------------------------------------------------------------------

-- Every calendar day the operator loaded, closed days too, so that "does the calendar reach today" has an answer.
CREATE TABLE trading_days (
  day TEXT PRIMARY KEY CHECK (length(day) = 8),
  open INTEGER NOT NULL CHECK (open IN (0, 1)),
  source TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A pack that lies in R2, verified. Written before anything serves it.
CREATE TABLE day_packs (
  pack_id INTEGER PRIMARY KEY,
  tradedate TEXT NOT NULL,
  object_key TEXT NOT NULL UNIQUE,
  etag TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  build_id TEXT NOT NULL,
  rows INTEGER NOT NULL,
  securities INTEGER NOT NULL,
  degraded INTEGER NOT NULL CHECK (degraded IN (0, 1))
) STRICT;

-- The index region of a pack, one row per security; blocks as 20-byte entries. Without orders: rows 0, no blocks.
CREATE TABLE day_securities (
  pack_id INTEGER NOT NULL,
  symbol TEXT NOT NULL,
  market TEXT NOT NULL CHECK (market IN ('SH', 'SZ')),
  section_offset INTEGER NOT NULL,
  section_length INTEGER NOT NULL,
  footer_length INTEGER NOT NULL,
  rows INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  blocks BLOB NOT NULL,
  PRIMARY KEY (pack_id, symbol, market)
) STRICT, WITHOUT ROWID;

-- Every revision a day ever had. A restore is a new number on an old pack.
CREATE TABLE day_revisions (
  tradedate TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  pack_id INTEGER NOT NULL REFERENCES day_packs (pack_id),
  published_at_ms INTEGER NOT NULL,
  replaced_at_ms INTEGER,
  PRIMARY KEY (tradedate, revision)
) STRICT, WITHOUT ROWID;

-- What is served: the one row that makes a day visible, written last.
CREATE TABLE order_days (
  tradedate TEXT PRIMARY KEY CHECK (length(tradedate) = 8),
  revision INTEGER NOT NULL,
  pack_id INTEGER NOT NULL REFERENCES day_packs (pack_id),
  state TEXT NOT NULL CHECK (state IN ('available', 'withdrawn', 'damaged')),
  -- Why it is withdrawn or damaged, for the operator; empty while available.
  state_note TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;

-- Publishing -----------------------------------------------------------------------------------------------

-- One upload of a pack. `uploading` takes parts; `completing` may have become an object at any moment;
-- `served` is in order_days or its history. Ends without being served: `replaced` (never became an object),
-- `abandoned` (may have become one, so its revision number is not used again), `refused` (failed verification).
CREATE TABLE uploads (
  pack_id INTEGER PRIMARY KEY AUTOINCREMENT,
  upload_id TEXT NOT NULL UNIQUE,
  tradedate TEXT NOT NULL,
  revision INTEGER NOT NULL,
  object_key TEXT NOT NULL,
  r2_upload_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('uploading', 'completing', 'served', 'replaced', 'abandoned', 'refused')),
  state_note TEXT NOT NULL DEFAULT '',
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  build_id TEXT NOT NULL,
  rows INTEGER NOT NULL,
  securities INTEGER NOT NULL,
  degraded INTEGER NOT NULL CHECK (degraded IN (0, 1)),
  begun_at_ms INTEGER NOT NULL
) STRICT;

-- At most one upload of a day is open: of two publishers who begin at once, the database refuses one.
CREATE UNIQUE INDEX uploads_open ON uploads (tradedate) WHERE state IN ('uploading', 'completing');
CREATE INDEX uploads_by_day ON uploads (tradedate);

CREATE TABLE upload_parts (
  upload_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  etag TEXT NOT NULL,
  PRIMARY KEY (upload_id, n)
) STRICT, WITHOUT ROWID;

-- Who changed what, from what, to what. Never a key, a token or a password.
CREATE TABLE audit (
  audit_id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  before TEXT CHECK (before IS NULL OR json_valid(before)),
  after TEXT CHECK (after IS NULL OR json_valid(after))
) STRICT;

CREATE INDEX audit_by_subject ON audit (subject);
