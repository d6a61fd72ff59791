-- The books: the movement (what became known of titles, each event once) and the shop's own sales.
--
-- Money is in ten-thousandths of a real and whole cents, days are Rata Die numbers. NULL means absent, an absent text is ''.

-- +goose Up

-- What became known of a source between two runs. The cuts with one set_number are published together.
CREATE TABLE event_cut (
  account             BIGINT           NOT NULL,
  source              TEXT COLLATE "C" NOT NULL,  -- cards or slips
  number              BIGINT           NOT NULL,  -- from 1
  set_number          BIGINT           NOT NULL,  -- of the account's sets, from 1
  revision            BIGINT           NOT NULL,  -- of the set among those of its as-of, from 0
  from_run            TEXT COLLATE "C" NOT NULL,  -- of the cut before, '' for the first
  to_run              TEXT COLLATE "C" NOT NULL,  -- whose results are after
  as_of               BIGINT           NOT NULL,  -- of that run
  first_day           BIGINT           NOT NULL,  -- what occurred before it is not told
  on_payment          BIGINT           NOT NULL,  -- the payment of a slip is its liquidação, not its credit
  net_of_splits       BIGINT           NOT NULL,  -- splits are deducted from the receipt
  agreement           TEXT COLLATE "C" NOT NULL,  -- under which its files are numbered
  taken_back          BIGINT           NOT NULL,  -- from the archive: its run is not known, and its events have no states
  accrual             BIGINT           NOT NULL,  -- the journal has its entries by accrual
  cash                BIGINT           NOT NULL,  -- and by cash
  nsa                 BIGINT           NOT NULL,  -- of its first EDI file, 0: it has none
  last_nsa            BIGINT           NOT NULL,
  events              BIGINT           NOT NULL,
  face                BIGINT           NOT NULL,  -- sums of the events
  closed              BIGINT           NOT NULL,
  received            BIGINT           NOT NULL,
  fees                BIGINT           NOT NULL,
  anticipation        BIGINT           NOT NULL,
  splits              BIGINT           NOT NULL,
  before_face         BIGINT           NOT NULL,  -- sums of what occurred before first_day
  before_closed       BIGINT           NOT NULL,
  before_received     BIGINT           NOT NULL,
  before_fees         BIGINT           NOT NULL,
  before_anticipation BIGINT           NOT NULL,
  before_splits       BIGINT           NOT NULL,
  PRIMARY KEY (account, source, number)
);

CREATE INDEX event_cut_set ON event_cut (account, set_number);

CREATE TABLE event (
  account      BIGINT           NOT NULL,
  event        TEXT COLLATE "C" NOT NULL,  -- id
  source       TEXT COLLATE "C" NOT NULL,
  cut          BIGINT           NOT NULL,  -- number
  position     BIGINT           NOT NULL,  -- in the cut, from 1
  type         TEXT COLLATE "C" NOT NULL,
  ordinal      BIGINT           NOT NULL,  -- among the events of the type and subject
  subject      TEXT COLLATE "C" NOT NULL,
  title        TEXT COLLATE "C" NOT NULL,  -- subject of the title
  occurred     BIGINT           NOT NULL,
  version      BIGINT           NOT NULL,
  face         BIGINT           NOT NULL,  -- after less before
  closed       BIGINT           NOT NULL,
  received     BIGINT           NOT NULL,
  fees         BIGINT           NOT NULL,
  anticipation BIGINT           NOT NULL,
  splits       BIGINT           NOT NULL,
  value        BIGINT          ,           -- what was taken back, or a share
  movement     TEXT COLLATE "C" NOT NULL,  -- in the EDI file, '' for none
  reason       TEXT COLLATE "C" NOT NULL,  -- why in none
  title_number TEXT COLLATE "C" NOT NULL,
  nsa          BIGINT           NOT NULL,
  lote         BIGINT           NOT NULL,
  record       BIGINT           NOT NULL,
  before_state TEXT COLLATE "C" NOT NULL,  -- of the title, its values ended by bars (state.go of store/books), '' for none
  after_state  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, source, cut, position)
);

CREATE UNIQUE INDEX event_id ON event (account, event);
CREATE INDEX event_title ON event (account, title);

-- The journal: entries that the events of a cut made, by the methods that were asked for. An entry is never changed: what becomes wrong is reversed.
CREATE TABLE journal_entry (
  account  BIGINT           NOT NULL,
  method   TEXT COLLATE "C" NOT NULL,  -- accrual or cash
  source   TEXT COLLATE "C" NOT NULL,
  cut      BIGINT           NOT NULL,  -- number
  position BIGINT           NOT NULL,  -- of the event in the cut, 0: it has none
  number   BIGINT           NOT NULL,  -- within the event, from 1
  event    TEXT COLLATE "C" NOT NULL,  -- id
  posted   BIGINT           NOT NULL,
  occurred BIGINT           NOT NULL,
  type     TEXT COLLATE "C" NOT NULL,
  reverses TEXT COLLATE "C" NOT NULL,  -- id of the entry that it takes back, '' for none
  subject  TEXT COLLATE "C" NOT NULL,
  title    TEXT COLLATE "C" NOT NULL,  -- subject of the title
  version  BIGINT           NOT NULL,
  brand    TEXT COLLATE "C" NOT NULL,
  product  TEXT COLLATE "C" NOT NULL,
  text     TEXT COLLATE "C" NOT NULL,
  lines    TEXT COLLATE "C" NOT NULL,  -- role and amount, credits negative
  PRIMARY KEY (account, method, posted, title, cut, position, number, source) -- as they are read
);

CREATE UNIQUE INDEX journal_entry_made ON journal_entry (account, method, source, cut, position, number);
-- Few entries are posted on another day than their own.
CREATE INDEX journal_entry_elsewhere ON journal_entry (account, method) WHERE posted <> occurred;
-- Entries of a title are found by its events; those of what is no title, and of claims that people gave up, have none.
CREATE INDEX journal_entry_apart ON journal_entry (account, title) WHERE type = 'bank' OR type = 'claim_written_off';

-- What the entries of a cut add up to, by day and what they say.
CREATE TABLE journal_sum (
  account  BIGINT           NOT NULL,
  method   TEXT COLLATE "C" NOT NULL,
  source   TEXT COLLATE "C" NOT NULL,
  cut      BIGINT           NOT NULL,
  posted   BIGINT           NOT NULL,
  type     TEXT COLLATE "C" NOT NULL,
  reversal BIGINT           NOT NULL,
  brand    TEXT COLLATE "C" NOT NULL,
  product  TEXT COLLATE "C" NOT NULL,
  role     TEXT COLLATE "C" NOT NULL,
  entries  BIGINT           NOT NULL,  -- with a line of the role
  lines    BIGINT           NOT NULL,
  debit    BIGINT           NOT NULL,
  credit   BIGINT           NOT NULL,
  PRIMARY KEY (account, method, source, cut, posted, type, reversal, brand, product, role)
);

CREATE INDEX journal_sum_posted ON journal_sum (account, method, posted);

-- Files of a shop's own sales. A shop's rows are those of the account that was its first when its first file came.
CREATE TABLE own_file (
  account     BIGINT           NOT NULL,
  store       TEXT COLLATE "C" NOT NULL,  -- id in the configuration
  file        BYTEA            NOT NULL,  -- SHA-256 of the bytes
  name        TEXT COLLATE "C" NOT NULL,  -- without folder
  format      TEXT COLLATE "C" NOT NULL,
  map         TEXT COLLATE "C" NOT NULL,  -- hash of the map that read it, '' for notes
  from_day    BIGINT           NOT NULL,  -- days that it has whole, 0: none
  to_day      BIGINT           NOT NULL,
  stated      BIGINT           NOT NULL,  -- a person said which days it covers
  made        BIGINT           NOT NULL,  -- local time of the last thing it tells, or the day after what it covers
  rows_seen   BIGINT           NOT NULL,
  quarantined BIGINT           NOT NULL,
  created     BIGINT           NOT NULL,  -- rows that were new, changed, same, and that vanished
  changed     BIGINT           NOT NULL,
  same        BIGINT           NOT NULL,
  vanished    BIGINT           NOT NULL,
  actor       TEXT COLLATE "C" NOT NULL,
  taken       BIGINT           NOT NULL,  -- instant
  PRIMARY KEY (account, store, file)
);

-- A payment as the shop tells it, version by version. Nothing of the customer is kept.
CREATE TABLE own_sale (
  account      BIGINT           NOT NULL,
  store        TEXT COLLATE "C" NOT NULL,
  sale_id      TEXT COLLATE "C" NOT NULL,
  payment_no   BIGINT           NOT NULL,
  version      BIGINT           NOT NULL,
  day          BIGINT           NOT NULL,
  sold_at      BIGINT           NOT NULL,  -- local time
  timed        BIGINT           NOT NULL,  -- it has a time of day
  amount       BIGINT           NOT NULL,
  method       TEXT COLLATE "C" NOT NULL,  -- '': the shop's word is not declared
  status       TEXT COLLATE "C" NOT NULL,
  cancelled_at BIGINT           NOT NULL,  -- 0: none
  installments BIGINT           NOT NULL,  -- 0: not told
  interest     BIGINT          ,
  brand        TEXT COLLATE "C" NOT NULL,
  nsu          TEXT COLLATE "C" NOT NULL,
  auth         TEXT COLLATE "C" NOT NULL,
  tid          TEXT COLLATE "C" NOT NULL,
  reference    TEXT COLLATE "C" NOT NULL,
  payment_id   TEXT COLLATE "C" NOT NULL,
  last4        TEXT COLLATE "C" NOT NULL,
  terminal     TEXT COLLATE "C" NOT NULL,
  of_account   BIGINT           NOT NULL,  -- 0: not told
  institution  TEXT COLLATE "C" NOT NULL,
  slip_id      TEXT COLLATE "C" NOT NULL,
  our_number   TEXT COLLATE "C" NOT NULL,
  document     TEXT COLLATE "C" NOT NULL,
  hash         BYTEA            NOT NULL,  -- of the content
  first_file   BYTEA            NOT NULL,  -- brought the version
  last_file    BYTEA            NOT NULL,  -- showed it last, where its day does not tell
  ended_file   BYTEA           ,              -- brought the next version, NULL: current
  vanished     BIGINT           NOT NULL,
  PRIMARY KEY (account, store, sale_id, payment_no, version)
);

CREATE INDEX own_sale_day ON own_sale (account, store, day, vanished) WHERE ended_file IS NULL;

-- Days that one file showed whole, after every other: each current payment of them, but what vanished, was shown by it last, whatever it names
-- itself.
CREATE TABLE own_shown (
  account BIGINT           NOT NULL,
  store   TEXT COLLATE "C" NOT NULL,
  day     BIGINT           NOT NULL,
  file    BYTEA            NOT NULL,
  PRIMARY KEY (account, store, day)
);

-- What takes payments of a sale back, known before or after them.
CREATE TABLE own_void (
  account BIGINT           NOT NULL,
  store   TEXT COLLATE "C" NOT NULL,
  sale_id TEXT COLLATE "C" NOT NULL,
  status  TEXT COLLATE "C" NOT NULL,
  amount  BIGINT           NOT NULL,  -- of the payments that are meant, 0: of any
  at      BIGINT           NOT NULL,  -- local time
  file    BYTEA            NOT NULL,
  PRIMARY KEY (account, store, sale_id, status, amount)
);

-- Numbers of notes that are accounted for: runs of consecutive ones of a day, as files told them. They may overlap.
CREATE TABLE own_number (
  account      BIGINT           NOT NULL,
  store        TEXT COLLATE "C" NOT NULL,
  emitter      TEXT COLLATE "C" NOT NULL,
  model        TEXT COLLATE "C" NOT NULL,
  series       TEXT COLLATE "C" NOT NULL,
  first_number BIGINT           NOT NULL,
  last_number  BIGINT           NOT NULL,
  day          BIGINT           NOT NULL,  -- of the note, 0: an unused number, or only its cancellation is known
  PRIMARY KEY (account, store, emitter, model, series, first_number, last_number)
);

-- Rows that are not taken in, and words that nobody declared: the first ones of each file.
CREATE TABLE own_fault (
  account BIGINT           NOT NULL,
  store   TEXT COLLATE "C" NOT NULL,
  file    BYTEA            NOT NULL,
  member  TEXT COLLATE "C" NOT NULL,  -- whose word nobody declared, '': a row that is not taken in
  place   TEXT COLLATE "C" NOT NULL,  -- of the row, '': a word
  said    TEXT COLLATE "C" NOT NULL,  -- why the row is not taken in, or the word
  PRIMARY KEY (account, store, file, member, place, said)
);

-- Derived from the tables above with every file.
CREATE TABLE own_day (
  account  BIGINT           NOT NULL,
  store    TEXT COLLATE "C" NOT NULL,
  day      BIGINT           NOT NULL,
  state    TEXT COLLATE "C" NOT NULL,  -- complete, partial or missing
  payments BIGINT           NOT NULL,  -- current ones
  versions BIGINT           NOT NULL,  -- of current payments, added up
  why      TEXT COLLATE "C" NOT NULL,  -- it is not complete
  PRIMARY KEY (account, store, day)
);

-- What runs concluded of the stores, each row from its run until the first that concluded otherwise.
CREATE TABLE own_match (
  account          BIGINT           NOT NULL,  -- under which the store is kept
  store            TEXT COLLATE "C" NOT NULL,
  day              BIGINT           NOT NULL,  -- the store's, else the service's
  sale_id          TEXT COLLATE "C" NOT NULL,  -- '': no store has it
  payment_no       BIGINT           NOT NULL,  -- 0: no store has it
  service_sale     TEXT COLLATE "C" NOT NULL,  -- subject, '': the service has none
  run              TEXT COLLATE "C" NOT NULL,  -- that concluded it
  ended_run        TEXT COLLATE "C",  -- that first concluded otherwise, NULL: it stands
  terminal         TEXT COLLATE "C" NOT NULL,
  own_at           BIGINT           NOT NULL,  -- local time, 0: none
  own_amount       BIGINT,
  own_installments BIGINT           NOT NULL,  -- 0: not told
  own_brand        TEXT COLLATE "C" NOT NULL,
  own_method       TEXT COLLATE "C" NOT NULL,
  own_status       TEXT COLLATE "C" NOT NULL,
  level            BIGINT           NOT NULL,  -- of the pair, 0: none
  nsu              TEXT COLLATE "C" NOT NULL,
  auth             TEXT COLLATE "C" NOT NULL,
  sale_at          BIGINT           NOT NULL,  -- local time, 0: none
  sale_total       BIGINT,
  installments     BIGINT           NOT NULL,
  brand            TEXT COLLATE "C" NOT NULL,
  product          TEXT COLLATE "C" NOT NULL,
  live             BIGINT           NOT NULL,  -- the service's sale
  bucket           TEXT COLLATE "C" NOT NULL,
  difference       BIGINT           NOT NULL,  -- what the store counts less what the service counts
  codes            TEXT COLLATE "C" NOT NULL,  -- of the rules that fire
  PRIMARY KEY (account, store, day, sale_id, payment_no, service_sale, run)
);

CREATE INDEX own_match_sale ON own_match (account, service_sale) WHERE ended_run IS NULL AND service_sale <> '';

-- what stands of a store, by where it stands: added up from the index alone, and its latest rows
CREATE INDEX own_match_bucket ON own_match (account, store, bucket, day, difference) WHERE ended_run IS NULL;

CREATE TABLE own_seen_day (
  account          BIGINT           NOT NULL,
  store            TEXT COLLATE "C" NOT NULL,
  day              BIGINT           NOT NULL,
  run              TEXT COLLATE "C" NOT NULL,
  ended_run        TEXT COLLATE "C",
  state            TEXT COLLATE "C" NOT NULL,  -- complete, partial or missing
  versions         BIGINT           NOT NULL,  -- of the day's payments when it was concluded
  matched          BIGINT           NOT NULL,  -- rows of the day on which both sides say the same
  matched_rest     BIGINT           NOT NULL,  -- what the store counts of them less what the service counts
  PRIMARY KEY (account, store, day, run)
);

CREATE TABLE own_month (
  account          BIGINT           NOT NULL,
  store            TEXT COLLATE "C" NOT NULL,
  day              BIGINT           NOT NULL,  -- first of the month
  institution      TEXT COLLATE "C" NOT NULL,  -- CNPJ, '': not told
  run              TEXT COLLATE "C" NOT NULL,
  ended_run        TEXT COLLATE "C",
  participant      TEXT COLLATE "C" NOT NULL,  -- code of the EFD, '': none
  service_accounts TEXT COLLATE "C" NOT NULL,  -- of the service alone, joined by |
  of_service       BIGINT           NOT NULL,
  own_total        BIGINT           NOT NULL,
  days_missing     BIGINT           NOT NULL,  -- judged and not complete
  PRIMARY KEY (account, store, day, institution, run)
);
