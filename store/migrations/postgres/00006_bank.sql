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
  credits      BIGINT           NOT NULL,
  debits       BIGINT           NOT NULL,
  balance_rows BIGINT           NOT NULL,
  blocked      BIGINT           NOT NULL,
  notes        TEXT COLLATE "C" NOT NULL,          -- ids, by comma
  actor        TEXT COLLATE "C" NOT NULL,
  taken        BIGINT           NOT NULL,          -- instant
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
  document   TEXT COLLATE "C" NOT NULL,
  category   TEXT COLLATE "C" NOT NULL,
  first_file BYTEA            NOT NULL,
  ended_file BYTEA,                        -- NULL: current
  vanished   BIGINT           NOT NULL,
  scheduled  BIGINT           NOT NULL,            -- announced, not booked
  PRIMARY KEY (account, bank, day, amount, text_hash, occurrence, version)
);

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
