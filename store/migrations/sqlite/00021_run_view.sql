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
  date('0001-01-01', (r.as_of - 1) || ' days') AS as_of,
  strftime('%Y-%m-%dT%H:%M:%S', r.began / 1000000, 'unixepoch')
    || printf('.%06dZ', r.began % 1000000) AS began,
  strftime('%Y-%m-%dT%H:%M:%S', r.ended / 1000000, 'unixepoch')
    || printf('.%06dZ', r.ended % 1000000) AS ended,
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
  r.taken_up,
  r.windows,
  r.windows_failed,
  r.retries,
  r.bytes,
  r.cases_new,
  r.cases_persisting,
  r.cases_resolved,
  printf('%.*s%d.%04d', r.lost < 0, '-', abs(r.lost / 10000), abs(r.lost % 10000)) AS lost,
  printf('%.*s%d.%04d', r.gained < 0, '-', abs(r.gained / 10000), abs(r.gained % 10000)) AS gained,
  r.sums,
  r.sets,
  r.steps
FROM run AS r;

-- The steps of the runs in their order, and how long each took.
CREATE VIEW v_run_step AS
SELECT
  r.id AS run,
  s.key + 1 AS place,
  json_extract(s.value, '$.name') AS step,
  printf('%d.%06d', json_extract(s.value, '$.us') / 1000000, json_extract(s.value, '$.us') % 1000000) AS seconds
FROM run AS r
JOIN json_each(NULLIF(r.steps, 'null')) AS s;

-- What the reports of the runs come to, a sum a row.
CREATE VIEW v_run_sum AS
SELECT
  r.id AS run,
  s.key AS name,
  printf('%.*s%d.%04d', s.value < 0, '-', abs(s.value / 10000), abs(s.value % 10000)) AS amount
FROM run AS r
JOIN json_each(NULLIF(r.sums, 'null')) AS s;

-- +goose Down

DROP VIEW v_run_step;
DROP VIEW v_run_sum;
DROP VIEW v_run;

CREATE VIEW v_run AS
SELECT
  r.id,
  r.kind,
  r.started_by,
  date('0001-01-01', (r.as_of - 1) || ' days') AS as_of,
  strftime('%Y-%m-%dT%H:%M:%S', r.began / 1000000, 'unixepoch')
    || printf('.%06dZ', r.began % 1000000) AS began,
  strftime('%Y-%m-%dT%H:%M:%S', r.ended / 1000000, 'unixepoch')
    || printf('.%06dZ', r.ended % 1000000) AS ended,
  r.engine,
  r.verdict,
  r.verdicts,
  r.exit_code,
  r.documents,
  r.accounts,
  r.pulled
FROM run AS r;
