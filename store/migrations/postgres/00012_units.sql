-- The work of a run in units: what was planned, who does it, what became of it. Columns as in the doc.go of package store.

-- +goose Up

-- until is 0 unless the unit is leased; result is of the job's own form, NULL where there is none.
CREATE TABLE unit (
  account   BIGINT NOT NULL,
  run       TEXT COLLATE "C" NOT NULL,
  kind      TEXT COLLATE "C" NOT NULL,
  what      TEXT COLLATE "C" NOT NULL,
  state     TEXT COLLATE "C" NOT NULL,
  reason    TEXT COLLATE "C" NOT NULL,
  attempts  BIGINT NOT NULL,
  rows_seen BIGINT NOT NULL,
  hash      TEXT COLLATE "C" NOT NULL,
  failure   TEXT COLLATE "C" NOT NULL,
  worker    TEXT COLLATE "C" NOT NULL,
  until     BIGINT NOT NULL,
  result    BYTEA,
  PRIMARY KEY (account, run, kind, what)
);
