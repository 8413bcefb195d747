-- Run this after the current worker is deployed again. It restores what to_0016.sql put aside.
DROP INDEX order_days_without_dataset;
INSERT INTO order_days SELECT * FROM aside_days;
DROP TABLE aside_days;
UPDATE day_revisions SET tradedate = substr(tradedate, 2) WHERE tradedate LIKE '-%';
INSERT INTO day_changes SELECT * FROM aside_changes;
DROP TABLE aside_changes;
