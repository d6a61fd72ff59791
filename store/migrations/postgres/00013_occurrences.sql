-- What became of every occurrence of every schedule. Columns as in the doc.go of package store.

-- +goose Up

-- A schedule is its job, times and zone; slot is when an occurrence is due. state is running, run, caught_up, skipped or
-- first_seen, which is no occurrence: from there on they are accounted for. missed is 1 when it came due while nobody
-- watched. A running one belongs to a process until the instant until; NULL or past is nobody's. exit_code is NULL when
-- no job ended.
CREATE TABLE occurrence (
  schedule  TEXT COLLATE "C" NOT NULL,
  slot      BIGINT NOT NULL,
  job       TEXT COLLATE "C" NOT NULL,
  state     TEXT COLLATE "C" NOT NULL,
  missed    BIGINT NOT NULL,
  why       TEXT COLLATE "C" NOT NULL,
  run       TEXT COLLATE "C" NOT NULL,
  exit_code BIGINT,
  begun     BIGINT,
  ended     BIGINT,
  until     BIGINT,
  host      TEXT COLLATE "C" NOT NULL,
  process   BIGINT NOT NULL,
  attempts  BIGINT NOT NULL,
  PRIMARY KEY (schedule, slot)
);

CREATE INDEX occurrence_slot ON occurrence (slot);
CREATE INDEX occurrence_running ON occurrence (schedule) WHERE state = 'running';
