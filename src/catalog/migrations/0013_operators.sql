-- What an operator's token opens. Tokens that were made before scopes opened everything.
ALTER TABLE admin_tokens ADD COLUMN scope TEXT NOT NULL DEFAULT 'admin' CHECK (scope IN ('read', 'publish', 'admin'));

-- What kind of actor made a change: until now only the beginning of the name told, and operators choose the names of
-- their tokens. `bootstrap` is the bearer of ADMIN_TOKEN, `account` a customer in the console.
ALTER TABLE audit ADD COLUMN actor_kind TEXT NOT NULL DEFAULT 'operator' CHECK (actor_kind IN ('bootstrap', 'operator', 'account', 'service'));

UPDATE audit SET actor_kind = 'bootstrap' WHERE actor = 'ADMIN_TOKEN';
UPDATE audit SET actor_kind = 'service' WHERE actor = 'service';
-- An operator's token could be called so as well, and then no customer is meant.
UPDATE audit SET actor_kind = 'account', actor = substr(actor, 9) WHERE actor LIKE 'account %' AND substr(actor, 9) IN (SELECT account_id FROM accounts) AND actor NOT IN (SELECT name FROM admin_tokens);
