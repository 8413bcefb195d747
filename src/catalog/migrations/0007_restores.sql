-- A backup on its way back. Its rows wait here until one transaction puts them in the place of what is there,
-- so a restore that stops anywhere has changed nothing, and the same restore goes on where it stopped.

CREATE TABLE restores (
  -- SHA-256 of the backup.
  restore_id TEXT PRIMARY KEY CHECK (length(restore_id) = 64),
  state TEXT NOT NULL CHECK (state IN ('open', 'done')),
  -- Added to the ids of uploads, packs and files: index rows of restored packs are loaded beside the present ones.
  id_shift INTEGER NOT NULL,
  chunks INTEGER NOT NULL,
  -- The backup's tables with their columns, as JSON.
  tables TEXT NOT NULL CHECK (json_valid(tables)),
  begun_at_ms INTEGER NOT NULL,
  done_at_ms INTEGER
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX restores_open ON restores (state) WHERE state = 'open';

CREATE TABLE restore_chunks (
  restore_id TEXT NOT NULL,
  n INTEGER NOT NULL,
  table_name TEXT NOT NULL,
  -- Arrays of values, in the order of the backup's columns.
  rows TEXT NOT NULL CHECK (json_valid(rows)),
  PRIMARY KEY (restore_id, n)
) STRICT, WITHOUT ROWID;

-- Packs and files of the backup (its own ids) whose objects lie in R2, whole, with the etag they have there.
CREATE TABLE restore_objects (
  restore_id TEXT NOT NULL,
  object_id INTEGER NOT NULL,
  etag TEXT NOT NULL,
  PRIMARY KEY (restore_id, object_id)
) STRICT, WITHOUT ROWID;
