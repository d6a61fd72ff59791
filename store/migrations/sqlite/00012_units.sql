-- The work of a run in units: what was planned, who does it, what became of it. Columns as in the doc.go of package store.

-- +goose Up

-- until is 0 unless the unit is leased; result is of the job's own form, NULL where there is none.
CREATE TABLE unit (
  account   INTEGER NOT NULL,
  run       TEXT    NOT NULL,
  kind      TEXT    NOT NULL,
  what      TEXT    NOT NULL,
  state     TEXT    NOT NULL,
  reason    TEXT    NOT NULL,
  attempts  INTEGER NOT NULL,
  rows_seen INTEGER NOT NULL,
  hash      TEXT    NOT NULL,
  failure   TEXT    NOT NULL,
  worker    TEXT    NOT NULL,
  until     INTEGER NOT NULL,
  result    BLOB,
  PRIMARY KEY (account, run, kind, what)
) STRICT;
