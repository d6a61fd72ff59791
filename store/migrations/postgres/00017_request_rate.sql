-- Up to when the requests under a credential are given out, for the processes that share them. On SQLite one process pulls
-- at a time and keeps the pace by itself. The table is not logged: what a crash of the server forgets is a moment's pace,
-- and nobody waits for a disk to learn its turn.

-- +goose Up

CREATE UNLOGGED TABLE request_rate (
  credential TEXT COLLATE "C" NOT NULL,
  until      BIGINT NOT NULL,
  PRIMARY KEY (credential)
);

-- +goose Down

DROP TABLE request_rate;
