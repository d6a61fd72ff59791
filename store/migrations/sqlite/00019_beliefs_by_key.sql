-- A belief is its key's: kept in the key's own index, an expectation is written once instead of in a table and in two
-- indexes of the same columns, and what is read in order of key is read where it stands. That only one belief of a key
-- stands is what reconciles see to, which the ledger's check looks after.
-- Columns as in the doc.go of package store.

-- +goose Up

CREATE TABLE expectation_by_key (
  account           INTEGER NOT NULL,
  sale_day          INTEGER NOT NULL,
  nsu               TEXT    NOT NULL,
  auth              TEXT    NOT NULL,
  number            INTEGER NOT NULL,
  occurrence        INTEGER NOT NULL,
  run               TEXT    NOT NULL,
  ended_run         TEXT,
  content           BLOB    NOT NULL,
  version           INTEGER NOT NULL,
  inputs            TEXT    NOT NULL,
  class             TEXT    NOT NULL,
  unmapped          INTEGER NOT NULL,
  brand             TEXT    NOT NULL,
  product           TEXT    NOT NULL,
  band              TEXT    NOT NULL,
  net               INTEGER NOT NULL,
  net_contract      INTEGER NOT NULL,
  gross_cents       INTEGER NOT NULL,
  received          INTEGER NOT NULL,
  contract_line     TEXT    NOT NULL,
  contract_mdr_rate INTEGER,
  expected_date     INTEGER,
  days_late         INTEGER,
  days_anticipated  INTEGER,
  rest              TEXT    NOT NULL,
  brackets          TEXT    NOT NULL,
  verdict           TEXT    NOT NULL,
  codes             TEXT    NOT NULL,
  impact            INTEGER,
  splits            TEXT    NOT NULL,
  next_on           INTEGER,
  contribution      TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, run)
) STRICT, WITHOUT ROWID;

INSERT INTO expectation_by_key
SELECT *
FROM expectation
ORDER BY account, sale_day, nsu, auth, number, occurrence, run;

DROP TABLE expectation;

-- Views name the table that is not there between the two: the old way of renaming leaves them as they are.
PRAGMA legacy_alter_table = ON;
ALTER TABLE expectation_by_key RENAME TO expectation;
PRAGMA legacy_alter_table = OFF;

CREATE INDEX expectation_next ON expectation (account, next_on) WHERE ended_run IS NULL AND next_on IS NOT NULL;
-- The last two columns are never looked for: with them the index answers alone, and is taken before the key's.
CREATE INDEX expectation_open ON expectation (account, sale_day, rest, next_on, class, ended_run)
  WHERE ended_run IS NULL AND (class = 'open' OR class = 'blocked');

-- +goose Down

CREATE TABLE expectation_by_row (
  account           INTEGER NOT NULL,
  sale_day          INTEGER NOT NULL,
  nsu               TEXT    NOT NULL,
  auth              TEXT    NOT NULL,
  number            INTEGER NOT NULL,
  occurrence        INTEGER NOT NULL,
  run               TEXT    NOT NULL,
  ended_run         TEXT,
  content           BLOB    NOT NULL,
  version           INTEGER NOT NULL,
  inputs            TEXT    NOT NULL,
  class             TEXT    NOT NULL,
  unmapped          INTEGER NOT NULL,
  brand             TEXT    NOT NULL,
  product           TEXT    NOT NULL,
  band              TEXT    NOT NULL,
  net               INTEGER NOT NULL,
  net_contract      INTEGER NOT NULL,
  gross_cents       INTEGER NOT NULL,
  received          INTEGER NOT NULL,
  contract_line     TEXT    NOT NULL,
  contract_mdr_rate INTEGER,
  expected_date     INTEGER,
  days_late         INTEGER,
  days_anticipated  INTEGER,
  rest              TEXT    NOT NULL,
  brackets          TEXT    NOT NULL,
  verdict           TEXT    NOT NULL,
  codes             TEXT    NOT NULL,
  impact            INTEGER,
  splits            TEXT    NOT NULL,
  next_on           INTEGER,
  contribution      TEXT    NOT NULL DEFAULT '',
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, run)
) STRICT;

INSERT INTO expectation_by_row
SELECT *
FROM expectation
ORDER BY account, sale_day, nsu, auth, number, occurrence, run;

DROP TABLE expectation;

PRAGMA legacy_alter_table = ON;
ALTER TABLE expectation_by_row RENAME TO expectation;
PRAGMA legacy_alter_table = OFF;

CREATE UNIQUE INDEX expectation_standing ON expectation (account, sale_day, nsu, auth, number, occurrence)
  WHERE ended_run IS NULL;
CREATE INDEX expectation_next ON expectation (account, next_on) WHERE ended_run IS NULL AND next_on IS NOT NULL;
CREATE INDEX expectation_open ON expectation (account, sale_day, rest, next_on)
  WHERE ended_run IS NULL AND (class = 'open' OR class = 'blocked');
