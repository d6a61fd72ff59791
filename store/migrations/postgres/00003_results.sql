-- Results: what the runs concluded from the facts, and what people did about it.
--
-- Money is in ten-thousandths of a real, rates in millionths, days are Rata Die numbers, local times ticks of 100 ns
-- since 0001-01-01, instants microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''.
-- The account leads every key.

-- +goose Up

-- Which run reconciled which account, written in the transaction of its results.
CREATE TABLE reconciled (
  account  BIGINT           NOT NULL,
  run      TEXT COLLATE "C" NOT NULL,
  acts     BIGINT           NOT NULL DEFAULT 0,  -- number of the account's last act at that time
  act_hash TEXT COLLATE "C" NOT NULL DEFAULT '', -- hash of that act: shows whether the log was cut off
  number   BIGINT           NOT NULL DEFAULT 0,  -- reconciles of the account, from 1
  as_of    BIGINT,                               -- of the run
  inputs   TEXT COLLATE "C" NOT NULL DEFAULT '', -- hash of documents and settings
  shadow   TEXT COLLATE "C" NOT NULL DEFAULT '', -- rules that were suppressed, with spaces between
  digests  TEXT COLLATE "C" NOT NULL DEFAULT '{}', -- JSON object: of each table the digest of the rows that it made and ended
  pulled   TEXT COLLATE "C" NOT NULL DEFAULT '{}', -- JSON object: sums of the complete pulls that it was the first to include
  moved    TEXT COLLATE "C" NOT NULL DEFAULT '{}', -- JSON object: by basis the first days of the months with rows that it says something else of, 0: all
  events   BIGINT           NOT NULL DEFAULT 0,  -- of cases that it wrote
  PRIMARY KEY (account, run)
);

-- What a run expected of an installment, current from run until ended_run. That a key has one current row is ensured by
-- reconciles and checked by ledger check.
CREATE TABLE expectation (
  account           BIGINT           NOT NULL,
  sale_day          BIGINT           NOT NULL,
  nsu               TEXT COLLATE "C" NOT NULL,
  auth              TEXT COLLATE "C" NOT NULL,
  number            BIGINT           NOT NULL,
  occurrence        BIGINT           NOT NULL,
  run               TEXT COLLATE "C" NOT NULL,            -- that wrote it
  ended_run         TEXT COLLATE "C",                     -- first run that concluded otherwise, NULL while current
  content           BYTEA            NOT NULL,            -- hash of the row, 16 bytes
  version           BIGINT           NOT NULL,            -- of the installment
  inputs            TEXT COLLATE "C" NOT NULL,            -- hash of the documents it rests on
  class             TEXT COLLATE "C" NOT NULL,            -- open, received, blocked, cancelled or chargeback
  unmapped          BIGINT           NOT NULL,            -- a status is outside the mapping
  brand             TEXT COLLATE "C" NOT NULL,            -- mapped, or as sent
  product           TEXT COLLATE "C" NOT NULL,            -- credit, debit or voucher
  band              TEXT COLLATE "C" NOT NULL,            -- number of installments, as the contract groups them
  net               BIGINT           NOT NULL,            -- N: what the sent fees leave
  net_contract      BIGINT           NOT NULL,            -- N*: what the contract's fees leave
  gross_cents       BIGINT           NOT NULL,            -- gross in cents, allocated within its sale
  received          BIGINT           NOT NULL,            -- R of the bridge
  contract_line     TEXT COLLATE "C" NOT NULL,            -- that applies
  contract_mdr_rate BIGINT,                               -- percent
  expected_date     BIGINT,                               -- by the contract and the calendar
  days_late         BIGINT,
  days_anticipated  BIGINT,
  rest              TEXT COLLATE "C" NOT NULL,            -- bridge line of N less R
  brackets          TEXT COLLATE "C" NOT NULL,            -- JSON array: its terms of the bridge
  verdict           TEXT COLLATE "C" NOT NULL,
  codes             TEXT COLLATE "C" NOT NULL,            -- JSON array: rules that fire
  impact            BIGINT,                               -- NULL: none known
  splits            TEXT COLLATE "C" NOT NULL,            -- JSON array: what each split should be
  next_on           BIGINT,                               -- first as-of at which time alone may change it, NULL: never; 1: every night
  contribution      TEXT COLLATE "C" NOT NULL DEFAULT '', -- what it adds to rounding and population
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, run)
);

-- What every night evaluates again; few rows. What a day brings is on the sale days that waiting names.
CREATE INDEX expectation_every_night ON expectation (account, sale_day) WHERE ended_run IS NULL AND next_on = 1;
-- What rules tolerated, which the control of every set adds up; few rows.
CREATE INDEX expectation_tolerated ON expectation (account, sale_day) WHERE brackets LIKE '%"rounding"%';

-- What a run expected of a slip, current from run until ended_run.
CREATE TABLE slip_expectation (
  account      BIGINT           NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  run          TEXT COLLATE "C" NOT NULL,            -- that wrote it
  ended_run    TEXT COLLATE "C",                     -- first run that concluded otherwise, NULL while current
  content      BYTEA            NOT NULL,            -- hash of the row, 16 bytes
  version      BIGINT           NOT NULL,            -- number of the slip's versions
  inputs       TEXT COLLATE "C" NOT NULL,            -- hash of the documents it rests on
  class        TEXT COLLATE "C" NOT NULL,            -- open, paid, cancelled or failed
  day          BIGINT,                               -- due date: the day of its bridge
  due_adjusted BIGINT,                               -- next business day
  face         BIGINT           NOT NULL,            -- what should have been paid
  credited     BIGINT           NOT NULL,            -- paid value once credited
  penalty_due  BIGINT,                               -- of a late payment
  interest_due BIGINT,                               -- of a late payment
  days_late    BIGINT,
  float_days   BIGINT,                               -- from payment to credit
  tariff       BIGINT,
  net_credited BIGINT,                               -- credited less tariff
  credit_limit BIGINT,                               -- last as-of at which a missing credit is not overdue
  credit_on    BIGINT,                               -- day it was credited, or should be; NULL: not to be expected
  credit_net   BIGINT,                               -- credited or to be credited, less the tariff
  rest         TEXT COLLATE "C" NOT NULL,            -- bridge line of what is not credited
  brackets     TEXT COLLATE "C" NOT NULL,            -- JSON array: its terms of the bridge
  verdict      TEXT COLLATE "C" NOT NULL,
  codes        TEXT COLLATE "C" NOT NULL,            -- JSON array: rules that fire
  impact       BIGINT,                               -- NULL: none known
  next_on      BIGINT,                               -- first as-of at which time alone may change it, NULL: never; 1: every night
  contribution TEXT COLLATE "C" NOT NULL DEFAULT '', -- what it adds to rounding and population
  PRIMARY KEY (account, id, run)
);

CREATE INDEX slip_expectation_run ON slip_expectation (account, run);
CREATE UNIQUE INDEX slip_expectation_standing ON slip_expectation (account, id) WHERE ended_run IS NULL;

-- Cases: the latest state of a code on a subject.
CREATE TABLE finding (
  account         BIGINT           NOT NULL,
  case_id         TEXT COLLATE "C" NOT NULL,            -- of account, subject and code
  code            TEXT COLLATE "C" NOT NULL,
  rule_version    BIGINT           NOT NULL,
  subject         TEXT COLLATE "C" NOT NULL,            -- installment, slip, day, ... the case is about
  sale_day        BIGINT,                               -- of the sale that the subject is, or is of; NULL: it is of none
  nsu             TEXT COLLATE "C" NOT NULL DEFAULT '', -- of that sale
  auth            TEXT COLLATE "C" NOT NULL DEFAULT '', -- of that sale
  number          BIGINT,                               -- of the installment that the subject is, or is of; NULL: it is of none
  occurrence      BIGINT,                               -- of the installment or, if it is of none, of the sale
  slip            TEXT COLLATE "C" NOT NULL DEFAULT '', -- id of the slip that the subject is; empty: another subject
  severity        TEXT COLLATE "C" NOT NULL,            -- C, E, W or I
  state           TEXT COLLATE "C" NOT NULL,            -- pending, open, acknowledged, disputed, waived, shadow, resolved, closed, reopened
  expected_kind   BIGINT           NOT NULL,            -- 0 none, 1 amount, 2 date, 3 text
  expected_number BIGINT           NOT NULL,            -- amount or day
  expected_text   TEXT COLLATE "C" NOT NULL,
  actual_kind     BIGINT           NOT NULL,            -- 0 none, 1 amount, 2 date, 3 text
  actual_number   BIGINT           NOT NULL,            -- amount or day
  actual_text     TEXT COLLATE "C" NOT NULL,
  impact          BIGINT,                               -- NULL: the rule knows none
  exposure        BIGINT           NOT NULL,            -- the impact is late, blocked or uncertain rather than lost
  explained_by    TEXT COLLATE "C" NOT NULL,            -- code of the root cause, empty when this is one
  related         TEXT COLLATE "C" NOT NULL,            -- JSON array: other cases of the subject
  break_on        BIGINT,                               -- day a pending case opens
  first_seen      BIGINT,                               -- as-of
  opened_on       BIGINT,                               -- as-of, NULL while pending
  first_run       TEXT COLLATE "C" NOT NULL,
  last_run        TEXT COLLATE "C" NOT NULL,
  day             BIGINT,                               -- sale date or due date
  due_on          BIGINT,                               -- forecast or due date
  brand           TEXT COLLATE "C" NOT NULL,
  product         TEXT COLLATE "C" NOT NULL,
  contract_line   TEXT COLLATE "C" NOT NULL,
  calendar        TEXT COLLATE "C" NOT NULL,            -- that a date rests on
  hint            TEXT COLLATE "C" NOT NULL,            -- over, under, short, ...
  numbers         TEXT COLLATE "C" NOT NULL,            -- JSON array: figures of the sentence
  seen_on         BIGINT,                               -- as-of of the last run that evaluated it
  held            TEXT COLLATE "C" NOT NULL DEFAULT '', -- state it returns to when its rule is no longer suppressed
  closed_as       TEXT COLLATE "C" NOT NULL DEFAULT '', -- person, aged_out or regrouped
  assignee        TEXT COLLATE "C" NOT NULL DEFAULT '',
  reference       TEXT COLLATE "C" NOT NULL DEFAULT '', -- of a dispute
  comment         TEXT COLLATE "C" NOT NULL DEFAULT '', -- last reason given
  waived_until    BIGINT,                               -- last day of the waiver
  waived_cap      BIGINT,                               -- most that may be at stake while waived
  PRIMARY KEY (account, case_id)
);

-- The cases of a sale, and of a slip.
CREATE INDEX finding_sale ON finding (account, sale_day, nsu, auth) WHERE sale_day IS NOT NULL;
CREATE INDEX finding_slip ON finding (account, slip) WHERE slip <> '';
-- The cases that the service has a reference of.
CREATE INDEX finding_reference ON finding (account) WHERE reference <> '';
-- A case by its id alone, and those that are not over, whatever has been resolved in years.
CREATE INDEX finding_case ON finding (case_id);
CREATE INDEX finding_state ON finding (state, account);

-- The history of the cases, one row per event with the case as it was after it. Rows are never changed.
CREATE TABLE finding_event (
  account         BIGINT           NOT NULL,
  case_id         TEXT COLLATE "C" NOT NULL,            -- of account, subject and code
  sequence        BIGINT           NOT NULL,            -- from 1
  run             TEXT COLLATE "C" NOT NULL,            -- that made the event, or the last run before the act
  as_of           BIGINT,                               -- of the event
  code            TEXT COLLATE "C" NOT NULL,
  rule_version    BIGINT           NOT NULL,
  subject         TEXT COLLATE "C" NOT NULL,            -- installment, slip, day, ... the case is about
  sale_day        BIGINT,                               -- of the sale that the subject is, or is of; NULL: it is of none
  nsu             TEXT COLLATE "C" NOT NULL DEFAULT '', -- of that sale
  auth            TEXT COLLATE "C" NOT NULL DEFAULT '', -- of that sale
  number          BIGINT,                               -- of the installment that the subject is, or is of; NULL: it is of none
  occurrence      BIGINT,                               -- of the installment or, if it is of none, of the sale
  slip            TEXT COLLATE "C" NOT NULL DEFAULT '', -- id of the slip that the subject is; empty: another subject
  severity        TEXT COLLATE "C" NOT NULL,            -- C, E, W or I
  state           TEXT COLLATE "C" NOT NULL,            -- pending, open, acknowledged, disputed, waived, shadow, resolved, closed, reopened
  expected_kind   BIGINT           NOT NULL,            -- 0 none, 1 amount, 2 date, 3 text
  expected_number BIGINT           NOT NULL,            -- amount or day
  expected_text   TEXT COLLATE "C" NOT NULL,
  actual_kind     BIGINT           NOT NULL,            -- 0 none, 1 amount, 2 date, 3 text
  actual_number   BIGINT           NOT NULL,            -- amount or day
  actual_text     TEXT COLLATE "C" NOT NULL,
  impact          BIGINT,                               -- NULL: the rule knows none
  exposure        BIGINT           NOT NULL,            -- the impact is late, blocked or uncertain rather than lost
  explained_by    TEXT COLLATE "C" NOT NULL,            -- code of the root cause, empty when this is one
  related         TEXT COLLATE "C" NOT NULL,            -- JSON array: other cases of the subject
  break_on        BIGINT,                               -- day a pending case opens
  first_seen      BIGINT,                               -- as-of
  opened_on       BIGINT,                               -- as-of, NULL while pending
  first_run       TEXT COLLATE "C" NOT NULL,
  last_run        TEXT COLLATE "C" NOT NULL,
  day             BIGINT,                               -- sale date or due date
  due_on          BIGINT,                               -- forecast or due date
  brand           TEXT COLLATE "C" NOT NULL,
  product         TEXT COLLATE "C" NOT NULL,
  contract_line   TEXT COLLATE "C" NOT NULL,
  calendar        TEXT COLLATE "C" NOT NULL,            -- that a date rests on
  hint            TEXT COLLATE "C" NOT NULL,            -- over, under, short, ...
  numbers         TEXT COLLATE "C" NOT NULL,            -- JSON array: figures of the sentence
  seen_on         BIGINT,                               -- as-of of the last run that evaluated it
  held            TEXT COLLATE "C" NOT NULL DEFAULT '', -- state it returns to when its rule is no longer suppressed
  closed_as       TEXT COLLATE "C" NOT NULL DEFAULT '', -- person, aged_out or regrouped
  assignee        TEXT COLLATE "C" NOT NULL DEFAULT '',
  reference       TEXT COLLATE "C" NOT NULL DEFAULT '', -- of a dispute
  comment         TEXT COLLATE "C" NOT NULL DEFAULT '', -- last reason given
  waived_until    BIGINT,                               -- last day of the waiver
  waived_cap      BIGINT,                               -- most that may be at stake while waived
  act             BIGINT           NOT NULL DEFAULT 0,  -- number of the act that made the event, 0: a run
  PRIMARY KEY (account, case_id, sequence)
);

-- What a run did to the cases.
CREATE INDEX finding_event_run ON finding_event (account, run);
-- What people closed.
CREATE INDEX finding_event_closed ON finding_event (account, case_id) WHERE closed_as = 'person';

-- The log of what people did, numbered per account without gaps. Account 0 is what concerns no single account. Rows are
-- never changed.
CREATE TABLE act (
  account    BIGINT           NOT NULL,
  number     BIGINT           NOT NULL, -- from 1
  verb       TEXT COLLATE "C" NOT NULL, -- ack, waive, close, period close, ...
  stage      TEXT COLLATE "C" NOT NULL, -- proposed or done
  subject    TEXT COLLATE "C" NOT NULL, -- a case, a period or what else it is about
  actor      TEXT COLLATE "C" NOT NULL, -- the name that was given
  person     TEXT COLLATE "C" NOT NULL, -- of the operating system
  host       TEXT COLLATE "C" NOT NULL, -- where it was done
  reason     TEXT COLLATE "C" NOT NULL,
  parameters TEXT COLLATE "C" NOT NULL, -- JSON object of texts
  at         BIGINT           NOT NULL, -- instant
  run        TEXT COLLATE "C" NOT NULL, -- last run that had reconciled the account
  confirms   BIGINT           NOT NULL, -- number of the proposal it carries out, 0: none
  previous   TEXT COLLATE "C" NOT NULL, -- hash of the act before
  hash       TEXT COLLATE "C" NOT NULL, -- over every other column, see ledger.Act
  PRIMARY KEY (account, number)
);

CREATE INDEX act_subject ON act (account, subject, number);

-- The bridge from contract net to received, an amount per line and day. A row is current from run until ended_run; one of
-- which nothing is left has no row.
CREATE TABLE bridge (
  account   BIGINT           NOT NULL,
  run       TEXT COLLATE "C" NOT NULL,
  side      TEXT COLLATE "C" NOT NULL, -- cards or slips
  day       BIGINT           NOT NULL, -- sale date or due date
  brand     TEXT COLLATE "C" NOT NULL,
  product   TEXT COLLATE "C" NOT NULL,
  line      TEXT COLLATE "C" NOT NULL, -- of the bridge
  reason    TEXT COLLATE "C" NOT NULL, -- of an amount that is not attributed
  amount    BIGINT           NOT NULL, -- lost or still to come, less excess
  excess    BIGINT           NOT NULL, -- sum of the negative amounts in it, without their sign
  ended_run TEXT COLLATE "C",          -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, side, day, brand, product, line, reason)
);

CREATE INDEX bridge_standing ON bridge (account, side, day) WHERE ended_run IS NULL;

-- Differences that rules tolerate, per month. Current from run until ended_run.
CREATE TABLE rounding (
  account   BIGINT           NOT NULL,
  run       TEXT COLLATE "C" NOT NULL,
  code      TEXT COLLATE "C" NOT NULL, -- of the rule
  month     BIGINT           NOT NULL, -- its first day
  amount    BIGINT           NOT NULL,
  ended_run TEXT COLLATE "C",          -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, code, month)
);

CREATE INDEX rounding_standing ON rounding (account) WHERE ended_run IS NULL;

-- Counts and sums that rules over many rows need. Current from run until ended_run.
CREATE TABLE population (
  account   BIGINT           NOT NULL,
  kind      TEXT COLLATE "C" NOT NULL, -- what is counted
  item      TEXT COLLATE "C" NOT NULL, -- group within the kind
  run       TEXT COLLATE "C" NOT NULL,
  ended_run TEXT COLLATE "C",          -- first run that concluded otherwise, NULL while current
  members   BIGINT           NOT NULL,
  amount    BIGINT           NOT NULL, -- where the kind has money
  other     BIGINT           NOT NULL, -- a second sum
  PRIMARY KEY (account, kind, item, run)
);

CREATE INDEX population_standing ON population (account) WHERE ended_run IS NULL;

-- The gross of open installments of a sale day, brand and product: opening, movements since the previous reconcile, closing.
-- The closing is current from run until ended_run.
CREATE TABLE continuity (
  account      BIGINT           NOT NULL,
  run          TEXT COLLATE "C" NOT NULL,
  day          BIGINT           NOT NULL,
  brand        TEXT COLLATE "C" NOT NULL,
  product      TEXT COLLATE "C" NOT NULL,
  ended_run    TEXT COLLATE "C",          -- first run that concluded otherwise, NULL while current
  opening      BIGINT           NOT NULL,
  started      BIGINT           NOT NULL, -- open at the first reconcile
  added        BIGINT           NOT NULL, -- not known before
  unblocked    BIGINT           NOT NULL,
  reversed     BIGINT           NOT NULL, -- received, cancelled or charged back before
  reappeared   BIGINT           NOT NULL,
  restated     BIGINT           NOT NULL, -- another gross, brand or product
  reclassified BIGINT           NOT NULL, -- by another mapping
  received     BIGINT           NOT NULL, -- as forecast
  anticipated  BIGINT           NOT NULL, -- received early
  cancelled    BIGINT           NOT NULL,
  charged_back BIGINT           NOT NULL,
  blocked      BIGINT           NOT NULL,
  vanished     BIGINT           NOT NULL,
  closing      BIGINT           NOT NULL,
  PRIMARY KEY (account, run, day, brand, product)
);

CREATE INDEX continuity_standing ON continuity (account, day) WHERE ended_run IS NULL;

-- What is to be credited, by business day, and what was credited last. Current from run until ended_run; a row of zeros has none.
CREATE TABLE forecast (
  account               BIGINT           NOT NULL,
  run                   TEXT COLLATE "C" NOT NULL,
  kind                  TEXT COLLATE "C" NOT NULL, -- cards, splits, blocked, slips_paid, slips_due, ...
  day                   BIGINT           NOT NULL, -- business day, 0: none known, or the kind has none
  items                 BIGINT           NOT NULL, -- installments or slips
  printed               BIGINT           NOT NULL, -- sum of amounts in cents
  exact                 BIGINT           NOT NULL,
  ended_run             TEXT COLLATE "C", -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, kind, day)
);

CREATE INDEX forecast_standing ON forecast (account) WHERE ended_run IS NULL;

-- What the installments of a sale day add to the forecast, before the calendar moves a day: a run sums only the days that it
-- evaluated. Current from run until ended_run; a row of zeros has none.
CREATE TABLE forecast_part (
  account               BIGINT           NOT NULL,
  run                   TEXT COLLATE "C" NOT NULL,
  kind                  TEXT COLLATE "C" NOT NULL, -- cards, late_cards, splits, blocked
  sale_day              BIGINT           NOT NULL,
  day                   BIGINT           NOT NULL, -- as the service forecasts it, 0: none, or the kind has none
  items                 BIGINT           NOT NULL, -- installments
  printed               BIGINT           NOT NULL, -- sum of amounts in cents
  exact                 BIGINT           NOT NULL,
  ended_run             TEXT COLLATE "C", -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, kind, sale_day, day)
);

CREATE INDEX forecast_part_standing ON forecast_part (account) WHERE ended_run IS NULL;

-- What waits on a sale day, and until when: a plan, and a reconcile that looks for what time alone may change, read it
-- instead of the expectations. Current from run until ended_run; a row of zeros has none.
CREATE TABLE waiting (
  account   BIGINT           NOT NULL,
  run       TEXT COLLATE "C" NOT NULL,
  sale_day  BIGINT           NOT NULL,
  rest      TEXT COLLATE "C" NOT NULL, -- bridge line of what is not received, '': neither open nor blocked
  next_on   BIGINT           NOT NULL, -- as in expectation, 0: never
  items     BIGINT           NOT NULL, -- installments
  ended_run TEXT COLLATE "C",          -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, sale_day, rest, next_on)
);

CREATE INDEX waiting_standing ON waiting (account, sale_day) WHERE ended_run IS NULL;

-- What a sale day adds to a month of a basis, per brand; slips have one part of each month. Each amount is the sum of amounts in
-- cents, and the exact sum. Current from run until ended_run; a row of zeros has none.
CREATE TABLE month_part (
  account                  BIGINT           NOT NULL,
  run                      TEXT COLLATE "C" NOT NULL,
  basis                    TEXT COLLATE "C" NOT NULL, -- operation or credit
  side                     TEXT COLLATE "C" NOT NULL, -- cards or slips
  sale_day                 BIGINT           NOT NULL, -- 0: slips
  month                    BIGINT           NOT NULL, -- its first day
  brand                    TEXT COLLATE "C" NOT NULL,
  sales                    BIGINT           NOT NULL, -- of slips: paid
  installments             BIGINT           NOT NULL,
  gross                    BIGINT           NOT NULL,
  gross_exact              BIGINT           NOT NULL,
  mdr                      BIGINT           NOT NULL,
  mdr_exact                BIGINT           NOT NULL,
  fees                     BIGINT           NOT NULL,
  fees_exact               BIGINT           NOT NULL,
  anticipation             BIGINT           NOT NULL,
  anticipation_exact       BIGINT           NOT NULL,
  net_expected             BIGINT           NOT NULL,
  net_expected_exact       BIGINT           NOT NULL,
  splits                   BIGINT           NOT NULL,
  splits_exact             BIGINT           NOT NULL,
  received                 BIGINT           NOT NULL,
  received_exact           BIGINT           NOT NULL,
  not_due                  BIGINT           NOT NULL,
  not_due_exact            BIGINT           NOT NULL,
  overdue                  BIGINT           NOT NULL,
  overdue_exact            BIGINT           NOT NULL,
  blocked                  BIGINT           NOT NULL,
  blocked_exact            BIGINT           NOT NULL,
  short                    BIGINT           NOT NULL,
  short_exact              BIGINT           NOT NULL,
  over                     BIGINT           NOT NULL,
  over_exact               BIGINT           NOT NULL,
  difference               BIGINT           NOT NULL,
  difference_exact         BIGINT           NOT NULL,
  cancelled_gross          BIGINT           NOT NULL,
  cancelled_gross_exact    BIGINT           NOT NULL,
  cancelled_received       BIGINT           NOT NULL,
  cancelled_received_exact BIGINT           NOT NULL,
  ended_run                TEXT COLLATE "C", -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, basis, side, sale_day, month, brand)
);

CREATE INDEX month_part_standing ON month_part (account) WHERE ended_run IS NULL;

-- What the installments of a sale day add up to: report sets add days up. Amounts are sums of amounts in cents, but for exact ones. The sums
-- with live are of all that are not cancelled or charged back. Current from run until ended_run.
CREATE TABLE day_sum (
  account                BIGINT           NOT NULL,
  run                    TEXT COLLATE "C" NOT NULL,
  sale_day               BIGINT           NOT NULL,
  installments           BIGINT           NOT NULL,
  numbers                BIGINT           NOT NULL, -- of the installments, added up
  counts                 BIGINT           NOT NULL, -- of the installments of their sales
  sale_totals            BIGINT           NOT NULL,
  gross_sent             BIGINT           NOT NULL, -- exact
  gross_cents            BIGINT           NOT NULL, -- allocated within the sales
  mdr                    BIGINT           NOT NULL,
  mdr_rates              BIGINT           NOT NULL, -- millionths, to four decimals
  mdr_fractions          BIGINT           NOT NULL, -- the same where the service sends fractions
  contract_mdr_rates     BIGINT           NOT NULL, -- millionths, to four decimals
  fees                   BIGINT           NOT NULL,
  sale_fees              BIGINT           NOT NULL,
  antifraud              BIGINT           NOT NULL,
  sale_antifraud         BIGINT           NOT NULL,
  anticipation           BIGINT           NOT NULL,
  anticipation_rates     BIGINT           NOT NULL,
  anticipation_fractions BIGINT           NOT NULL,
  days_anticipated       BIGINT           NOT NULL,
  splits                 BIGINT           NOT NULL,
  net                    BIGINT           NOT NULL,
  net_contract           BIGINT           NOT NULL,
  received               BIGINT           NOT NULL,
  days_late              BIGINT           NOT NULL,
  impacts                BIGINT           NOT NULL,
  versions               BIGINT           NOT NULL,
  differences            BIGINT           NOT NULL, -- contract net less received
  summary_lines          BIGINT           NOT NULL, -- of a summary
  live_sales             BIGINT           NOT NULL,
  live_sales_of_lines    BIGINT           NOT NULL, -- each once a line of a summary
  live_rows              BIGINT           NOT NULL,
  live_gross             BIGINT           NOT NULL,
  live_mdr               BIGINT           NOT NULL,
  live_fees              BIGINT           NOT NULL,
  live_antifraud         BIGINT           NOT NULL,
  live_anticipation      BIGINT           NOT NULL,
  live_splits            BIGINT           NOT NULL,
  live_net               BIGINT           NOT NULL,
  live_net_contract      BIGINT           NOT NULL,
  live_kept              BIGINT           NOT NULL, -- received less splits
  live_passed_on         BIGINT           NOT NULL, -- splits of what is received
  live_received          BIGINT           NOT NULL,
  live_not_due           BIGINT           NOT NULL,
  live_overdue           BIGINT           NOT NULL,
  live_blocked           BIGINT           NOT NULL,
  live_short             BIGINT           NOT NULL,
  live_over              BIGINT           NOT NULL,
  gone_rows              BIGINT           NOT NULL, -- cancelled or charged back
  gone_gross             BIGINT           NOT NULL,
  gone_received          BIGINT           NOT NULL,
  dated_received         BIGINT           NOT NULL, -- of all with the day on which it came
  settled_gross          BIGINT           NOT NULL, -- live, with money and its day
  settled_fees           BIGINT           NOT NULL, -- MDR, transaction fee and antifraud fee
  settled_anticipation   BIGINT           NOT NULL,
  settled_splits         BIGINT           NOT NULL,
  ended_run              TEXT COLLATE "C",          -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, sale_day)
);

CREATE INDEX day_sum_standing ON day_sum (account) WHERE ended_run IS NULL;

-- What the rules did in a run: rows they apply to, evaluated, fired, and why not.
CREATE TABLE tally (
  account BIGINT           NOT NULL,
  run     TEXT COLLATE "C" NOT NULL,
  counts  BYTEA            NOT NULL, -- JSON array of ledger.RuleCounts in order of code, gzip
  PRIMARY KEY (account, run)
);
