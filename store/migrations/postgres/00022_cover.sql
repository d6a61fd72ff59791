-- What the pulls of a source come to, day by day, and indexes by what a night asks of them: a ledger of years has hundreds
-- of thousands of pulls, and a night is to cost what its days cost, not what all nights before it asked. Columns as in
-- the doc.go of package store.

-- +goose Up

CREATE TABLE cover (
  account      BIGINT NOT NULL,
  source       TEXT COLLATE "C" NOT NULL,
  day          BIGINT NOT NULL,
  whole        BIGINT NOT NULL,
  asked_began  BIGINT NOT NULL,
  asked_pull   TEXT COLLATE "C" NOT NULL,
  shown_began  BIGINT NOT NULL,
  shown_pull   TEXT COLLATE "C" NOT NULL,
  proved_began BIGINT NOT NULL,
  proved_pull  TEXT COLLATE "C" NOT NULL,
  since_began  BIGINT NOT NULL,
  since_pull   TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, source, day)
);

INSERT INTO cover (
  account,
  source,
  day,
  whole,
  asked_began,
  asked_pull,
  shown_began,
  shown_pull,
  proved_began,
  proved_pull,
  since_began,
  since_pull)
WITH RECURSIVE step (n) AS (
  SELECT CAST(0 AS BIGINT)
  UNION ALL
  SELECT n + 1
  FROM step
  WHERE n < 30),
held AS (
  SELECT
    p.account,
    p.source,
    p.from_day + s.n AS day,
    p.id,
    p.began,
    p.complete,
    CASE WHEN p.complete = 1 AND p.pulled_on > p.from_day + s.n THEN 1 ELSE 0 END AS proves
  FROM pull AS p
  JOIN step AS s ON s.n <= p.to_day - p.from_day),
placed AS (
  SELECT
    h.*,
    ROW_NUMBER() OVER (PARTITION BY account, source, day ORDER BY began DESC, id DESC) AS asked,
    ROW_NUMBER() OVER (PARTITION BY account, source, day, complete ORDER BY began DESC, id DESC) AS shown,
    ROW_NUMBER() OVER (PARTITION BY account, source, day, proves ORDER BY began DESC, id DESC) AS proved,
    ROW_NUMBER() OVER (PARTITION BY account, source, day, proves ORDER BY began, id) AS since
  FROM held AS h)
SELECT
  account,
  source,
  day,
  SUM(complete),
  MAX(CASE WHEN asked = 1 THEN began ELSE 0 END),
  MAX(CASE WHEN asked = 1 THEN id ELSE '' END),
  MAX(CASE WHEN shown = 1 AND complete = 1 THEN began ELSE 0 END),
  MAX(CASE WHEN shown = 1 AND complete = 1 THEN id ELSE '' END),
  MAX(CASE WHEN proved = 1 AND proves = 1 THEN began ELSE 0 END),
  MAX(CASE WHEN proved = 1 AND proves = 1 THEN id ELSE '' END),
  MAX(CASE WHEN since = 1 AND proves = 1 THEN began ELSE 0 END),
  MAX(CASE WHEN since = 1 AND proves = 1 THEN id ELSE '' END)
FROM placed
GROUP BY account, source, day;

CREATE INDEX pull_run ON pull (account, run, began);
CREATE INDEX pull_rows ON pull (account, source, rows_seen);
CREATE INDEX pull_on ON pull (account, pulled_on);
CREATE INDEX pull_brought ON pull (account, source, from_day) WHERE complete = 1 AND rows_new + changed > 0;
CREATE INDEX pull_slips ON pull (account, id, run, began) WHERE source <> 'cards' AND rows_seen > 0;

-- What a reconcile judges is looked for by source and in order of day.
DROP INDEX pull_judged;
CREATE INDEX pull_judged ON pull (account, judged, source, from_day, to_day);

-- +goose Down

DROP INDEX pull_judged;
CREATE INDEX pull_judged ON pull (account, judged);
DROP INDEX pull_slips;
DROP INDEX pull_brought;
DROP INDEX pull_on;
DROP INDEX pull_rows;
DROP INDEX pull_run;
DROP TABLE cover;
