-- Ends that were stored before instants were bounded to the years 2000 to 9999: they meant "never", and no RFC 3339
-- text can show them. 253402271999999 is the last millisecond of the year 9999 in Beijing.

UPDATE subscriptions SET end_ms = max(start_ms + 1, 253402271999999) WHERE end_ms > 253402271999999;
UPDATE api_keys SET expires_at_ms = 253402271999999 WHERE expires_at_ms > 253402271999999;
UPDATE external_shares SET expires_at_ms = 253402271999999 WHERE expires_at_ms > 253402271999999;
