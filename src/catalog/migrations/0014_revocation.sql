-- What was revoked or disabled stays so, also when a backup of before is restored.

-- The identity that the seals of a backup name; NULL where the operator restores one whose seals are not checked.
ALTER TABLE restores ADD COLUMN backup_id TEXT;
-- Whether the deployment held nothing: what was revoked since the backup is unknown then.
ALTER TABLE restores ADD COLUMN over_empty INTEGER NOT NULL DEFAULT 0 CHECK (over_empty IN (0, 1));
-- What the backup would have brought back and the restore did not, as JSON [{kind, subject, atMs}].
ALTER TABLE restores ADD COLUMN kept TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(kept));

-- The place of a sealed page: the key behind which it begins, and that of its end; NULL at the first and the last.
ALTER TABLE restore_chunks ADD COLUMN after_key TEXT;
ALTER TABLE restore_chunks ADD COLUMN next_key TEXT;

-- What was revoked, disabled, shortened or cleared when a restore put others in place. Empty outside of one.
CREATE TABLE revoked_over (
  kind TEXT NOT NULL CHECK (kind IN ('token', 'account', 'owner', 'key', 'key_end', 'share', 'external')),
  -- The row's primary key.
  id TEXT NOT NULL,
  -- What people call it.
  subject TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  -- The whole row, as JSON in the order of the backup's columns; an empty list where only its end is kept.
  row TEXT NOT NULL CHECK (json_valid(row)),
  came_back INTEGER NOT NULL DEFAULT 0 CHECK (came_back IN (0, 1)),
  PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;
