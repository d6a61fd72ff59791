-- Accounts and runs: what was started, who works at it, what it did, and whom it has to notify.
--
-- Money is in ten-thousandths of a real, rates in millionths, days are Rata Die numbers, local times ticks of 100 ns
-- since 0001-01-01, instants microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''.
-- The account leads every key.

-- +goose Up

-- The schema that these tables were made by: one row, written with the first of these files. A program whose own schema has
-- another digest does not use the ledger.
CREATE TABLE schema_digest (
  sha256 TEXT COLLATE "C" NOT NULL, -- of the text of these files, hex
  PRIMARY KEY (sha256)
);

-- The accounts of the service.
CREATE TABLE account (
  account BIGINT NOT NULL,
  since   BIGINT NOT NULL, -- first day the account is answered for
  PRIMARY KEY (account)
);

-- Files that runs used, complete, by the hash of their bytes: contracts, mappings, profiles, calendars and the like.
CREATE TABLE document (
  sha256 TEXT COLLATE "C" NOT NULL, -- of body, hex
  kind   TEXT COLLATE "C" NOT NULL, -- contract, mapping, profile, calendar, rules, config, ...
  body   BYTEA            NOT NULL,
  PRIMARY KEY (sha256)
);

-- One row per run, written when it begins and completed when it ends.
CREATE TABLE run (
  id               TEXT COLLATE "C" NOT NULL,              -- instant it began and a random tail, sortable
  kind             TEXT COLLATE "C" NOT NULL,              -- nightly, pull, backfill, reconcile, report or check
  started_by       TEXT COLLATE "C" NOT NULL,              -- a person, or an occurrence of a schedule
  as_of            BIGINT,                                 -- business day of the run
  clock            TEXT COLLATE "C" NOT NULL,              -- CONCILIA_CLOCK if it was set
  previous         TEXT COLLATE "C" NOT NULL,              -- last finished run of the same kind
  began            BIGINT           NOT NULL,              -- instant
  ended            BIGINT,                                 -- instant, NULL until it ends
  engine           TEXT COLLATE "C" NOT NULL,              -- version of the program
  documents        TEXT COLLATE "C" NOT NULL,              -- JSON object: name to SHA-256
  accounts         TEXT COLLATE "C" NOT NULL,              -- JSON array
  pulled           TEXT COLLATE "C" NOT NULL,              -- JSON object: counts of rows
  verdict          TEXT COLLATE "C" NOT NULL,              -- of the run
  verdicts         TEXT COLLATE "C" NOT NULL,              -- JSON object: verdict of each account
  exit_code        BIGINT           NOT NULL,              -- 0 while unfinished or killed
  parameters       TEXT COLLATE "C" NOT NULL DEFAULT '{}', -- JSON object: flags of the command
  taken_up         BIGINT           NOT NULL DEFAULT 0,    -- another process ended the run than began it
  windows          BIGINT           NOT NULL DEFAULT 0,    -- questions, each counted once
  windows_failed   BIGINT           NOT NULL DEFAULT 0,    -- of them: never answered completely
  retries          BIGINT           NOT NULL DEFAULT 0,    -- requests that repeated another
  bytes            BIGINT           NOT NULL DEFAULT 0,    -- of bodies
  cases_new        BIGINT           NOT NULL DEFAULT 0,    -- unresolved and first seen in this run
  cases_persisting BIGINT           NOT NULL DEFAULT 0,    -- unresolved and known before
  cases_resolved   BIGINT           NOT NULL DEFAULT 0,    -- by this run
  archive_removed  BIGINT           NOT NULL DEFAULT 0,    -- files that this run removed from the archive for their age
  lost             BIGINT           NOT NULL DEFAULT 0,    -- the figures of its cases, as ledger.Figures defines them
  late             BIGINT           NOT NULL DEFAULT 0,    -- lost and late are what is missing
  at_risk          BIGINT           NOT NULL DEFAULT 0,    -- due later
  claimed          BIGINT           NOT NULL DEFAULT 0,    -- disputed
  waived           BIGINT           NOT NULL DEFAULT 0,    -- accepted for a time
  excess           BIGINT           NOT NULL DEFAULT 0,    -- in favour of the merchant, never subtracted
  sums             TEXT COLLATE "C" NOT NULL DEFAULT '{}', -- JSON object: totals of the reports
  sets             TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON array: report sets published or found unchanged
  steps            TEXT COLLATE "C" NOT NULL DEFAULT '[]', -- JSON array: steps and their microseconds, in order
  end_number       BIGINT,                                 -- of its end, from 1 in the order in which runs ended; NULL until then
  digest           TEXT COLLATE "C" NOT NULL DEFAULT '',   -- SHA-256 over the record as it ended and the digest of the end before it, hex
  PRIMARY KEY (id)
);

CREATE UNIQUE INDEX run_end ON run (end_number);
-- The last run of a kind.
CREATE INDEX run_began ON run (began, id);

-- The work of a run in units: what was planned, which worker does it, and the outcome.
CREATE TABLE unit (
  account   BIGINT           NOT NULL,
  run       TEXT COLLATE "C" NOT NULL,
  kind      TEXT COLLATE "C" NOT NULL, -- pull, lane, reconcile or render
  what      TEXT COLLATE "C" NOT NULL, -- source and days of a pull, otherwise the job's own
  state     TEXT COLLATE "C" NOT NULL, -- planned, leased, done or failed
  reason    TEXT COLLATE "C" NOT NULL, -- why it was planned, for people
  attempts  BIGINT           NOT NULL,
  rows_seen BIGINT           NOT NULL, -- rows of a done pull on its day
  hash      TEXT COLLATE "C" NOT NULL, -- SHA-256 of the outcome, hex
  failure   TEXT COLLATE "C" NOT NULL, -- why it failed
  worker    TEXT COLLATE "C" NOT NULL, -- that leased it last
  until     BIGINT           NOT NULL, -- end of the lease, 0 unless leased
  result    BYTEA,                     -- in the job's own form
  PRIMARY KEY (account, run, kind, what)
);

-- Which run works on an account. A released lease keeps its row, so that a process that was suspended notices another run.
CREATE TABLE lease (
  account BIGINT           NOT NULL,
  run     TEXT COLLATE "C" NOT NULL,
  since   BIGINT           NOT NULL, -- instant
  until   BIGINT           NOT NULL, -- instant the lease expires, 0 when released
  host    TEXT COLLATE "C" NOT NULL,
  process BIGINT           NOT NULL, -- id of the process
  space   TEXT COLLATE "C" NOT NULL, -- boot id and PID namespace in which process is an id, empty where unknown
  token   TEXT COLLATE "C" NOT NULL, -- random, of the process that holds it
  PRIMARY KEY (account)
);

-- Until when the requests of a credential are allotted, for the processes that share it. Not logged: after a crash of the
-- server only a moment of pace is lost, and no request waits for a disk. SQLite has one pulling process and needs no table.
CREATE UNLOGGED TABLE request_rate (
  credential TEXT COLLATE "C" NOT NULL, -- identifies it, no secret
  until      BIGINT           NOT NULL, -- instant
  PRIMARY KEY (credential)
);

-- Every occurrence of every schedule. A schedule is its job, its times and its zone.
CREATE TABLE occurrence (
  schedule   TEXT COLLATE "C" NOT NULL, -- identity of the schedule
  slot       BIGINT           NOT NULL, -- instant the occurrence is due
  job        TEXT COLLATE "C" NOT NULL,
  state      TEXT COLLATE "C" NOT NULL, -- running, run, caught_up, skipped or first_seen
  missed     BIGINT           NOT NULL, -- became due while no process watched
  why        TEXT COLLATE "C" NOT NULL, -- it was skipped or failed
  run        TEXT COLLATE "C" NOT NULL, -- the run it started
  exit_code  BIGINT,                    -- NULL when no job ended
  begun      BIGINT,                    -- instant
  ended      BIGINT,                    -- instant
  until      BIGINT,                    -- end of the lease of a running occurrence
  host       TEXT COLLATE "C" NOT NULL,
  process    BIGINT           NOT NULL, -- id of the process
  space      TEXT COLLATE "C" NOT NULL, -- as in lease
  token      TEXT COLLATE "C" NOT NULL, -- as in lease
  attempts   BIGINT           NOT NULL,
  repeats    BIGINT,                    -- slot of the occurrence that this one repeats, which had failed; NULL: none
  repetition BIGINT           NOT NULL, -- the how manieth repetition of it; 0: none
  repeat_job TEXT COLLATE "C" NOT NULL, -- the job that would repeat this one; empty: it did not fail
  PRIMARY KEY (schedule, slot)
);

CREATE INDEX occurrence_slot ON occurrence (slot);
CREATE INDEX occurrence_running ON occurrence (schedule) WHERE state = 'running';

-- Messages to people: one row per alert and recipient, written before the alert is sent.
CREATE TABLE alert (
  account  BIGINT           NOT NULL, -- 0: no particular one
  happened TEXT COLLATE "C" NOT NULL, -- incomplete, first_break, budget, silence, no_run; digest: the morning by mail
  cause    TEXT COLLATE "C" NOT NULL, -- what in particular
  run      TEXT COLLATE "C" NOT NULL,
  receiver TEXT COLLATE "C" NOT NULL, -- hash of the recipient
  body     TEXT COLLATE "C" NOT NULL, -- JSON: the message
  raised   BIGINT           NOT NULL, -- instant
  claimed  BIGINT,                    -- instant until which a process is sending it
  told     BIGINT,                    -- instant it was accepted, or refused for good (failure), NULL before
  failure  TEXT COLLATE "C" NOT NULL, -- of the last attempt
  PRIMARY KEY (account, happened, cause, run, receiver)
);

CREATE INDEX alert_untold ON alert (raised) WHERE told IS NULL;
