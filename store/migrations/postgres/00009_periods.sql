-- Periods that people closed, and what changed in them since. Columns as in the doc.go of package store.

-- +goose Up

-- A close of a period on a basis: the act that made it, the revision that stood and the run whose figures it shows.
-- acted is the last run that had reconciled the account by then. reopened is the act that ended it, NULL while it stands.
-- Everything in a row is said by its two acts, too: ledger check holds them against each other.
CREATE TABLE period_close (
  account     BIGINT NOT NULL,
  basis       TEXT COLLATE "C" NOT NULL,
  from_day    BIGINT NOT NULL,
  to_day      BIGINT NOT NULL,
  act         BIGINT NOT NULL,
  acted       TEXT COLLATE "C" NOT NULL,
  revision    BIGINT NOT NULL,
  run         TEXT COLLATE "C" NOT NULL,
  as_of       BIGINT NOT NULL,
  digest      TEXT COLLATE "C" NOT NULL,
  reopened    BIGINT,
  reopened_in TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, basis, from_day, act)
);

-- What a reconcile found changed of an item of a closed period since the reconcile before: act is that of the close.
-- fields is JSON: what the basis reports of the item, before and after. The amounts move the closed figures; those from
-- contract on are of cards alone. seen_on is the as-of of the run.
CREATE TABLE restatement (
  account  BIGINT NOT NULL,
  basis    TEXT COLLATE "C" NOT NULL,
  act      BIGINT NOT NULL,
  subject  TEXT COLLATE "C" NOT NULL,
  run      TEXT COLLATE "C" NOT NULL,
  seen_on  BIGINT NOT NULL,
  cause    TEXT COLLATE "C" NOT NULL,
  fields   TEXT COLLATE "C" NOT NULL,
  gross    BIGINT NOT NULL,
  net      BIGINT NOT NULL,
  received BIGINT NOT NULL,
  contract BIGINT NOT NULL,
  came     BIGINT NOT NULL,
  not_due  BIGINT NOT NULL,
  overdue  BIGINT NOT NULL,
  blocked  BIGINT NOT NULL,
  short_by BIGINT NOT NULL,
  over_by  BIGINT NOT NULL,
  PRIMARY KEY (account, basis, act, subject, run)
);

-- The reconciles whose changes of a closed period are in restatement.
CREATE TABLE restated (
  account BIGINT NOT NULL,
  basis   TEXT COLLATE "C" NOT NULL,
  act     BIGINT NOT NULL,
  run     TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, basis, act, run)
);
