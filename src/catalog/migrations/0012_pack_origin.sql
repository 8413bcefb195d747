-- Which builder made a pack, and one sum over the SHA-256 of the files that it read. NULL in packs that do not say:
-- they count as older than any version.
ALTER TABLE day_packs ADD COLUMN builder_version TEXT;
ALTER TABLE day_packs ADD COLUMN sources_sha256 TEXT;
