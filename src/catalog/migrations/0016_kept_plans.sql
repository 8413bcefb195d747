-- Subscriptions that an operator changed stay so when a backup of before is restored. The table is empty outside of a
-- restore's transaction.
DROP TABLE revoked_over;
CREATE TABLE revoked_over (
  kind TEXT NOT NULL CHECK (
    kind IN ('token', 'account', 'owner', 'key', 'key_end', 'share', 'external', 'plans')),
  -- The row's primary key.
  id TEXT NOT NULL,
  -- What people call it.
  subject TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  -- The whole row, as JSON in the order of the backup's columns; of plans the account's
  -- [plan, start, end]; an empty list where only its end is kept.
  row TEXT NOT NULL CHECK (json_valid(row)),
  came_back INTEGER NOT NULL DEFAULT 0 CHECK (came_back IN (0, 1)),
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
