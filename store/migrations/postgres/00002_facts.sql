-- Facts: what the payment service answered and sent, version by version.
--
-- Money is in ten-thousandths of a real, rates in millionths, days are Rata Die numbers, local times ticks of 100 ns
-- since 0001-01-01, instants microseconds since 1970 in UTC, truth values 0 and 1. NULL means absent, an absent text is ''.
-- The account leads every key.

-- +goose Up

-- One row per question to the service, with its result.
CREATE TABLE pull (
  account     BIGINT           NOT NULL,
  id          TEXT COLLATE "C" NOT NULL,            -- sortable
  run         TEXT COLLATE "C" NOT NULL,
  source      TEXT COLLATE "C" NOT NULL,            -- cards, slips.due, slips.payment, slips.credit or slips.detail
  from_day    BIGINT           NOT NULL,            -- first day of the window
  to_day      BIGINT           NOT NULL,            -- last day of the window
  reason      TEXT COLLATE "C" NOT NULL,            -- why it was planned, for people
  began       BIGINT           NOT NULL,            -- instant, orders the pulls
  ended       BIGINT           NOT NULL,            -- instant
  as_of       BIGINT,                               -- of the run
  pulled_on   BIGINT,                               -- date of began in the configured zone
  complete    BIGINT           NOT NULL,            -- the whole answer arrived and was kept
  failure     TEXT COLLATE "C" NOT NULL,            -- why it is not complete
  bytes       BIGINT           NOT NULL,            -- of the body
  sha256      TEXT COLLATE "C" NOT NULL,            -- of the body as received, hex
  requests    BIGINT           NOT NULL,            -- made for the answer
  rows_seen   BIGINT           NOT NULL,
  rows_new    BIGINT           NOT NULL,            -- keys not known before
  changed     BIGINT           NOT NULL,            -- rows with another content
  same        BIGINT           NOT NULL,            -- rows without a change
  vanished    BIGINT           NOT NULL,            -- rows no longer shown
  quarantined BIGINT           NOT NULL,            -- rows that could not be parsed
  judged      TEXT COLLATE "C",                     -- first reconcile that took it into account, NULL before
  skew        BIGINT,                               -- seconds the service's clock is ahead of ours, NULL if not sent
  note        TEXT COLLATE "C" NOT NULL DEFAULT '', -- JSON: what the answer showed besides its rows
  PRIMARY KEY (account, id)
);

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
  account      BIGINT           NOT NULL,
  source       TEXT COLLATE "C" NOT NULL,
  day          BIGINT           NOT NULL,
  whole        BIGINT           NOT NULL, -- number of complete pulls
  asked_began  BIGINT           NOT NULL, -- last pull
  asked_pull   TEXT COLLATE "C" NOT NULL,
  shown_began  BIGINT           NOT NULL, -- last complete pull
  shown_pull   TEXT COLLATE "C" NOT NULL,
  proved_began BIGINT           NOT NULL, -- last complete pull after the day
  proved_pull  TEXT COLLATE "C" NOT NULL,
  since_began  BIGINT           NOT NULL, -- first complete pull after the day
  since_pull   TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, source, day)
);

-- The windows that were answered completely, each once, except those of a single slip. Day 0 means none.
CREATE TABLE asked (
  account  BIGINT           NOT NULL,
  source   TEXT COLLATE "C" NOT NULL,
  from_day BIGINT           NOT NULL,
  to_day   BIGINT           NOT NULL,
  first_on BIGINT           NOT NULL, -- business day of the first complete pull
  last_on  BIGINT           NOT NULL, -- of the last one
  moved_on BIGINT           NOT NULL, -- of the last one that brought a change
  PRIMARY KEY (account, source, from_day, to_day)
);

-- Bodies of answers. The row stays after the bytes are deleted.
CREATE TABLE body (
  sha256      TEXT COLLATE "C" NOT NULL, -- as received, hex: the pulls have it too
  kept_sha256 TEXT COLLATE "C" NOT NULL, -- as kept, with card numbers masked
  size        BIGINT           NOT NULL, -- bytes
  first_on    BIGINT           NOT NULL, -- business day of the first pull
  last_on     BIGINT           NOT NULL, -- of the last pull
  expired_on  BIGINT,                    -- business day the bytes were deleted for their age
  forgotten   BIGINT,                    -- instant a payer was last erased from it
  PRIMARY KEY (sha256)
);

-- The bytes of a body, apart from it so that a body received again changes a small row.
CREATE TABLE body_bytes (
  sha256 TEXT COLLATE "C" NOT NULL,
  part   BIGINT           NOT NULL, -- from 0: a large file is kept in several, which follow each other
  packed BYTEA            NOT NULL, -- gzip
  PRIMARY KEY (sha256, part)
);

-- The bytes are compressed already.
ALTER TABLE body_bytes ALTER COLUMN packed SET STORAGE EXTERNAL;

-- Card installments, one row per version. A version is current from first_pull until ended_pull; the last version of a key
-- that ended without a successor has vanished.
CREATE TABLE installment (
  account           BIGINT           NOT NULL,
  sale_day          BIGINT           NOT NULL,           -- date of sold_at
  nsu               TEXT COLLATE "C" NOT NULL,           -- nsu
  auth              TEXT COLLATE "C" NOT NULL,           -- codAuth
  number            BIGINT           NOT NULL,           -- installment number, 1 where 0 of 0 or 1 is sent
  occurrence        BIGINT           NOT NULL,           -- tells identical keys of one answer apart
  version           BIGINT           NOT NULL,           -- from 1
  sale              BIGINT           NOT NULL,           -- occurrence of the sale
  sale_mark         BIGINT           NOT NULL,           -- fingerprint of the sale's members
  content           BYTEA            NOT NULL,           -- hash of what the service sent, 16 bytes
  first_pull        TEXT COLLATE "C" NOT NULL,           -- that brought the version
  last_pull         TEXT COLLATE "C",                    -- that showed it last where its day does not tell
  ended_pull        TEXT COLLATE "C",                    -- that showed something else or nothing
  vanished          BIGINT           NOT NULL,           -- ended without a successor
  proven            BIGINT           NOT NULL,           -- a complete pull of its day showed it
  first_seen        BIGINT,                              -- as-of of the key's first version
  last_changed      BIGINT,                              -- as-of of this version
  pulled_on         BIGINT,                              -- business day of first_pull
  sold_at           BIGINT           NOT NULL,           -- transactionDate, local time
  terminal          TEXT COLLATE "C" NOT NULL,
  card              TEXT COLLATE "C" NOT NULL,           -- masked
  card_type         TEXT COLLATE "C" NOT NULL,
  card_name         TEXT COLLATE "C" NOT NULL,
  number_sent       BIGINT           NOT NULL,           -- installmentNumber as sent
  count_sent        BIGINT           NOT NULL,           -- installmentsCount as sent
  gross             BIGINT           NOT NULL,           -- installmentValue
  sale_total        BIGINT,                              -- of the whole sale
  status            TEXT COLLATE "C" NOT NULL,           -- installmentStatus as sent
  mdr               BIGINT,                              -- discountMdrValue
  mdr_rate          BIGINT,                              -- discountMdrTax
  fee               BIGINT,                              -- discountTrnRateInstalmentValue
  sale_fee          BIGINT,                              -- discountTrnRateTransactionValue
  antifraud         BIGINT,                              -- discountAntifraudRateInstalmentValue
  sale_antifraud    BIGINT,                              -- discountAntifraudRateTransactionValue
  anticipation      BIGINT,                              -- discountAntecipationValue
  anticipation_rate BIGINT,                              -- discountAntecipationTax
  received          BIGINT,                              -- receivedValue
  forecast          BIGINT,                              -- receivedDateForeast
  effective         BIGINT,                              -- receivedDateEffective
  received_type     TEXT COLLATE "C" NOT NULL,           -- receivedType as sent
  received_status   TEXT COLLATE "C" NOT NULL,           -- receivedStatus as sent
  reference         TEXT COLLATE "C" NOT NULL,           -- transactionReference
  web_payment_id    TEXT COLLATE "C" NOT NULL,
  splits            TEXT COLLATE "C",                    -- JSON array
  card_clear        BIGINT           NOT NULL DEFAULT 0, -- the card number was sent in clear and masked here
  leads             BIGINT           NOT NULL DEFAULT 1, -- first row of its day, NSU and authorization: see installment_named
  PRIMARY KEY (account, sale_day, nsu, auth, number, occurrence, version)
);

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
  account  BIGINT NOT NULL,
  forecast BIGINT NOT NULL, -- 0: no forecast
  sale_day BIGINT NOT NULL,
  PRIMARY KEY (account, forecast, sale_day)
);

-- Bank slips (boletos) as each list shows them, one row per version of a list's view. Versions are as in installment.
CREATE TABLE slip (
  account           BIGINT           NOT NULL,
  id                TEXT COLLATE "C" NOT NULL, -- lower case
  list              TEXT COLLATE "C" NOT NULL, -- slips.due, slips.payment, slips.credit or slips.detail
  version           BIGINT           NOT NULL, -- from 1
  list_day          BIGINT,                    -- date the list selects by, NULL for a detail
  content           BYTEA            NOT NULL, -- hash of what the list showed, 16 bytes
  first_pull        TEXT COLLATE "C" NOT NULL, -- that brought the version
  last_pull         TEXT COLLATE "C",          -- that showed it last where its day does not tell
  ended_pull        TEXT COLLATE "C",          -- that showed something else or nothing
  vanished          BIGINT           NOT NULL, -- ended without a successor
  proven            BIGINT           NOT NULL, -- a complete pull of its day showed it
  first_seen        BIGINT,                    -- as-of of the view's first version
  last_changed      BIGINT,                    -- as-of of this version
  value             BIGINT           NOT NULL,
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
  paid_on           BIGINT,                    -- effectivePaymentDate
  credited_on       BIGINT,                    -- effectiveCreditDate
  paid_value        BIGINT,                    -- effectivePaymentValue
  bar_code          TEXT COLLATE "C" NOT NULL,
  digitable_line    TEXT COLLATE "C" NOT NULL,
  pix_code          TEXT COLLATE "C" NOT NULL,
  status            BIGINT,                    -- statusBill
  integration       BIGINT,                    -- statusIntegration
  our_number        TEXT COLLATE "C" NOT NULL,
  reference_code    TEXT COLLATE "C" NOT NULL,
  late_allowed      BIGINT,                    -- payment after the due date is allowed
  late_limit        BIGINT,                    -- last day of payment
  penalty           BIGINT,                    -- as sent
  penalty_received  BIGINT,                    -- as sent
  interest          BIGINT,                    -- as sent
  interest_received BIGINT,                    -- as sent
  cancelled_on      BIGINT,
  cancel_reason     TEXT COLLATE "C" NOT NULL,
  forgotten         TEXT COLLATE "C" NOT NULL DEFAULT '', -- seal of a row whose payer was forgotten: salt and proof, hex
  PRIMARY KEY (account, id, list, version)
);

CREATE INDEX slip_day ON slip (account, list, list_day) WHERE ended_pull IS NULL;
-- What a night's pulls changed: the movement reads nothing else.
CREATE INDEX slip_begun ON slip (account, first_pull);
CREATE INDEX slip_ended ON slip (account, ended_pull) WHERE ended_pull IS NOT NULL;
CREATE INDEX slip_vanished ON slip (account, id) WHERE vanished = 1;
CREATE INDEX slip_credited ON slip (account, credited_on, id) WHERE ended_pull IS NULL AND credited_on IS NOT NULL;

-- Pulls that showed a view of a slip again where no window of its own day implies it, in the order of merging.
CREATE TABLE slip_sighting (
  account  BIGINT           NOT NULL,
  id       TEXT COLLATE "C" NOT NULL,
  list     TEXT COLLATE "C" NOT NULL,
  version  BIGINT           NOT NULL,
  sequence BIGINT           NOT NULL, -- order of merging
  pull     TEXT COLLATE "C" NOT NULL,
  proved   BIGINT           NOT NULL, -- first complete pull of its day
  PRIMARY KEY (account, id, list, version, sequence)
);

-- Rows of answers that could not be parsed exactly.
CREATE TABLE quarantine (
  account    BIGINT           NOT NULL,
  source     TEXT COLLATE "C" NOT NULL,
  hash       TEXT COLLATE "C" NOT NULL, -- SHA-256 of body, hex
  day        BIGINT,                    -- of the window
  body       BYTEA            NOT NULL, -- as kept, card numbers masked
  reason     TEXT COLLATE "C" NOT NULL, -- which members, and why
  gross      BIGINT,                    -- where it could be read
  key_read   BIGINT           NOT NULL, -- the members of the key could be parsed
  first_pull TEXT COLLATE "C" NOT NULL,
  ended_pull TEXT COLLATE "C",
  forgotten  TEXT COLLATE "C" NOT NULL DEFAULT '', -- seal of a row whose payer was forgotten: salt and proof, hex
  PRIMARY KEY (account, source, hash)
);

-- Notifications of the service. Two different bodies under one movement are two rows.
CREATE TABLE notification (
  account      BIGINT           NOT NULL,
  movement_id  BIGINT           NOT NULL,
  body_hash    TEXT COLLATE "C" NOT NULL, -- SHA-256 of the body, hex
  sequence     BIGINT           NOT NULL, -- order of arrival
  nsu          TEXT COLLATE "C" NOT NULL,
  auth         TEXT COLLATE "C" NOT NULL,
  installment  BIGINT           NOT NULL, -- number as sent
  moment       BIGINT           NOT NULL, -- of the change, local time as sent
  type         TEXT COLLATE "C" NOT NULL, -- as sent
  old_value    TEXT COLLATE "C" NOT NULL, -- as sent
  new_value    TEXT COLLATE "C" NOT NULL, -- as sent
  body         BYTEA            NOT NULL, -- as received
  received_at  BIGINT           NOT NULL, -- instant
  repeats      BIGINT           NOT NULL, -- further arrivals of the same body
  last_arrival BIGINT           NOT NULL, -- instant of the last repeat counted
  sale_day     BIGINT,                    -- with nsu, auth, number and occurrence: the installment it is linked to
  number       BIGINT,
  occurrence   BIGINT,
  ambiguous    BIGINT           NOT NULL, -- several installments fit equally well
  linked_on    BIGINT,                    -- as-of of the run that linked it
  nights       BIGINT           NOT NULL, -- on which its days were pulled without a link
  last_night   BIGINT,                    -- as-of of the last of them
  judged       TEXT COLLATE "C",          -- first reconcile that took the link into account
  PRIMARY KEY (account, movement_id, body_hash)
);

CREATE UNIQUE INDEX notification_sequence ON notification (account, sequence);
CREATE INDEX notification_linked ON notification (account, sale_day, received_at);
CREATE INDEX notification_judged ON notification (account, judged);

-- Notifications as they arrived, until a run moves them into notification. On SQLite this table is in a file of its own, so
-- that receiving does not wait for a run.
CREATE TABLE inbox (
  arrival      BIGINT           NOT NULL GENERATED ALWAYS AS IDENTITY, -- order of arrival
  account      BIGINT           NOT NULL,
  movement     BIGINT           NOT NULL,
  body_hash    TEXT COLLATE "C" NOT NULL,                              -- SHA-256 of the body, hex
  nsu          TEXT COLLATE "C" NOT NULL,
  auth         TEXT COLLATE "C" NOT NULL,
  number       BIGINT           NOT NULL,
  moment       BIGINT           NOT NULL,                              -- local time as sent
  type         TEXT COLLATE "C" NOT NULL,
  old_value    TEXT COLLATE "C" NOT NULL,
  new_value    TEXT COLLATE "C" NOT NULL,
  body         BYTEA            NOT NULL,
  received_at  BIGINT           NOT NULL,                              -- instant
  last_arrival BIGINT           NOT NULL,                              -- instant of the last repeat
  moved        BIGINT           NOT NULL,                              -- 0 waiting, 1 moved, 2 moved and repeated since
  repeats      BIGINT           NOT NULL,                              -- times it came again
  PRIMARY KEY (account, movement, body_hash)
);

CREATE INDEX inbox_pending ON inbox (arrival) WHERE moved <> 1;

-- What the service last answered about where it sends an account's notifications.
CREATE TABLE subscription (
  account    BIGINT           NOT NULL,
  since      BIGINT,                    -- first day it pointed here, NULL: never
  url        TEXT COLLATE "C" NOT NULL, -- as the service has it
  matches    BIGINT           NOT NULL, -- it points here
  checked_on BIGINT           NOT NULL, -- day of the answer
  PRIMARY KEY (account)
);

-- The words by which people look for a sale or a slip. A reconcile adds those of the rows that came, a block of entries for each
-- bucket of words: a row for each word of each item would take longer than all else of a night. Nothing of a payer is among them.
CREATE TABLE word_block (
  account BIGINT NOT NULL,
  bucket  BIGINT NOT NULL, -- of the words, by their texts
  entries BYTEA  NOT NULL  -- words with their items, see facts.wordEntry
);

CREATE INDEX word_block_bucket ON word_block (account, bucket);

-- Most blocks are too short for compressing them to be worth its time.
ALTER TABLE word_block ALTER COLUMN entries SET STORAGE EXTERNAL;
