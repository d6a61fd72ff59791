-- The ledger. What every column means is written in the doc.go of package store; in short: money is INTEGER
-- ten-thousandths of a real, rates millionths, dates Rata Die days, local times ticks of 100 ns since 0001-01-01,
-- instants microseconds since 1970 in UTC; NULL is absent, and absent text is ''. The account leads every key.

-- +goose Up

CREATE TABLE account (
  account INTEGER NOT NULL,
  since   INTEGER NOT NULL,
  PRIMARY KEY (account)
) STRICT;

CREATE TABLE run (
  id          TEXT    NOT NULL,
  kind        TEXT    NOT NULL,
  started_by  TEXT    NOT NULL,
  as_of       INTEGER,
  clock       TEXT    NOT NULL,
  previous    TEXT    NOT NULL,
  began       INTEGER NOT NULL,
  ended       INTEGER,
  engine      TEXT    NOT NULL,
  documents   TEXT    NOT NULL,
  accounts    TEXT    NOT NULL,
  pulled      TEXT    NOT NULL,
  verdict     TEXT    NOT NULL,
  verdicts    TEXT    NOT NULL,
  exit_code   INTEGER NOT NULL,
  PRIMARY KEY (id)
) STRICT;

-- Which run reconciled which account: written with what it believed, in one transaction.
CREATE TABLE reconciled (
  account INTEGER NOT NULL,
  run     TEXT    NOT NULL,
  PRIMARY KEY (account, run)
) STRICT;

CREATE TABLE document (
  sha256 TEXT NOT NULL,
  kind   TEXT NOT NULL,
  body   BLOB NOT NULL,
  PRIMARY KEY (sha256)
) STRICT;

-- A lease that was released keeps its row, so that a holder who stood still finds out that somebody else was here.
CREATE TABLE lease (
  account INTEGER NOT NULL,
  run     TEXT    NOT NULL,
  since   INTEGER NOT NULL,
  until   INTEGER NOT NULL,
  host    TEXT    NOT NULL,
  process INTEGER NOT NULL,
  PRIMARY KEY (account)
) STRICT;

CREATE TABLE pull (
  account     INTEGER NOT NULL,
  id          TEXT    NOT NULL,
  run         TEXT    NOT NULL,
  source      TEXT    NOT NULL,
  from_day    INTEGER NOT NULL,
  to_day      INTEGER NOT NULL,
  reason      TEXT    NOT NULL,
  began       INTEGER NOT NULL,
  ended       INTEGER NOT NULL,
  as_of       INTEGER,
  pulled_on   INTEGER,
  complete    INTEGER NOT NULL,
  failure     TEXT    NOT NULL,
  bytes       INTEGER NOT NULL,
  sha256      TEXT    NOT NULL,
  requests    INTEGER NOT NULL,
  rows_seen   INTEGER NOT NULL,
  rows_new    INTEGER NOT NULL,
  changed     INTEGER NOT NULL,
  same        INTEGER NOT NULL,
  vanished    INTEGER NOT NULL,
  quarantined INTEGER NOT NULL,
  PRIMARY KEY (account, id)
) STRICT;

CREATE INDEX pull_window ON pull (account, source, from_day, to_day);

-- A version stands from first_pull until ended_pull. The last version of a key that ended without a successor is
-- vanished. proven: a complete pull of the row's own day showed it, so that day's next complete pull can miss it.
CREATE TABLE installment (
  account           INTEGER NOT NULL,
  sale_day          INTEGER NOT NULL,
  nsu               TEXT    NOT NULL,
  auth              TEXT    NOT NULL,
  number            INTEGER NOT NULL,
  occurrence        INTEGER NOT NULL,
  version           INTEGER NOT NULL,
  sale              INTEGER NOT NULL,
  sale_mark         INTEGER NOT NULL,
  content           BLOB    NOT NULL,
  first_pull        TEXT    NOT NULL,
  last_pull         TEXT,
  ended_pull        TEXT,
  vanished          INTEGER NOT NULL,
  proven            INTEGER NOT NULL,
  first_seen        INTEGER,
  last_changed      INTEGER,
  pulled_on         INTEGER,
  sold_at           INTEGER NOT NULL,
  terminal          TEXT    NOT NULL,
  card              TEXT    NOT NULL,
  card_type         TEXT    NOT NULL,
  card_name         TEXT    NOT NULL,
  number_sent       INTEGER NOT NULL,
  count_sent        INTEGER NOT NULL,
  gross             INTEGER NOT NULL,
  sale_total        INTEGER,
  status            TEXT    NOT NULL,
  mdr               INTEGER,
  mdr_rate          INTEGER,
  fee               INTEGER,
  sale_fee          INTEGER,
  antifraud         INTEGER,
  sale_antifraud    INTEGER,
  anticipation      INTEGER,
  anticipation_rate INTEGER,
  received          INTEGER,
  forecast          INTEGER,
  effective         INTEGER,
  received_type     TEXT    NOT NULL,
  received_status   TEXT    NOT NULL,
  reference         TEXT    NOT NULL,
  web_payment_id    TEXT    NOT NULL,
  splits            TEXT,
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, version)
) STRICT;

CREATE INDEX installment_forecast ON installment (account, forecast) WHERE ended_pull IS NULL;
CREATE INDEX installment_effective ON installment (account, effective) WHERE ended_pull IS NULL AND effective IS NOT NULL;

CREATE TABLE slip (
  account           INTEGER NOT NULL,
  id                TEXT    NOT NULL,
  list              TEXT    NOT NULL,
  version           INTEGER NOT NULL,
  list_day          INTEGER,
  content           BLOB    NOT NULL,
  first_pull        TEXT    NOT NULL,
  last_pull         TEXT,
  ended_pull        TEXT,
  vanished          INTEGER NOT NULL,
  proven            INTEGER NOT NULL,
  first_seen        INTEGER,
  last_changed      INTEGER,
  value             INTEGER NOT NULL,
  issued            INTEGER,
  due               INTEGER,
  payer_document    TEXT    NOT NULL,
  payer_name        TEXT    NOT NULL,
  payer_street      TEXT    NOT NULL,
  payer_zip         TEXT    NOT NULL,
  payer_city        TEXT    NOT NULL,
  payer_state       TEXT    NOT NULL,
  payer_district    TEXT    NOT NULL,
  payer_phone       TEXT    NOT NULL,
  paid_on           INTEGER,
  credited_on       INTEGER,
  paid_value        INTEGER,
  bar_code          TEXT    NOT NULL,
  digitable_line    TEXT    NOT NULL,
  pix_code          TEXT    NOT NULL,
  status            INTEGER,
  integration       INTEGER,
  our_number        TEXT    NOT NULL,
  reference_code    TEXT    NOT NULL,
  late_allowed      INTEGER,
  late_limit        INTEGER,
  penalty           INTEGER,
  penalty_received  INTEGER,
  interest          INTEGER,
  interest_received INTEGER,
  cancelled_on      INTEGER,
  cancel_reason     TEXT    NOT NULL,
  PRIMARY KEY (account, id, list, version)
) STRICT;

CREATE INDEX slip_day ON slip (account, list, list_day) WHERE ended_pull IS NULL;

CREATE TABLE quarantine (
  account    INTEGER NOT NULL,
  source     TEXT    NOT NULL,
  hash       TEXT    NOT NULL,
  day        INTEGER,
  body       BLOB    NOT NULL,
  reason     TEXT    NOT NULL,
  gross      INTEGER,
  key_read   INTEGER NOT NULL,
  first_pull TEXT    NOT NULL,
  ended_pull TEXT,
  PRIMARY KEY (account, source, hash)
) STRICT;

-- What a run believed of a version, until a later run believed something else (ended_run).
CREATE TABLE expectation (
  account           INTEGER NOT NULL,
  sale_day          INTEGER NOT NULL,
  nsu               TEXT    NOT NULL,
  auth              TEXT    NOT NULL,
  number            INTEGER NOT NULL,
  occurrence        INTEGER NOT NULL,
  run               TEXT    NOT NULL,
  ended_run         TEXT,
  content           BLOB    NOT NULL,
  version           INTEGER NOT NULL,
  inputs            TEXT    NOT NULL,
  class             TEXT    NOT NULL,
  unmapped          INTEGER NOT NULL,
  brand             TEXT    NOT NULL,
  product           TEXT    NOT NULL,
  band              TEXT    NOT NULL,
  net               INTEGER NOT NULL,
  net_contract      INTEGER NOT NULL,
  gross_cents       INTEGER NOT NULL,
  received          INTEGER NOT NULL,
  contract_line     TEXT    NOT NULL,
  contract_mdr_rate INTEGER,
  expected_date     INTEGER,
  days_late         INTEGER,
  days_anticipated  INTEGER,
  rest              TEXT    NOT NULL,
  brackets          TEXT    NOT NULL,
  verdict           TEXT    NOT NULL,
  codes             TEXT    NOT NULL,
  impact            INTEGER,
  splits            TEXT    NOT NULL,
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, run)
) STRICT;

CREATE UNIQUE INDEX expectation_standing ON expectation (account, sale_day, nsu, auth, number, occurrence)
  WHERE ended_run IS NULL;

CREATE TABLE slip_expectation (
  account      INTEGER NOT NULL,
  id           TEXT    NOT NULL,
  run          TEXT    NOT NULL,
  ended_run    TEXT,
  content      BLOB    NOT NULL,
  version      INTEGER NOT NULL,
  inputs       TEXT    NOT NULL,
  class        TEXT    NOT NULL,
  day          INTEGER,
  due_adjusted INTEGER,
  face         INTEGER NOT NULL,
  credited     INTEGER NOT NULL,
  penalty_due  INTEGER,
  interest_due INTEGER,
  days_late    INTEGER,
  float_days   INTEGER,
  tariff       INTEGER,
  net_credited INTEGER,
  credit_limit INTEGER,
  rest         TEXT    NOT NULL,
  brackets     TEXT    NOT NULL,
  verdict      TEXT    NOT NULL,
  codes        TEXT    NOT NULL,
  impact       INTEGER,
  PRIMARY KEY (account, id, run)
) STRICT;

CREATE UNIQUE INDEX slip_expectation_standing ON slip_expectation (account, id) WHERE ended_run IS NULL;

CREATE TABLE finding (
  account         INTEGER NOT NULL,
  case_id         TEXT    NOT NULL,
  code            TEXT    NOT NULL,
  rule_version    INTEGER NOT NULL,
  subject         TEXT    NOT NULL,
  severity        TEXT    NOT NULL,
  state           TEXT    NOT NULL,
  expected_kind   INTEGER NOT NULL,
  expected_number INTEGER NOT NULL,
  expected_text   TEXT    NOT NULL,
  actual_kind     INTEGER NOT NULL,
  actual_number   INTEGER NOT NULL,
  actual_text     TEXT    NOT NULL,
  impact          INTEGER,
  exposure        INTEGER NOT NULL,
  explained_by    TEXT    NOT NULL,
  related         TEXT    NOT NULL,
  break_on        INTEGER,
  first_seen      INTEGER,
  opened_on       INTEGER,
  first_run       TEXT    NOT NULL,
  last_run        TEXT    NOT NULL,
  day             INTEGER,
  due_on          INTEGER,
  brand           TEXT    NOT NULL,
  product         TEXT    NOT NULL,
  contract_line   TEXT    NOT NULL,
  calendar        TEXT    NOT NULL,
  hint            TEXT    NOT NULL,
  numbers         TEXT    NOT NULL,
  PRIMARY KEY (account, case_id)
) STRICT;

CREATE TABLE finding_event (
  account         INTEGER NOT NULL,
  case_id         TEXT    NOT NULL,
  sequence        INTEGER NOT NULL,
  run             TEXT    NOT NULL,
  as_of           INTEGER,
  code            TEXT    NOT NULL,
  rule_version    INTEGER NOT NULL,
  subject         TEXT    NOT NULL,
  severity        TEXT    NOT NULL,
  state           TEXT    NOT NULL,
  expected_kind   INTEGER NOT NULL,
  expected_number INTEGER NOT NULL,
  expected_text   TEXT    NOT NULL,
  actual_kind     INTEGER NOT NULL,
  actual_number   INTEGER NOT NULL,
  actual_text     TEXT    NOT NULL,
  impact          INTEGER,
  exposure        INTEGER NOT NULL,
  explained_by    TEXT    NOT NULL,
  related         TEXT    NOT NULL,
  break_on        INTEGER,
  first_seen      INTEGER,
  opened_on       INTEGER,
  first_run       TEXT    NOT NULL,
  last_run        TEXT    NOT NULL,
  day             INTEGER,
  due_on          INTEGER,
  brand           TEXT    NOT NULL,
  product         TEXT    NOT NULL,
  contract_line   TEXT    NOT NULL,
  calendar        TEXT    NOT NULL,
  hint            TEXT    NOT NULL,
  numbers         TEXT    NOT NULL,
  PRIMARY KEY (account, case_id, sequence)
) STRICT;

CREATE TABLE bridge (
  account INTEGER NOT NULL,
  run     TEXT    NOT NULL,
  side    TEXT    NOT NULL,
  day     INTEGER NOT NULL,
  brand   TEXT    NOT NULL,
  product TEXT    NOT NULL,
  line    TEXT    NOT NULL,
  reason  TEXT    NOT NULL,
  amount  INTEGER NOT NULL,
  PRIMARY KEY (account, run, side, day, brand, product, line, reason)
) STRICT;

CREATE TABLE tally (
  account       INTEGER NOT NULL,
  run           TEXT    NOT NULL,
  code          TEXT    NOT NULL,
  eligible      INTEGER NOT NULL,
  evaluated     INTEGER NOT NULL,
  fired         INTEGER NOT NULL,
  within        INTEGER NOT NULL,
  no_input      INTEGER NOT NULL,
  unmapped      INTEGER NOT NULL,
  shadow        INTEGER NOT NULL,
  outside       INTEGER NOT NULL,
  not_evaluable INTEGER NOT NULL,
  PRIMARY KEY (account, run, code)
) STRICT;

CREATE TABLE rounding (
  account INTEGER NOT NULL,
  run     TEXT    NOT NULL,
  code    TEXT    NOT NULL,
  month   INTEGER NOT NULL,
  amount  INTEGER NOT NULL,
  PRIMARY KEY (account, run, code, month)
) STRICT;

-- The account is text here: the sets of account "all" stand beside those of each account.
CREATE TABLE report (
  account  TEXT    NOT NULL,
  basis    TEXT    NOT NULL,
  from_day INTEGER NOT NULL,
  to_day   INTEGER NOT NULL,
  filter   TEXT    NOT NULL,
  revision INTEGER NOT NULL,
  run      TEXT    NOT NULL,
  as_of    INTEGER,
  digest   TEXT    NOT NULL,
  tables   TEXT    NOT NULL,
  files    TEXT    NOT NULL,
  PRIMARY KEY (account, basis, from_day, to_day, filter, revision)
) STRICT;

-- tail: the last eleven digits of the number, which some readers keep alone.
CREATE TABLE title_number (
  account INTEGER NOT NULL,
  subject TEXT    NOT NULL,
  number  TEXT    NOT NULL,
  tail    INTEGER NOT NULL,
  own     INTEGER NOT NULL,
  PRIMARY KEY (account, subject)
) STRICT;

CREATE UNIQUE INDEX title_number_tail ON title_number (account, tail);

-- The numbers of EDI files: each file keeps the one it was given, also when it has to be written again.
CREATE TABLE nsa (
  account   INTEGER NOT NULL,
  agreement TEXT    NOT NULL,
  number    INTEGER NOT NULL,
  file      TEXT    NOT NULL,
  PRIMARY KEY (account, agreement, number)
) STRICT;

CREATE UNIQUE INDEX nsa_file ON nsa (account, agreement, file);
