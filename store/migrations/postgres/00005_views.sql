-- Views for people, psql and charting programs; concilia itself reads the tables. The doc.go of package store lists them and
-- says how their columns differ from those of the tables.

-- +goose Up

-- Every installment as it stands, with what is believed of this version; the latter is NULL until a run has judged it.
CREATE VIEW v_installment AS
SELECT
  i.account,
  DATE '0001-01-01' + CAST(i.sale_day - 1 AS INTEGER) AS sale_date,
  i.nsu,
  i.auth,
  i.number AS installment,
  i.occurrence,
  i.version,
  CASE WHEN i.count_sent < 1 THEN 1 ELSE i.count_sent END AS installments,
  TIMESTAMP '0001-01-01' + i.sold_at / 864000000000 * INTERVAL '1 day'
    + i.sold_at % 864000000000 / 10 * INTERVAL '1 microsecond' AS sold_at,
  i.terminal,
  i.card,
  i.card_type,
  i.card_name,
  i.status,
  i.received_status,
  i.received_type,
  i.sale_total * 0.0001 AS sale_total,
  i.gross * 0.0001 AS gross,
  i.mdr * 0.0001 AS mdr,
  i.mdr_rate * 0.000001 AS mdr_rate,
  i.fee * 0.0001 AS transaction_fee,
  i.sale_fee * 0.0001 AS transaction_fee_sale,
  i.antifraud * 0.0001 AS antifraud_fee,
  i.sale_antifraud * 0.0001 AS antifraud_fee_sale,
  i.anticipation * 0.0001 AS anticipation,
  i.anticipation_rate * 0.000001 AS anticipation_rate,
  i.received * 0.0001 AS received,
  DATE '0001-01-01' + CAST(i.forecast - 1 AS INTEGER) AS forecast_date,
  DATE '0001-01-01' + CAST(i.effective - 1 AS INTEGER) AS effective_date,
  i.reference,
  i.web_payment_id,
  e.class,
  e.brand,
  e.product,
  e.band,
  e.verdict,
  e.codes,
  e.rest,
  e.net * 0.0001 AS net_expected,
  e.net_contract * 0.0001 AS net_contract,
  e.contract_line,
  e.contract_mdr_rate * 0.000001 AS contract_mdr_rate,
  DATE '0001-01-01' + CAST(e.expected_date - 1 AS INTEGER) AS expected_date,
  e.days_late,
  e.days_anticipated,
  e.impact * 0.0001 AS impact,
  e.run AS believed_by,
  DATE '0001-01-01' + CAST(i.first_seen - 1 AS INTEGER) AS first_seen,
  DATE '0001-01-01' + CAST(i.last_changed - 1 AS INTEGER) AS last_changed,
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
  DATE '0001-01-01' + CAST(i.sale_day - 1 AS INTEGER) AS sale_date,
  i.nsu,
  i.auth,
  i.number AS installment,
  i.occurrence,
  i.version,
  i.ended_pull IS NULL AS stands,
  i.vanished = 1 AS vanished,
  i.first_pull,
  TIMESTAMPTZ 'epoch' + b.began * INTERVAL '1 microsecond' AS first_pulled_at,
  i.ended_pull,
  TIMESTAMPTZ 'epoch' + u.began * INTERVAL '1 microsecond' AS ended_at,
  DATE '0001-01-01' + CAST(i.first_seen - 1 AS INTEGER) AS first_seen,
  DATE '0001-01-01' + CAST(i.last_changed - 1 AS INTEGER) AS last_changed,
  CASE WHEN i.count_sent < 1 THEN 1 ELSE i.count_sent END AS installments,
  TIMESTAMP '0001-01-01' + i.sold_at / 864000000000 * INTERVAL '1 day'
    + i.sold_at % 864000000000 / 10 * INTERVAL '1 microsecond' AS sold_at,
  i.terminal,
  i.card,
  i.card_type,
  i.card_name,
  i.status,
  i.received_status,
  i.received_type,
  i.sale_total * 0.0001 AS sale_total,
  i.gross * 0.0001 AS gross,
  i.mdr * 0.0001 AS mdr,
  i.mdr_rate * 0.000001 AS mdr_rate,
  i.fee * 0.0001 AS transaction_fee,
  i.sale_fee * 0.0001 AS transaction_fee_sale,
  i.antifraud * 0.0001 AS antifraud_fee,
  i.sale_antifraud * 0.0001 AS antifraud_fee_sale,
  i.anticipation * 0.0001 AS anticipation,
  i.anticipation_rate * 0.000001 AS anticipation_rate,
  i.received * 0.0001 AS received,
  DATE '0001-01-01' + CAST(i.forecast - 1 AS INTEGER) AS forecast_date,
  DATE '0001-01-01' + CAST(i.effective - 1 AS INTEGER) AS effective_date,
  i.reference,
  i.web_payment_id
FROM installment AS i
LEFT JOIN pull AS b ON b.account = i.account AND b.id = i.first_pull
LEFT JOIN pull AS u ON u.account = i.account AND u.id = i.ended_pull;

-- Every split of every installment as it stands, with what should have been.
CREATE VIEW v_split AS
SELECT
  s.account,
  DATE '0001-01-01' + CAST(s.sale_day - 1 AS INTEGER) AS sale_date,
  s.nsu,
  s.auth,
  s.number AS installment,
  s.occurrence,
  s.version,
  s.split,
  s.beneficiary,
  s.type,
  s.pct * 0.000001 AS pct,
  s.base * 0.0001 AS base,
  s.value * 0.0001 AS value,
  s.expected * 0.0001 AS expected_value,
  s.contract_pct * 0.000001 AS contract_pct,
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
    x.place AS split,
    (x.value ->> 'beneficiary') AS beneficiary,
    (x.value ->> 'type') AS type,
    CAST((x.value ->> 'pct') AS BIGINT) AS pct,
    CAST((x.value ->> 'base') AS BIGINT) AS base,
    CAST((x.value ->> 'value') AS BIGINT) AS value,
    CAST((y.value ->> 'expected') AS BIGINT) AS expected,
    CAST((y.value ->> 'contract_pct') AS BIGINT) AS contract_pct,
    (y.value ->> 'verdict') AS verdict
  FROM installment AS i
  CROSS JOIN jsonb_array_elements(CAST(i.splits AS jsonb)) WITH ORDINALITY AS x(value, place)
  LEFT JOIN expectation AS e
    ON e.account = i.account AND e.sale_day = i.sale_day AND e.nsu = i.nsu AND e.auth = i.auth
      AND e.number = i.number AND e.occurrence = i.occurrence AND e.ended_run IS NULL AND e.version = i.version
  LEFT JOIN jsonb_array_elements(CAST(e.splits AS jsonb)) WITH ORDINALITY AS y(value, place) ON y.place = x.place
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
  TIMESTAMPTZ 'epoch' + b.began * INTERVAL '1 microsecond' AS first_pulled_at,
  v.ended_pull,
  TIMESTAMPTZ 'epoch' + u.began * INTERVAL '1 microsecond' AS ended_at,
  v.value * 0.0001 AS value,
  v.paid_value * 0.0001 AS paid_value,
  DATE '0001-01-01' + CAST(v.issued - 1 AS INTEGER) AS issued,
  DATE '0001-01-01' + CAST(v.due - 1 AS INTEGER) AS due,
  DATE '0001-01-01' + CAST(v.paid_on - 1 AS INTEGER) AS paid_on,
  DATE '0001-01-01' + CAST(v.credited_on - 1 AS INTEGER) AS credited_on,
  v.status,
  v.integration,
  v.our_number,
  v.reference_code,
  v.late_allowed = 1 AS late_allowed,
  DATE '0001-01-01' + CAST(v.late_limit - 1 AS INTEGER) AS late_limit,
  v.penalty * 0.0001 AS penalty,
  v.penalty_received * 0.0001 AS penalty_received,
  v.interest * 0.0001 AS interest,
  v.interest_received * 0.0001 AS interest_received,
  DATE '0001-01-01' + CAST(v.cancelled_on - 1 AS INTEGER) AS cancelled_on,
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
    WHEN 1 THEN CAST(f.expected_number * 0.0001 AS TEXT)
    WHEN 2 THEN CAST(DATE '0001-01-01' + CAST(f.expected_number - 1 AS INTEGER) AS TEXT)
    WHEN 3 THEN f.expected_text ELSE ''
    END AS expected,
  CASE f.actual_kind
    WHEN 1 THEN CAST(f.actual_number * 0.0001 AS TEXT)
    WHEN 2 THEN CAST(DATE '0001-01-01' + CAST(f.actual_number - 1 AS INTEGER) AS TEXT)
    WHEN 3 THEN f.actual_text ELSE ''
    END AS actual,
  f.impact * 0.0001 AS impact,
  f.exposure = 1 AS exposure,
  f.explained_by,
  DATE '0001-01-01' + CAST(f.break_on - 1 AS INTEGER) AS break_on,
  DATE '0001-01-01' + CAST(f.first_seen - 1 AS INTEGER) AS first_seen,
  DATE '0001-01-01' + CAST(f.opened_on - 1 AS INTEGER) AS opened_on,
  DATE '0001-01-01' + CAST(f.day - 1 AS INTEGER) AS day,
  DATE '0001-01-01' + CAST(f.due_on - 1 AS INTEGER) AS due_on,
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
  DATE '0001-01-01' + CAST(f.as_of - 1 AS INTEGER) AS as_of,
  f.code,
  f.severity,
  f.state,
  f.subject,
  CASE f.expected_kind
    WHEN 1 THEN CAST(f.expected_number * 0.0001 AS TEXT)
    WHEN 2 THEN CAST(DATE '0001-01-01' + CAST(f.expected_number - 1 AS INTEGER) AS TEXT)
    WHEN 3 THEN f.expected_text ELSE ''
    END AS expected,
  CASE f.actual_kind
    WHEN 1 THEN CAST(f.actual_number * 0.0001 AS TEXT)
    WHEN 2 THEN CAST(DATE '0001-01-01' + CAST(f.actual_number - 1 AS INTEGER) AS TEXT)
    WHEN 3 THEN f.actual_text ELSE ''
    END AS actual,
  f.impact * 0.0001 AS impact,
  f.exposure = 1 AS exposure,
  f.explained_by,
  DATE '0001-01-01' + CAST(f.break_on - 1 AS INTEGER) AS break_on,
  DATE '0001-01-01' + CAST(f.first_seen - 1 AS INTEGER) AS first_seen,
  DATE '0001-01-01' + CAST(f.opened_on - 1 AS INTEGER) AS opened_on,
  DATE '0001-01-01' + CAST(f.day - 1 AS INTEGER) AS day,
  DATE '0001-01-01' + CAST(f.due_on - 1 AS INTEGER) AS due_on,
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
  DATE '0001-01-01' + CAST(p.from_day - 1 AS INTEGER) AS from_date,
  DATE '0001-01-01' + CAST(p.to_day - 1 AS INTEGER) AS to_date,
  p.reason,
  TIMESTAMPTZ 'epoch' + p.began * INTERVAL '1 microsecond' AS began,
  TIMESTAMPTZ 'epoch' + p.ended * INTERVAL '1 microsecond' AS ended,
  DATE '0001-01-01' + CAST(p.as_of - 1 AS INTEGER) AS as_of,
  DATE '0001-01-01' + CAST(p.pulled_on - 1 AS INTEGER) AS pulled_on,
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
  DATE '0001-01-01' + CAST(c.day - 1 AS INTEGER) AS day,
  c.proves = 1 AS complete,
  c.id AS pull,
  TIMESTAMPTZ 'epoch' + c.began * INTERVAL '1 microsecond' AS pulled_at
FROM ranked AS c
WHERE c.place = 1;

-- The runs. What began and did not end has neither an end nor a verdict. The JSON texts are as in the table: previous and
-- clock are NULL where the table has an empty text; lost to excess are the figures of its cases.
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
  r.archive_removed,
  r.lost * 0.0001 AS lost,
  r.late * 0.0001 AS late,
  r.at_risk * 0.0001 AS at_risk,
  r.claimed * 0.0001 AS claimed,
  r.waived * 0.0001 AS waived,
  r.excess * 0.0001 AS excess,
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
