-- What a revision was rendered from, whether its target has it, and since when it is gone. Columns as in the doc.go of
-- package store.

-- +goose Up

-- recipe is the SHA-256 of a document, empty for revisions of before; waiting is 1 while a proven revision is not on its
-- target yet; retired_on is the as-of of the run that took its files away.
ALTER TABLE report ADD COLUMN recipe TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE report ADD COLUMN waiting BIGINT NOT NULL DEFAULT 0;
ALTER TABLE report ADD COLUMN retired_on BIGINT;

-- The order in which an account's titles got their numbers; 0 for those of before.
ALTER TABLE title_number ADD COLUMN sequence BIGINT NOT NULL DEFAULT 0;

CREATE INDEX title_number_sequence ON title_number (account, sequence);
