-- What a run record says of the whole run. Columns as in the doc.go of package store.

-- +goose Up

-- Records of before say nothing of this. parameters is a JSON object of texts: the flags of the command. taken_up is 1
-- when another process ended the run than began it. windows counts each question once, however often it was asked;
-- windows_failed those never answered whole. bytes are of the bodies. The cases are those of the run's accounts, as they
-- stood at its end; lost and gained are what those that stand come to, apart.
ALTER TABLE run ADD COLUMN parameters TEXT NOT NULL DEFAULT '{}';
ALTER TABLE run ADD COLUMN taken_up INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN windows INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN windows_failed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN cases_new INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN cases_persisting INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN cases_resolved INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN lost INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN gained INTEGER NOT NULL DEFAULT 0;

-- sums is a JSON object of amounts: what the run's reports come to. sets is a JSON array of the revisions it made or found
-- standing, whose files are in report; steps one of its steps and how long each took, in microseconds.
ALTER TABLE run ADD COLUMN sums TEXT NOT NULL DEFAULT '{}';
ALTER TABLE run ADD COLUMN sets TEXT NOT NULL DEFAULT '[]';
ALTER TABLE run ADD COLUMN steps TEXT NOT NULL DEFAULT '[]';

-- What a run, or the runs between two, did to the cases.
CREATE INDEX finding_event_run ON finding_event (account, run);
