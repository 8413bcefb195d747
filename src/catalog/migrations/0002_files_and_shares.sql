-- Files that shares offer, the shares, and drives elsewhere.

-- What changed? -----------------------------------------------------------------------------------------------

-- One number that grows with every change of what shares can offer, whoever makes it: caches key on it.
-- Triggers stand on one line, as tools cut migrations where a line ends with a semicolon.
CREATE TABLE catalog_revision (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  revision INTEGER NOT NULL
) STRICT;

INSERT INTO catalog_revision (one, revision) VALUES (1, 1);

CREATE TRIGGER order_days_insert AFTER INSERT ON order_days BEGIN UPDATE catalog_revision SET revision = revision + 1; END;
CREATE TRIGGER order_days_update AFTER UPDATE ON order_days BEGIN UPDATE catalog_revision SET revision = revision + 1; END;
CREATE TRIGGER order_days_delete AFTER DELETE ON order_days BEGIN UPDATE catalog_revision SET revision = revision + 1; END;

-- Files -------------------------------------------------------------------------------------------------------

-- The operator's daily files, one row per revision of a (data type, day, name). Order packs are not here: a
-- level2 share lists them from order_days. `uploaded` is an object that arrived and is being checked,
-- `verifying` passed the checks and waits for the operator's word. Offered: `published` and not replaced.
CREATE TABLE day_files (
  file_id INTEGER PRIMARY KEY,
  data_type TEXT NOT NULL CHECK (data_type IN ('auction_tick', 'level2')),
  tradedate TEXT NOT NULL CHECK (length(tradedate) = 8),
  name TEXT NOT NULL,
  revision INTEGER NOT NULL CHECK (revision >= 1),
  object_key TEXT NOT NULL UNIQUE,
  etag TEXT NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('uploaded', 'verifying', 'published', 'withdrawn')),
  -- Why it is withdrawn, for the operator; empty otherwise.
  state_note TEXT NOT NULL DEFAULT '',
  uploaded_at_ms INTEGER NOT NULL,
  published_at_ms INTEGER,
  -- When a newer revision was published. Who began to download it may finish for 7 days.
  replaced_at_ms INTEGER,
  UNIQUE (data_type, tradedate, name, revision)
) STRICT;

-- Never two revisions of one file at once.
CREATE UNIQUE INDEX day_files_offered ON day_files (data_type, tradedate, name) WHERE state = 'published' AND replaced_at_ms IS NULL;

CREATE TRIGGER day_files_insert AFTER INSERT ON day_files WHEN new.state = 'published' BEGIN UPDATE catalog_revision SET revision = revision + 1; END;
CREATE TRIGGER day_files_update AFTER UPDATE ON day_files WHEN 'published' IN (old.state, new.state) BEGIN UPDATE catalog_revision SET revision = revision + 1; END;
CREATE TRIGGER day_files_delete AFTER DELETE ON day_files WHEN old.state = 'published' BEGIN UPDATE catalog_revision SET revision = revision + 1; END;

-- Shares ------------------------------------------------------------------------------------------------------

-- An account's share of a (data type, year). The newest generation is the one that is answered; an older one
-- works until its own end. Of two requests that make the next generation at once the database takes one.
-- The password is derived from the secret of `secret_version` and the id, and stored nowhere.
CREATE TABLE shares (
  share_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  data_type TEXT NOT NULL CHECK (data_type IN ('auction_tick', 'level2')),
  year INTEGER NOT NULL,
  generation INTEGER NOT NULL CHECK (generation >= 1),
  secret_version INTEGER NOT NULL,
  created_at_ms INTEGER NOT NULL,
  revoked_at_ms INTEGER,
  UNIQUE (account_id, data_type, year, generation)
) STRICT, WITHOUT ROWID;

-- A drive elsewhere that is answered in the place of ours to plans of the whole year. While `url` is empty
-- the operator is still making the share. The password is AES-GCM under the share secret of `secret_version`.
CREATE TABLE external_shares (
  data_type TEXT NOT NULL CHECK (data_type IN ('auction_tick', 'level2')),
  year INTEGER NOT NULL,
  first_day TEXT NOT NULL CHECK (length(first_day) = 8),
  last_day TEXT NOT NULL CHECK (length(last_day) = 8),
  file_count INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  url TEXT NOT NULL,
  secret_version INTEGER NOT NULL,
  -- Base64 of the 12-byte nonce and the ciphertext; empty without a link.
  sealed_password TEXT NOT NULL,
  expires_at_ms INTEGER,
  set_at_ms INTEGER NOT NULL,
  PRIMARY KEY (data_type, year)
) STRICT, WITHOUT ROWID;
