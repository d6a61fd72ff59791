-- What a reconcile needs to look at no more than what moved. Columns as in the doc.go of package store.

-- +goose Up

-- next_on: the first as-of at which time alone may change what is believed; NULL is never. contribution: what the row
-- adds to the populations below, beside what its brackets say.
ALTER TABLE expectation ADD COLUMN next_on INTEGER;
ALTER TABLE expectation ADD COLUMN contribution TEXT NOT NULL DEFAULT '';
ALTER TABLE slip_expectation ADD COLUMN next_on INTEGER;
ALTER TABLE slip_expectation ADD COLUMN contribution TEXT NOT NULL DEFAULT '';

CREATE INDEX expectation_next ON expectation (account, next_on) WHERE ended_run IS NULL AND next_on IS NOT NULL;

-- number counts the reconciles of an account from 1; 0 is one of before they were counted. inputs and shadow are what
-- it rested on: the hash of documents and settings, and the rules that were not believed.
ALTER TABLE reconciled ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reconciled ADD COLUMN as_of  INTEGER;
ALTER TABLE reconciled ADD COLUMN inputs TEXT NOT NULL DEFAULT '';
ALTER TABLE reconciled ADD COLUMN shadow TEXT NOT NULL DEFAULT '';

UPDATE reconciled SET as_of = (SELECT run.as_of FROM run WHERE run.id = reconciled.run);

-- The run whose reconcile was the first to know what the pull brought, or of the notification's installment; NULL: none.
ALTER TABLE pull ADD COLUMN judged TEXT;
ALTER TABLE notification ADD COLUMN judged TEXT;

CREATE INDEX pull_judged ON pull (account, judged);
CREATE INDEX notification_judged ON notification (account, judged);

-- What complete answers no longer show: looked at every night, and seldom much.
CREATE INDEX installment_vanished ON installment (account, sale_day) WHERE vanished = 1;
CREATE INDEX slip_vanished ON slip (account, id) WHERE vanished = 1;

-- A sum stands from run until ended_run. A cell that came to nothing has no row.
ALTER TABLE bridge ADD COLUMN ended_run TEXT;
ALTER TABLE rounding ADD COLUMN ended_run TEXT;

UPDATE bridge SET ended_run = (
  SELECT MIN(r.run) FROM reconciled AS r WHERE r.account = bridge.account AND r.run > bridge.run);
UPDATE rounding SET ended_run = (
  SELECT MIN(r.run) FROM reconciled AS r WHERE r.account = rounding.account AND r.run > rounding.run);

CREATE INDEX bridge_standing ON bridge (account, side, day) WHERE ended_run IS NULL;
CREATE INDEX rounding_standing ON rounding (account) WHERE ended_run IS NULL;

-- What rules over many rows read: kind says what is counted, item of what. amount and other are money where the kind
-- has any.
CREATE TABLE population (
  account   INTEGER NOT NULL,
  kind      TEXT    NOT NULL,
  item      TEXT    NOT NULL,
  run       TEXT    NOT NULL,
  ended_run TEXT,
  members   INTEGER NOT NULL,
  amount    INTEGER NOT NULL,
  other     INTEGER NOT NULL,
  PRIMARY KEY (account, kind, item, run)
) STRICT;

CREATE INDEX population_standing ON population (account) WHERE ended_run IS NULL;

-- Gross of open installments by sale day: opening, what moved it since the reconcile before, by movement, and closing.
CREATE TABLE continuity (
  account      INTEGER NOT NULL,
  run          TEXT    NOT NULL,
  day          INTEGER NOT NULL,
  brand        TEXT    NOT NULL,
  product      TEXT    NOT NULL,
  ended_run    TEXT,
  opening      INTEGER NOT NULL,
  started      INTEGER NOT NULL,
  added        INTEGER NOT NULL,
  unblocked    INTEGER NOT NULL,
  reversed     INTEGER NOT NULL,
  reappeared   INTEGER NOT NULL,
  restated     INTEGER NOT NULL,
  reclassified INTEGER NOT NULL,
  received     INTEGER NOT NULL,
  anticipated  INTEGER NOT NULL,
  cancelled    INTEGER NOT NULL,
  charged_back INTEGER NOT NULL,
  blocked      INTEGER NOT NULL,
  vanished     INTEGER NOT NULL,
  closing      INTEGER NOT NULL,
  PRIMARY KEY (account, run, day, brand, product)
) STRICT;

CREATE INDEX continuity_standing ON continuity (account, day) WHERE ended_run IS NULL;
