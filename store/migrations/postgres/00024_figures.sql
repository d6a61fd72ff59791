-- The record of a run keeps the figures of its cases one by one. Columns as in the doc.go of package store.

-- +goose Up

DROP VIEW v_run;

ALTER TABLE run RENAME COLUMN gained TO excess;
ALTER TABLE run ADD COLUMN late BIGINT NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN at_risk BIGINT NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN claimed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE run ADD COLUMN waived BIGINT NOT NULL DEFAULT 0;

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
  r.late * 0.0001 AS late,
  r.at_risk * 0.0001 AS at_risk,
  r.claimed * 0.0001 AS claimed,
  r.waived * 0.0001 AS waived,
  r.excess * 0.0001 AS excess,
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
