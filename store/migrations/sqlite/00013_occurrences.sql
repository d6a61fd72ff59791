-- What became of every occurrence of every schedule. Columns as in the doc.go of package store.

-- +goose Up

-- A schedule is its job, times and zone; slot is when an occurrence is due. state is running, run, caught_up, skipped or
-- first_seen, which is no occurrence: from there on they are accounted for. missed is 1 when it came due while nobody
-- watched. A running one belongs to a process until the instant until; NULL or past is nobody's. exit_code is NULL when
-- no job ended.
CREATE TABLE occurrence (
  schedule  TEXT    NOT NULL,
  slot      INTEGER NOT NULL,
  job       TEXT    NOT NULL,
  state     TEXT    NOT NULL,
  missed    INTEGER NOT NULL,
  why       TEXT    NOT NULL,
  run       TEXT    NOT NULL,
  exit_code INTEGER,
  begun     INTEGER,
  ended     INTEGER,
  until     INTEGER,
  host      TEXT    NOT NULL,
  process   INTEGER NOT NULL,
  attempts  INTEGER NOT NULL,
  PRIMARY KEY (schedule, slot)
) STRICT;

CREATE INDEX occurrence_slot ON occurrence (slot);
CREATE INDEX occurrence_running ON occurrence (schedule) WHERE state = 'running';
