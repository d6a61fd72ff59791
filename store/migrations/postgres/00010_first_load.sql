-- A first load is held up by the indexes of installment more than by its rows: two of them go that every row was in.
-- Columns as in the doc.go of package store.

-- +goose Up

-- The sale days on which versions with a forecast date, 0 is none, were ever seen: a few pairs a window instead of an
-- entry a row. A report by forecast reads those days.
CREATE TABLE forecast_day (
  account  BIGINT NOT NULL,
  forecast BIGINT NOT NULL,
  sale_day BIGINT NOT NULL,
  PRIMARY KEY (account, forecast, sale_day)
);

INSERT INTO forecast_day (account, forecast, sale_day)
SELECT DISTINCT
  account,
  COALESCE(forecast, 0),
  sale_day
FROM installment;

DROP INDEX installment_forecast;

-- What a notification names an installment by, which knows no day: one row of each sale leads to the others, 1 is that
-- it does. All rows of before do, which costs no rewriting of them and finds the same.
ALTER TABLE installment ADD COLUMN leads BIGINT NOT NULL DEFAULT 1;

CREATE INDEX installment_named ON installment (account, nsu, auth) WHERE leads = 1;

DROP INDEX installment_reference;

-- +goose Down

DROP INDEX installment_named;
ALTER TABLE installment DROP COLUMN leads;
CREATE INDEX installment_reference ON installment (account, nsu, auth, number) WHERE version = 1;
CREATE INDEX installment_forecast ON installment (account, forecast) WHERE ended_pull IS NULL;
DROP TABLE forecast_day;
