-- A belief is found by its key, of which the primary key's index knows every run: an expectation is in one index of
-- those columns instead of two. That only one belief of a key stands is what reconciles see to, which the ledger's check
-- looks after.

-- +goose Up

DROP INDEX expectation_standing;

-- The last two columns are never looked for: with them the index answers alone.
DROP INDEX expectation_open;
CREATE INDEX expectation_open ON expectation (account, sale_day, rest, next_on, class, ended_run)
  WHERE ended_run IS NULL AND (class = 'open' OR class = 'blocked');

-- +goose Down

CREATE UNIQUE INDEX expectation_standing ON expectation (account, sale_day, nsu, auth, number, occurrence)
  WHERE ended_run IS NULL;

DROP INDEX expectation_open;
CREATE INDEX expectation_open ON expectation (account, sale_day, rest, next_on)
  WHERE ended_run IS NULL AND (class = 'open' OR class = 'blocked');
