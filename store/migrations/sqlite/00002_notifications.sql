-- Notifications of the service, and whether it still sends them here. Columns as in the doc.go of package store.

-- +goose Up

-- A notification is keyed by the hash of its body too: two bodies under one movement are both kept. sequence is the
-- order of arrival, last_arrival the instant of the last repeat that was counted. sale_day, number and occurrence name,
-- with nsu and auth, the installment it was linked to; NULL is none. nights counts those on which its days were pulled
-- in vain, last_night is the last of them.
CREATE TABLE notification (
  account      INTEGER NOT NULL,
  movement_id  INTEGER NOT NULL,
  body_hash    TEXT    NOT NULL,
  sequence     INTEGER NOT NULL,
  nsu          TEXT    NOT NULL,
  auth         TEXT    NOT NULL,
  installment  INTEGER NOT NULL,
  moment       INTEGER NOT NULL,
  type         TEXT    NOT NULL,
  old_value    TEXT    NOT NULL,
  new_value    TEXT    NOT NULL,
  body         BLOB    NOT NULL,
  received_at  INTEGER NOT NULL,
  repeats      INTEGER NOT NULL,
  last_arrival INTEGER NOT NULL,
  sale_day     INTEGER,
  number       INTEGER,
  occurrence   INTEGER,
  ambiguous    INTEGER NOT NULL,
  linked_on    INTEGER,
  nights       INTEGER NOT NULL,
  last_night   INTEGER,
  PRIMARY KEY (account, movement_id, body_hash)
) STRICT;

CREATE UNIQUE INDEX notification_sequence ON notification (account, sequence);

CREATE INDEX notification_linked ON notification (account, sale_day, received_at);

-- What a notification names an installment by. Every installment has one first version.
CREATE INDEX installment_reference ON installment (account, nsu, auth, number) WHERE version = 1;

-- What the service said last of its subscription. since is the first day on which it pointed here; NULL is never.
CREATE TABLE subscription (
  account    INTEGER NOT NULL,
  since      INTEGER,
  url        TEXT    NOT NULL,
  matches    INTEGER NOT NULL,
  checked_on INTEGER NOT NULL,
  PRIMARY KEY (account)
) STRICT;
