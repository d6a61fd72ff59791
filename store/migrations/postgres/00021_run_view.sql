-- The view of the runs shows all that a run record says. Columns as in the doc.go of package store.

-- +goose Up

DROP VIEW v_run;

-- The runs. What began and did not end has neither an end nor a verdict. The JSON texts are as in the table: previous and
-- clock are NULL where the table has an empty text; lost and gained are what the cases that stand come to, apart.
CREATE VIEW v_run AS
SELECT
  r.id,
  r.kind,
  r.started_by,
  DATE '0001-01-01' + CAST(r.as_of - 1 AS INTEGER) AS as_of,
  TIMESTAMPTZ 'epoch' + r.began * INTERVAL '1 microsecond' AS began,
  TIMESTAMPTZ 'epoch' + r.ended * INTERVAL '1 microsecond' AS ended,
  r.engine,
  r.verdict,
  r.verdicts,
  r.exit_code,
  r.documents,
  r.accounts,
  r.pulled,
  NULLIF(r.previous, '') AS previous,
  NULLIF(r.clock, '') AS clock,
  r.parameters,
  r.taken_up = 1 AS taken_up,
  r.windows,
  r.windows_failed,
  r.retries,
  r.bytes,
  r.cases_new,
  r.cases_persisting,
  r.cases_resolved,
  r.lost * 0.0001 AS lost,
  r.gained * 0.0001 AS gained,
  r.sums,
  r.sets,
  r.steps
FROM run AS r;

-- The steps of the runs in their order, and how long each took.
CREATE VIEW v_run_step AS
SELECT
  r.id AS run,
  s.place,
  s.value ->> 'name' AS step,
  CAST(s.value ->> 'us' AS BIGINT) * 0.000001 AS seconds
FROM run AS r
CROSS JOIN LATERAL jsonb_array_elements(CAST(NULLIF(r.steps, 'null') AS JSONB)) WITH ORDINALITY AS s(value, place);

-- What the reports of the runs come to, a sum a row.
CREATE VIEW v_run_sum AS
SELECT
  r.id AS run,
  s.name,
  CAST(s.value AS BIGINT) * 0.0001 AS amount
FROM run AS r
CROSS JOIN LATERAL jsonb_each_text(CAST(NULLIF(r.sums, 'null') AS JSONB)) AS s(name, value);

-- +goose Down

DROP VIEW v_run_step;
DROP VIEW v_run_sum;
DROP VIEW v_run;

CREATE VIEW v_run AS
SELECT
  r.id,
  r.kind,
  r.started_by,
  DATE '0001-01-01' + CAST(r.as_of - 1 AS INTEGER) AS as_of,
  TIMESTAMPTZ 'epoch' + r.began * INTERVAL '1 microsecond' AS began,
  TIMESTAMPTZ 'epoch' + r.ended * INTERVAL '1 microsecond' AS ended,
  r.engine,
  r.verdict,
  r.verdicts,
  r.exit_code,
  r.documents,
  r.accounts,
  r.pulled
FROM run AS r;
