-- What people are to be told, once each. Columns as in the doc.go of package store.

-- +goose Up

-- account is 0 where an alert is about none in particular. happened says what is told (incomplete, first_break, …), cause
-- what of it, in run; receiver is a hash of who is told. body is what is told, JSON. told is NULL until somebody took it,
-- failure why the last try failed. Whoever tells it holds it until claimed.
CREATE TABLE alert (
  account  INTEGER NOT NULL,
  happened TEXT    NOT NULL,
  cause    TEXT    NOT NULL,
  run      TEXT    NOT NULL,
  receiver TEXT    NOT NULL,
  body     TEXT    NOT NULL,
  raised   INTEGER NOT NULL,
  claimed  INTEGER,
  told     INTEGER,
  failure  TEXT    NOT NULL,
  PRIMARY KEY (account, happened, cause, run, receiver)
) STRICT;

CREATE INDEX alert_untold ON alert (raised) WHERE told IS NULL;

-- +goose Down

DROP TABLE alert;
