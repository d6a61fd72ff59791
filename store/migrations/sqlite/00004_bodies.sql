-- The bodies of answers, and the mark of a card number that came in the clear. Columns as in the doc.go of package
-- store.

-- +goose Up

-- A body as received is known by its SHA-256, which the pull rows hold too; kept_sha256 is of the bytes as kept, size
-- counts either. The row stays when the bytes are gone: expired_on is the business day they were deleted, forgotten the
-- instant of the last erasure of a payer from them.
CREATE TABLE body (
  sha256      TEXT    NOT NULL,
  kept_sha256 TEXT    NOT NULL,
  size        INTEGER NOT NULL,
  first_on    INTEGER NOT NULL,
  last_on     INTEGER NOT NULL,
  expired_on  INTEGER,
  forgotten   INTEGER,
  PRIMARY KEY (sha256)
) STRICT;

-- packed is gzip. The bytes stand apart, so that a body seen again changes a small row.
CREATE TABLE body_bytes (
  sha256 TEXT NOT NULL,
  packed BLOB NOT NULL,
  PRIMARY KEY (sha256)
) STRICT;

ALTER TABLE installment ADD COLUMN card_clear INTEGER NOT NULL DEFAULT 0;
