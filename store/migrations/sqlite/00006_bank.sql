-- What the bank says: statements, their lines, and which days they prove.
--
-- Money is in ten-thousandths of a real, days are Rata Die numbers, local times ticks of 100 ns since 0001-01-01, instants
-- microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''. A bank account's rows are
-- those of its home, the first of its accounts when it was first seen.

-- +goose Up

CREATE TABLE bank_account (
  account    INTEGER NOT NULL,            -- home
  bank       TEXT    NOT NULL,            -- id in the configuration
  first_file BLOB    NOT NULL,
  PRIMARY KEY (account, bank)
) STRICT;

-- A statement taken in.
CREATE TABLE bank_file (
  account      INTEGER NOT NULL,
  bank         TEXT    NOT NULL,
  file         BLOB    NOT NULL,          -- SHA-256 of the bytes; of a further statement of the account in them, of that and its number
  name         TEXT    NOT NULL,          -- without folder
  format       TEXT    NOT NULL,          -- ofx, cnab240, csv or jsonl
  from_day     INTEGER NOT NULL,          -- window
  to_day       INTEGER NOT NULL,
  stated       INTEGER NOT NULL,          -- the file states the window
  made         INTEGER NOT NULL,          -- local time
  as_of        INTEGER NOT NULL,
  rows_seen    INTEGER NOT NULL,          -- movements, announced ones too
  scheduled    INTEGER NOT NULL,          -- of them announced
  credits      INTEGER NOT NULL,
  debits       INTEGER NOT NULL,
  balance_rows INTEGER NOT NULL,
  blocked      INTEGER NOT NULL,
  passed_over  INTEGER NOT NULL,          -- statements of other accounts in the bytes
  notes        TEXT    NOT NULL,          -- ids, by comma
  bytes        TEXT    NOT NULL,          -- SHA-256 of the bytes that the statement is in, hex: their body
  actor        TEXT    NOT NULL,
  taken        INTEGER NOT NULL,          -- instant
  judged       TEXT,                      -- run whose conclusion was the first to know it, NULL before
  PRIMARY KEY (account, bank, file)
) STRICT;

-- What a file says of a day; the lines of the day are computed from all of them.
CREATE TABLE bank_file_day (
  account INTEGER NOT NULL,
  bank    TEXT    NOT NULL,
  day     INTEGER NOT NULL,
  file    BLOB    NOT NULL,
  whole   INTEGER NOT NULL,               -- the file has every line of the day
  body    BLOB    NOT NULL,               -- its rows in canonical order
  PRIMARY KEY (account, bank, day, file)
) STRICT;

CREATE TABLE bank_line (
  account    INTEGER NOT NULL,
  bank       TEXT    NOT NULL,
  day        INTEGER NOT NULL,
  amount     INTEGER NOT NULL,            -- credits positive
  text_hash  BLOB    NOT NULL,            -- of the text under which it was first kept
  occurrence INTEGER NOT NULL,            -- 1 for the first of equal ones
  version    INTEGER NOT NULL,
  text       TEXT    NOT NULL,
  original   BLOB,                       -- SHA-256 of the text as read, where a payer was forgotten in it; NULL: text is as read
  document   TEXT    NOT NULL,
  category   TEXT    NOT NULL,
  first_file BLOB    NOT NULL,
  ended_file BLOB,                        -- NULL: current
  vanished   INTEGER NOT NULL,
  scheduled  INTEGER NOT NULL,            -- announced, not booked
  PRIMARY KEY (account, bank, day, amount, text_hash, occurrence, version)
) STRICT;

-- Few, and read every night.
CREATE INDEX bank_line_vanished ON bank_line (account, bank, day) WHERE vanished = 1 AND ended_file IS NULL;
CREATE INDEX bank_line_scheduled ON bank_line (account, bank) WHERE scheduled = 1 AND vanished = 0 AND ended_file IS NULL;

-- A stated balance: one row for each day that it may be the closing of.
CREATE TABLE bank_balance (
  account INTEGER NOT NULL,
  bank    TEXT    NOT NULL,
  day     INTEGER NOT NULL,
  file    BLOB    NOT NULL,
  choice  INTEGER NOT NULL,               -- number of the balance in the file
  reading INTEGER NOT NULL,               -- 0 is the likeliest day
  amount  INTEGER NOT NULL,
  PRIMARY KEY (account, bank, day, file, choice, reading)
) STRICT;

-- Derived from the tables above with every file.
CREATE TABLE bank_day (
  account  INTEGER NOT NULL,
  bank     TEXT    NOT NULL,
  day      INTEGER NOT NULL,
  state    TEXT    NOT NULL,              -- proven, covered, broken, partial or missing
  lines    INTEGER NOT NULL,
  credits  INTEGER NOT NULL,
  debits   INTEGER NOT NULL,
  balance  INTEGER,
  residual INTEGER,
  file     BLOB,
  PRIMARY KEY (account, bank, day)
) STRICT;

-- What runs concluded of a bank account. Rows of these tables are current from run until ended_run, NULL while current.

-- What the service says it paid held against what came: a match, or a group or line that is left.
CREATE TABLE bank_deposit (
  account       INTEGER NOT NULL,
  bank          TEXT    NOT NULL,
  name          TEXT    NOT NULL,         -- the match, or the subject of what is left
  run           TEXT    NOT NULL,
  ended_run     TEXT,
  payer         TEXT    NOT NULL,
  day           INTEGER NOT NULL,         -- booking day of the first line, else bank day of the group
  credit_day    INTEGER,
  parts         TEXT    NOT NULL,         -- ACCOUNT/BRAND/PRODUCT, by |
  items         INTEGER NOT NULL,
  expected      INTEGER,
  debits        INTEGER NOT NULL,
  declared      INTEGER NOT NULL,         -- of the debits, but tariffs of slips
  splits        INTEGER NOT NULL,         -- what left of its groups before the credit
  credited      INTEGER,
  lines         INTEGER NOT NULL,
  text          TEXT    NOT NULL,         -- of the first line, documents of persons masked
  status        TEXT    NOT NULL,
  shift_days    INTEGER,
  pass          INTEGER,
  matched_as    TEXT    NOT NULL,         -- empty: nothing is matched
  subject       TEXT    NOT NULL,
  reason        TEXT    NOT NULL,         -- id of the text that says where to look
  reason_names  TEXT    NOT NULL,
  reason_amount INTEGER NOT NULL,
  codes         TEXT    NOT NULL,         -- of its cases, by |
  impact        INTEGER,
  closed_day    INTEGER,                 -- day of which all came that day, NULL: nights look at it still
  PRIMARY KEY (account, bank, name, run)
) STRICT;

-- The groups, lines and debits of deposits: each in one at a time.
CREATE TABLE bank_deposit_part (
  account   INTEGER NOT NULL,
  bank      TEXT    NOT NULL,
  part      TEXT    NOT NULL,             -- subject; of a debit its key
  run       TEXT    NOT NULL,
  ended_run TEXT,
  deposit   TEXT    NOT NULL,             -- its name
  kind      TEXT    NOT NULL,             -- group, line or debit
  bank_day  INTEGER,             -- none of debits
  amount    INTEGER NOT NULL,
  closed_day INTEGER,             -- of its deposit
  PRIMARY KEY (account, bank, part, run)
) STRICT;

CREATE UNIQUE INDEX bank_deposit_part_standing ON bank_deposit_part (account, bank, part) WHERE ended_run IS NULL;
CREATE INDEX bank_deposit_closed ON bank_deposit (account, bank, closed_day) WHERE ended_run IS NULL;
CREATE INDEX bank_deposit_part_closed ON bank_deposit_part (account, bank, closed_day) WHERE ended_run IS NULL;

-- What came of what the service says it credited on a day, summed as summaries show it.
CREATE TABLE bank_credit (
  account    INTEGER NOT NULL,
  bank       TEXT    NOT NULL,
  of_account INTEGER NOT NULL,
  day        INTEGER NOT NULL,            -- of the credit
  side       TEXT    NOT NULL,            -- cards or slips
  brand      TEXT    NOT NULL,            -- this and the next two as the rows' expectations have them; empty for slips
  product    TEXT    NOT NULL,
  band       TEXT    NOT NULL,
  class      TEXT    NOT NULL,
  run        TEXT    NOT NULL,
  ended_run  TEXT,
  items      INTEGER NOT NULL,
  expected   INTEGER NOT NULL,            -- should have come
  credited   INTEGER NOT NULL,            -- came
  PRIMARY KEY (account, bank, of_account, day, side, brand, product, band, class, run)
) STRICT;

CREATE INDEX bank_credit_day ON bank_credit (of_account, day);

-- Sides of accounts of the service that are paid into a bank account.
CREATE TABLE bank_paid (
  account    INTEGER NOT NULL,
  bank       TEXT    NOT NULL,
  of_account INTEGER NOT NULL,
  side       TEXT    NOT NULL,            -- cards or slips
  run        TEXT    NOT NULL,
  ended_run  TEXT,
  since      INTEGER,                     -- first day that is answered for; NULL: no day is settled
  PRIMARY KEY (account, bank, of_account, side, run)
) STRICT;

-- What the service took back of installments once credited: later days may come less by it.
CREATE TABLE bank_taken_back (
  account    INTEGER NOT NULL,
  bank       TEXT    NOT NULL,
  payer      TEXT    NOT NULL,
  subject    TEXT    NOT NULL,            -- of the installment
  run        TEXT    NOT NULL,
  ended_run  TEXT,
  of_account INTEGER NOT NULL,
  amount     INTEGER NOT NULL,
  day        INTEGER NOT NULL,            -- on which the installment was credited
  from_day   INTEGER NOT NULL,            -- days on which it may come
  to_day     INTEGER NOT NULL,
  PRIMARY KEY (account, bank, payer, subject, run)
) STRICT;

-- What the last conclusion was drawn from: the next looks again at what moved since.
CREATE TABLE bank_basis (
  account  INTEGER NOT NULL,
  bank     TEXT    NOT NULL,
  run      TEXT    NOT NULL,
  as_of    INTEGER NOT NULL,
  from_day INTEGER NOT NULL,
  to_day   INTEGER NOT NULL,
  terms    TEXT    NOT NULL,            -- digest of the configuration and documents
  PRIMARY KEY (account, bank)
) STRICT;

CREATE TABLE bank_bridge (
  account   INTEGER NOT NULL,
  bank      TEXT    NOT NULL,
  month     INTEGER NOT NULL,             -- its first day
  line      TEXT    NOT NULL,             -- received and booked are its ends
  run       TEXT    NOT NULL,
  ended_run TEXT,
  amount    INTEGER NOT NULL,
  PRIMARY KEY (account, bank, month, line, run)
) STRICT;

-- bank_day as runs found it.
CREATE TABLE bank_seen_day (
  account   INTEGER NOT NULL,
  bank      TEXT    NOT NULL,
  day       INTEGER NOT NULL,
  run       TEXT    NOT NULL,
  ended_run TEXT,
  state     TEXT    NOT NULL,
  lines     INTEGER NOT NULL,
  other     INTEGER NOT NULL,             -- lines of no payer
  credits   INTEGER NOT NULL,
  debits    INTEGER NOT NULL,
  balance   INTEGER,
  residual  INTEGER,
  file      TEXT    NOT NULL,             -- first 16 hex digits; empty: none
  PRIMARY KEY (account, bank, day, run)
) STRICT;

CREATE TABLE bank_standing (
  account   INTEGER NOT NULL,
  bank      TEXT    NOT NULL,
  run       TEXT    NOT NULL,
  ended_run TEXT,
  verdict   TEXT    NOT NULL,
  frontier  INTEGER,             -- none: no day is settled
  voided    INTEGER NOT NULL,         -- matches of people that no longer hold
  early     INTEGER NOT NULL,         -- credited before the first day that is answered for
  undated   INTEGER NOT NULL,         -- paid without a day
  scheduled INTEGER NOT NULL,         -- lines that statements announce
  readings  TEXT    NOT NULL,         -- how its payers pay, as it was read
  PRIMARY KEY (account, bank, run)
) STRICT;

-- For people: what the last run concluded. Lines of no payer and their texts are in no view.
-- Lines of payers.
CREATE VIEW v_bank_line AS
SELECT
  p.account,
  p.bank,
  d.payer,
  p.part AS subject,
  date('0001-01-01', (p.bank_day - 1) || ' days') AS bank_day,
  CAST(p.amount / 10000.0 AS NUMERIC) AS amount,
  d.status,
  NULLIF(d.matched_as, '') AS matched_as
FROM bank_deposit_part AS p
JOIN bank_deposit AS d
  ON d.account = p.account AND d.bank = p.bank AND d.name = p.deposit AND d.ended_run IS NULL
WHERE p.ended_run IS NULL AND p.kind = 'line';

-- What the service says it paid.
CREATE VIEW v_bank_group AS
SELECT
  p.account,
  p.bank,
  d.payer,
  p.part AS subject,
  date('0001-01-01', (p.bank_day - 1) || ' days') AS bank_day,
  CAST(p.amount / 10000.0 AS NUMERIC) AS amount,
  d.status,
  NULLIF(d.matched_as, '') AS matched_as
FROM bank_deposit_part AS p
JOIN bank_deposit AS d
  ON d.account = p.account AND d.bank = p.bank AND d.name = p.deposit AND d.ended_run IS NULL
WHERE p.ended_run IS NULL AND p.kind = 'group';

-- Both sides of every match.
CREATE VIEW v_bank_match AS
SELECT
  d.account,
  d.bank,
  d.payer,
  d.matched_as,
  d.pass,
  date('0001-01-01', (d.day - 1) || ' days') AS bank_day,
  date('0001-01-01', (d.credit_day - 1) || ' days') AS credit_day,
  d.parts,
  d.items,
  CAST(d.expected / 10000.0 AS NUMERIC) AS expected,
  CAST(d.debits / 10000.0 AS NUMERIC) AS debits,
  CAST(d.credited / 10000.0 AS NUMERIC) AS credited,
  CAST((COALESCE(d.expected, 0) - d.debits - COALESCE(d.credited, 0)) / 10000.0 AS NUMERIC) AS difference,
  d.lines,
  d.shift_days,
  d.status,
  d.codes,
  CAST(d.impact / 10000.0 AS NUMERIC) AS impact,
  d.run
FROM bank_deposit AS d
WHERE d.ended_run IS NULL AND d.matched_as <> '';

-- The days of bank accounts, and what proves them.
CREATE VIEW v_bank_day AS
SELECT
  b.account,
  b.bank,
  date('0001-01-01', (b.day - 1) || ' days') AS day,
  b.state,
  b.lines,
  b.other,
  CAST(b.credits / 10000.0 AS NUMERIC) AS credits,
  CAST(b.debits / 10000.0 AS NUMERIC) AS debits,
  CAST(b.balance / 10000.0 AS NUMERIC) AS balance,
  CAST(b.residual / 10000.0 AS NUMERIC) AS residual,
  NULLIF(b.file, '') AS file,
  b.run
FROM bank_seen_day AS b
WHERE b.ended_run IS NULL;
