-- The windows that were asked for and answered whole, each once: a plan reads them all, however often each was pulled. A
-- day of 0 is none. Columns as in the doc.go of package store.

-- +goose Up

CREATE TABLE asked (
  account  INTEGER NOT NULL,
  source   TEXT NOT NULL,
  from_day INTEGER NOT NULL,
  to_day   INTEGER NOT NULL,
  first_on INTEGER NOT NULL,
  last_on  INTEGER NOT NULL,
  moved_on INTEGER NOT NULL,
  PRIMARY KEY (account, source, from_day, to_day)
) STRICT, WITHOUT ROWID;

INSERT INTO asked (
  account,
  source,
  from_day,
  to_day,
  first_on,
  last_on,
  moved_on)
SELECT
  account,
  source,
  from_day,
  to_day,
  COALESCE(MIN(pulled_on), 0),
  COALESCE(MAX(pulled_on), 0),
  COALESCE(MAX(CASE WHEN rows_new + changed + vanished > 0 THEN pulled_on END), 0)
FROM pull
WHERE complete = 1 AND source <> 'slips.detail'
GROUP BY account, source, from_day, to_day;

-- +goose Down

DROP TABLE asked;
