-- How key holders get into the console: a link that an operator makes, spent once, becomes a session. Only
-- hashes are kept; neither opens anything.

CREATE TABLE console_invites (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL,
  spent_at_ms INTEGER
) STRICT, WITHOUT ROWID;

-- A session that was signed out of is deleted.
CREATE TABLE console_sessions (
  sha256 TEXT PRIMARY KEY CHECK (length(sha256) = 64),
  account_id TEXT NOT NULL REFERENCES accounts (account_id),
  created_at_ms INTEGER NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
