-- What the plan of a night looks up: which sale days still hold money that is waited for; and the registration of slips
-- that no list tells of but one. Columns as in the doc.go of package store.

-- +goose Up

-- Of one sale day, what waits and until when: a day is looked up by a seek, however many rows the ledger has.
CREATE INDEX expectation_open ON expectation (account, sale_day, rest, next_on)
  WHERE ended_run IS NULL AND (class = 'open' OR class = 'blocked');

-- What a filter told of a slip of the list by credit date holds where no list shows it.
DROP VIEW v_slip;

-- Every slip that a list still shows, its views merged member by member, the one seen last first, with what is believed
-- of it. Who pays is left out.
CREATE VIEW v_slip AS
WITH covered AS (
  SELECT
    d.account,
    d.list,
    d.list_day,
    MAX(p.began) AS began
  FROM (
    SELECT DISTINCT
      account,
      list,
      list_day
    FROM slip
    WHERE ended_pull IS NULL AND proven = 1 AND list_day IS NOT NULL) AS d
  JOIN pull AS p ON p.account = d.account AND p.source = d.list AND p.complete = 1 AND p.from_day <= d.list_day
    AND p.to_day >= d.list_day
  GROUP BY d.account, d.list, d.list_day),
seen AS (
  SELECT
    v.*,
    CASE WHEN v.proven = 1 AND c.began > p.began THEN c.began ELSE p.began END AS seen
  FROM slip AS v
  JOIN pull AS p ON p.account = v.account AND p.id = COALESCE(v.last_pull, v.first_pull)
  LEFT JOIN covered AS c ON c.account = v.account AND c.list = v.list AND c.list_day = v.list_day
  WHERE v.ended_pull IS NULL),
ranked AS (
  SELECT
    n.*,
    ROW_NUMBER() OVER (
      PARTITION BY n.account, n.id
      ORDER BY
        n.seen DESC,
        CASE n.list
          WHEN 'slips.detail' THEN 0
          WHEN 'slips.credit' THEN 1
          WHEN 'slips.payment' THEN 2
          ELSE 3
        END) AS place
  FROM seen AS n),
gathered AS (
  SELECT
    account,
    id,
    COALESCE(
      MAX(CASE WHEN place = 1 THEN status END),
      MAX(CASE WHEN place = 2 THEN status END),
      MAX(CASE WHEN place = 3 THEN status END),
      MAX(CASE WHEN place = 4 THEN status END)) AS status,
    COALESCE(
      MAX(CASE WHEN place = 1 AND list <> 'slips.credit' THEN integration END),
      MAX(CASE WHEN place = 2 AND list IN ('slips.due', 'slips.payment') THEN integration END),
      MAX(CASE WHEN place = 3 AND list IN ('slips.due', 'slips.payment') THEN integration END),
      MAX(CASE WHEN place = 4 AND list IN ('slips.due', 'slips.payment') THEN integration END),
      MAX(CASE WHEN list = 'slips.credit' THEN integration END)) AS integration
  FROM ranked
  GROUP BY account, id)
SELECT
  s.account,
  s.id,
  s.value * 0.0001 AS value,
  s.paid_value * 0.0001 AS paid_value,
  DATE '0001-01-01' + CAST(s.issued - 1 AS INTEGER) AS issued,
  DATE '0001-01-01' + CAST(s.due - 1 AS INTEGER) AS due,
  DATE '0001-01-01' + CAST(s.paid_on - 1 AS INTEGER) AS paid_on,
  DATE '0001-01-01' + CAST(s.credited_on - 1 AS INTEGER) AS credited_on,
  s.bar_code,
  s.digitable_line,
  g.status,
  g.integration,
  c.our_number,
  c.reference_code,
  c.late_allowed = 1 AS late_allowed,
  DATE '0001-01-01' + CAST(c.late_limit - 1 AS INTEGER) AS late_limit,
  c.penalty * 0.0001 AS penalty,
  c.penalty_received * 0.0001 AS penalty_received,
  c.interest * 0.0001 AS interest,
  c.interest_received * 0.0001 AS interest_received,
  DATE '0001-01-01' + CAST(c.cancelled_on - 1 AS INTEGER) AS cancelled_on,
  c.cancel_reason,
  e.class,
  e.verdict,
  e.codes,
  e.rest,
  DATE '0001-01-01' + CAST(e.due_adjusted - 1 AS INTEGER) AS due_adjusted,
  e.face * 0.0001 AS expected_value,
  e.penalty_due * 0.0001 AS penalty_due,
  e.interest_due * 0.0001 AS interest_due,
  e.days_late,
  e.float_days,
  e.tariff * 0.0001 AS tariff,
  e.net_credited * 0.0001 AS net_credited,
  e.impact * 0.0001 AS impact,
  e.run AS believed_by,
  s.list AS seen_last_in,
  TIMESTAMPTZ 'epoch' + s.seen * INTERVAL '1 microsecond' AS seen_last_at
FROM ranked AS s
JOIN gathered AS g ON g.account = s.account AND g.id = s.id
LEFT JOIN slip AS c ON c.account = s.account AND c.id = s.id AND c.list = 'slips.credit' AND c.ended_pull IS NULL
LEFT JOIN slip_expectation AS e ON e.account = s.account AND e.id = s.id AND e.ended_run IS NULL
WHERE s.place = 1;

-- +goose Down

DROP VIEW v_slip;

-- Every slip that a list still shows, its views merged member by member, the one seen last first, with what is believed
-- of it. Who pays is left out.
CREATE VIEW v_slip AS
WITH covered AS (
  SELECT
    d.account,
    d.list,
    d.list_day,
    MAX(p.began) AS began
  FROM (
    SELECT DISTINCT
      account,
      list,
      list_day
    FROM slip
    WHERE ended_pull IS NULL AND proven = 1 AND list_day IS NOT NULL) AS d
  JOIN pull AS p ON p.account = d.account AND p.source = d.list AND p.complete = 1 AND p.from_day <= d.list_day
    AND p.to_day >= d.list_day
  GROUP BY d.account, d.list, d.list_day),
seen AS (
  SELECT
    v.*,
    CASE WHEN v.proven = 1 AND c.began > p.began THEN c.began ELSE p.began END AS seen
  FROM slip AS v
  JOIN pull AS p ON p.account = v.account AND p.id = COALESCE(v.last_pull, v.first_pull)
  LEFT JOIN covered AS c ON c.account = v.account AND c.list = v.list AND c.list_day = v.list_day
  WHERE v.ended_pull IS NULL),
ranked AS (
  SELECT
    n.*,
    ROW_NUMBER() OVER (
      PARTITION BY n.account, n.id
      ORDER BY
        n.seen DESC,
        CASE n.list
          WHEN 'slips.detail' THEN 0
          WHEN 'slips.credit' THEN 1
          WHEN 'slips.payment' THEN 2
          ELSE 3
        END) AS place
  FROM seen AS n),
gathered AS (
  SELECT
    account,
    id,
    COALESCE(
      MAX(CASE WHEN place = 1 THEN status END),
      MAX(CASE WHEN place = 2 THEN status END),
      MAX(CASE WHEN place = 3 THEN status END),
      MAX(CASE WHEN place = 4 THEN status END)) AS status,
    COALESCE(
      MAX(CASE WHEN place = 1 THEN integration END),
      MAX(CASE WHEN place = 2 AND list IN ('slips.due', 'slips.payment') THEN integration END),
      MAX(CASE WHEN place = 3 AND list IN ('slips.due', 'slips.payment') THEN integration END),
      MAX(CASE WHEN place = 4 AND list IN ('slips.due', 'slips.payment') THEN integration END)) AS integration
  FROM ranked
  GROUP BY account, id)
SELECT
  s.account,
  s.id,
  s.value * 0.0001 AS value,
  s.paid_value * 0.0001 AS paid_value,
  DATE '0001-01-01' + CAST(s.issued - 1 AS INTEGER) AS issued,
  DATE '0001-01-01' + CAST(s.due - 1 AS INTEGER) AS due,
  DATE '0001-01-01' + CAST(s.paid_on - 1 AS INTEGER) AS paid_on,
  DATE '0001-01-01' + CAST(s.credited_on - 1 AS INTEGER) AS credited_on,
  s.bar_code,
  s.digitable_line,
  g.status,
  g.integration,
  c.our_number,
  c.reference_code,
  c.late_allowed = 1 AS late_allowed,
  DATE '0001-01-01' + CAST(c.late_limit - 1 AS INTEGER) AS late_limit,
  c.penalty * 0.0001 AS penalty,
  c.penalty_received * 0.0001 AS penalty_received,
  c.interest * 0.0001 AS interest,
  c.interest_received * 0.0001 AS interest_received,
  DATE '0001-01-01' + CAST(c.cancelled_on - 1 AS INTEGER) AS cancelled_on,
  c.cancel_reason,
  e.class,
  e.verdict,
  e.codes,
  e.rest,
  DATE '0001-01-01' + CAST(e.due_adjusted - 1 AS INTEGER) AS due_adjusted,
  e.face * 0.0001 AS expected_value,
  e.penalty_due * 0.0001 AS penalty_due,
  e.interest_due * 0.0001 AS interest_due,
  e.days_late,
  e.float_days,
  e.tariff * 0.0001 AS tariff,
  e.net_credited * 0.0001 AS net_credited,
  e.impact * 0.0001 AS impact,
  e.run AS believed_by,
  s.list AS seen_last_in,
  TIMESTAMPTZ 'epoch' + s.seen * INTERVAL '1 microsecond' AS seen_last_at
FROM ranked AS s
JOIN gathered AS g ON g.account = s.account AND g.id = s.id
LEFT JOIN slip AS c ON c.account = s.account AND c.id = s.id AND c.list = 'slips.credit' AND c.ended_pull IS NULL
LEFT JOIN slip_expectation AS e ON e.account = s.account AND e.id = s.id AND e.ended_run IS NULL
WHERE s.place = 1;

DROP INDEX expectation_open;
