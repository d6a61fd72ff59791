-- Results: what the runs concluded from the facts, and what people did about it.
--
-- Money is in ten-thousandths of a real, rates in millionths, days are Rata Die numbers, local times ticks of 100 ns
-- since 0001-01-01, instants microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''.
-- The account leads every key.

-- +goose Up

-- Which run reconciled which account, written in the transaction of its results.
CREATE TABLE reconciled (
  account  INTEGER NOT NULL,
  run      TEXT    NOT NULL,
  acts     INTEGER NOT NULL DEFAULT 0,  -- number of the account's last act at that time
  act_hash TEXT    NOT NULL DEFAULT '', -- hash of that act: shows whether the log was cut off
  number   INTEGER NOT NULL DEFAULT 0,  -- reconciles of the account, from 1
  as_of    INTEGER,                     -- of the run
  inputs   TEXT    NOT NULL DEFAULT '', -- hash of documents and settings
  shadow   TEXT    NOT NULL DEFAULT '', -- rules that were suppressed, with spaces between
  digests  TEXT    NOT NULL DEFAULT '{}', -- JSON object: of each table the digest of the rows that it made and ended
  pulled   TEXT    NOT NULL DEFAULT '{}', -- JSON object: sums of the complete pulls that it was the first to include
  moved    TEXT    NOT NULL DEFAULT '{}', -- JSON object: by basis the first days of the months with rows that it says something else of, 0: all
  events   INTEGER NOT NULL DEFAULT 0,  -- of cases that it wrote
  PRIMARY KEY (account, run)
) STRICT;

-- What a run expected of an installment, current from run until ended_run. That a key has one current row is ensured by
-- reconciles and checked by ledger check.
CREATE TABLE expectation (
  account           INTEGER NOT NULL,
  sale_day          INTEGER NOT NULL,
  nsu               TEXT    NOT NULL,
  auth              TEXT    NOT NULL,
  number            INTEGER NOT NULL,
  occurrence        INTEGER NOT NULL,
  run               TEXT    NOT NULL,            -- that wrote it
  ended_run         TEXT,                        -- first run that concluded otherwise, NULL while current
  content           BLOB    NOT NULL,            -- hash of the row, 16 bytes
  version           INTEGER NOT NULL,            -- of the installment
  inputs            TEXT    NOT NULL,            -- hash of the documents it rests on
  class             TEXT    NOT NULL,            -- open, received, blocked, cancelled or chargeback
  unmapped          INTEGER NOT NULL,            -- a status is outside the mapping
  brand             TEXT    NOT NULL,            -- mapped, or as sent
  product           TEXT    NOT NULL,            -- credit, debit or voucher
  band              TEXT    NOT NULL,            -- number of installments, as the contract groups them
  net               INTEGER NOT NULL,            -- N: what the sent fees leave
  net_contract      INTEGER NOT NULL,            -- N*: what the contract's fees leave
  gross_cents       INTEGER NOT NULL,            -- gross in cents, allocated within its sale
  received          INTEGER NOT NULL,            -- R of the bridge
  contract_line     TEXT    NOT NULL,            -- that applies
  contract_mdr_rate INTEGER,                     -- percent
  expected_date     INTEGER,                     -- by the contract and the calendar
  days_late         INTEGER,
  days_anticipated  INTEGER,
  rest              TEXT    NOT NULL,            -- bridge line of N less R
  brackets          TEXT    NOT NULL,            -- JSON array: its terms of the bridge
  verdict           TEXT    NOT NULL,
  codes             TEXT    NOT NULL,            -- JSON array: rules that fire
  impact            INTEGER,                     -- NULL: none known
  splits            TEXT    NOT NULL,            -- JSON array: what each split should be
  next_on           INTEGER,                     -- first as-of at which time alone may change it, NULL: never; 1: every night
  contribution      TEXT    NOT NULL DEFAULT '', -- what it adds to rounding and population
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, run)
) STRICT, WITHOUT ROWID;

-- What every night evaluates again; few rows. What a day brings is on the sale days that waiting names.
CREATE INDEX expectation_every_night ON expectation (account, sale_day) WHERE ended_run IS NULL AND next_on = 1;
-- What rules tolerated, which the control of every set adds up; few rows.
CREATE INDEX expectation_tolerated ON expectation (account, sale_day) WHERE brackets LIKE '%"rounding"%';

-- What a run expected of a slip, current from run until ended_run.
CREATE TABLE slip_expectation (
  account      INTEGER NOT NULL,
  id           TEXT    NOT NULL,
  run          TEXT    NOT NULL,            -- that wrote it
  ended_run    TEXT,                        -- first run that concluded otherwise, NULL while current
  content      BLOB    NOT NULL,            -- hash of the row, 16 bytes
  version      INTEGER NOT NULL,            -- number of the slip's versions
  inputs       TEXT    NOT NULL,            -- hash of the documents it rests on
  class        TEXT    NOT NULL,            -- open, paid, cancelled or failed
  day          INTEGER,                     -- due date: the day of its bridge
  due_adjusted INTEGER,                     -- next business day
  face         INTEGER NOT NULL,            -- what should have been paid
  credited     INTEGER NOT NULL,            -- paid value once credited
  penalty_due  INTEGER,                     -- of a late payment
  interest_due INTEGER,                     -- of a late payment
  days_late    INTEGER,
  float_days   INTEGER,                     -- from payment to credit
  tariff       INTEGER,
  net_credited INTEGER,                     -- credited less tariff
  credit_limit INTEGER,                     -- last as-of at which a missing credit is not overdue
  credit_on    INTEGER,                     -- day it was credited, or should be; NULL: not to be expected
  credit_net   INTEGER,                     -- credited or to be credited, less the tariff
  rest         TEXT    NOT NULL,            -- bridge line of what is not credited
  brackets     TEXT    NOT NULL,            -- JSON array: its terms of the bridge
  verdict      TEXT    NOT NULL,
  codes        TEXT    NOT NULL,            -- JSON array: rules that fire
  impact       INTEGER,                     -- NULL: none known
  next_on      INTEGER,                     -- first as-of at which time alone may change it, NULL: never; 1: every night
  contribution TEXT    NOT NULL DEFAULT '', -- what it adds to rounding and population
  PRIMARY KEY (account, id, run)
) STRICT;

CREATE INDEX slip_expectation_run ON slip_expectation (account, run);
CREATE UNIQUE INDEX slip_expectation_standing ON slip_expectation (account, id) WHERE ended_run IS NULL;

-- Cases: the latest state of a code on a subject.
CREATE TABLE finding (
  account         INTEGER NOT NULL,
  case_id         TEXT    NOT NULL,            -- of account, subject and code
  code            TEXT    NOT NULL,
  rule_version    INTEGER NOT NULL,
  subject         TEXT    NOT NULL,            -- installment, slip, day, ... the case is about
  sale_day        INTEGER,                    -- of the sale that the subject is, or is of; NULL: it is of none
  nsu             TEXT    NOT NULL DEFAULT '', -- of that sale
  auth            TEXT    NOT NULL DEFAULT '', -- of that sale
  number          INTEGER,                    -- of the installment that the subject is, or is of; NULL: it is of none
  occurrence      INTEGER,                    -- of the installment or, if it is of none, of the sale
  slip            TEXT    NOT NULL DEFAULT '', -- id of the slip that the subject is; empty: another subject
  severity        TEXT    NOT NULL,            -- C, E, W or I
  state           TEXT    NOT NULL,            -- pending, open, acknowledged, disputed, waived, shadow, resolved, closed, reopened
  expected_kind   INTEGER NOT NULL,            -- 0 none, 1 amount, 2 date, 3 text
  expected_number INTEGER NOT NULL,            -- amount or day
  expected_text   TEXT    NOT NULL,
  actual_kind     INTEGER NOT NULL,            -- 0 none, 1 amount, 2 date, 3 text
  actual_number   INTEGER NOT NULL,            -- amount or day
  actual_text     TEXT    NOT NULL,
  impact          INTEGER,                     -- NULL: the rule knows none
  exposure        INTEGER NOT NULL,            -- the impact is late, blocked or uncertain rather than lost
  explained_by    TEXT    NOT NULL,            -- code of the root cause, empty when this is one
  related         TEXT    NOT NULL,            -- JSON array: other cases of the subject
  break_on        INTEGER,                     -- day a pending case opens
  first_seen      INTEGER,                     -- as-of
  opened_on       INTEGER,                     -- as-of, NULL while pending
  first_run       TEXT    NOT NULL,
  last_run        TEXT    NOT NULL,
  day             INTEGER,                     -- sale date or due date
  due_on          INTEGER,                     -- forecast or due date
  brand           TEXT    NOT NULL,
  product         TEXT    NOT NULL,
  contract_line   TEXT    NOT NULL,
  calendar        TEXT    NOT NULL,            -- that a date rests on
  hint            TEXT    NOT NULL,            -- over, under, short, ...
  numbers         TEXT    NOT NULL,            -- JSON array: figures of the sentence
  seen_on         INTEGER,                     -- as-of of the last run that evaluated it
  held            TEXT    NOT NULL DEFAULT '', -- state it returns to when its rule is no longer suppressed
  closed_as       TEXT    NOT NULL DEFAULT '', -- person, aged_out or regrouped
  assignee        TEXT    NOT NULL DEFAULT '',
  reference       TEXT    NOT NULL DEFAULT '', -- of a dispute
  comment         TEXT    NOT NULL DEFAULT '', -- last reason given
  waived_until    INTEGER,                     -- last day of the waiver
  waived_cap      INTEGER,                     -- most that may be at stake while waived
  PRIMARY KEY (account, case_id)
) STRICT;

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
  account         INTEGER NOT NULL,
  case_id         TEXT    NOT NULL,            -- of account, subject and code
  sequence        INTEGER NOT NULL,            -- from 1
  run             TEXT    NOT NULL,            -- that made the event, or the last run before the act
  as_of           INTEGER,                     -- of the event
  code            TEXT    NOT NULL,
  rule_version    INTEGER NOT NULL,
  subject         TEXT    NOT NULL,            -- installment, slip, day, ... the case is about
  sale_day        INTEGER,                    -- of the sale that the subject is, or is of; NULL: it is of none
  nsu             TEXT    NOT NULL DEFAULT '', -- of that sale
  auth            TEXT    NOT NULL DEFAULT '', -- of that sale
  number          INTEGER,                    -- of the installment that the subject is, or is of; NULL: it is of none
  occurrence      INTEGER,                    -- of the installment or, if it is of none, of the sale
  slip            TEXT    NOT NULL DEFAULT '', -- id of the slip that the subject is; empty: another subject
  severity        TEXT    NOT NULL,            -- C, E, W or I
  state           TEXT    NOT NULL,            -- pending, open, acknowledged, disputed, waived, shadow, resolved, closed, reopened
  expected_kind   INTEGER NOT NULL,            -- 0 none, 1 amount, 2 date, 3 text
  expected_number INTEGER NOT NULL,            -- amount or day
  expected_text   TEXT    NOT NULL,
  actual_kind     INTEGER NOT NULL,            -- 0 none, 1 amount, 2 date, 3 text
  actual_number   INTEGER NOT NULL,            -- amount or day
  actual_text     TEXT    NOT NULL,
  impact          INTEGER,                     -- NULL: the rule knows none
  exposure        INTEGER NOT NULL,            -- the impact is late, blocked or uncertain rather than lost
  explained_by    TEXT    NOT NULL,            -- code of the root cause, empty when this is one
  related         TEXT    NOT NULL,            -- JSON array: other cases of the subject
  break_on        INTEGER,                     -- day a pending case opens
  first_seen      INTEGER,                     -- as-of
  opened_on       INTEGER,                     -- as-of, NULL while pending
  first_run       TEXT    NOT NULL,
  last_run        TEXT    NOT NULL,
  day             INTEGER,                     -- sale date or due date
  due_on          INTEGER,                     -- forecast or due date
  brand           TEXT    NOT NULL,
  product         TEXT    NOT NULL,
  contract_line   TEXT    NOT NULL,
  calendar        TEXT    NOT NULL,            -- that a date rests on
  hint            TEXT    NOT NULL,            -- over, under, short, ...
  numbers         TEXT    NOT NULL,            -- JSON array: figures of the sentence
  seen_on         INTEGER,                     -- as-of of the last run that evaluated it
  held            TEXT    NOT NULL DEFAULT '', -- state it returns to when its rule is no longer suppressed
  closed_as       TEXT    NOT NULL DEFAULT '', -- person, aged_out or regrouped
  assignee        TEXT    NOT NULL DEFAULT '',
  reference       TEXT    NOT NULL DEFAULT '', -- of a dispute
  comment         TEXT    NOT NULL DEFAULT '', -- last reason given
  waived_until    INTEGER,                     -- last day of the waiver
  waived_cap      INTEGER,                     -- most that may be at stake while waived
  act             INTEGER NOT NULL DEFAULT 0,  -- number of the act that made the event, 0: a run
  PRIMARY KEY (account, case_id, sequence)
) STRICT;

-- What a run did to the cases.
CREATE INDEX finding_event_run ON finding_event (account, run);
-- What people closed.
CREATE INDEX finding_event_closed ON finding_event (account, case_id) WHERE closed_as = 'person';

-- The log of what people did, numbered per account without gaps. Account 0 is what concerns no single account. Rows are
-- never changed.
CREATE TABLE act (
  account    INTEGER NOT NULL,
  number     INTEGER NOT NULL, -- from 1
  verb       TEXT    NOT NULL, -- ack, waive, close, period close, ...
  stage      TEXT    NOT NULL, -- proposed or done
  subject    TEXT    NOT NULL, -- a case, a period or what else it is about
  actor      TEXT    NOT NULL, -- the name that was given
  person     TEXT    NOT NULL, -- of the operating system
  host       TEXT    NOT NULL, -- where it was done
  reason     TEXT    NOT NULL,
  parameters TEXT    NOT NULL, -- JSON object of texts
  at         INTEGER NOT NULL, -- instant
  run        TEXT    NOT NULL, -- last run that had reconciled the account
  confirms   INTEGER NOT NULL, -- number of the proposal it carries out, 0: none
  previous   TEXT    NOT NULL, -- hash of the act before
  hash       TEXT    NOT NULL, -- over every other column, see ledger.Act
  PRIMARY KEY (account, number)
) STRICT;

CREATE INDEX act_subject ON act (account, subject, number);

-- The bridge from contract net to received, an amount per line and day. A row is current from run until ended_run; one of
-- which nothing is left has no row.
CREATE TABLE bridge (
  account   INTEGER NOT NULL,
  run       TEXT    NOT NULL,
  side      TEXT    NOT NULL, -- cards or slips
  day       INTEGER NOT NULL, -- sale date or due date
  brand     TEXT    NOT NULL,
  product   TEXT    NOT NULL,
  line      TEXT    NOT NULL, -- of the bridge
  reason    TEXT    NOT NULL, -- of an amount that is not attributed
  amount    INTEGER NOT NULL, -- lost or still to come, less excess
  excess    INTEGER NOT NULL, -- sum of the negative amounts in it, without their sign
  ended_run TEXT,             -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, side, day, brand, product, line, reason)
) STRICT;

CREATE INDEX bridge_standing ON bridge (account, side, day) WHERE ended_run IS NULL;

-- Differences that rules tolerate, per month. Current from run until ended_run.
CREATE TABLE rounding (
  account   INTEGER NOT NULL,
  run       TEXT    NOT NULL,
  code      TEXT    NOT NULL, -- of the rule
  month     INTEGER NOT NULL, -- its first day
  amount    INTEGER NOT NULL,
  ended_run TEXT,             -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, code, month)
) STRICT;

CREATE INDEX rounding_standing ON rounding (account) WHERE ended_run IS NULL;

-- Counts and sums that rules over many rows need. Current from run until ended_run.
CREATE TABLE population (
  account   INTEGER NOT NULL,
  kind      TEXT    NOT NULL, -- what is counted
  item      TEXT    NOT NULL, -- group within the kind
  run       TEXT    NOT NULL,
  ended_run TEXT,             -- first run that concluded otherwise, NULL while current
  members   INTEGER NOT NULL,
  amount    INTEGER NOT NULL, -- where the kind has money
  other     INTEGER NOT NULL, -- a second sum
  PRIMARY KEY (account, kind, item, run)
) STRICT;

CREATE INDEX population_standing ON population (account) WHERE ended_run IS NULL;

-- The gross of open installments of a sale day, brand and product: opening, movements since the previous reconcile, closing.
-- The closing is current from run until ended_run.
CREATE TABLE continuity (
  account      INTEGER NOT NULL,
  run          TEXT    NOT NULL,
  day          INTEGER NOT NULL,
  brand        TEXT    NOT NULL,
  product      TEXT    NOT NULL,
  ended_run    TEXT,             -- first run that concluded otherwise, NULL while current
  opening      INTEGER NOT NULL,
  started      INTEGER NOT NULL, -- open at the first reconcile
  added        INTEGER NOT NULL, -- not known before
  unblocked    INTEGER NOT NULL,
  reversed     INTEGER NOT NULL, -- received, cancelled or charged back before
  reappeared   INTEGER NOT NULL,
  restated     INTEGER NOT NULL, -- another gross, brand or product
  reclassified INTEGER NOT NULL, -- by another mapping
  received     INTEGER NOT NULL, -- as forecast
  anticipated  INTEGER NOT NULL, -- received early
  cancelled    INTEGER NOT NULL,
  charged_back INTEGER NOT NULL,
  blocked      INTEGER NOT NULL,
  vanished     INTEGER NOT NULL,
  closing      INTEGER NOT NULL,
  PRIMARY KEY (account, run, day, brand, product)
) STRICT;

CREATE INDEX continuity_standing ON continuity (account, day) WHERE ended_run IS NULL;

-- What is to be credited, by business day, and what was credited last. Current from run until ended_run; a row of zeros has none.
CREATE TABLE forecast (
  account               INTEGER NOT NULL,
  run                   TEXT    NOT NULL,
  kind                  TEXT    NOT NULL, -- cards, splits, blocked, slips_paid, slips_due, ...
  day                   INTEGER NOT NULL, -- business day, 0: none known, or the kind has none
  items                 INTEGER NOT NULL, -- installments or slips
  printed               INTEGER NOT NULL, -- sum of amounts in cents
  exact                 INTEGER NOT NULL,
  ended_run             TEXT   , -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, kind, day)
) STRICT;

CREATE INDEX forecast_standing ON forecast (account) WHERE ended_run IS NULL;

-- What the installments of a sale day add to the forecast, before the calendar moves a day: a run sums only the days that it
-- evaluated. Current from run until ended_run; a row of zeros has none.
CREATE TABLE forecast_part (
  account               INTEGER NOT NULL,
  run                   TEXT    NOT NULL,
  kind                  TEXT    NOT NULL, -- cards, late_cards, splits, blocked
  sale_day              INTEGER NOT NULL,
  day                   INTEGER NOT NULL, -- as the service forecasts it, 0: none, or the kind has none
  items                 INTEGER NOT NULL, -- installments
  printed               INTEGER NOT NULL, -- sum of amounts in cents
  exact                 INTEGER NOT NULL,
  ended_run             TEXT   , -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, kind, sale_day, day)
) STRICT;

CREATE INDEX forecast_part_standing ON forecast_part (account) WHERE ended_run IS NULL;

-- What waits on a sale day, and until when: a plan, and a reconcile that looks for what time alone may change, read it
-- instead of the expectations. Current from run until ended_run; a row of zeros has none.
CREATE TABLE waiting (
  account   INTEGER NOT NULL,
  run       TEXT    NOT NULL,
  sale_day  INTEGER NOT NULL,
  rest      TEXT    NOT NULL, -- bridge line of what is not received, '': neither open nor blocked
  next_on   INTEGER NOT NULL, -- as in expectation, 0: never
  items     INTEGER NOT NULL, -- installments
  ended_run TEXT,             -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, sale_day, rest, next_on)
) STRICT;

CREATE INDEX waiting_standing ON waiting (account, sale_day) WHERE ended_run IS NULL;

-- What a sale day adds to a month of a basis, per brand; slips have one part of each month. Each amount is the sum of amounts in
-- cents, and the exact sum. Current from run until ended_run; a row of zeros has none.
CREATE TABLE month_part (
  account                  INTEGER NOT NULL,
  run                      TEXT    NOT NULL,
  basis                    TEXT    NOT NULL, -- operation or credit
  side                     TEXT    NOT NULL, -- cards or slips
  sale_day                 INTEGER NOT NULL, -- 0: slips
  month                    INTEGER NOT NULL, -- its first day
  brand                    TEXT    NOT NULL,
  sales                    INTEGER NOT NULL, -- of slips: paid
  installments             INTEGER NOT NULL,
  gross                    INTEGER NOT NULL,
  gross_exact              INTEGER NOT NULL,
  mdr                      INTEGER NOT NULL,
  mdr_exact                INTEGER NOT NULL,
  fees                     INTEGER NOT NULL,
  fees_exact               INTEGER NOT NULL,
  anticipation             INTEGER NOT NULL,
  anticipation_exact       INTEGER NOT NULL,
  net_expected             INTEGER NOT NULL,
  net_expected_exact       INTEGER NOT NULL,
  splits                   INTEGER NOT NULL,
  splits_exact             INTEGER NOT NULL,
  received                 INTEGER NOT NULL,
  received_exact           INTEGER NOT NULL,
  not_due                  INTEGER NOT NULL,
  not_due_exact            INTEGER NOT NULL,
  overdue                  INTEGER NOT NULL,
  overdue_exact            INTEGER NOT NULL,
  blocked                  INTEGER NOT NULL,
  blocked_exact            INTEGER NOT NULL,
  short                    INTEGER NOT NULL,
  short_exact              INTEGER NOT NULL,
  over                     INTEGER NOT NULL,
  over_exact               INTEGER NOT NULL,
  difference               INTEGER NOT NULL,
  difference_exact         INTEGER NOT NULL,
  cancelled_gross          INTEGER NOT NULL,
  cancelled_gross_exact    INTEGER NOT NULL,
  cancelled_received       INTEGER NOT NULL,
  cancelled_received_exact INTEGER NOT NULL,
  ended_run                TEXT   , -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, basis, side, sale_day, month, brand)
) STRICT;

CREATE INDEX month_part_standing ON month_part (account) WHERE ended_run IS NULL;

-- What the installments of a sale day add up to: report sets add days up. Amounts are sums of amounts in cents, but for exact ones. The sums
-- with live are of all that are not cancelled or charged back. Current from run until ended_run.
CREATE TABLE day_sum (
  account                INTEGER NOT NULL,
  run                    TEXT    NOT NULL,
  sale_day               INTEGER NOT NULL,
  installments           INTEGER NOT NULL,
  numbers                INTEGER NOT NULL, -- of the installments, added up
  counts                 INTEGER NOT NULL, -- of the installments of their sales
  sale_totals            INTEGER NOT NULL,
  gross_sent             INTEGER NOT NULL, -- exact
  gross_cents            INTEGER NOT NULL, -- allocated within the sales
  mdr                    INTEGER NOT NULL,
  mdr_rates              INTEGER NOT NULL, -- millionths, to four decimals
  mdr_fractions          INTEGER NOT NULL, -- the same where the service sends fractions
  contract_mdr_rates     INTEGER NOT NULL, -- millionths, to four decimals
  fees                   INTEGER NOT NULL,
  sale_fees              INTEGER NOT NULL,
  antifraud              INTEGER NOT NULL,
  sale_antifraud         INTEGER NOT NULL,
  anticipation           INTEGER NOT NULL,
  anticipation_rates     INTEGER NOT NULL,
  anticipation_fractions INTEGER NOT NULL,
  days_anticipated       INTEGER NOT NULL,
  splits                 INTEGER NOT NULL,
  net                    INTEGER NOT NULL,
  net_contract           INTEGER NOT NULL,
  received               INTEGER NOT NULL,
  days_late              INTEGER NOT NULL,
  impacts                INTEGER NOT NULL,
  versions               INTEGER NOT NULL,
  differences            INTEGER NOT NULL, -- contract net less received
  summary_lines          INTEGER NOT NULL, -- of a summary
  live_sales             INTEGER NOT NULL,
  live_sales_of_lines    INTEGER NOT NULL, -- each once a line of a summary
  live_rows              INTEGER NOT NULL,
  live_gross             INTEGER NOT NULL,
  live_mdr               INTEGER NOT NULL,
  live_fees              INTEGER NOT NULL,
  live_antifraud         INTEGER NOT NULL,
  live_anticipation      INTEGER NOT NULL,
  live_splits            INTEGER NOT NULL,
  live_net               INTEGER NOT NULL,
  live_net_contract      INTEGER NOT NULL,
  live_kept              INTEGER NOT NULL, -- received less splits
  live_passed_on         INTEGER NOT NULL, -- splits of what is received
  live_received          INTEGER NOT NULL,
  live_not_due           INTEGER NOT NULL,
  live_overdue           INTEGER NOT NULL,
  live_blocked           INTEGER NOT NULL,
  live_short             INTEGER NOT NULL,
  live_over              INTEGER NOT NULL,
  gone_rows              INTEGER NOT NULL, -- cancelled or charged back
  gone_gross             INTEGER NOT NULL,
  gone_received          INTEGER NOT NULL,
  dated_received         INTEGER NOT NULL, -- of all with the day on which it came
  settled_gross          INTEGER NOT NULL, -- live, with money and its day
  settled_fees           INTEGER NOT NULL, -- MDR, transaction fee and antifraud fee
  settled_anticipation   INTEGER NOT NULL,
  settled_splits         INTEGER NOT NULL,
  ended_run              TEXT            , -- first run that concluded otherwise, NULL while current
  PRIMARY KEY (account, run, sale_day)
) STRICT;

CREATE INDEX day_sum_standing ON day_sum (account) WHERE ended_run IS NULL;

-- What the rules did in a run: rows they apply to, evaluated, fired, and why not.
CREATE TABLE tally (
  account INTEGER NOT NULL,
  run     TEXT    NOT NULL,
  counts  BLOB    NOT NULL, -- JSON array of ledger.RuleCounts in order of code, gzip
  PRIMARY KEY (account, run)
) STRICT;
