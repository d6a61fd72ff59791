-- What a pull's answer told beside its rows. Columns as in the doc.go of package store.

-- +goose Up

-- skew: seconds by which the service's clock is ahead of ours, NULL where the answer bore no time. note: JSON, empty
-- when there is nothing to tell.
ALTER TABLE pull ADD COLUMN skew BIGINT;
ALTER TABLE pull ADD COLUMN note TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX pull_began ON pull (account, began);
