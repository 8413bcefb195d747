-- Decisions that later uploads, jobs and restores must respect: content that an operator withdrew, packs that a
-- reader found damaged.

-- Content that an operator withdrew, until an operator serves this very content again. `target` is `orders/<date>`
-- or `<data type>/<date>/<name>`; `content` is the build id of a pack (the same rows have the same one), the SHA-256
-- of a file. While `standing`, nothing of the target is served: other content needs the operator's --force.
CREATE TABLE withdrawals (
  target TEXT NOT NULL,
  content TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  note TEXT NOT NULL,
  standing INTEGER NOT NULL CHECK (standing IN (0, 1)),
  PRIMARY KEY (target, content)
) STRICT, WITHOUT ROWID;

-- Objects with a block that failed its checksum. An object is never overwritten, so its damage is for good.
CREATE TABLE damaged_packs (
  object_key TEXT PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  note TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- When a publisher began to store a part: of two who send the same part at once, one stores it.
ALTER TABLE upload_parts ADD COLUMN claimed_at_ms INTEGER NOT NULL DEFAULT 0;

-- What was withdrawn before: content that was not served again since, by the audit.
INSERT OR REPLACE INTO withdrawals (target, content, revision, at_ms, actor, note, standing)
  SELECT 'orders/' || a.subject, p.build_id, r.revision, a.at_ms, a.actor, coalesce(a.after ->> 'note', ''), 0
  FROM audit a
  JOIN day_revisions r ON r.tradedate = a.subject AND r.revision = a.after ->> 'revision'
  JOIN day_packs p ON p.pack_id = r.pack_id
  WHERE a.action = 'day.withdraw' AND NOT EXISTS (
    SELECT 1 FROM day_revisions l JOIN day_packs q ON q.pack_id = l.pack_id
    WHERE l.tradedate = r.tradedate AND l.revision > r.revision AND q.build_id = p.build_id)
  ORDER BY a.audit_id;

INSERT INTO withdrawals (target, content, revision, at_ms, actor, note, standing)
  SELECT 'orders/' || d.tradedate, p.build_id, d.revision, r.published_at_ms, 'service', d.state_note, 1
  FROM order_days d
  JOIN day_packs p ON p.pack_id = d.pack_id
  JOIN day_revisions r ON r.tradedate = d.tradedate AND r.revision = d.revision
  WHERE d.state = 'withdrawn'
  ON CONFLICT (target, content) DO UPDATE SET standing = 1;

INSERT OR IGNORE INTO withdrawals (target, content, revision, at_ms, actor, note, standing)
  SELECT f.data_type || '/' || f.tradedate || '/' || f.name, f.sha256, f.revision,
    coalesce(a.at_ms, f.published_at_ms, f.uploaded_at_ms), coalesce(a.actor, 'service'), f.state_note,
    NOT EXISTS (SELECT 1 FROM day_files o WHERE o.data_type = f.data_type AND o.tradedate = f.tradedate
      AND o.name = f.name AND o.state = 'published' AND o.replaced_at_ms IS NULL)
  FROM day_files f
  LEFT JOIN audit a ON a.audit_id = (SELECT max(audit_id) FROM audit
    WHERE action = 'file.withdraw' AND subject = f.data_type || '/' || f.tradedate || '/' || f.name
      AND after ->> 'revision' = f.revision)
  WHERE f.state = 'withdrawn' AND f.replaced_at_ms IS NULL AND f.state_note <> 'its object was not there at the restore';

INSERT OR IGNORE INTO damaged_packs (object_key, at_ms, note)
  SELECT p.object_key, c.at_ms, 'found damaged while it was served'
  FROM day_changes c
  JOIN day_revisions r ON r.tradedate = c.tradedate AND r.revision = c.revision
  JOIN day_packs p ON p.pack_id = r.pack_id
  WHERE c.kind = 'damaged' AND NOT EXISTS (
    SELECT 1 FROM day_revisions l WHERE l.tradedate = r.tradedate AND l.revision > r.revision AND l.pack_id = r.pack_id);

INSERT OR REPLACE INTO damaged_packs (object_key, at_ms, note)
  SELECT p.object_key, r.published_at_ms, d.state_note
  FROM order_days d
  JOIN day_packs p ON p.pack_id = d.pack_id
  JOIN day_revisions r ON r.tradedate = d.tradedate AND r.revision = d.revision
  WHERE d.state = 'damaged';
