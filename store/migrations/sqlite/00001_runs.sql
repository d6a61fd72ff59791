-- Accounts and runs: what was started, who works at it, what it did, and whom it has to notify.
--
-- Money is in ten-thousandths of a real, rates in millionths, days are Rata Die numbers, local times ticks of 100 ns
-- since 0001-01-01, instants microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''.
-- The account leads every key.

-- +goose Up

-- The schema that these tables were made by: one row, written with the first of these files. A program whose own schema has
-- another digest does not use the ledger.
CREATE TABLE schema_digest (
  sha256 TEXT NOT NULL, -- of the text of these files, hex
  PRIMARY KEY (sha256)
) STRICT;

-- The accounts of the service.
CREATE TABLE account (
  account INTEGER NOT NULL,
  since   INTEGER NOT NULL, -- first day the account is answered for
  PRIMARY KEY (account)
) STRICT;

-- Files that runs used, complete, by the hash of their bytes: contracts, mappings, profiles, calendars and the like.
CREATE TABLE document (
  sha256 TEXT NOT NULL, -- of body, hex
  kind   TEXT NOT NULL, -- contract, mapping, profile, calendar, rules, config, ...
  body   BLOB NOT NULL,
  PRIMARY KEY (sha256)
) STRICT;

-- One row per run, written when it begins and completed when it ends.
CREATE TABLE run (
  id               TEXT    NOT NULL,              -- instant it began and a random tail, sortable
  kind             TEXT    NOT NULL,              -- nightly, pull, backfill, reconcile, report or check
  started_by       TEXT    NOT NULL,              -- a person, or an occurrence of a schedule
  as_of            INTEGER,                       -- business day of the run
  clock            TEXT    NOT NULL,              -- CONCILIA_CLOCK if it was set
  previous         TEXT    NOT NULL,              -- last finished run of the same kind
  began            INTEGER NOT NULL,              -- instant
  ended            INTEGER,                       -- instant, NULL until it ends
  engine           TEXT    NOT NULL,              -- version of the program
  documents        TEXT    NOT NULL,              -- JSON object: name to SHA-256
  accounts         TEXT    NOT NULL,              -- JSON array
  pulled           TEXT    NOT NULL,              -- JSON object: counts of rows
  verdict          TEXT    NOT NULL,              -- of the run
  verdicts         TEXT    NOT NULL,              -- JSON object: verdict of each account
  exit_code        INTEGER NOT NULL,              -- 0 while unfinished or killed
  parameters       TEXT    NOT NULL DEFAULT '{}', -- JSON object: flags of the command
  taken_up         INTEGER NOT NULL DEFAULT 0,    -- another process ended the run than began it
  windows          INTEGER NOT NULL DEFAULT 0,    -- questions, each counted once
  windows_failed   INTEGER NOT NULL DEFAULT 0,    -- of them: never answered completely
  retries          INTEGER NOT NULL DEFAULT 0,    -- requests that repeated another
  bytes            INTEGER NOT NULL DEFAULT 0,    -- of bodies
  cases_new        INTEGER NOT NULL DEFAULT 0,    -- unresolved and first seen in this run
  cases_persisting INTEGER NOT NULL DEFAULT 0,    -- unresolved and known before
  cases_resolved   INTEGER NOT NULL DEFAULT 0,    -- by this run
  archive_removed  INTEGER NOT NULL DEFAULT 0,    -- files that this run removed from the archive for their age
  lost             INTEGER NOT NULL DEFAULT 0,    -- the figures of its cases, as ledger.Figures defines them
  late             INTEGER NOT NULL DEFAULT 0,    -- lost and late are what is missing
  at_risk          INTEGER NOT NULL DEFAULT 0,    -- due later
  claimed          INTEGER NOT NULL DEFAULT 0,    -- disputed
  waived           INTEGER NOT NULL DEFAULT 0,    -- accepted for a time
  excess           INTEGER NOT NULL DEFAULT 0,    -- in favour of the merchant, never subtracted
  sums             TEXT    NOT NULL DEFAULT '{}', -- JSON object: totals of the reports
  sets             TEXT    NOT NULL DEFAULT '[]', -- JSON array: report sets published or found unchanged
  steps            TEXT    NOT NULL DEFAULT '[]', -- JSON array: steps and their microseconds, in order
  end_number       INTEGER,                       -- of its end, from 1 in the order in which runs ended; NULL until then
  digest           TEXT    NOT NULL DEFAULT '',   -- SHA-256 over the record as it ended and the digest of the end before it, hex
  PRIMARY KEY (id)
) STRICT;

CREATE UNIQUE INDEX run_end ON run (end_number);
-- The last run of a kind.
CREATE INDEX run_began ON run (began, id);

-- The work of a run in units: what was planned, which worker does it, and the outcome.
CREATE TABLE unit (
  account   INTEGER NOT NULL,
  run       TEXT    NOT NULL,
  kind      TEXT    NOT NULL, -- pull, lane, reconcile or render
  what      TEXT    NOT NULL, -- source and days of a pull, otherwise the job's own
  state     TEXT    NOT NULL, -- planned, leased, done or failed
  reason    TEXT    NOT NULL, -- why it was planned, for people
  attempts  INTEGER NOT NULL,
  rows_seen INTEGER NOT NULL, -- rows of a done pull on its day
  hash      TEXT    NOT NULL, -- SHA-256 of the outcome, hex
  failure   TEXT    NOT NULL, -- why it failed
  worker    TEXT    NOT NULL, -- that leased it last
  until     INTEGER NOT NULL, -- end of the lease, 0 unless leased
  result    BLOB,             -- in the job's own form
  PRIMARY KEY (account, run, kind, what)
) STRICT;

-- Which run works on an account. A released lease keeps its row, so that a process that was suspended notices another run.
CREATE TABLE lease (
  account INTEGER NOT NULL,
  run     TEXT    NOT NULL,
  since   INTEGER NOT NULL, -- instant
  until   INTEGER NOT NULL, -- instant the lease expires, 0 when released
  host    TEXT    NOT NULL,
  process INTEGER NOT NULL, -- id of the process
  space   TEXT    NOT NULL, -- boot id and PID namespace in which process is an id, empty where unknown
  token   TEXT    NOT NULL, -- random, of the process that holds it
  PRIMARY KEY (account)
) STRICT;

-- Every occurrence of every schedule. A schedule is its job, its times and its zone.
CREATE TABLE occurrence (
  schedule   TEXT    NOT NULL, -- identity of the schedule
  slot       INTEGER NOT NULL, -- instant the occurrence is due
  job        TEXT    NOT NULL,
  state      TEXT    NOT NULL, -- running, run, caught_up, skipped or first_seen
  missed     INTEGER NOT NULL, -- became due while no process watched
  why        TEXT    NOT NULL, -- it was skipped or failed
  run        TEXT    NOT NULL, -- the run it started
  exit_code  INTEGER,          -- NULL when no job ended
  begun      INTEGER,          -- instant
  ended      INTEGER,          -- instant
  until      INTEGER,          -- end of the lease of a running occurrence
  host       TEXT    NOT NULL,
  process    INTEGER NOT NULL, -- id of the process
  space      TEXT    NOT NULL, -- as in lease
  token      TEXT    NOT NULL, -- as in lease
  attempts   INTEGER NOT NULL,
  repeats    INTEGER,          -- slot of the occurrence that this one repeats, which had failed; NULL: none
  repetition INTEGER NOT NULL, -- the how manieth repetition of it; 0: none
  repeat_job TEXT    NOT NULL, -- the job that would repeat this one; empty: it did not fail
  PRIMARY KEY (schedule, slot)
) STRICT;

CREATE INDEX occurrence_slot ON occurrence (slot);
CREATE INDEX occurrence_running ON occurrence (schedule) WHERE state = 'running';

-- Messages to people: one row per alert and recipient, written before the alert is sent.
CREATE TABLE alert (
  account  INTEGER NOT NULL, -- 0: no particular one
  happened TEXT    NOT NULL, -- incomplete, first_break, budget, silence, no_run; digest: the morning by mail
  cause    TEXT    NOT NULL, -- what in particular
  run      TEXT    NOT NULL,
  receiver TEXT    NOT NULL, -- hash of the recipient
  body     TEXT    NOT NULL, -- JSON: the message
  raised   INTEGER NOT NULL, -- instant
  claimed  INTEGER,          -- instant until which a process is sending it
  told     INTEGER,          -- instant it was accepted, or refused for good (failure), NULL before
  failure  TEXT    NOT NULL, -- of the last attempt
  PRIMARY KEY (account, happened, cause, run, receiver)
) STRICT;

CREATE INDEX alert_untold ON alert (raised) WHERE told IS NULL;
