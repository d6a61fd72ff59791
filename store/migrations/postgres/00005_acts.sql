-- What people did, and what they left on cases. Columns as in the doc.go of package store.

-- +goose Up

-- The log of acts: rows are added and never changed. Account 0 is what concerns no single account. stage is proposed or
-- done; confirms is the number of the proposal that a done act carried out, 0 for none. run is the last run that had
-- reconciled the account. hash covers every other column, previous among them; ledger.Act says how.
CREATE TABLE act (
  account    BIGINT  NOT NULL,
  number     BIGINT  NOT NULL,
  verb       TEXT COLLATE "C" NOT NULL,
  stage      TEXT COLLATE "C" NOT NULL,
  subject    TEXT COLLATE "C" NOT NULL,
  actor      TEXT COLLATE "C" NOT NULL,
  reason     TEXT COLLATE "C" NOT NULL,
  parameters TEXT COLLATE "C" NOT NULL,
  at         BIGINT  NOT NULL,
  run        TEXT COLLATE "C" NOT NULL,
  confirms   BIGINT  NOT NULL,
  previous   TEXT COLLATE "C" NOT NULL,
  hash       TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, number)
);

CREATE INDEX act_subject ON act (account, subject, number);

-- The head of the account's log as each reconcile found it: an anchor that tells when the end of the log was cut off.
ALTER TABLE reconciled ADD COLUMN acts BIGINT NOT NULL DEFAULT 0;
ALTER TABLE reconciled ADD COLUMN act_hash TEXT COLLATE "C" NOT NULL DEFAULT '';

-- seen_on is the as-of of the last run that evaluated the case; held the state a case in shadow goes back to;
-- closed_as tells who closed it: person or aged_out.
ALTER TABLE finding ADD COLUMN seen_on BIGINT;
ALTER TABLE finding ADD COLUMN held TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN closed_as TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN assignee TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN reference TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN comment TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN waived_until BIGINT;
ALTER TABLE finding ADD COLUMN waived_cap BIGINT;

UPDATE finding SET seen_on = (SELECT run.as_of FROM run WHERE run.id = finding.last_run);

-- act is the number of the act that made the event, 0 when a run did; run is then the last run before the act.
ALTER TABLE finding_event ADD COLUMN seen_on BIGINT;
ALTER TABLE finding_event ADD COLUMN held TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN closed_as TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN assignee TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN reference TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN comment TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN waived_until BIGINT;
ALTER TABLE finding_event ADD COLUMN waived_cap BIGINT;
ALTER TABLE finding_event ADD COLUMN act BIGINT NOT NULL DEFAULT 0;

UPDATE finding_event SET seen_on = as_of;
