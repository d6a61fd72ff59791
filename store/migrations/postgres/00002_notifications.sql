-- Notifications of the service, and whether it still sends them here. Columns as in the doc.go of package store.

-- +goose Up

-- A notification is keyed by the hash of its body too: two bodies under one movement are both kept. sequence is the
-- order of arrival, last_arrival the instant of the last repeat that was counted. sale_day, number and occurrence name,
-- with nsu and auth, the installment it was linked to; NULL is none. nights counts those on which its days were pulled
-- in vain, last_night is the last of them.
CREATE TABLE notification (
  account      BIGINT  NOT NULL,
  movement_id  BIGINT  NOT NULL,
  body_hash    TEXT COLLATE "C" NOT NULL,
  sequence     BIGINT  NOT NULL,
  nsu          TEXT COLLATE "C" NOT NULL,
  auth         TEXT COLLATE "C" NOT NULL,
  installment  BIGINT  NOT NULL,
  moment       BIGINT  NOT NULL,
  type         TEXT COLLATE "C" NOT NULL,
  old_value    TEXT COLLATE "C" NOT NULL,
  new_value    TEXT COLLATE "C" NOT NULL,
  body         BYTEA   NOT NULL,
  received_at  BIGINT  NOT NULL,
  repeats      BIGINT  NOT NULL,
  last_arrival BIGINT  NOT NULL,
  sale_day     BIGINT,
  number       BIGINT,
  occurrence   BIGINT,
  ambiguous    BIGINT  NOT NULL,
  linked_on    BIGINT,
  nights       BIGINT  NOT NULL,
  last_night   BIGINT,
  PRIMARY KEY (account, movement_id, body_hash)
);

CREATE UNIQUE INDEX notification_sequence ON notification (account, sequence);

CREATE INDEX notification_linked ON notification (account, sale_day, received_at);

-- What a notification names an installment by. Every installment has one first version.
CREATE INDEX installment_reference ON installment (account, nsu, auth, number) WHERE version = 1;

-- What the service said last of its subscription. since is the first day on which it pointed here; NULL is never.
CREATE TABLE subscription (
  account    BIGINT  NOT NULL,
  since      BIGINT,
  url        TEXT COLLATE "C" NOT NULL,
  matches    BIGINT  NOT NULL,
  checked_on BIGINT  NOT NULL,
  PRIMARY KEY (account)
);
