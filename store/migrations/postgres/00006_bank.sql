-- What the bank says: statements, their lines, and which days they prove.
--
-- Money is in ten-thousandths of a real, days are Rata Die numbers, local times ticks of 100 ns since 0001-01-01, instants
-- microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''. A bank account's rows are
-- those of its home, the first of its accounts when it was first seen.

-- +goose Up

CREATE TABLE bank_account (
  account    BIGINT           NOT NULL,            -- home
  bank       TEXT COLLATE "C" NOT NULL,            -- id in the configuration
  first_file BYTEA            NOT NULL,
  PRIMARY KEY (account, bank)
);

-- A statement taken in.
CREATE TABLE bank_file (
  account      BIGINT           NOT NULL,
  bank         TEXT COLLATE "C" NOT NULL,
  file         BYTEA            NOT NULL,          -- SHA-256 of the bytes; of a further statement of the account in them, of that and its number
  name         TEXT COLLATE "C" NOT NULL,          -- without folder
  format       TEXT COLLATE "C" NOT NULL,          -- ofx, cnab240, csv or jsonl
  from_day     BIGINT           NOT NULL,          -- window
  to_day       BIGINT           NOT NULL,
  stated       BIGINT           NOT NULL,          -- the file states the window
  made         BIGINT           NOT NULL,          -- local time
  as_of        BIGINT           NOT NULL,
  rows_seen    BIGINT           NOT NULL,          -- movements, announced ones too
  scheduled    BIGINT           NOT NULL,          -- of them announced
  credits      BIGINT           NOT NULL,
  debits       BIGINT           NOT NULL,
  balance_rows BIGINT           NOT NULL,
  blocked      BIGINT           NOT NULL,
  passed_over  BIGINT           NOT NULL,          -- statements of other accounts in the bytes
  notes        TEXT COLLATE "C" NOT NULL,          -- ids, by comma
  bytes        TEXT COLLATE "C" NOT NULL,          -- SHA-256 of the bytes that the statement is in, hex: their body
  actor        TEXT COLLATE "C" NOT NULL,
  taken        BIGINT           NOT NULL,          -- instant
  judged       TEXT COLLATE "C",                 -- run whose conclusion was the first to know it, NULL before
  PRIMARY KEY (account, bank, file)
);

-- What a file says of a day; the lines of the day are computed from all of them.
CREATE TABLE bank_file_day (
  account BIGINT           NOT NULL,
  bank    TEXT COLLATE "C" NOT NULL,
  day     BIGINT           NOT NULL,
  file    BYTEA            NOT NULL,
  whole   BIGINT           NOT NULL,               -- the file has every line of the day
  body    BYTEA            NOT NULL,               -- its rows in canonical order
  PRIMARY KEY (account, bank, day, file)
);

CREATE TABLE bank_line (
  account    BIGINT           NOT NULL,
  bank       TEXT COLLATE "C" NOT NULL,
  day        BIGINT           NOT NULL,
  amount     BIGINT           NOT NULL,            -- credits positive
  text_hash  BYTEA            NOT NULL,            -- of the text under which it was first kept
  occurrence BIGINT           NOT NULL,            -- 1 for the first of equal ones
  version    BIGINT           NOT NULL,
  text       TEXT COLLATE "C" NOT NULL,
  original   BYTEA,                                -- SHA-256 of the text as read, where a payer was forgotten in it; NULL: text is as read
  document   TEXT COLLATE "C" NOT NULL,
  category   TEXT COLLATE "C" NOT NULL,
  first_file BYTEA            NOT NULL,
  ended_file BYTEA,                        -- NULL: current
  vanished   BIGINT           NOT NULL,
  scheduled  BIGINT           NOT NULL,            -- announced, not booked
  PRIMARY KEY (account, bank, day, amount, text_hash, occurrence, version)
);

-- Few, and read every night.
CREATE INDEX bank_line_vanished ON bank_line (account, bank, day) WHERE vanished = 1 AND ended_file IS NULL;
CREATE INDEX bank_line_scheduled ON bank_line (account, bank) WHERE scheduled = 1 AND vanished = 0 AND ended_file IS NULL;

-- A stated balance: one row for each day that it may be the closing of.
CREATE TABLE bank_balance (
  account BIGINT           NOT NULL,
  bank    TEXT COLLATE "C" NOT NULL,
  day     BIGINT           NOT NULL,
  file    BYTEA            NOT NULL,
  choice  BIGINT           NOT NULL,               -- number of the balance in the file
  reading BIGINT           NOT NULL,               -- 0 is the likeliest day
  amount  BIGINT           NOT NULL,
  PRIMARY KEY (account, bank, day, file, choice, reading)
);

-- Derived from the tables above with every file.
CREATE TABLE bank_day (
  account  BIGINT           NOT NULL,
  bank     TEXT COLLATE "C" NOT NULL,
  day      BIGINT           NOT NULL,
  state    TEXT COLLATE "C" NOT NULL,              -- proven, covered, broken, partial or missing
  lines    BIGINT           NOT NULL,
  credits  BIGINT           NOT NULL,
  debits   BIGINT           NOT NULL,
  balance  BIGINT          ,
  residual BIGINT          ,
  file     BYTEA,
  PRIMARY KEY (account, bank, day)
);

-- What runs concluded of a bank account. Rows of these tables are current from run until ended_run, NULL while current.

-- What the service says it paid held against what came: a match, or a group or line that is left.
CREATE TABLE bank_deposit (
  account       BIGINT           NOT NULL,
  bank          TEXT COLLATE "C" NOT NULL,
  name          TEXT COLLATE "C" NOT NULL,         -- the match, or the subject of what is left
  run           TEXT COLLATE "C" NOT NULL,
  ended_run     TEXT COLLATE "C",
  payer         TEXT COLLATE "C" NOT NULL,
  day           BIGINT           NOT NULL,         -- booking day of the first line, else bank day of the group
  credit_day    BIGINT,
  parts         TEXT COLLATE "C" NOT NULL,         -- ACCOUNT/BRAND/PRODUCT, by |
  items         BIGINT           NOT NULL,
  expected      BIGINT,
  debits        BIGINT           NOT NULL,
  declared      BIGINT           NOT NULL, -- of the debits, but tariffs of slips
  splits        BIGINT           NOT NULL, -- what left of its groups before the credit
  credited      BIGINT,
  lines         BIGINT           NOT NULL,
  text          TEXT COLLATE "C" NOT NULL,         -- of the first line, documents of persons masked
  status        TEXT COLLATE "C" NOT NULL,
  shift_days    BIGINT,
  pass          BIGINT,
  matched_as    TEXT COLLATE "C" NOT NULL,         -- empty: nothing is matched
  subject       TEXT COLLATE "C" NOT NULL,
  reason        TEXT COLLATE "C" NOT NULL,         -- id of the text that says where to look
  reason_names  TEXT COLLATE "C" NOT NULL,
  reason_amount BIGINT           NOT NULL,
  codes         TEXT COLLATE "C" NOT NULL,         -- of its cases, by |
  impact        BIGINT,
  closed_day    BIGINT,                          -- day of which all came that day, NULL: nights look at it still
  PRIMARY KEY (account, bank, name, run)
);

-- The groups, lines and debits of deposits: each in one at a time.
CREATE TABLE bank_deposit_part (
  account   BIGINT           NOT NULL,
  bank      TEXT COLLATE "C" NOT NULL,
  part      TEXT COLLATE "C" NOT NULL,             -- subject; of a debit its key
  run       TEXT COLLATE "C" NOT NULL,
  ended_run TEXT COLLATE "C",
  deposit   TEXT COLLATE "C" NOT NULL,             -- its name
  kind      TEXT COLLATE "C" NOT NULL,             -- group, line or debit
  bank_day  BIGINT,             -- none of debits
  amount    BIGINT           NOT NULL,
  closed_day BIGINT,             -- of its deposit
  PRIMARY KEY (account, bank, part, run)
);

CREATE UNIQUE INDEX bank_deposit_part_standing ON bank_deposit_part (account, bank, part) WHERE ended_run IS NULL;
CREATE INDEX bank_deposit_closed ON bank_deposit (account, bank, closed_day) WHERE ended_run IS NULL;
CREATE INDEX bank_deposit_part_closed ON bank_deposit_part (account, bank, closed_day) WHERE ended_run IS NULL;

-- What came of what the service says it credited on a day, summed as summaries show it.
CREATE TABLE bank_credit (
  account    BIGINT           NOT NULL,
  bank       TEXT COLLATE "C" NOT NULL,
  of_account BIGINT           NOT NULL,
  day        BIGINT           NOT NULL,            -- of the credit
  side       TEXT COLLATE "C" NOT NULL,            -- cards or slips
  brand      TEXT COLLATE "C" NOT NULL,            -- this and the next two as the rows' expectations have them; empty for slips
  product    TEXT COLLATE "C" NOT NULL,
  band       TEXT COLLATE "C" NOT NULL,
  class      TEXT COLLATE "C" NOT NULL,
  run        TEXT COLLATE "C" NOT NULL,
  ended_run  TEXT COLLATE "C",
  items      BIGINT           NOT NULL,
  expected   BIGINT           NOT NULL,            -- should have come
  credited   BIGINT           NOT NULL,            -- came
  PRIMARY KEY (account, bank, of_account, day, side, brand, product, band, class, run)
);

CREATE INDEX bank_credit_day ON bank_credit (of_account, day);

-- Sides of accounts of the service that are paid into a bank account.
CREATE TABLE bank_paid (
  account    BIGINT           NOT NULL,
  bank       TEXT COLLATE "C" NOT NULL,
  of_account BIGINT           NOT NULL,
  side       TEXT COLLATE "C" NOT NULL,            -- cards or slips
  run        TEXT COLLATE "C" NOT NULL,
  ended_run  TEXT COLLATE "C",
  since      BIGINT,                     -- first day that is answered for; NULL: no day is settled
  PRIMARY KEY (account, bank, of_account, side, run)
);

-- What the service took back of installments once credited: later days may come less by it.
CREATE TABLE bank_taken_back (
  account    BIGINT           NOT NULL,
  bank       TEXT COLLATE "C" NOT NULL,
  payer      TEXT COLLATE "C" NOT NULL,
  subject    TEXT COLLATE "C" NOT NULL,             -- of the installment
  run        TEXT COLLATE "C" NOT NULL,
  ended_run  TEXT COLLATE "C",
  of_account BIGINT           NOT NULL,
  amount     BIGINT           NOT NULL,
  day        BIGINT           NOT NULL,             -- on which the installment was credited
  from_day   BIGINT           NOT NULL,             -- days on which it may come
  to_day     BIGINT           NOT NULL,
  PRIMARY KEY (account, bank, payer, subject, run)
);

-- What the last conclusion was drawn from: the next looks again at what moved since.
CREATE TABLE bank_basis (
  account  BIGINT           NOT NULL,
  bank     TEXT COLLATE "C" NOT NULL,
  run      TEXT COLLATE "C" NOT NULL,
  as_of    BIGINT           NOT NULL,
  from_day BIGINT           NOT NULL,
  to_day   BIGINT           NOT NULL,
  terms    TEXT COLLATE "C" NOT NULL,             -- digest of the configuration and documents
  PRIMARY KEY (account, bank)
);

CREATE TABLE bank_bridge (
  account   BIGINT           NOT NULL,
  bank      TEXT COLLATE "C" NOT NULL,
  month     BIGINT           NOT NULL,             -- its first day
  line      TEXT COLLATE "C" NOT NULL,             -- received and booked are its ends
  run       TEXT COLLATE "C" NOT NULL,
  ended_run TEXT COLLATE "C",
  amount    BIGINT           NOT NULL,
  PRIMARY KEY (account, bank, month, line, run)
);

-- bank_day as runs found it.
CREATE TABLE bank_seen_day (
  account   BIGINT           NOT NULL,
  bank      TEXT COLLATE "C" NOT NULL,
  day       BIGINT           NOT NULL,
  run       TEXT COLLATE "C" NOT NULL,
  ended_run TEXT COLLATE "C",
  state     TEXT COLLATE "C" NOT NULL,
  lines     BIGINT           NOT NULL,
  other     BIGINT           NOT NULL,             -- lines of no payer
  credits   BIGINT           NOT NULL,
  debits    BIGINT           NOT NULL,
  balance   BIGINT,
  residual  BIGINT,
  file      TEXT COLLATE "C" NOT NULL,             -- first 16 hex digits; empty: none
  PRIMARY KEY (account, bank, day, run)
);

CREATE TABLE bank_standing (
  account   BIGINT           NOT NULL,
  bank      TEXT COLLATE "C" NOT NULL,
  run       TEXT COLLATE "C" NOT NULL,
  ended_run TEXT COLLATE "C",
  verdict   TEXT COLLATE "C" NOT NULL,
  frontier  BIGINT,             -- none: no day is settled
  voided    BIGINT NOT NULL,         -- matches of people that no longer hold
  early     BIGINT  NOT NULL,         -- credited before the first day that is answered for
  undated   BIGINT  NOT NULL,         -- paid without a day
  scheduled BIGINT  NOT NULL,         -- lines that statements announce
  readings  TEXT COLLATE "C" NOT NULL,         -- how its payers pay, as it was read
  PRIMARY KEY (account, bank, run)
);

-- For people: what the last run concluded. Lines of no payer and their texts are in no view.
-- Lines of payers.
CREATE VIEW v_bank_line AS
SELECT
  p.account,
  p.bank,
  d.payer,
  p.part AS subject,
  DATE '0001-01-01' + CAST(p.bank_day - 1 AS INTEGER) AS bank_day,
  p.amount * 0.0001 AS amount,
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
  DATE '0001-01-01' + CAST(p.bank_day - 1 AS INTEGER) AS bank_day,
  p.amount * 0.0001 AS amount,
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
  DATE '0001-01-01' + CAST(d.day - 1 AS INTEGER) AS bank_day,
  DATE '0001-01-01' + CAST(d.credit_day - 1 AS INTEGER) AS credit_day,
  d.parts,
  d.items,
  d.expected * 0.0001 AS expected,
  d.debits * 0.0001 AS debits,
  d.credited * 0.0001 AS credited,
  (COALESCE(d.expected, 0) - d.debits - COALESCE(d.credited, 0)) * 0.0001 AS difference,
  d.lines,
  d.shift_days,
  d.status,
  d.codes,
  d.impact * 0.0001 AS impact,
  d.run
FROM bank_deposit AS d
WHERE d.ended_run IS NULL AND d.matched_as <> '';

-- The days of bank accounts, and what proves them.
CREATE VIEW v_bank_day AS
SELECT
  b.account,
  b.bank,
  DATE '0001-01-01' + CAST(b.day - 1 AS INTEGER) AS day,
  b.state,
  b.lines,
  b.other,
  b.credits * 0.0001 AS credits,
  b.debits * 0.0001 AS debits,
  b.balance * 0.0001 AS balance,
  b.residual * 0.0001 AS residual,
  NULLIF(b.file, '') AS file,
  b.run
FROM bank_seen_day AS b
WHERE b.ended_run IS NULL;
