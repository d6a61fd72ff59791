-- What people are to be told, once each. Columns as in the doc.go of package store.

-- +goose Up

-- account is 0 where an alert is about none in particular. happened says what is told (incomplete, first_break, …), cause
-- what of it, in run; receiver is a hash of who is told. body is what is told, JSON. told is NULL until somebody took it,
-- failure why the last try failed. Whoever tells it holds it until claimed.
CREATE TABLE alert (
  account  BIGINT NOT NULL,
  happened TEXT COLLATE "C" NOT NULL,
  cause    TEXT COLLATE "C" NOT NULL,
  run      TEXT COLLATE "C" NOT NULL,
  receiver TEXT COLLATE "C" NOT NULL,
  body     TEXT COLLATE "C" NOT NULL,
  raised   BIGINT NOT NULL,
  claimed  BIGINT,
  told     BIGINT,
  failure  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, happened, cause, run, receiver)
);

CREATE INDEX alert_untold ON alert (raised) WHERE told IS NULL;

-- +goose Down

DROP TABLE alert;
