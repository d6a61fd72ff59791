-- The books: the movement (what became known of titles, each event once) and the shop's own sales.
--
-- Money is in ten-thousandths of a real and whole cents, days are Rata Die numbers. NULL means absent, an absent text is ''.

-- +goose Up

-- What became known of a source between two runs. The cuts with one set_number are published together.
CREATE TABLE event_cut (
  account             INTEGER NOT NULL,
  source              TEXT    NOT NULL,  -- cards or slips
  number              INTEGER NOT NULL,  -- from 1
  set_number          INTEGER NOT NULL,  -- of the account's sets, from 1
  revision            INTEGER NOT NULL,  -- of the set among those of its as-of, from 0
  from_run            TEXT    NOT NULL,  -- of the cut before, '' for the first
  to_run              TEXT    NOT NULL,  -- whose results are after
  as_of               INTEGER NOT NULL,  -- of that run
  first_day           INTEGER NOT NULL,  -- what occurred before it is not told
  on_payment          INTEGER NOT NULL,  -- the payment of a slip is its liquidação, not its credit
  net_of_splits       INTEGER NOT NULL,  -- splits are deducted from the receipt
  agreement           TEXT    NOT NULL,  -- under which its files are numbered
  taken_back          INTEGER NOT NULL,  -- from the archive: its run is not known, and its events have no states
  accrual             INTEGER NOT NULL,  -- the journal has its entries by accrual
  cash                INTEGER NOT NULL,  -- and by cash
  nsa                 INTEGER NOT NULL,  -- of its first EDI file, 0: it has none
  last_nsa            INTEGER NOT NULL,
  events              INTEGER NOT NULL,
  face                INTEGER NOT NULL,  -- sums of the events
  closed              INTEGER NOT NULL,
  received            INTEGER NOT NULL,
  fees                INTEGER NOT NULL,
  anticipation        INTEGER NOT NULL,
  splits              INTEGER NOT NULL,
  before_face         INTEGER NOT NULL,  -- sums of what occurred before first_day
  before_closed       INTEGER NOT NULL,
  before_received     INTEGER NOT NULL,
  before_fees         INTEGER NOT NULL,
  before_anticipation INTEGER NOT NULL,
  before_splits       INTEGER NOT NULL,
  PRIMARY KEY (account, source, number)
) STRICT;

CREATE INDEX event_cut_set ON event_cut (account, set_number);

CREATE TABLE event (
  account      INTEGER NOT NULL,
  event        TEXT    NOT NULL,  -- id
  source       TEXT    NOT NULL,
  cut          INTEGER NOT NULL,  -- number
  position     INTEGER NOT NULL,  -- in the cut, from 1
  type         TEXT    NOT NULL,
  ordinal      INTEGER NOT NULL,  -- among the events of the type and subject
  subject      TEXT    NOT NULL,
  title        TEXT    NOT NULL,  -- subject of the title
  occurred     INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  face         INTEGER NOT NULL,  -- after less before
  closed       INTEGER NOT NULL,
  received     INTEGER NOT NULL,
  fees         INTEGER NOT NULL,
  anticipation INTEGER NOT NULL,
  splits       INTEGER NOT NULL,
  value        INTEGER,           -- what was taken back, or a share
  movement     TEXT    NOT NULL,  -- in the EDI file, '' for none
  reason       TEXT    NOT NULL,  -- why in none
  title_number TEXT    NOT NULL,
  nsa          INTEGER NOT NULL,
  lote         INTEGER NOT NULL,
  record       INTEGER NOT NULL,
  before_state TEXT    NOT NULL,  -- of the title, its values ended by bars (state.go of store/books), '' for none
  after_state  TEXT    NOT NULL,
  PRIMARY KEY (account, source, cut, position)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX event_id ON event (account, event);
CREATE INDEX event_title ON event (account, title);

-- The journal: entries that the events of a cut made, by the methods that were asked for. An entry is never changed: what becomes wrong is reversed.
CREATE TABLE journal_entry (
  account  INTEGER NOT NULL,
  method   TEXT    NOT NULL,  -- accrual or cash
  source   TEXT    NOT NULL,
  cut      INTEGER NOT NULL,  -- number
  position INTEGER NOT NULL,  -- of the event in the cut, 0: it has none
  number   INTEGER NOT NULL,  -- within the event, from 1
  event    TEXT    NOT NULL,  -- id
  posted   INTEGER NOT NULL,
  occurred INTEGER NOT NULL,
  type     TEXT    NOT NULL,
  reverses TEXT    NOT NULL,  -- id of the entry that it takes back, '' for none
  subject  TEXT    NOT NULL,
  title    TEXT    NOT NULL,  -- subject of the title
  version  INTEGER NOT NULL,
  brand    TEXT    NOT NULL,
  product  TEXT    NOT NULL,
  text     TEXT    NOT NULL,
  lines    TEXT    NOT NULL,  -- role and amount, credits negative
  PRIMARY KEY (account, method, posted, title, cut, position, number, source) -- as they are read
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX journal_entry_made ON journal_entry (account, method, source, cut, position, number);
-- Few entries are posted on another day than their own.
CREATE INDEX journal_entry_elsewhere ON journal_entry (account, method) WHERE posted <> occurred;
-- Entries of a title are found by its events; those of what is no title, and of claims that people gave up, have none.
CREATE INDEX journal_entry_apart ON journal_entry (account, title) WHERE type = 'bank' OR type = 'claim_written_off';

-- What the entries of a cut add up to, by day and what they say.
CREATE TABLE journal_sum (
  account  INTEGER NOT NULL,
  method   TEXT    NOT NULL,
  source   TEXT    NOT NULL,
  cut      INTEGER NOT NULL,
  posted   INTEGER NOT NULL,
  type     TEXT    NOT NULL,
  reversal INTEGER NOT NULL,
  brand    TEXT    NOT NULL,
  product  TEXT    NOT NULL,
  role     TEXT    NOT NULL,
  entries  INTEGER NOT NULL,  -- with a line of the role
  lines    INTEGER NOT NULL,
  debit    INTEGER NOT NULL,
  credit   INTEGER NOT NULL,
  PRIMARY KEY (account, method, source, cut, posted, type, reversal, brand, product, role)
) STRICT;

CREATE INDEX journal_sum_posted ON journal_sum (account, method, posted);

-- Files of a shop's own sales. A shop's rows are those of the account that was its first when its first file came.
CREATE TABLE own_file (
  account     INTEGER NOT NULL,
  store       TEXT    NOT NULL,  -- id in the configuration
  file        BLOB    NOT NULL,  -- SHA-256 of the bytes
  name        TEXT    NOT NULL,  -- without folder
  format      TEXT    NOT NULL,
  map         TEXT    NOT NULL,  -- hash of the map that read it, '' for notes
  from_day    INTEGER NOT NULL,  -- days that it has whole, 0: none
  to_day      INTEGER NOT NULL,
  stated      INTEGER NOT NULL,  -- a person said which days it covers
  made        INTEGER NOT NULL,  -- local time of the last thing it tells, or the day after what it covers
  rows_seen   INTEGER NOT NULL,
  quarantined INTEGER NOT NULL,
  created     INTEGER NOT NULL,  -- rows that were new, changed, same, and that vanished
  changed     INTEGER NOT NULL,
  same        INTEGER NOT NULL,
  vanished    INTEGER NOT NULL,
  actor       TEXT    NOT NULL,
  taken       INTEGER NOT NULL,  -- instant
  PRIMARY KEY (account, store, file)
) STRICT;

-- A payment as the shop tells it, version by version. Nothing of the customer is kept.
CREATE TABLE own_sale (
  account      INTEGER NOT NULL,
  store        TEXT    NOT NULL,
  sale_id      TEXT    NOT NULL,
  payment_no   INTEGER NOT NULL,
  version      INTEGER NOT NULL,
  day          INTEGER NOT NULL,
  sold_at      INTEGER NOT NULL,  -- local time
  timed        INTEGER NOT NULL,  -- it has a time of day
  amount       INTEGER NOT NULL,
  method       TEXT    NOT NULL,  -- '': the shop's word is not declared
  status       TEXT    NOT NULL,
  cancelled_at INTEGER NOT NULL,  -- 0: none
  installments INTEGER NOT NULL,  -- 0: not told
  interest     INTEGER,
  brand        TEXT    NOT NULL,
  nsu          TEXT    NOT NULL,
  auth         TEXT    NOT NULL,
  tid          TEXT    NOT NULL,
  reference    TEXT    NOT NULL,
  payment_id   TEXT    NOT NULL,
  last4        TEXT    NOT NULL,
  terminal     TEXT    NOT NULL,
  of_account   INTEGER NOT NULL,  -- 0: not told
  institution  TEXT    NOT NULL,
  slip_id      TEXT    NOT NULL,
  our_number   TEXT    NOT NULL,
  document     TEXT    NOT NULL,
  hash         BLOB    NOT NULL,  -- of the content
  first_file   BLOB    NOT NULL,  -- brought the version
  last_file    BLOB    NOT NULL,  -- showed it last, where its day does not tell
  ended_file   BLOB,              -- brought the next version, NULL: current
  vanished     INTEGER NOT NULL,
  PRIMARY KEY (account, store, sale_id, payment_no, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX own_sale_day ON own_sale (account, store, day, vanished) WHERE ended_file IS NULL;

-- Days that one file showed whole, after every other: each current payment of them, but what vanished, was shown by it last, whatever it names
-- itself.
CREATE TABLE own_shown (
  account INTEGER NOT NULL,
  store   TEXT    NOT NULL,
  day     INTEGER NOT NULL,
  file    BLOB    NOT NULL,
  PRIMARY KEY (account, store, day)
) STRICT, WITHOUT ROWID;

-- What takes payments of a sale back, known before or after them.
CREATE TABLE own_void (
  account INTEGER NOT NULL,
  store   TEXT    NOT NULL,
  sale_id TEXT    NOT NULL,
  status  TEXT    NOT NULL,
  amount  INTEGER NOT NULL,  -- of the payments that are meant, 0: of any
  at      INTEGER NOT NULL,  -- local time
  file    BLOB    NOT NULL,
  PRIMARY KEY (account, store, sale_id, status, amount)
) STRICT;

-- Numbers of notes that are accounted for: runs of consecutive ones of a day, as files told them. They may overlap.
CREATE TABLE own_number (
  account      INTEGER NOT NULL,
  store        TEXT    NOT NULL,
  emitter      TEXT    NOT NULL,
  model        TEXT    NOT NULL,
  series       TEXT    NOT NULL,
  first_number INTEGER NOT NULL,
  last_number  INTEGER NOT NULL,
  day          INTEGER NOT NULL,  -- of the note, 0: an unused number, or only its cancellation is known
  PRIMARY KEY (account, store, emitter, model, series, first_number, last_number)
) STRICT;

-- Rows that are not taken in, and words that nobody declared: the first ones of each file.
CREATE TABLE own_fault (
  account INTEGER NOT NULL,
  store   TEXT    NOT NULL,
  file    BLOB    NOT NULL,
  member  TEXT    NOT NULL,  -- whose word nobody declared, '': a row that is not taken in
  place   TEXT    NOT NULL,  -- of the row, '': a word
  said    TEXT    NOT NULL,  -- why the row is not taken in, or the word
  PRIMARY KEY (account, store, file, member, place, said)
) STRICT, WITHOUT ROWID;

-- Derived from the tables above with every file.
CREATE TABLE own_day (
  account  INTEGER NOT NULL,
  store    TEXT    NOT NULL,
  day      INTEGER NOT NULL,
  state    TEXT    NOT NULL,  -- complete, partial or missing
  payments INTEGER NOT NULL,  -- current ones
  versions INTEGER NOT NULL,  -- of current payments, added up
  why      TEXT    NOT NULL,  -- it is not complete
  PRIMARY KEY (account, store, day)
) STRICT;

-- What runs concluded of the stores, each row from its run until the first that concluded otherwise.
CREATE TABLE own_match (
  account          INTEGER NOT NULL,  -- under which the store is kept
  store            TEXT    NOT NULL,
  day              INTEGER NOT NULL,  -- the store's, else the service's
  sale_id          TEXT    NOT NULL,  -- '': no store has it
  payment_no       INTEGER NOT NULL,  -- 0: no store has it
  service_sale     TEXT    NOT NULL,  -- subject, '': the service has none
  run              TEXT    NOT NULL,  -- that concluded it
  ended_run        TEXT,  -- that first concluded otherwise, NULL: it stands
  terminal         TEXT    NOT NULL,
  own_at           INTEGER NOT NULL,  -- local time, 0: none
  own_amount       INTEGER,
  own_installments INTEGER NOT NULL,  -- 0: not told
  own_brand        TEXT    NOT NULL,
  own_method       TEXT    NOT NULL,
  own_status       TEXT    NOT NULL,
  level            INTEGER NOT NULL,  -- of the pair, 0: none
  nsu              TEXT    NOT NULL,
  auth             TEXT    NOT NULL,
  sale_at          INTEGER NOT NULL,  -- local time, 0: none
  sale_total       INTEGER,
  installments     INTEGER NOT NULL,
  brand            TEXT    NOT NULL,
  product          TEXT    NOT NULL,
  live             INTEGER NOT NULL,  -- the service's sale
  bucket           TEXT    NOT NULL,
  difference       INTEGER NOT NULL,  -- what the store counts less what the service counts
  codes            TEXT    NOT NULL,  -- of the rules that fire
  PRIMARY KEY (account, store, day, sale_id, payment_no, service_sale, run)
) STRICT, WITHOUT ROWID;

CREATE INDEX own_match_sale ON own_match (account, service_sale) WHERE ended_run IS NULL AND service_sale <> '';

-- what stands of a store, by where it stands: added up from the index alone, and its latest rows
CREATE INDEX own_match_bucket ON own_match (account, store, bucket, day, difference) WHERE ended_run IS NULL;

CREATE TABLE own_seen_day (
  account          INTEGER NOT NULL,
  store            TEXT    NOT NULL,
  day              INTEGER NOT NULL,
  run              TEXT    NOT NULL,
  ended_run        TEXT,
  state            TEXT    NOT NULL,  -- complete, partial or missing
  versions         INTEGER NOT NULL,  -- of the day's payments when it was concluded
  matched          INTEGER NOT NULL,  -- rows of the day on which both sides say the same
  matched_rest     INTEGER NOT NULL,  -- what the store counts of them less what the service counts
  PRIMARY KEY (account, store, day, run)
) STRICT, WITHOUT ROWID;

CREATE TABLE own_month (
  account          INTEGER NOT NULL,
  store            TEXT    NOT NULL,
  day              INTEGER NOT NULL,  -- first of the month
  institution      TEXT    NOT NULL,  -- CNPJ, '': not told
  run              TEXT    NOT NULL,
  ended_run        TEXT,
  participant      TEXT    NOT NULL,  -- code of the EFD, '': none
  service_accounts TEXT    NOT NULL,  -- of the service alone, joined by |
  of_service       INTEGER NOT NULL,
  own_total        INTEGER NOT NULL,
  days_missing     INTEGER NOT NULL,  -- judged and not complete
  PRIMARY KEY (account, store, day, institution, run)
) STRICT, WITHOUT ROWID;
