-- One machinery uploads packs and files. `target` names what is being uploaded: `orders/<date>` or
-- `<data type>/<date>/<name>`. What only packs are asked for is in `claims`, as JSON.
DROP INDEX uploads_open;
DROP INDEX uploads_by_day;
ALTER TABLE uploads RENAME COLUMN pack_id TO object_id;
ALTER TABLE uploads RENAME COLUMN tradedate TO target;
ALTER TABLE uploads ADD COLUMN claims TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(claims));
UPDATE uploads SET target = 'orders/' || target, claims = json_object('buildId', build_id, 'rows', rows, 'securities', securities, 'degraded', json(iif(degraded, 'true', 'false')));
ALTER TABLE uploads DROP COLUMN build_id;
ALTER TABLE uploads DROP COLUMN rows;
ALTER TABLE uploads DROP COLUMN securities;
ALTER TABLE uploads DROP COLUMN degraded;

-- At most one upload of a target is open: of two publishers who begin at once, the database refuses one.
CREATE UNIQUE INDEX uploads_open ON uploads (target) WHERE state IN ('uploading', 'completing');
CREATE INDEX uploads_by_target ON uploads (target);

-- Numbers that an upload of a target can never get again, by whatever way they were given.
CREATE VIEW taken_revisions AS
SELECT 'orders/' || tradedate AS target, revision FROM day_revisions
UNION ALL SELECT data_type || '/' || tradedate || '/' || name, revision FROM day_files
UNION ALL SELECT target, revision FROM uploads WHERE state IN ('completing', 'abandoned');
