-- The ledger. What every column means is written in the doc.go of package store; in short: money is BIGINT
-- ten-thousandths of a real, rates millionths, dates Rata Die days, local times ticks of 100 ns since 0001-01-01,
-- instants microseconds since 1970 in UTC; NULL is absent, and absent text is ''. The account leads every key.

-- +goose Up

CREATE TABLE account (
  account BIGINT  NOT NULL,
  since   BIGINT  NOT NULL,
  PRIMARY KEY (account)
);

CREATE TABLE run (
  id          TEXT COLLATE "C" NOT NULL,
  kind        TEXT COLLATE "C" NOT NULL,
  started_by  TEXT COLLATE "C" NOT NULL,
  as_of       BIGINT,
  clock       TEXT COLLATE "C" NOT NULL,
  previous    TEXT COLLATE "C" NOT NULL,
  began       BIGINT  NOT NULL,
  ended       BIGINT,
  engine      TEXT COLLATE "C" NOT NULL,
  documents   TEXT COLLATE "C" NOT NULL,
  accounts    TEXT COLLATE "C" NOT NULL,
  pulled      TEXT COLLATE "C" NOT NULL,
  verdict     TEXT COLLATE "C" NOT NULL,
  verdicts    TEXT COLLATE "C" NOT NULL,
  exit_code   BIGINT  NOT NULL,
  PRIMARY KEY (id)
);

-- Which run reconciled which account: written with what it believed, in one transaction.
CREATE TABLE reconciled (
  account BIGINT  NOT NULL,
  run     TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, run)
);

CREATE TABLE document (
  sha256 TEXT COLLATE "C" NOT NULL,
  kind   TEXT COLLATE "C" NOT NULL,
  body   BYTEA NOT NULL,
  PRIMARY KEY (sha256)
);

-- A lease that was released keeps its row, so that a holder who stood still finds out that somebody else was here.
CREATE TABLE lease (
  account BIGINT  NOT NULL,
  run     TEXT COLLATE "C" NOT NULL,
  since   BIGINT  NOT NULL,
  until   BIGINT  NOT NULL,
  host    TEXT COLLATE "C" NOT NULL,
  process BIGINT  NOT NULL,
  PRIMARY KEY (account)
);

CREATE TABLE pull (
  account     BIGINT  NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,
  run         TEXT COLLATE "C" NOT NULL,
  source      TEXT COLLATE "C" NOT NULL,
  from_day    BIGINT  NOT NULL,
  to_day      BIGINT  NOT NULL,
  reason      TEXT COLLATE "C" NOT NULL,
  began       BIGINT  NOT NULL,
  ended       BIGINT  NOT NULL,
  as_of       BIGINT,
  pulled_on   BIGINT,
  complete    BIGINT  NOT NULL,
  failure     TEXT COLLATE "C" NOT NULL,
  bytes       BIGINT  NOT NULL,
  sha256      TEXT COLLATE "C" NOT NULL,
  requests    BIGINT  NOT NULL,
  rows_seen   BIGINT  NOT NULL,
  rows_new    BIGINT  NOT NULL,
  changed     BIGINT  NOT NULL,
  same        BIGINT  NOT NULL,
  vanished    BIGINT  NOT NULL,
  quarantined BIGINT  NOT NULL,
  PRIMARY KEY (account, id)
);

CREATE INDEX pull_window ON pull (account, source, from_day, to_day);

-- A version stands from first_pull until ended_pull. The last version of a key that ended without a successor is
-- vanished. proven: a complete pull of the row's own day showed it, so that day's next complete pull can miss it.
CREATE TABLE installment (
  account           BIGINT  NOT NULL,
  sale_day          BIGINT  NOT NULL,
  nsu               TEXT COLLATE "C" NOT NULL,
  auth              TEXT COLLATE "C" NOT NULL,
  number            BIGINT  NOT NULL,
  occurrence        BIGINT  NOT NULL,
  version           BIGINT  NOT NULL,
  sale              BIGINT  NOT NULL,
  sale_mark         BIGINT  NOT NULL,
  content           BYTEA   NOT NULL,
  first_pull        TEXT COLLATE "C" NOT NULL,
  last_pull         TEXT COLLATE "C",
  ended_pull        TEXT COLLATE "C",
  vanished          BIGINT  NOT NULL,
  proven            BIGINT  NOT NULL,
  first_seen        BIGINT,
  last_changed      BIGINT,
  pulled_on         BIGINT,
  sold_at           BIGINT  NOT NULL,
  terminal          TEXT COLLATE "C" NOT NULL,
  card              TEXT COLLATE "C" NOT NULL,
  card_type         TEXT COLLATE "C" NOT NULL,
  card_name         TEXT COLLATE "C" NOT NULL,
  number_sent       BIGINT  NOT NULL,
  count_sent        BIGINT  NOT NULL,
  gross             BIGINT  NOT NULL,
  sale_total        BIGINT,
  status            TEXT COLLATE "C" NOT NULL,
  mdr               BIGINT,
  mdr_rate          BIGINT,
  fee               BIGINT,
  sale_fee          BIGINT,
  antifraud         BIGINT,
  sale_antifraud    BIGINT,
  anticipation      BIGINT,
  anticipation_rate BIGINT,
  received          BIGINT,
  forecast          BIGINT,
  effective         BIGINT,
  received_type     TEXT COLLATE "C" NOT NULL,
  received_status   TEXT COLLATE "C" NOT NULL,
  reference         TEXT COLLATE "C" NOT NULL,
  web_payment_id    TEXT COLLATE "C" NOT NULL,
  splits            TEXT COLLATE "C",
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, version)
);

CREATE INDEX installment_forecast ON installment (account, forecast) WHERE ended_pull IS NULL;
CREATE INDEX installment_effective ON installment (account, effective) WHERE ended_pull IS NULL AND effective IS NOT NULL;

CREATE TABLE slip (
  account           BIGINT  NOT NULL,
  id                TEXT COLLATE "C" NOT NULL,
  list              TEXT COLLATE "C" NOT NULL,
  version           BIGINT  NOT NULL,
  list_day          BIGINT,
  content           BYTEA   NOT NULL,
  first_pull        TEXT COLLATE "C" NOT NULL,
  last_pull         TEXT COLLATE "C",
  ended_pull        TEXT COLLATE "C",
  vanished          BIGINT  NOT NULL,
  proven            BIGINT  NOT NULL,
  first_seen        BIGINT,
  last_changed      BIGINT,
  value             BIGINT  NOT NULL,
  issued            BIGINT,
  due               BIGINT,
  payer_document    TEXT COLLATE "C" NOT NULL,
  payer_name        TEXT COLLATE "C" NOT NULL,
  payer_street      TEXT COLLATE "C" NOT NULL,
  payer_zip         TEXT COLLATE "C" NOT NULL,
  payer_city        TEXT COLLATE "C" NOT NULL,
  payer_state       TEXT COLLATE "C" NOT NULL,
  payer_district    TEXT COLLATE "C" NOT NULL,
  payer_phone       TEXT COLLATE "C" NOT NULL,
  paid_on           BIGINT,
  credited_on       BIGINT,
  paid_value        BIGINT,
  bar_code          TEXT COLLATE "C" NOT NULL,
  digitable_line    TEXT COLLATE "C" NOT NULL,
  pix_code          TEXT COLLATE "C" NOT NULL,
  status            BIGINT,
  integration       BIGINT,
  our_number        TEXT COLLATE "C" NOT NULL,
  reference_code    TEXT COLLATE "C" NOT NULL,
  late_allowed      BIGINT,
  late_limit        BIGINT,
  penalty           BIGINT,
  penalty_received  BIGINT,
  interest          BIGINT,
  interest_received BIGINT,
  cancelled_on      BIGINT,
  cancel_reason     TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, id, list, version)
);

CREATE INDEX slip_day ON slip (account, list, list_day) WHERE ended_pull IS NULL;

CREATE TABLE quarantine (
  account    BIGINT  NOT NULL,
  source     TEXT COLLATE "C" NOT NULL,
  hash       TEXT COLLATE "C" NOT NULL,
  day        BIGINT,
  body       BYTEA   NOT NULL,
  reason     TEXT COLLATE "C" NOT NULL,
  gross      BIGINT,
  key_read   BIGINT  NOT NULL,
  first_pull TEXT COLLATE "C" NOT NULL,
  ended_pull TEXT COLLATE "C",
  PRIMARY KEY (account, source, hash)
);

-- What a run believed of a version, until a later run believed something else (ended_run).
CREATE TABLE expectation (
  account           BIGINT  NOT NULL,
  sale_day          BIGINT  NOT NULL,
  nsu               TEXT COLLATE "C" NOT NULL,
  auth              TEXT COLLATE "C" NOT NULL,
  number            BIGINT  NOT NULL,
  occurrence        BIGINT  NOT NULL,
  run               TEXT COLLATE "C" NOT NULL,
  ended_run         TEXT COLLATE "C",
  content           BYTEA   NOT NULL,
  version           BIGINT  NOT NULL,
  inputs            TEXT COLLATE "C" NOT NULL,
  class             TEXT COLLATE "C" NOT NULL,
  unmapped          BIGINT  NOT NULL,
  brand             TEXT COLLATE "C" NOT NULL,
  product           TEXT COLLATE "C" NOT NULL,
  band              TEXT COLLATE "C" NOT NULL,
  net               BIGINT  NOT NULL,
  net_contract      BIGINT  NOT NULL,
  gross_cents       BIGINT  NOT NULL,
  received          BIGINT  NOT NULL,
  contract_line     TEXT COLLATE "C" NOT NULL,
  contract_mdr_rate BIGINT,
  expected_date     BIGINT,
  days_late         BIGINT,
  days_anticipated  BIGINT,
  rest              TEXT COLLATE "C" NOT NULL,
  brackets          TEXT COLLATE "C" NOT NULL,
  verdict           TEXT COLLATE "C" NOT NULL,
  codes             TEXT COLLATE "C" NOT NULL,
  impact            BIGINT,
  splits            TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, run)
);

CREATE UNIQUE INDEX expectation_standing ON expectation (account, sale_day, nsu, auth, number, occurrence)
  WHERE ended_run IS NULL;

CREATE TABLE slip_expectation (
  account      BIGINT  NOT NULL,
  id           TEXT COLLATE "C" NOT NULL,
  run          TEXT COLLATE "C" NOT NULL,
  ended_run    TEXT COLLATE "C",
  content      BYTEA   NOT NULL,
  version      BIGINT  NOT NULL,
  inputs       TEXT COLLATE "C" NOT NULL,
  class        TEXT COLLATE "C" NOT NULL,
  day          BIGINT,
  due_adjusted BIGINT,
  face         BIGINT  NOT NULL,
  credited     BIGINT  NOT NULL,
  penalty_due  BIGINT,
  interest_due BIGINT,
  days_late    BIGINT,
  float_days   BIGINT,
  tariff       BIGINT,
  net_credited BIGINT,
  credit_limit BIGINT,
  rest         TEXT COLLATE "C" NOT NULL,
  brackets     TEXT COLLATE "C" NOT NULL,
  verdict      TEXT COLLATE "C" NOT NULL,
  codes        TEXT COLLATE "C" NOT NULL,
  impact       BIGINT,
  PRIMARY KEY (account, id, run)
);

CREATE UNIQUE INDEX slip_expectation_standing ON slip_expectation (account, id) WHERE ended_run IS NULL;

CREATE TABLE finding (
  account         BIGINT  NOT NULL,
  case_id         TEXT COLLATE "C" NOT NULL,
  code            TEXT COLLATE "C" NOT NULL,
  rule_version    BIGINT  NOT NULL,
  subject         TEXT COLLATE "C" NOT NULL,
  severity        TEXT COLLATE "C" NOT NULL,
  state           TEXT COLLATE "C" NOT NULL,
  expected_kind   BIGINT  NOT NULL,
  expected_number BIGINT  NOT NULL,
  expected_text   TEXT COLLATE "C" NOT NULL,
  actual_kind     BIGINT  NOT NULL,
  actual_number   BIGINT  NOT NULL,
  actual_text     TEXT COLLATE "C" NOT NULL,
  impact          BIGINT,
  exposure        BIGINT  NOT NULL,
  explained_by    TEXT COLLATE "C" NOT NULL,
  related         TEXT COLLATE "C" NOT NULL,
  break_on        BIGINT,
  first_seen      BIGINT,
  opened_on       BIGINT,
  first_run       TEXT COLLATE "C" NOT NULL,
  last_run        TEXT COLLATE "C" NOT NULL,
  day             BIGINT,
  due_on          BIGINT,
  brand           TEXT COLLATE "C" NOT NULL,
  product         TEXT COLLATE "C" NOT NULL,
  contract_line   TEXT COLLATE "C" NOT NULL,
  calendar        TEXT COLLATE "C" NOT NULL,
  hint            TEXT COLLATE "C" NOT NULL,
  numbers         TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, case_id)
);

CREATE TABLE finding_event (
  account         BIGINT  NOT NULL,
  case_id         TEXT COLLATE "C" NOT NULL,
  sequence        BIGINT  NOT NULL,
  run             TEXT COLLATE "C" NOT NULL,
  as_of           BIGINT,
  code            TEXT COLLATE "C" NOT NULL,
  rule_version    BIGINT  NOT NULL,
  subject         TEXT COLLATE "C" NOT NULL,
  severity        TEXT COLLATE "C" NOT NULL,
  state           TEXT COLLATE "C" NOT NULL,
  expected_kind   BIGINT  NOT NULL,
  expected_number BIGINT  NOT NULL,
  expected_text   TEXT COLLATE "C" NOT NULL,
  actual_kind     BIGINT  NOT NULL,
  actual_number   BIGINT  NOT NULL,
  actual_text     TEXT COLLATE "C" NOT NULL,
  impact          BIGINT,
  exposure        BIGINT  NOT NULL,
  explained_by    TEXT COLLATE "C" NOT NULL,
  related         TEXT COLLATE "C" NOT NULL,
  break_on        BIGINT,
  first_seen      BIGINT,
  opened_on       BIGINT,
  first_run       TEXT COLLATE "C" NOT NULL,
  last_run        TEXT COLLATE "C" NOT NULL,
  day             BIGINT,
  due_on          BIGINT,
  brand           TEXT COLLATE "C" NOT NULL,
  product         TEXT COLLATE "C" NOT NULL,
  contract_line   TEXT COLLATE "C" NOT NULL,
  calendar        TEXT COLLATE "C" NOT NULL,
  hint            TEXT COLLATE "C" NOT NULL,
  numbers         TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, case_id, sequence)
);

CREATE TABLE bridge (
  account BIGINT  NOT NULL,
  run     TEXT COLLATE "C" NOT NULL,
  side    TEXT COLLATE "C" NOT NULL,
  day     BIGINT  NOT NULL,
  brand   TEXT COLLATE "C" NOT NULL,
  product TEXT COLLATE "C" NOT NULL,
  line    TEXT COLLATE "C" NOT NULL,
  reason  TEXT COLLATE "C" NOT NULL,
  amount  BIGINT  NOT NULL,
  PRIMARY KEY (account, run, side, day, brand, product, line, reason)
);

CREATE TABLE tally (
  account       BIGINT  NOT NULL,
  run           TEXT COLLATE "C" NOT NULL,
  code          TEXT COLLATE "C" NOT NULL,
  eligible      BIGINT  NOT NULL,
  evaluated     BIGINT  NOT NULL,
  fired         BIGINT  NOT NULL,
  within        BIGINT  NOT NULL,
  no_input      BIGINT  NOT NULL,
  unmapped      BIGINT  NOT NULL,
  shadow        BIGINT  NOT NULL,
  outside       BIGINT  NOT NULL,
  not_evaluable BIGINT  NOT NULL,
  PRIMARY KEY (account, run, code)
);

CREATE TABLE rounding (
  account BIGINT  NOT NULL,
  run     TEXT COLLATE "C" NOT NULL,
  code    TEXT COLLATE "C" NOT NULL,
  month   BIGINT  NOT NULL,
  amount  BIGINT  NOT NULL,
  PRIMARY KEY (account, run, code, month)
);

-- The account is text here: the sets of account "all" stand beside those of each account.
CREATE TABLE report (
  account  TEXT COLLATE "C" NOT NULL,
  basis    TEXT COLLATE "C" NOT NULL,
  from_day BIGINT  NOT NULL,
  to_day   BIGINT  NOT NULL,
  filter   TEXT COLLATE "C" NOT NULL,
  revision BIGINT  NOT NULL,
  run      TEXT COLLATE "C" NOT NULL,
  as_of    BIGINT,
  digest   TEXT COLLATE "C" NOT NULL,
  tables   TEXT COLLATE "C" NOT NULL,
  files    TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, basis, from_day, to_day, filter, revision)
);

-- tail: the last eleven digits of the number, which some readers keep alone.
CREATE TABLE title_number (
  account BIGINT  NOT NULL,
  subject TEXT COLLATE "C" NOT NULL,
  number  TEXT COLLATE "C" NOT NULL,
  tail    BIGINT  NOT NULL,
  own     BIGINT  NOT NULL,
  PRIMARY KEY (account, subject)
);

CREATE UNIQUE INDEX title_number_tail ON title_number (account, tail);

-- The numbers of EDI files: each file keeps the one it was given, also when it has to be written again.
CREATE TABLE nsa (
  account   BIGINT NOT NULL,
  agreement TEXT   NOT NULL,
  number    BIGINT NOT NULL,
  file      TEXT   NOT NULL,
  PRIMARY KEY (account, agreement, number)
);

CREATE UNIQUE INDEX nsa_file ON nsa (account, agreement, file);
