-- Reports: what was published, under which numbers, and which periods are closed.
--
-- Money is in ten-thousandths of a real, rates in millionths, days are Rata Die numbers, local times ticks of 100 ns
-- since 0001-01-01, instants microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''.
-- The account leads every key.

-- +goose Up

-- Revisions of report sets. The account is a text: digits, or "all" for sets over every account.
CREATE TABLE report (
  account    TEXT    NOT NULL,
  basis      TEXT    NOT NULL,            -- operation, forecast, payment, credit, asof, ...
  from_day   INTEGER NOT NULL,            -- first day of the period
  to_day     INTEGER NOT NULL,            -- last day of the period
  filter     TEXT    NOT NULL,            -- canonical text, empty: none
  revision   INTEGER NOT NULL,            -- from 0
  run        TEXT    NOT NULL,
  as_of      INTEGER,                     -- of the run
  digest     TEXT    NOT NULL,            -- of the content
  tables     TEXT    NOT NULL,            -- JSON: counts and sums of each table
  files      TEXT    NOT NULL,            -- JSON array: names, sizes and hashes
  inputs     TEXT    NOT NULL DEFAULT '', -- JSON: what the content rests on besides rows and documents
  manifest   TEXT    NOT NULL DEFAULT '{}', -- JSON: name, size and hash of the manifest
  number     INTEGER NOT NULL DEFAULT 0,  -- of the publication, counted from 1 over all sets
  published  INTEGER NOT NULL DEFAULT 0,  -- instant
  removed_on INTEGER,                     -- day on which its files were removed from the archive
  retired_on INTEGER,                     -- as-of of the run that deleted its files
  state      TEXT    NOT NULL DEFAULT '', -- digest of what the content followed from when it was compared last
  PRIMARY KEY (account, basis, from_day, to_day, filter, revision)
) STRICT;

-- What the sale days of a set left in its last revision, for the next one to copy those that did not move. One row a set.
CREATE TABLE report_days (
  account  TEXT    NOT NULL,
  basis    TEXT    NOT NULL,
  from_day INTEGER NOT NULL,
  to_day   INTEGER NOT NULL,
  filter   TEXT    NOT NULL,
  revision INTEGER NOT NULL,
  days     BLOB    NOT NULL, -- compressed JSON
  PRIMARY KEY (account, basis, from_day, to_day, filter)
) STRICT;

-- Which target has a revision, and which is still to get it.
CREATE TABLE delivery (
  account   TEXT    NOT NULL,
  basis     TEXT    NOT NULL,
  from_day  INTEGER NOT NULL,
  to_day    INTEGER NOT NULL,
  filter    TEXT    NOT NULL,
  revision  INTEGER NOT NULL,
  place     TEXT    NOT NULL, -- the target, as it was configured
  number    INTEGER NOT NULL, -- of the publication: the order of deliveries
  delivered INTEGER, -- instant, NULL: it waits
  PRIMARY KEY (account, basis, from_day, to_day, filter, revision, place)
) STRICT;

-- The ledger's own id, and the archive that keeps its published files. One row.
CREATE TABLE archive (
  ledger      TEXT    NOT NULL PRIMARY KEY, -- id
  place       TEXT    NOT NULL, -- of the archive, empty: none was begun
  publication INTEGER NOT NULL  -- number of the last one
) STRICT;

-- The number that an installment or slip has in every EDI file.
CREATE TABLE title_number (
  account  INTEGER NOT NULL,
  subject  TEXT    NOT NULL,           -- installment or slip
  number   TEXT    NOT NULL,           -- as in the files
  tail     INTEGER NOT NULL,           -- last eleven digits, which some readers keep alone
  sequence INTEGER NOT NULL,           -- order of assignment
  PRIMARY KEY (account, sequence)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX title_number_tail ON title_number (account, tail);
CREATE UNIQUE INDEX title_number_subject ON title_number (account, subject);

-- The numbers of EDI files: a file that is written again keeps its number.
CREATE TABLE nsa (
  account   INTEGER NOT NULL,
  agreement TEXT    NOT NULL, -- with the bank
  number    INTEGER NOT NULL, -- from 1
  file      TEXT    NOT NULL, -- name
  PRIMARY KEY (account, agreement, number)
) STRICT;

CREATE UNIQUE INDEX nsa_file ON nsa (account, agreement, file);

-- Periods that people closed. Everything in a row also follows from its two acts, which ledger check compares.
CREATE TABLE period_close (
  account     INTEGER NOT NULL,
  basis       TEXT    NOT NULL, -- operation or credit
  from_day    INTEGER NOT NULL,
  to_day      INTEGER NOT NULL,
  act         INTEGER NOT NULL, -- that closed it
  acted       TEXT    NOT NULL, -- last run that had reconciled the account
  revision    INTEGER NOT NULL, -- that was current
  run         TEXT    NOT NULL, -- whose figures the revision shows
  as_of       INTEGER NOT NULL, -- of that run
  digest      TEXT    NOT NULL, -- of the revision
  reopened    INTEGER,          -- act that ended the close, NULL while closed
  reopened_in TEXT    NOT NULL, -- last run that had reconciled the account by then
  PRIMARY KEY (account, basis, from_day, act)
) STRICT;

-- Changes of items of a closed period, as each reconcile found them since the one before. The amounts are by how much the
-- closed figures change; those from contract on are for cards only.
CREATE TABLE restatement (
  account  INTEGER NOT NULL,
  basis    TEXT    NOT NULL,
  act      INTEGER NOT NULL, -- of the close
  subject  TEXT    NOT NULL, -- installment or slip
  run      TEXT    NOT NULL,
  seen_on  INTEGER NOT NULL, -- as-of of the run
  cause    TEXT    NOT NULL, -- restated, cancelled, vanished, ...
  fields   TEXT    NOT NULL, -- JSON array: reported members before and after
  gross    INTEGER NOT NULL,
  net      INTEGER NOT NULL,
  received INTEGER NOT NULL,
  contract INTEGER NOT NULL,
  came     INTEGER NOT NULL, -- received
  not_due  INTEGER NOT NULL,
  overdue  INTEGER NOT NULL,
  blocked  INTEGER NOT NULL,
  short_by INTEGER NOT NULL, -- received too little
  over_by  INTEGER NOT NULL, -- received too much
  PRIMARY KEY (account, basis, act, subject, run)
) STRICT;

-- The reconciles whose changes of a closed period are in restatement.
CREATE TABLE restated (
  account INTEGER NOT NULL,
  basis   TEXT    NOT NULL,
  act     INTEGER NOT NULL, -- of the close
  run     TEXT    NOT NULL,
  agenda  INTEGER NOT NULL, -- by what net_contract moved besides restatements: receipts
  PRIMARY KEY (account, basis, act, run)
) STRICT;
