-- Reports: what was published, under which numbers, and which periods are closed.
--
-- Money is in ten-thousandths of a real, rates in millionths, days are Rata Die numbers, local times ticks of 100 ns
-- since 0001-01-01, instants microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''.
-- The account leads every key.

-- +goose Up

-- Revisions of report sets. The account is a text: digits, or "all" for sets over every account.
CREATE TABLE report (
  account    TEXT COLLATE "C" NOT NULL,
  basis      TEXT COLLATE "C" NOT NULL,            -- operation, forecast, payment, credit, asof, ...
  from_day   BIGINT           NOT NULL,            -- first day of the period
  to_day     BIGINT           NOT NULL,            -- last day of the period
  filter     TEXT COLLATE "C" NOT NULL,            -- canonical text, empty: none
  revision   BIGINT           NOT NULL,            -- from 0
  run        TEXT COLLATE "C" NOT NULL,
  as_of      BIGINT,                               -- of the run
  digest     TEXT COLLATE "C" NOT NULL,            -- of the content
  tables     TEXT COLLATE "C" NOT NULL,            -- JSON: counts and sums of each table
  files      TEXT COLLATE "C" NOT NULL,            -- JSON array: names, sizes and hashes
  inputs     TEXT COLLATE "C" NOT NULL DEFAULT '', -- JSON: what the content rests on besides rows and documents
  manifest   TEXT COLLATE "C" NOT NULL DEFAULT '{}', -- JSON: name, size and hash of the manifest
  number     BIGINT           NOT NULL DEFAULT 0,  -- of the publication, counted from 1 over all sets
  published  BIGINT           NOT NULL DEFAULT 0,  -- instant
  removed_on BIGINT,                               -- day on which its files were removed from the archive
  retired_on BIGINT,                               -- as-of of the run that deleted its files
  state      TEXT COLLATE "C" NOT NULL DEFAULT '', -- digest of what the content followed from when it was compared last
  PRIMARY KEY (account, basis, from_day, to_day, filter, revision)
);

-- What the sale days of a set left in its last revision, for the next one to copy those that did not move. One row a set.
CREATE TABLE report_days (
  account  TEXT COLLATE "C" NOT NULL,
  basis    TEXT COLLATE "C" NOT NULL,
  from_day BIGINT           NOT NULL,
  to_day   BIGINT           NOT NULL,
  filter   TEXT COLLATE "C" NOT NULL,
  revision BIGINT           NOT NULL,
  days     BYTEA            NOT NULL, -- compressed JSON
  PRIMARY KEY (account, basis, from_day, to_day, filter)
);

-- Which target has a revision, and which is still to get it.
CREATE TABLE delivery (
  account   TEXT COLLATE "C" NOT NULL,
  basis     TEXT COLLATE "C" NOT NULL,
  from_day  BIGINT           NOT NULL,
  to_day    BIGINT           NOT NULL,
  filter    TEXT COLLATE "C" NOT NULL,
  revision  BIGINT           NOT NULL,
  place     TEXT COLLATE "C" NOT NULL, -- the target, as it was configured
  number    BIGINT           NOT NULL, -- of the publication: the order of deliveries
  delivered BIGINT, -- instant, NULL: it waits
  PRIMARY KEY (account, basis, from_day, to_day, filter, revision, place)
);

-- The ledger's own id, and the archive that keeps its published files. One row.
CREATE TABLE archive (
  ledger      TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- id
  place       TEXT COLLATE "C" NOT NULL, -- of the archive, empty: none was begun
  publication BIGINT           NOT NULL  -- number of the last one
);

-- The number that an installment or slip has in every EDI file.
CREATE TABLE title_number (
  account  BIGINT           NOT NULL,
  subject  TEXT COLLATE "C" NOT NULL,           -- installment or slip
  number   TEXT COLLATE "C" NOT NULL,           -- as in the files
  tail     BIGINT           NOT NULL,           -- last eleven digits, which some readers keep alone
  sequence BIGINT           NOT NULL,           -- order of assignment
  PRIMARY KEY (account, sequence)
);

CREATE UNIQUE INDEX title_number_tail ON title_number (account, tail);
CREATE UNIQUE INDEX title_number_subject ON title_number (account, subject);

-- The numbers of EDI files: a file that is written again keeps its number.
CREATE TABLE nsa (
  account   BIGINT NOT NULL,
  agreement TEXT   NOT NULL, -- with the bank
  number    BIGINT NOT NULL, -- from 1
  file      TEXT   NOT NULL, -- name
  PRIMARY KEY (account, agreement, number)
);

CREATE UNIQUE INDEX nsa_file ON nsa (account, agreement, file);

-- Periods that people closed. Everything in a row also follows from its two acts, which ledger check compares.
CREATE TABLE period_close (
  account     BIGINT           NOT NULL,
  basis       TEXT COLLATE "C" NOT NULL, -- operation or credit
  from_day    BIGINT           NOT NULL,
  to_day      BIGINT           NOT NULL,
  act         BIGINT           NOT NULL, -- that closed it
  acted       TEXT COLLATE "C" NOT NULL, -- last run that had reconciled the account
  revision    BIGINT           NOT NULL, -- that was current
  run         TEXT COLLATE "C" NOT NULL, -- whose figures the revision shows
  as_of       BIGINT           NOT NULL, -- of that run
  digest      TEXT COLLATE "C" NOT NULL, -- of the revision
  reopened    BIGINT,                    -- act that ended the close, NULL while closed
  reopened_in TEXT COLLATE "C" NOT NULL, -- last run that had reconciled the account by then
  PRIMARY KEY (account, basis, from_day, act)
);

-- Changes of items of a closed period, as each reconcile found them since the one before. The amounts are by how much the
-- closed figures change; those from contract on are for cards only.
CREATE TABLE restatement (
  account  BIGINT           NOT NULL,
  basis    TEXT COLLATE "C" NOT NULL,
  act      BIGINT           NOT NULL, -- of the close
  subject  TEXT COLLATE "C" NOT NULL, -- installment or slip
  run      TEXT COLLATE "C" NOT NULL,
  seen_on  BIGINT           NOT NULL, -- as-of of the run
  cause    TEXT COLLATE "C" NOT NULL, -- restated, cancelled, vanished, ...
  fields   TEXT COLLATE "C" NOT NULL, -- JSON array: reported members before and after
  gross    BIGINT           NOT NULL,
  net      BIGINT           NOT NULL,
  received BIGINT           NOT NULL,
  contract BIGINT           NOT NULL,
  came     BIGINT           NOT NULL, -- received
  not_due  BIGINT           NOT NULL,
  overdue  BIGINT           NOT NULL,
  blocked  BIGINT           NOT NULL,
  short_by BIGINT           NOT NULL, -- received too little
  over_by  BIGINT           NOT NULL, -- received too much
  PRIMARY KEY (account, basis, act, subject, run)
);

-- The reconciles whose changes of a closed period are in restatement.
CREATE TABLE restated (
  account BIGINT           NOT NULL,
  basis   TEXT COLLATE "C" NOT NULL,
  act     BIGINT           NOT NULL, -- of the close
  run     TEXT COLLATE "C" NOT NULL,
  agenda  BIGINT           NOT NULL, -- by what net_contract moved besides restatements: receipts
  PRIMARY KEY (account, basis, act, run)
);
