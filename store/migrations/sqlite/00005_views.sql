-- Views for people, psql and charting programs; concilia itself reads the tables. The doc.go of package store lists them and
-- says how their columns differ from those of the tables.

-- +goose Up

-- Every installment as it stands, with what is believed of this version; the latter is NULL until a run has judged it.
CREATE VIEW v_installment AS
SELECT
  i.account,
  date('0001-01-01', (i.sale_day - 1) || ' days') AS sale_date,
  i.nsu,
  i.auth,
  i.number AS installment,
  i.occurrence,
  i.version,
  CASE WHEN i.count_sent < 1 THEN 1 ELSE i.count_sent END AS installments,
  date('0001-01-01', (i.sold_at / 864000000000) || ' days')
    || strftime('T%H:%M:%S', i.sold_at % 864000000000 / 10000000, 'unixepoch')
    || printf('.%06d', i.sold_at % 10000000 / 10) AS sold_at,
  i.terminal,
  i.card,
  i.card_type,
  i.card_name,
  i.status,
  i.received_status,
  i.received_type,
  CAST(i.sale_total / 10000.0 AS NUMERIC) AS sale_total,
  CAST(i.gross / 10000.0 AS NUMERIC) AS gross,
  CAST(i.mdr / 10000.0 AS NUMERIC) AS mdr,
  CAST(i.mdr_rate / 1000000.0 AS NUMERIC) AS mdr_rate,
  CAST(i.fee / 10000.0 AS NUMERIC) AS transaction_fee,
  CAST(i.sale_fee / 10000.0 AS NUMERIC) AS transaction_fee_sale,
  CAST(i.antifraud / 10000.0 AS NUMERIC) AS antifraud_fee,
  CAST(i.sale_antifraud / 10000.0 AS NUMERIC) AS antifraud_fee_sale,
  CAST(i.anticipation / 10000.0 AS NUMERIC) AS anticipation,
  CAST(i.anticipation_rate / 1000000.0 AS NUMERIC) AS anticipation_rate,
  CAST(i.received / 10000.0 AS NUMERIC) AS received,
  date('0001-01-01', (i.forecast - 1) || ' days') AS forecast_date,
  date('0001-01-01', (i.effective - 1) || ' days') AS effective_date,
  i.reference,
  i.web_payment_id,
  e.class,
  e.brand,
  e.product,
  e.band,
  e.verdict,
  e.codes,
  e.rest,
  CAST(e.net / 10000.0 AS NUMERIC) AS net_expected,
  CAST(e.net_contract / 10000.0 AS NUMERIC) AS net_contract,
  e.contract_line,
  CAST(e.contract_mdr_rate / 1000000.0 AS NUMERIC) AS contract_mdr_rate,
  date('0001-01-01', (e.expected_date - 1) || ' days') AS expected_date,
  e.days_late,
  e.days_anticipated,
  CAST(e.impact / 10000.0 AS NUMERIC) AS impact,
  e.run AS believed_by,
  date('0001-01-01', (i.first_seen - 1) || ' days') AS first_seen,
  date('0001-01-01', (i.last_changed - 1) || ' days') AS last_changed,
  i.first_pull
FROM installment AS i
LEFT JOIN expectation AS e
  ON e.account = i.account AND e.sale_day = i.sale_day AND e.nsu = i.nsu AND e.auth = i.auth
    AND e.number = i.number AND e.occurrence = i.occurrence AND e.ended_run IS NULL AND e.version = i.version
WHERE i.ended_pull IS NULL;

-- Every version of every installment, and when it was there.
CREATE VIEW v_installment_history AS
SELECT
  i.account,
  date('0001-01-01', (i.sale_day - 1) || ' days') AS sale_date,
  i.nsu,
  i.auth,
  i.number AS installment,
  i.occurrence,
  i.version,
  i.ended_pull IS NULL AS stands,
  i.vanished = 1 AS vanished,
  i.first_pull,
  strftime('%Y-%m-%dT%H:%M:%S', b.began / 1000000, 'unixepoch')
    || printf('.%06dZ', b.began % 1000000) AS first_pulled_at,
  i.ended_pull,
  strftime('%Y-%m-%dT%H:%M:%S', u.began / 1000000, 'unixepoch')
    || printf('.%06dZ', u.began % 1000000) AS ended_at,
  date('0001-01-01', (i.first_seen - 1) || ' days') AS first_seen,
  date('0001-01-01', (i.last_changed - 1) || ' days') AS last_changed,
  CASE WHEN i.count_sent < 1 THEN 1 ELSE i.count_sent END AS installments,
  date('0001-01-01', (i.sold_at / 864000000000) || ' days')
    || strftime('T%H:%M:%S', i.sold_at % 864000000000 / 10000000, 'unixepoch')
    || printf('.%06d', i.sold_at % 10000000 / 10) AS sold_at,
  i.terminal,
  i.card,
  i.card_type,
  i.card_name,
  i.status,
  i.received_status,
  i.received_type,
  CAST(i.sale_total / 10000.0 AS NUMERIC) AS sale_total,
  CAST(i.gross / 10000.0 AS NUMERIC) AS gross,
  CAST(i.mdr / 10000.0 AS NUMERIC) AS mdr,
  CAST(i.mdr_rate / 1000000.0 AS NUMERIC) AS mdr_rate,
  CAST(i.fee / 10000.0 AS NUMERIC) AS transaction_fee,
  CAST(i.sale_fee / 10000.0 AS NUMERIC) AS transaction_fee_sale,
  CAST(i.antifraud / 10000.0 AS NUMERIC) AS antifraud_fee,
  CAST(i.sale_antifraud / 10000.0 AS NUMERIC) AS antifraud_fee_sale,
  CAST(i.anticipation / 10000.0 AS NUMERIC) AS anticipation,
  CAST(i.anticipation_rate / 1000000.0 AS NUMERIC) AS anticipation_rate,
  CAST(i.received / 10000.0 AS NUMERIC) AS received,
  date('0001-01-01', (i.forecast - 1) || ' days') AS forecast_date,
  date('0001-01-01', (i.effective - 1) || ' days') AS effective_date,
  i.reference,
  i.web_payment_id
FROM installment AS i
LEFT JOIN pull AS b ON b.account = i.account AND b.id = i.first_pull
LEFT JOIN pull AS u ON u.account = i.account AND u.id = i.ended_pull;

-- Every split of every installment as it stands, with what should have been.
CREATE VIEW v_split AS
SELECT
  s.account,
  date('0001-01-01', (s.sale_day - 1) || ' days') AS sale_date,
  s.nsu,
  s.auth,
  s.number AS installment,
  s.occurrence,
  s.version,
  s.split,
  s.beneficiary,
  s.type,
  CAST(s.pct / 1000000.0 AS NUMERIC) AS pct,
  CAST(s.base / 10000.0 AS NUMERIC) AS base,
  CAST(s.value / 10000.0 AS NUMERIC) AS value,
  CAST(s.expected / 10000.0 AS NUMERIC) AS expected_value,
  CAST(s.contract_pct / 1000000.0 AS NUMERIC) AS contract_pct,
  s.verdict
FROM (
  SELECT
    i.account,
    i.sale_day,
    i.nsu,
    i.auth,
    i.number,
    i.occurrence,
    i.version,
    x.key + 1 AS split,
    json_extract(x.value, '$.beneficiary') AS beneficiary,
    json_extract(x.value, '$.type') AS type,
    json_extract(x.value, '$.pct') AS pct,
    json_extract(x.value, '$.base') AS base,
    json_extract(x.value, '$.value') AS value,
    json_extract(y.value, '$.expected') AS expected,
    json_extract(y.value, '$.contract_pct') AS contract_pct,
    json_extract(y.value, '$.verdict') AS verdict
  FROM installment AS i
  CROSS JOIN json_each(i.splits) AS x
  LEFT JOIN expectation AS e
    ON e.account = i.account AND e.sale_day = i.sale_day AND e.nsu = i.nsu AND e.auth = i.auth
      AND e.number = i.number AND e.occurrence = i.occurrence AND e.ended_run IS NULL AND e.version = i.version
  LEFT JOIN json_each(e.splits) AS y ON y.key + 1 = x.key + 1
  WHERE i.ended_pull IS NULL) AS s;

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
  CAST(s.value / 10000.0 AS NUMERIC) AS value,
  CAST(s.paid_value / 10000.0 AS NUMERIC) AS paid_value,
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
  CAST(c.penalty / 10000.0 AS NUMERIC) AS penalty,
  CAST(c.penalty_received / 10000.0 AS NUMERIC) AS penalty_received,
  CAST(c.interest / 10000.0 AS NUMERIC) AS interest,
  CAST(c.interest_received / 10000.0 AS NUMERIC) AS interest_received,
  date('0001-01-01', (c.cancelled_on - 1) || ' days') AS cancelled_on,
  c.cancel_reason,
  e.class,
  e.verdict,
  e.codes,
  e.rest,
  date('0001-01-01', (e.due_adjusted - 1) || ' days') AS due_adjusted,
  CAST(e.face / 10000.0 AS NUMERIC) AS expected_value,
  CAST(e.penalty_due / 10000.0 AS NUMERIC) AS penalty_due,
  CAST(e.interest_due / 10000.0 AS NUMERIC) AS interest_due,
  e.days_late,
  e.float_days,
  CAST(e.tariff / 10000.0 AS NUMERIC) AS tariff,
  CAST(e.net_credited / 10000.0 AS NUMERIC) AS net_credited,
  CAST(e.impact / 10000.0 AS NUMERIC) AS impact,
  e.run AS believed_by,
  s.list AS seen_last_in,
  strftime('%Y-%m-%dT%H:%M:%S', s.seen / 1000000, 'unixepoch')
    || printf('.%06dZ', s.seen % 1000000) AS seen_last_at
FROM ranked AS s
JOIN gathered AS g ON g.account = s.account AND g.id = s.id
LEFT JOIN slip AS c ON c.account = s.account AND c.id = s.id AND c.list = 'slips.credit' AND c.ended_pull IS NULL
LEFT JOIN slip_expectation AS e ON e.account = s.account AND e.id = s.id AND e.ended_run IS NULL
WHERE s.place = 1;

-- Every version of every list's view of a slip, and when it was there. Who pays is left out.
CREATE VIEW v_slip_history AS
SELECT
  v.account,
  v.id,
  v.list,
  v.version,
  v.ended_pull IS NULL AS stands,
  v.vanished = 1 AS vanished,
  v.first_pull,
  strftime('%Y-%m-%dT%H:%M:%S', b.began / 1000000, 'unixepoch')
    || printf('.%06dZ', b.began % 1000000) AS first_pulled_at,
  v.ended_pull,
  strftime('%Y-%m-%dT%H:%M:%S', u.began / 1000000, 'unixepoch')
    || printf('.%06dZ', u.began % 1000000) AS ended_at,
  CAST(v.value / 10000.0 AS NUMERIC) AS value,
  CAST(v.paid_value / 10000.0 AS NUMERIC) AS paid_value,
  date('0001-01-01', (v.issued - 1) || ' days') AS issued,
  date('0001-01-01', (v.due - 1) || ' days') AS due,
  date('0001-01-01', (v.paid_on - 1) || ' days') AS paid_on,
  date('0001-01-01', (v.credited_on - 1) || ' days') AS credited_on,
  v.status,
  v.integration,
  v.our_number,
  v.reference_code,
  v.late_allowed = 1 AS late_allowed,
  date('0001-01-01', (v.late_limit - 1) || ' days') AS late_limit,
  CAST(v.penalty / 10000.0 AS NUMERIC) AS penalty,
  CAST(v.penalty_received / 10000.0 AS NUMERIC) AS penalty_received,
  CAST(v.interest / 10000.0 AS NUMERIC) AS interest,
  CAST(v.interest_received / 10000.0 AS NUMERIC) AS interest_received,
  date('0001-01-01', (v.cancelled_on - 1) || ' days') AS cancelled_on,
  v.cancel_reason
FROM slip AS v
LEFT JOIN pull AS b ON b.account = v.account AND b.id = v.first_pull
LEFT JOIN pull AS u ON u.account = v.account AND u.id = v.ended_pull;

-- Every case as it was seen last. An amount among expected and actual has four decimals.
CREATE VIEW v_finding AS
SELECT
  f.account,
  f.case_id,
  f.code,
  f.severity,
  f.state,
  f.subject,
  CASE f.expected_kind
    WHEN 1 THEN CASE WHEN f.expected_number IS NOT NULL
    THEN printf('%.*s%d.%04d', f.expected_number < 0, '-', abs(f.expected_number / 10000), abs(f.expected_number % 10000)) END
    WHEN 2 THEN date('0001-01-01', (f.expected_number - 1) || ' days')
    WHEN 3 THEN f.expected_text ELSE ''
    END AS expected,
  CASE f.actual_kind
    WHEN 1 THEN CASE WHEN f.actual_number IS NOT NULL
    THEN printf('%.*s%d.%04d', f.actual_number < 0, '-', abs(f.actual_number / 10000), abs(f.actual_number % 10000)) END
    WHEN 2 THEN date('0001-01-01', (f.actual_number - 1) || ' days')
    WHEN 3 THEN f.actual_text ELSE ''
    END AS actual,
  CAST(f.impact / 10000.0 AS NUMERIC) AS impact,
  f.exposure = 1 AS exposure,
  f.explained_by,
  date('0001-01-01', (f.break_on - 1) || ' days') AS break_on,
  date('0001-01-01', (f.first_seen - 1) || ' days') AS first_seen,
  date('0001-01-01', (f.opened_on - 1) || ' days') AS opened_on,
  date('0001-01-01', (f.day - 1) || ' days') AS day,
  date('0001-01-01', (f.due_on - 1) || ' days') AS due_on,
  f.brand,
  f.product,
  f.contract_line,
  f.hint,
  f.numbers,
  f.assignee,
  f.first_run,
  f.last_run
FROM finding AS f;

-- Every change of a case, by a run or by a person (act).
CREATE VIEW v_finding_event AS
SELECT
  f.account,
  f.case_id,
  f.sequence,
  f.run,
  f.act,
  date('0001-01-01', (f.as_of - 1) || ' days') AS as_of,
  f.code,
  f.severity,
  f.state,
  f.subject,
  CASE f.expected_kind
    WHEN 1 THEN CASE WHEN f.expected_number IS NOT NULL
    THEN printf('%.*s%d.%04d', f.expected_number < 0, '-', abs(f.expected_number / 10000), abs(f.expected_number % 10000)) END
    WHEN 2 THEN date('0001-01-01', (f.expected_number - 1) || ' days')
    WHEN 3 THEN f.expected_text ELSE ''
    END AS expected,
  CASE f.actual_kind
    WHEN 1 THEN CASE WHEN f.actual_number IS NOT NULL
    THEN printf('%.*s%d.%04d', f.actual_number < 0, '-', abs(f.actual_number / 10000), abs(f.actual_number % 10000)) END
    WHEN 2 THEN date('0001-01-01', (f.actual_number - 1) || ' days')
    WHEN 3 THEN f.actual_text ELSE ''
    END AS actual,
  CAST(f.impact / 10000.0 AS NUMERIC) AS impact,
  f.exposure = 1 AS exposure,
  f.explained_by,
  date('0001-01-01', (f.break_on - 1) || ' days') AS break_on,
  date('0001-01-01', (f.first_seen - 1) || ' days') AS first_seen,
  date('0001-01-01', (f.opened_on - 1) || ' days') AS opened_on,
  date('0001-01-01', (f.day - 1) || ' days') AS day,
  date('0001-01-01', (f.due_on - 1) || ' days') AS due_on,
  f.brand,
  f.product,
  f.contract_line,
  f.hint,
  f.numbers,
  f.assignee,
  f.first_run,
  f.last_run
FROM finding_event AS f;

-- Every question to the service, and what it brought.
CREATE VIEW v_pull AS
SELECT
  p.account,
  p.id,
  p.run,
  p.source,
  date('0001-01-01', (p.from_day - 1) || ' days') AS from_date,
  date('0001-01-01', (p.to_day - 1) || ' days') AS to_date,
  p.reason,
  strftime('%Y-%m-%dT%H:%M:%S', p.began / 1000000, 'unixepoch')
    || printf('.%06dZ', p.began % 1000000) AS began,
  strftime('%Y-%m-%dT%H:%M:%S', p.ended / 1000000, 'unixepoch')
    || printf('.%06dZ', p.ended % 1000000) AS ended,
  date('0001-01-01', (p.as_of - 1) || ' days') AS as_of,
  date('0001-01-01', (p.pulled_on - 1) || ' days') AS pulled_on,
  p.complete = 1 AS complete,
  p.failure,
  p.bytes,
  p.sha256,
  p.requests,
  p.rows_seen,
  p.rows_new,
  p.changed,
  p.same,
  p.vanished,
  p.quarantined
FROM pull AS p;

-- Every day of a source that was ever asked for: complete when a whole answer began after the day had ended, and then
-- pull is the last of those, else the last that touched the day.
CREATE VIEW v_coverage_day AS
WITH RECURSIVE asked AS (
  SELECT
    account,
    source,
    id,
    began,
    complete,
    pulled_on,
    from_day AS day,
    to_day
  FROM pull
  WHERE source <> 'slips.detail'
  UNION ALL
  SELECT
    account,
    source,
    id,
    began,
    complete,
    pulled_on,
    day + 1,
    to_day
  FROM asked
  WHERE day < to_day),
ranked AS (
  SELECT
    a.account,
    a.source,
    a.day,
    a.id,
    a.began,
    CASE WHEN a.complete = 1 AND a.pulled_on > a.day THEN 1 ELSE 0 END AS proves,
    ROW_NUMBER() OVER (
      PARTITION BY a.account, a.source, a.day
      ORDER BY CASE WHEN a.complete = 1 AND a.pulled_on > a.day THEN 0 ELSE 1 END, a.began DESC, a.id DESC) AS place
  FROM asked AS a)
SELECT
  c.account,
  c.source,
  date('0001-01-01', (c.day - 1) || ' days') AS day,
  c.proves = 1 AS complete,
  c.id AS pull,
  strftime('%Y-%m-%dT%H:%M:%S', c.began / 1000000, 'unixepoch')
    || printf('.%06dZ', c.began % 1000000) AS pulled_at
FROM ranked AS c
WHERE c.place = 1;

-- The runs. What began and did not end has neither an end nor a verdict. The JSON texts are as in the table: previous and
-- clock are NULL where the table has an empty text; lost to excess are the figures of its cases.
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
  r.archive_removed,
  CAST(r.lost / 10000.0 AS NUMERIC) AS lost,
  CAST(r.late / 10000.0 AS NUMERIC) AS late,
  CAST(r.at_risk / 10000.0 AS NUMERIC) AS at_risk,
  CAST(r.claimed / 10000.0 AS NUMERIC) AS claimed,
  CAST(r.waived / 10000.0 AS NUMERIC) AS waived,
  CAST(r.excess / 10000.0 AS NUMERIC) AS excess,
  r.sums,
  r.sets,
  r.steps,
  r.end_number,
  NULLIF(r.digest, '') AS digest
FROM run AS r;

-- The steps of the runs in their order, and how long each took.
CREATE VIEW v_run_step AS
SELECT
  r.id AS run,
  s.key + 1 AS place,
  json_extract(s.value, '$.name') AS step,
  CAST(json_extract(s.value, '$.us') / 1000000.0 AS NUMERIC) AS seconds
FROM run AS r
JOIN json_each(NULLIF(r.steps, 'null')) AS s;

-- What the reports of the runs come to, a sum a row.
CREATE VIEW v_run_sum AS
SELECT
  r.id AS run,
  s.key AS name,
  CAST(s.value / 10000.0 AS NUMERIC) AS amount
FROM run AS r
JOIN json_each(NULLIF(r.sums, 'null')) AS s;
