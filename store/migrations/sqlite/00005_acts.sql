-- What people did, and what they left on cases. Columns as in the doc.go of package store.

-- +goose Up

-- The log of acts: rows are added and never changed. Account 0 is what concerns no single account. stage is proposed or
-- done; confirms is the number of the proposal that a done act carried out, 0 for none. run is the last run that had
-- reconciled the account. hash covers every other column, previous among them; ledger.Act says how.
CREATE TABLE act (
  account    INTEGER NOT NULL,
  number     INTEGER NOT NULL,
  verb       TEXT    NOT NULL,
  stage      TEXT    NOT NULL,
  subject    TEXT    NOT NULL,
  actor      TEXT    NOT NULL,
  reason     TEXT    NOT NULL,
  parameters TEXT    NOT NULL,
  at         INTEGER NOT NULL,
  run        TEXT    NOT NULL,
  confirms   INTEGER NOT NULL,
  previous   TEXT    NOT NULL,
  hash       TEXT    NOT NULL,
  PRIMARY KEY (account, number)
) STRICT;

CREATE INDEX act_subject ON act (account, subject, number);

-- The head of the account's log as each reconcile found it: an anchor that tells when the end of the log was cut off.
ALTER TABLE reconciled ADD COLUMN acts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE reconciled ADD COLUMN act_hash TEXT NOT NULL DEFAULT '';

-- seen_on is the as-of of the last run that evaluated the case; held the state a case in shadow goes back to;
-- closed_as tells who closed it: person or aged_out.
ALTER TABLE finding ADD COLUMN seen_on INTEGER;
ALTER TABLE finding ADD COLUMN held TEXT NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN closed_as TEXT NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN assignee TEXT NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN reference TEXT NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN comment TEXT NOT NULL DEFAULT '';
ALTER TABLE finding ADD COLUMN waived_until INTEGER;
ALTER TABLE finding ADD COLUMN waived_cap INTEGER;

UPDATE finding SET seen_on = (SELECT run.as_of FROM run WHERE run.id = finding.last_run);

-- act is the number of the act that made the event, 0 when a run did; run is then the last run before the act.
ALTER TABLE finding_event ADD COLUMN seen_on INTEGER;
ALTER TABLE finding_event ADD COLUMN held TEXT NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN closed_as TEXT NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN assignee TEXT NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN reference TEXT NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN comment TEXT NOT NULL DEFAULT '';
ALTER TABLE finding_event ADD COLUMN waived_until INTEGER;
ALTER TABLE finding_event ADD COLUMN waived_cap INTEGER;
ALTER TABLE finding_event ADD COLUMN act INTEGER NOT NULL DEFAULT 0;

UPDATE finding_event SET seen_on = as_of;
