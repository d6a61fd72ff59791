-- Notifications as they arrived, until the ledger takes them over; moved ones keep their key. On SQLite this table is
-- in a file of its own, so that receiving never waits for a run.

-- +goose Up

CREATE TABLE inbox (
  arrival      BIGINT  NOT NULL GENERATED ALWAYS AS IDENTITY,
  account      BIGINT  NOT NULL,
  movement     BIGINT  NOT NULL,
  body_hash    TEXT COLLATE "C" NOT NULL,
  nsu          TEXT COLLATE "C" NOT NULL,
  auth         TEXT COLLATE "C" NOT NULL,
  number       BIGINT  NOT NULL,
  moment       BIGINT  NOT NULL,
  type         TEXT COLLATE "C" NOT NULL,
  old_value    TEXT COLLATE "C" NOT NULL,
  new_value    TEXT COLLATE "C" NOT NULL,
  body         BYTEA   NOT NULL,
  received_at  BIGINT  NOT NULL,
  last_arrival BIGINT  NOT NULL,
  moved        BIGINT  NOT NULL,
  repeats      BIGINT  NOT NULL,
  PRIMARY KEY (account, movement, body_hash)
);

CREATE INDEX inbox_pending ON inbox (arrival) WHERE moved <> 1;

-- +goose Down

DROP TABLE inbox;
