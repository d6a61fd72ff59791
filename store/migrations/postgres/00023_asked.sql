-- The windows that were asked for and answered whole, each once: a plan reads them all, however often each was pulled. A
-- day of 0 is none. Columns as in the doc.go of package store.

-- +goose Up

CREATE TABLE asked (
  account  BIGINT NOT NULL,
  source   TEXT COLLATE "C" NOT NULL,
  from_day BIGINT NOT NULL,
  to_day   BIGINT NOT NULL,
  first_on BIGINT NOT NULL,
  last_on  BIGINT NOT NULL,
  moved_on BIGINT NOT NULL,
  PRIMARY KEY (account, source, from_day, to_day)
);

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
