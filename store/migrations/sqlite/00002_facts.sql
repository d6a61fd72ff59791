-- Facts: what the payment service answered and sent, version by version.
--
-- Money is in ten-thousandths of a real, rates in millionths, days are Rata Die numbers, local times ticks of 100 ns
-- since 0001-01-01, instants microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''.
-- The account leads every key.

-- +goose Up

-- One row per question to the service, with its result.
CREATE TABLE pull (
  account     INTEGER NOT NULL,
  id          TEXT    NOT NULL,            -- sortable
  run         TEXT    NOT NULL,
  source      TEXT    NOT NULL,            -- cards, slips.due, slips.payment, slips.credit or slips.detail
  from_day    INTEGER NOT NULL,            -- first day of the window
  to_day      INTEGER NOT NULL,            -- last day of the window
  reason      TEXT    NOT NULL,            -- why it was planned, for people
  began       INTEGER NOT NULL,            -- instant, orders the pulls
  ended       INTEGER NOT NULL,            -- instant
  as_of       INTEGER,                     -- of the run
  pulled_on   INTEGER,                     -- date of began in the configured zone
  complete    INTEGER NOT NULL,            -- the whole answer arrived and was kept
  failure     TEXT    NOT NULL,            -- why it is not complete
  bytes       INTEGER NOT NULL,            -- of the body
  sha256      TEXT    NOT NULL,            -- of the body as received, hex
  requests    INTEGER NOT NULL,            -- made for the answer
  rows_seen   INTEGER NOT NULL,
  rows_new    INTEGER NOT NULL,            -- keys not known before
  changed     INTEGER NOT NULL,            -- rows with another content
  same        INTEGER NOT NULL,            -- rows without a change
  vanished    INTEGER NOT NULL,            -- rows no longer shown
  quarantined INTEGER NOT NULL,            -- rows that could not be parsed
  judged      TEXT,                        -- first reconcile that took it into account, NULL before
  skew        INTEGER,                     -- seconds the service's clock is ahead of ours, NULL if not sent
  note        TEXT    NOT NULL DEFAULT '', -- JSON: what the answer showed besides its rows
  PRIMARY KEY (account, id)
) STRICT;

CREATE INDEX pull_window ON pull (account, source, from_day, to_day);
CREATE INDEX pull_began ON pull (account, began);
CREATE INDEX pull_run ON pull (account, run, began);
CREATE INDEX pull_rows ON pull (account, source, rows_seen);
CREATE INDEX pull_on ON pull (account, pulled_on);
-- Pulls that brought something.
CREATE INDEX pull_brought ON pull (account, source, from_day) WHERE complete = 1 AND rows_new + changed > 0;
-- Pulls of slips that showed rows.
CREATE INDEX pull_slips ON pull (account, id, run, began) WHERE source <> 'cards' AND rows_seen > 0;
-- Pulls that no reconcile has seen yet, by source and in order of day.
CREATE INDEX pull_judged ON pull (account, judged, source, from_day, to_day);

-- Per source and day, a summary of the pulls that asked for it: 0 and an empty text mean none.
CREATE TABLE cover (
  account      INTEGER NOT NULL,
  source       TEXT    NOT NULL,
  day          INTEGER NOT NULL,
  whole        INTEGER NOT NULL, -- number of complete pulls
  asked_began  INTEGER NOT NULL, -- last pull
  asked_pull   TEXT    NOT NULL,
  shown_began  INTEGER NOT NULL, -- last complete pull
  shown_pull   TEXT    NOT NULL,
  proved_began INTEGER NOT NULL, -- last complete pull after the day
  proved_pull  TEXT    NOT NULL,
  since_began  INTEGER NOT NULL, -- first complete pull after the day
  since_pull   TEXT    NOT NULL,
  PRIMARY KEY (account, source, day)
) STRICT, WITHOUT ROWID;

-- The windows that were answered completely, each once, except those of a single slip. Day 0 means none.
CREATE TABLE asked (
  account  INTEGER NOT NULL,
  source   TEXT    NOT NULL,
  from_day INTEGER NOT NULL,
  to_day   INTEGER NOT NULL,
  first_on INTEGER NOT NULL, -- business day of the first complete pull
  last_on  INTEGER NOT NULL, -- of the last one
  moved_on INTEGER NOT NULL, -- of the last one that brought a change
  PRIMARY KEY (account, source, from_day, to_day)
) STRICT, WITHOUT ROWID;

-- Bodies of answers. The row stays after the bytes are deleted.
CREATE TABLE body (
  sha256      TEXT    NOT NULL, -- as received, hex: the pulls have it too
  kept_sha256 TEXT    NOT NULL, -- as kept, with card numbers masked
  size        INTEGER NOT NULL, -- bytes
  first_on    INTEGER NOT NULL, -- business day of the first pull
  last_on     INTEGER NOT NULL, -- of the last pull
  expired_on  INTEGER,          -- business day the bytes were deleted for their age
  forgotten   INTEGER,          -- instant a payer was last erased from it
  PRIMARY KEY (sha256)
) STRICT;

-- The bytes of a body, apart from it so that a body received again changes a small row.
CREATE TABLE body_bytes (
  sha256 TEXT    NOT NULL,
  part   INTEGER NOT NULL, -- from 0: a large file is kept in several, which follow each other
  packed BLOB    NOT NULL, -- gzip
  PRIMARY KEY (sha256, part)
) STRICT;

-- Card installments, one row per version. A version is current from first_pull until ended_pull; the last version of a key
-- that ended without a successor has vanished.
CREATE TABLE installment (
  account           INTEGER NOT NULL,
  sale_day          INTEGER NOT NULL,           -- date of sold_at
  nsu               TEXT    NOT NULL,           -- nsu
  auth              TEXT    NOT NULL,           -- codAuth
  number            INTEGER NOT NULL,           -- installment number, 1 where 0 of 0 or 1 is sent
  occurrence        INTEGER NOT NULL,           -- tells identical keys of one answer apart
  version           INTEGER NOT NULL,           -- from 1
  sale              INTEGER NOT NULL,           -- occurrence of the sale
  sale_mark         INTEGER NOT NULL,           -- fingerprint of the sale's members
  content           BLOB    NOT NULL,           -- hash of what the service sent, 16 bytes
  first_pull        TEXT    NOT NULL,           -- that brought the version
  last_pull         TEXT,                       -- that showed it last where its day does not tell
  ended_pull        TEXT,                       -- that showed something else or nothing
  vanished          INTEGER NOT NULL,           -- ended without a successor
  proven            INTEGER NOT NULL,           -- a complete pull of its day showed it
  first_seen        INTEGER,                    -- as-of of the key's first version
  last_changed      INTEGER,                    -- as-of of this version
  pulled_on         INTEGER,                    -- business day of first_pull
  sold_at           INTEGER NOT NULL,           -- transactionDate, local time
  terminal          TEXT    NOT NULL,
  card              TEXT    NOT NULL,           -- masked
  card_type         TEXT    NOT NULL,
  card_name         TEXT    NOT NULL,
  number_sent       INTEGER NOT NULL,           -- installmentNumber as sent
  count_sent        INTEGER NOT NULL,           -- installmentsCount as sent
  gross             INTEGER NOT NULL,           -- installmentValue
  sale_total        INTEGER,                    -- of the whole sale
  status            TEXT    NOT NULL,           -- installmentStatus as sent
  mdr               INTEGER,                    -- discountMdrValue
  mdr_rate          INTEGER,                    -- discountMdrTax
  fee               INTEGER,                    -- discountTrnRateInstalmentValue
  sale_fee          INTEGER,                    -- discountTrnRateTransactionValue
  antifraud         INTEGER,                    -- discountAntifraudRateInstalmentValue
  sale_antifraud    INTEGER,                    -- discountAntifraudRateTransactionValue
  anticipation      INTEGER,                    -- discountAntecipationValue
  anticipation_rate INTEGER,                    -- discountAntecipationTax
  received          INTEGER,                    -- receivedValue
  forecast          INTEGER,                    -- receivedDateForeast
  effective         INTEGER,                    -- receivedDateEffective
  received_type     TEXT    NOT NULL,           -- receivedType as sent
  received_status   TEXT    NOT NULL,           -- receivedStatus as sent
  reference         TEXT    NOT NULL,           -- transactionReference
  web_payment_id    TEXT    NOT NULL,
  splits            TEXT,                       -- JSON array
  card_clear        INTEGER NOT NULL DEFAULT 0, -- the card number was sent in clear and masked here
  leads             INTEGER NOT NULL DEFAULT 1, -- first row of its day, NSU and authorization: see installment_named
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, version)
) STRICT;

CREATE INDEX installment_effective ON installment (account, effective)
  WHERE ended_pull IS NULL AND effective IS NOT NULL;
-- What was paid no day says; few.
CREATE INDEX installment_undated ON installment (account, sale_day)
  WHERE ended_pull IS NULL AND effective IS NULL AND received > 0;
-- Splits are few, or in every row: reports of them read no other row.
CREATE INDEX installment_shared ON installment (account, effective) WHERE splits IS NOT NULL;
-- What was paid once, and is told otherwise since.
CREATE INDEX installment_paid_before ON installment (account, effective)
  WHERE ended_pull IS NOT NULL AND effective IS NOT NULL AND received > 0;
-- Read every night, and few.
CREATE INDEX installment_vanished ON installment (account, sale_day) WHERE vanished = 1;
-- A notification names no day: the first row of a sale leads to the others.
CREATE INDEX installment_named ON installment (account, nsu, auth) WHERE leads = 1;

-- The sale days on which versions with a forecast date were ever seen: a report by forecast reads these days instead of an
-- index with an entry per installment.
CREATE TABLE forecast_day (
  account  INTEGER NOT NULL,
  forecast INTEGER NOT NULL, -- 0: no forecast
  sale_day INTEGER NOT NULL,
  PRIMARY KEY (account, forecast, sale_day)
) STRICT;

-- Bank slips (boletos) as each list shows them, one row per version of a list's view. Versions are as in installment.
CREATE TABLE slip (
  account           INTEGER NOT NULL,
  id                TEXT    NOT NULL, -- lower case
  list              TEXT    NOT NULL, -- slips.due, slips.payment, slips.credit or slips.detail
  version           INTEGER NOT NULL, -- from 1
  list_day          INTEGER,          -- date the list selects by, NULL for a detail
  content           BLOB    NOT NULL, -- hash of what the list showed, 16 bytes
  first_pull        TEXT    NOT NULL, -- that brought the version
  last_pull         TEXT,             -- that showed it last where its day does not tell
  ended_pull        TEXT,             -- that showed something else or nothing
  vanished          INTEGER NOT NULL, -- ended without a successor
  proven            INTEGER NOT NULL, -- a complete pull of its day showed it
  first_seen        INTEGER,          -- as-of of the view's first version
  last_changed      INTEGER,          -- as-of of this version
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
  paid_on           INTEGER,          -- effectivePaymentDate
  credited_on       INTEGER,          -- effectiveCreditDate
  paid_value        INTEGER,          -- effectivePaymentValue
  bar_code          TEXT    NOT NULL,
  digitable_line    TEXT    NOT NULL,
  pix_code          TEXT    NOT NULL,
  status            INTEGER,          -- statusBill
  integration       INTEGER,          -- statusIntegration
  our_number        TEXT    NOT NULL,
  reference_code    TEXT    NOT NULL,
  late_allowed      INTEGER,          -- payment after the due date is allowed
  late_limit        INTEGER,          -- last day of payment
  penalty           INTEGER,          -- as sent
  penalty_received  INTEGER,          -- as sent
  interest          INTEGER,          -- as sent
  interest_received INTEGER,          -- as sent
  cancelled_on      INTEGER,
  cancel_reason     TEXT    NOT NULL,
  forgotten         TEXT    NOT NULL DEFAULT '', -- seal of a row whose payer was forgotten: salt and proof, hex
  PRIMARY KEY (account, id, list, version)
) STRICT;

CREATE INDEX slip_day ON slip (account, list, list_day) WHERE ended_pull IS NULL;
-- What a night's pulls changed: the movement reads nothing else.
CREATE INDEX slip_begun ON slip (account, first_pull);
CREATE INDEX slip_ended ON slip (account, ended_pull) WHERE ended_pull IS NOT NULL;
CREATE INDEX slip_vanished ON slip (account, id) WHERE vanished = 1;
CREATE INDEX slip_credited ON slip (account, credited_on, id) WHERE ended_pull IS NULL AND credited_on IS NOT NULL;

-- Pulls that showed a view of a slip again where no window of its own day implies it, in the order of merging.
CREATE TABLE slip_sighting (
  account  INTEGER NOT NULL,
  id       TEXT    NOT NULL,
  list     TEXT    NOT NULL,
  version  INTEGER NOT NULL,
  sequence INTEGER NOT NULL, -- order of merging
  pull     TEXT    NOT NULL,
  proved   INTEGER NOT NULL, -- first complete pull of its day
  PRIMARY KEY (account, id, list, version, sequence)
) STRICT;

-- Rows of answers that could not be parsed exactly.
CREATE TABLE quarantine (
  account    INTEGER NOT NULL,
  source     TEXT    NOT NULL,
  hash       TEXT    NOT NULL, -- SHA-256 of body, hex
  day        INTEGER,          -- of the window
  body       BLOB    NOT NULL, -- as kept, card numbers masked
  reason     TEXT    NOT NULL, -- which members, and why
  gross      INTEGER,          -- where it could be read
  key_read   INTEGER NOT NULL, -- the members of the key could be parsed
  first_pull TEXT    NOT NULL,
  ended_pull TEXT,
  forgotten  TEXT    NOT NULL DEFAULT '', -- seal of a row whose payer was forgotten: salt and proof, hex
  PRIMARY KEY (account, source, hash)
) STRICT;

-- Notifications of the service. Two different bodies under one movement are two rows.
CREATE TABLE notification (
  account      INTEGER NOT NULL,
  movement_id  INTEGER NOT NULL,
  body_hash    TEXT    NOT NULL, -- SHA-256 of the body, hex
  sequence     INTEGER NOT NULL, -- order of arrival
  nsu          TEXT    NOT NULL,
  auth         TEXT    NOT NULL,
  installment  INTEGER NOT NULL, -- number as sent
  moment       INTEGER NOT NULL, -- of the change, local time as sent
  type         TEXT    NOT NULL, -- as sent
  old_value    TEXT    NOT NULL, -- as sent
  new_value    TEXT    NOT NULL, -- as sent
  body         BLOB    NOT NULL, -- as received
  received_at  INTEGER NOT NULL, -- instant
  repeats      INTEGER NOT NULL, -- further arrivals of the same body
  last_arrival INTEGER NOT NULL, -- instant of the last repeat counted
  sale_day     INTEGER,          -- with nsu, auth, number and occurrence: the installment it is linked to
  number       INTEGER,
  occurrence   INTEGER,
  ambiguous    INTEGER NOT NULL, -- several installments fit equally well
  linked_on    INTEGER,          -- as-of of the run that linked it
  nights       INTEGER NOT NULL, -- on which its days were pulled without a link
  last_night   INTEGER,          -- as-of of the last of them
  judged       TEXT,             -- first reconcile that took the link into account
  PRIMARY KEY (account, movement_id, body_hash)
) STRICT;

CREATE UNIQUE INDEX notification_sequence ON notification (account, sequence);
CREATE INDEX notification_linked ON notification (account, sale_day, received_at);
CREATE INDEX notification_judged ON notification (account, judged);

-- What the service last answered about where it sends an account's notifications.
CREATE TABLE subscription (
  account    INTEGER NOT NULL,
  since      INTEGER,          -- first day it pointed here, NULL: never
  url        TEXT    NOT NULL, -- as the service has it
  matches    INTEGER NOT NULL, -- it points here
  checked_on INTEGER NOT NULL, -- day of the answer
  PRIMARY KEY (account)
) STRICT;

-- The words by which people look for a sale or a slip. A reconcile adds those of the rows that came, a block of entries for each
-- bucket of words: a row for each word of each item would take longer than all else of a night. Nothing of a payer is among them.
CREATE TABLE word_block (
  account INTEGER NOT NULL,
  bucket  INTEGER NOT NULL, -- of the words, by their texts
  entries BLOB    NOT NULL  -- words with their items, see facts.wordEntry
) STRICT;

CREATE INDEX word_block_bucket ON word_block (account, bucket);
