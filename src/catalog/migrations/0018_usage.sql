-- What each account was served on each Beijing day, for its holder and for billing. `service` is the interface of an
-- API request (`level2_order_history`) or the data type of a share's files (`auction_tick`). Totals of the day.
CREATE TABLE usage (
  day TEXT NOT NULL,
  account_id TEXT NOT NULL,
  service TEXT NOT NULL,
  -- Accepted requests, without what was credited; `files` are the whole files among them.
  requests INTEGER NOT NULL CHECK (requests >= 0),
  files INTEGER NOT NULL CHECK (files >= 0),
  -- Bytes of the answers' bodies that ended on the day.
  bytes INTEGER NOT NULL CHECK (bytes >= 0),
  PRIMARY KEY (day, account_id, service)
) STRICT, WITHOUT ROWID;
