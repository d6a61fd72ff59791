-- The record of a run keeps the figures of its cases one by one. Columns as in the doc.go of package store.

-- +goose Up

DROP VIEW v_run;

ALTER TABLE run RENAME COLUMN gained TO excess;
ALTER TABLE run ADD COLUMN late INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN at_risk INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN claimed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN waived INTEGER NOT NULL DEFAULT 0;

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
  printf('%.*s%d.%04d', r.late < 0, '-', abs(r.late / 10000), abs(r.late % 10000)) AS late,
  printf('%.*s%d.%04d', r.at_risk < 0, '-', abs(r.at_risk / 10000), abs(r.at_risk % 10000)) AS at_risk,
  printf('%.*s%d.%04d', r.claimed < 0, '-', abs(r.claimed / 10000), abs(r.claimed % 10000)) AS claimed,
  printf('%.*s%d.%04d', r.waived < 0, '-', abs(r.waived / 10000), abs(r.waived % 10000)) AS waived,
  printf('%.*s%d.%04d', r.excess < 0, '-', abs(r.excess / 10000), abs(r.excess % 10000)) AS excess,
  r.sums,
  r.sets,
  r.steps
FROM run AS r;

-- +goose Down

DROP VIEW v_run;

ALTER TABLE run DROP COLUMN late;
ALTER TABLE run DROP COLUMN at_risk;
ALTER TABLE run DROP COLUMN claimed;
ALTER TABLE run DROP COLUMN waived;
ALTER TABLE run RENAME COLUMN excess TO gained;

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
