-- Periods that people closed, and what changed in them since. Columns as in the doc.go of package store.

-- +goose Up

-- A close of a period on a basis: the act that made it, the revision that stood and the run whose figures it shows.
-- acted is the last run that had reconciled the account by then. reopened is the act that ended it, NULL while it stands.
-- Everything in a row is said by its two acts, too: ledger check holds them against each other.
CREATE TABLE period_close (
  account     INTEGER NOT NULL,
  basis       TEXT    NOT NULL,
  from_day    INTEGER NOT NULL,
  to_day      INTEGER NOT NULL,
  act         INTEGER NOT NULL,
  acted       TEXT    NOT NULL,
  revision    INTEGER NOT NULL,
  run         TEXT    NOT NULL,
  as_of       INTEGER NOT NULL,
  digest      TEXT    NOT NULL,
  reopened    INTEGER,
  reopened_in TEXT    NOT NULL,
  PRIMARY KEY (account, basis, from_day, act)
) STRICT;

-- What a reconcile found changed of an item of a closed period since the reconcile before: act is that of the close.
-- fields is JSON: what the basis reports of the item, before and after. The amounts move the closed figures; those from
-- contract on are of cards alone. seen_on is the as-of of the run.
CREATE TABLE restatement (
  account  INTEGER NOT NULL,
  basis    TEXT    NOT NULL,
  act      INTEGER NOT NULL,
  subject  TEXT    NOT NULL,
  run      TEXT    NOT NULL,
  seen_on  INTEGER NOT NULL,
  cause    TEXT    NOT NULL,
  fields   TEXT    NOT NULL,
  gross    INTEGER NOT NULL,
  net      INTEGER NOT NULL,
  received INTEGER NOT NULL,
  contract INTEGER NOT NULL,
  came     INTEGER NOT NULL,
  not_due  INTEGER NOT NULL,
  overdue  INTEGER NOT NULL,
  blocked  INTEGER NOT NULL,
  short_by INTEGER NOT NULL,
  over_by  INTEGER NOT NULL,
  PRIMARY KEY (account, basis, act, subject, run)
) STRICT;

-- The reconciles whose changes of a closed period are in restatement.
CREATE TABLE restated (
  account INTEGER NOT NULL,
  basis   TEXT    NOT NULL,
  act     INTEGER NOT NULL,
  run     TEXT    NOT NULL,
  PRIMARY KEY (account, basis, act, run)
) STRICT;
