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
  CASE WHEN s.value IS NOT NULL
    THEN printf('%.*s%d.%04d', s.value < 0, '-', abs(s.value / 10000), abs(s.value % 10000))
    END AS value,
  CASE WHEN s.paid_value IS NOT NULL
    THEN printf('%.*s%d.%04d', s.paid_value < 0, '-', abs(s.paid_value / 10000), abs(s.paid_value % 10000))
    END AS paid_value,
  date('0001-01-01', (s.issued - 1) || ' days') AS issued,
  date('0001-01-01', (s.due - 1) || ' days') AS due,
  date('0001-01-01', (s.paid_on - 1) || ' days') AS paid_on,
  date('0001-01-01', (s.credited_on - 1) || ' days') AS credited_on,
  s.bar_code,
  s.digitable_line,
  g.status,
  g.integration,
  c.our_number,
  c.reference_code,
  c.late_allowed = 1 AS late_allowed,
  date('0001-01-01', (c.late_limit - 1) || ' days') AS late_limit,
  CASE WHEN c.penalty IS NOT NULL
    THEN printf('%.*s%d.%04d', c.penalty < 0, '-', abs(c.penalty / 10000), abs(c.penalty % 10000))
    END AS penalty,
  CASE WHEN c.penalty_received IS NOT NULL
    THEN printf('%.*s%d.%04d', c.penalty_received < 0, '-', abs(c.penalty_received / 10000), abs(c.penalty_received % 10000))
    END AS penalty_received,
  CASE WHEN c.interest IS NOT NULL
    THEN printf('%.*s%d.%04d', c.interest < 0, '-', abs(c.interest / 10000), abs(c.interest % 10000))
    END AS interest,
  CASE WHEN c.interest_received IS NOT NULL
    THEN printf('%.*s%d.%04d', c.interest_received < 0, '-', abs(c.interest_received / 10000), abs(c.interest_received % 10000))
    END AS interest_received,
  date('0001-01-01', (c.cancelled_on - 1) || ' days') AS cancelled_on,
  c.cancel_reason,
  e.class,
  e.verdict,
  e.codes,
  e.rest,
  date('0001-01-01', (e.due_adjusted - 1) || ' days') AS due_adjusted,
  CASE WHEN e.face IS NOT NULL
    THEN printf('%.*s%d.%04d', e.face < 0, '-', abs(e.face / 10000), abs(e.face % 10000))
    END AS expected_value,
  CASE WHEN e.penalty_due IS NOT NULL
    THEN printf('%.*s%d.%04d', e.penalty_due < 0, '-', abs(e.penalty_due / 10000), abs(e.penalty_due % 10000))
    END AS penalty_due,
  CASE WHEN e.interest_due IS NOT NULL
    THEN printf('%.*s%d.%04d', e.interest_due < 0, '-', abs(e.interest_due / 10000), abs(e.interest_due % 10000))
    END AS interest_due,
  e.days_late,
  e.float_days,
  CASE WHEN e.tariff IS NOT NULL
    THEN printf('%.*s%d.%04d', e.tariff < 0, '-', abs(e.tariff / 10000), abs(e.tariff % 10000))
    END AS tariff,
  CASE WHEN e.net_credited IS NOT NULL
    THEN printf('%.*s%d.%04d', e.net_credited < 0, '-', abs(e.net_credited / 10000), abs(e.net_credited % 10000))
    END AS net_credited,
  CASE WHEN e.impact IS NOT NULL
    THEN printf('%.*s%d.%04d', e.impact < 0, '-', abs(e.impact / 10000), abs(e.impact % 10000))
    END AS impact,
  e.run AS believed_by,
  s.list AS seen_last_in,
  strftime('%Y-%m-%dT%H:%M:%S', s.seen / 1000000, 'unixepoch')
    || printf('.%06dZ', s.seen % 1000000) AS seen_last_at
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
  CASE WHEN s.value IS NOT NULL
    THEN printf('%.*s%d.%04d', s.value < 0, '-', abs(s.value / 10000), abs(s.value % 10000))
    END AS value,
  CASE WHEN s.paid_value IS NOT NULL
    THEN printf('%.*s%d.%04d', s.paid_value < 0, '-', abs(s.paid_value / 10000), abs(s.paid_value % 10000))
    END AS paid_value,
  date('0001-01-01', (s.issued - 1) || ' days') AS issued,
  date('0001-01-01', (s.due - 1) || ' days') AS due,
  date('0001-01-01', (s.paid_on - 1) || ' days') AS paid_on,
  date('0001-01-01', (s.credited_on - 1) || ' days') AS credited_on,
  s.bar_code,
  s.digitable_line,
  g.status,
  g.integration,
  c.our_number,
  c.reference_code,
  c.late_allowed = 1 AS late_allowed,
  date('0001-01-01', (c.late_limit - 1) || ' days') AS late_limit,
  CASE WHEN c.penalty IS NOT NULL
    THEN printf('%.*s%d.%04d', c.penalty < 0, '-', abs(c.penalty / 10000), abs(c.penalty % 10000))
    END AS penalty,
  CASE WHEN c.penalty_received IS NOT NULL
    THEN printf('%.*s%d.%04d', c.penalty_received < 0, '-', abs(c.penalty_received / 10000), abs(c.penalty_received % 10000))
    END AS penalty_received,
  CASE WHEN c.interest IS NOT NULL
    THEN printf('%.*s%d.%04d', c.interest < 0, '-', abs(c.interest / 10000), abs(c.interest % 10000))
    END AS interest,
  CASE WHEN c.interest_received IS NOT NULL
    THEN printf('%.*s%d.%04d', c.interest_received < 0, '-', abs(c.interest_received / 10000), abs(c.interest_received % 10000))
    END AS interest_received,
  date('0001-01-01', (c.cancelled_on - 1) || ' days') AS cancelled_on,
  c.cancel_reason,
  e.class,
  e.verdict,
  e.codes,
  e.rest,
  date('0001-01-01', (e.due_adjusted - 1) || ' days') AS due_adjusted,
  CASE WHEN e.face IS NOT NULL
    THEN printf('%.*s%d.%04d', e.face < 0, '-', abs(e.face / 10000), abs(e.face % 10000))
    END AS expected_value,
  CASE WHEN e.penalty_due IS NOT NULL
    THEN printf('%.*s%d.%04d', e.penalty_due < 0, '-', abs(e.penalty_due / 10000), abs(e.penalty_due % 10000))
    END AS penalty_due,
  CASE WHEN e.interest_due IS NOT NULL
    THEN printf('%.*s%d.%04d', e.interest_due < 0, '-', abs(e.interest_due / 10000), abs(e.interest_due % 10000))
    END AS interest_due,
  e.days_late,
  e.float_days,
  CASE WHEN e.tariff IS NOT NULL
    THEN printf('%.*s%d.%04d', e.tariff < 0, '-', abs(e.tariff / 10000), abs(e.tariff % 10000))
    END AS tariff,
  CASE WHEN e.net_credited IS NOT NULL
    THEN printf('%.*s%d.%04d', e.net_credited < 0, '-', abs(e.net_credited / 10000), abs(e.net_credited % 10000))
    END AS net_credited,
  CASE WHEN e.impact IS NOT NULL
    THEN printf('%.*s%d.%04d', e.impact < 0, '-', abs(e.impact / 10000), abs(e.impact % 10000))
    END AS impact,
  e.run AS believed_by,
  s.list AS seen_last_in,
  strftime('%Y-%m-%dT%H:%M:%S', s.seen / 1000000, 'unixepoch')
    || printf('.%06dZ', s.seen % 1000000) AS seen_last_at
FROM ranked AS s
JOIN gathered AS g ON g.account = s.account AND g.id = s.id
LEFT JOIN slip AS c ON c.account = s.account AND c.id = s.id AND c.list = 'slips.credit' AND c.ended_pull IS NULL
LEFT JOIN slip_expectation AS e ON e.account = s.account AND e.id = s.id AND e.ended_run IS NULL
WHERE s.place = 1;

DROP INDEX expectation_open;
