-- The movement: what became known of titles, each event once.
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
  before_state TEXT COLLATE "C" NOT NULL,  -- JSON, '' for none
  after_state  TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (account, event)
);

CREATE UNIQUE INDEX event_position ON event (account, source, cut, position);
CREATE INDEX event_title ON event (account, title);

-- The journal: entries that the events of a cut made, by either method. An entry is never changed: what becomes wrong is reversed.
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
  PRIMARY KEY (account, method, source, cut, position, number)
);

CREATE INDEX journal_entry_posted ON journal_entry (account, method, posted, title, cut, position, number);
CREATE INDEX journal_entry_title ON journal_entry (account, title);

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
