package lookup

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"hash/crc32"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Item is a sale, or a slip, that a word leads to.
type Item struct {
	Day       ledger.Date // sale date, or due date
	NSU, Auth string      // of the sale
	Slip      string      // id; empty: it is a sale
}

const (
	// wordBuckets is how many buckets the words are in. It never changes, since the table names them.
	wordBuckets = 1024
	// wordBytesAtOnce is after how many bytes of entries the blocks are written: a kilobyte each, which a page of either database
	// holds with others.
	wordBytesAtOnce = 1 << 20
)

// pullThatBrought is a pull that brought rows: its window and how many.
type pullThatBrought struct {
	id     string
	source ledger.Source
	days   ledger.Period
	rows   int64
}

func pullsThatBrought(ctx context.Context, t *sqldb.Tx, a ledger.Account, run string) ([]pullThatBrought, error) {
	var out []pullThatBrought
	err := sqldb.EachRow(ctx, t, func(rows *sql.Rows) error {
		var p pullThatBrought
		err := rows.Scan(&p.id, (*string)(&p.source), &p.days.From, &p.days.To, &p.rows)
		out = append(out, p)
		return err
	}, `
		SELECT
			id,
			source,
			from_day,
			to_day,
			rows_new + changed
		FROM pull
		WHERE account = $1 AND judged = $2 AND rows_new + changed > 0
		ORDER BY source, from_day, id`, int64(a), run)
	return out, err
}

// wordEntry is a word, and an item that it leads to.
type wordEntry struct {
	word string
	Item
}

func (e *wordEntry) appendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, uint64(e.Day))
	for _, text := range [...]string{e.word, e.NSU, e.Auth, e.Slip} {
		b = append(binary.AppendUvarint(b, uint64(len(text))), text...)
	}
	return b
}

var errWordBlock = errors.New("a block of words is broken: reconcile with --full makes it anew")

// cutWordEntry cuts the first entry from a block.
func cutWordEntry(block string) (e wordEntry, rest string, err error) {
	day, block, ok := cutUvarint(block)
	e.Day = ledger.Date(day)
	for _, text := range [...]*string{&e.word, &e.NSU, &e.Auth, &e.Slip} {
		var n uint64
		if ok {
			n, block, ok = cutUvarint(block)
		}
		if !ok || n > uint64(len(block)) {
			return e, "", errWordBlock
		}
		*text, block = block[:n], block[n:]
	}
	return e, block, nil
}

// cutUvarint cuts the number that binary.AppendUvarint appended; ok is false where there is none.
func cutUvarint(s string) (n uint64, rest string, ok bool) {
	for i := 0; i < len(s) && i < binary.MaxVarintLen64; i++ {
		n |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return n, s[i+1:], true
		}
	}
	return 0, "", false
}

// wordBucket is the bucket of a word. It leaves the kind of the word out: people mostly look for one text as several kinds.
func wordBucket(word []byte) int64 {
	return int64(crc32.ChecksumIEEE(word[min(1, len(word)):]) % wordBuckets)
}

// Writer adds the words of one reconcile, within its transaction. It gathers those of one item after another by bucket, and
// writes a block of each bucket now and then: a row of its own for each word and item would take a night longer than its rules.
type Writer struct {
	ctx      context.Context
	t        *sqldb.Tx
	account  ledger.Account
	run      string
	item     Item
	words    WordList         // of the item
	known    WordList         // of them those that an earlier reconcile added
	blocks   *wordBlocks      // at hand
	empty    chan *wordBlocks // written, and empty
	ofSales  map[string]int64 // by pull: versions that it brought and AddSale added
	anew     bool             // the words of the account are made from nothing
	emptied  bool             // those that were there are deleted
	rowsRead int64            // by queries
	err      error            // of writing what AddSale added
}

// wordBlocks are the entries gathered of each bucket.
type wordBlocks struct {
	buckets [wordBuckets][]byte
	size    int // bytes of all
}

// NewWriter begins to add the words of what the run is the first to take into account.
func NewWriter(ctx context.Context, t *sqldb.Tx, a ledger.Account, run string) *Writer {
	return &Writer{
		ctx: ctx, t: t, account: a, run: run, blocks: &wordBlocks{}, empty: make(chan *wordBlocks, sqldb.MaxQueued+2), ofSales: make(map[string]int64),
	}
}

// MakeAnew has the words of the account made from nothing: AddSale is called for every sale that it has.
func (w *Writer) MakeAnew() { w.anew = true }

// Drop drops what was added: the transaction went back to where it began.
func (w *Writer) Drop() {
	anew := w.anew
	*w = *NewWriter(w.ctx, w.t, w.account, w.run)
	w.anew = anew
}

// AddSale adds the words of the versions of a sale that no reconcile has evaluated, or of all, so that Finish need not read them. Words
// that the version before has are there already.
func (w *Writer) AddSale(s *ledger.Sale) {
	item := Item{Day: s.Key.Day, NSU: s.Key.NSU, Auth: s.Key.Auth}
	var last *ledger.Installment // whose words are there, or were added
	for _, h := range s.Rows {
		for i := range h {
			if i > 0 {
				last = &h[i-1].Installment
			}
			if !h[i].NotEvaluated && !w.anew {
				continue
			}
			if w.ofSales[h[i].FirstPull]++; last != nil && HasWordsOf(&h[i].Installment, last) {
				continue
			}
			w.err = cmp.Or(w.err, w.beginItem(item))
			if i > 0 && !h[i-1].NotEvaluated && !w.anew {
				w.known.AddInstallment(last)
			}
			w.words.AddInstallment(&h[i].Installment)
			last = &h[i].Installment
		}
	}
}

// Finish adds the words of what the run's pulls brought in addition to the sales that were added, or of all that is in none, and writes
// all.
func (w *Writer) Finish() error {
	if err := cmp.Or(w.t.WaitBackground(), w.err); err != nil {
		return err
	}
	if w.anew {
		return errors.Join(w.addInstallments(inSalesWithVanished), w.addSlips(""), w.flushBlocks())
	}
	pulls, err := pullsThatBrought(w.ctx, w.t, w.account, w.run)
	for i := range pulls {
		switch p := &pulls[i]; {
		case err != nil:
		case p.source != ledger.Cards:
			err = w.addSlips(" AND v.first_pull = $2", p.id)
		case w.ofSales[p.id] != p.rows:
			err = w.addPulledInstallments(p)
		}
	}
	return errors.Join(err, w.flushBlocks())
}

// beginItem ends the item at hand if another one comes.
func (w *Writer) beginItem(item Item) error {
	if item == w.item {
		return nil
	}
	err := w.endItem()
	w.item = item
	return err
}

func (w *Writer) endItem() error {
	for word := range w.words.All() {
		if w.known.Has(word) {
			continue
		}
		bucket, e := &w.blocks.buckets[wordBucket(word)], wordEntry{string(word), w.item}
		before := len(*bucket)
		*bucket = e.appendTo(*bucket)
		w.blocks.size += len(*bucket) - before
	}
	w.words.Clear()
	w.known.Clear()
	if w.blocks.size < wordBytesAtOnce {
		return nil
	}
	return w.writeBlocks()
}

func (w *Writer) flushBlocks() error {
	return cmp.Or(w.endItem(), w.writeBlocks(), w.t.WaitBackground())
}

// writeBlocks writes what was gathered in the background.
func (w *Writer) writeBlocks() error {
	if err := w.deleteFormer(); err != nil || w.blocks.size == 0 {
		return err
	}
	full := w.blocks
	select {
	case w.blocks = <-w.empty:
	default:
		w.blocks = &wordBlocks{}
	}
	empty := w.empty
	return w.t.RunInBackground(func() error {
		var filled []int
		for i := range full.buckets {
			if len(full.buckets[i]) > 0 {
				filled = append(filled, i)
			}
		}
		columns := []string{"account", "bucket", "entries"}
		err := w.t.DB.Dialect.LoadRows(w.ctx, w.t.Conn, "word_block", columns, len(filled), func(i int, r sqldb.Row) error {
			r.Int(int64(w.account))
			r.Int(int64(filled[i]))
			r.Bytes(full.buckets[filled[i]])
			return nil
		})
		full.dropEntries()
		select {
		case empty <- full:
		default:
		}
		return err
	})
}

// deleteFormer deletes, once, the words that were there if all are made anew.
func (w *Writer) deleteFormer() error {
	if !w.anew || w.emptied {
		return nil
	}
	w.emptied = true
	return w.t.RunInBackground(func() error {
		_, err := w.t.Tx.ExecContext(w.ctx, `
			DELETE FROM word_block
			WHERE account = $1`, int64(w.account))
		return err
	})
}

func (b *wordBlocks) dropEntries() {
	for i := range b.buckets {
		b.buckets[i] = b.buckets[i][:0]
	}
	b.size = 0
}

// addPulledInstallments adds the words of what a pull brought: on the days of its window, or, when those do not hold all that it
// says it brought, on every day.
func (w *Writer) addPulledInstallments(p *pullThatBrought) error {
	before := w.rowsRead
	err := w.addInstallments(" AND i.sale_day BETWEEN $2 AND $3 AND i.first_pull = $4", int64(p.days.From), int64(p.days.To), p.id)
	if err != nil || w.rowsRead-before == p.rows {
		return err
	}
	return w.addInstallments(" AND i.first_pull = $2", p.id)
}

// inSalesWithVanished are the installments of which AddSale may have had no row: those that vanished, and what is with them.
const inSalesWithVanished = ` AND (i.sale_day, i.nsu, i.auth) IN (
			SELECT
				v.sale_day,
				v.nsu,
				v.auth
			FROM installment AS v
			WHERE v.account = $1 AND v.vanished = 1)`

// addInstallments adds the words of the account's installments, of all versions. They are read as they were committed: a
// reconcile changes none.
func (w *Writer) addInstallments(condition string, args ...any) error {
	return w.t.DB.StreamRows(w.ctx, func(f *sqldb.RowReader) error {
		item := Item{Day: f.NextDate(), NSU: f.NextText(), Auth: f.NextText()}
		v := ledger.Installment{
			NSU: item.NSU, Auth: item.Auth, Reference: f.NextText(), WebPaymentID: f.NextText(), Card: f.NextText(),
			Gross: ledger.Amount(f.NextInt()), SaleTotal: ledger.Some(ledger.Amount(f.NextInt())), Received: ledger.Some(ledger.Amount(f.NextInt())),
		}
		splits, err := facts.UnmarshalSplits(f.NextText())
		if err := errors.Join(f.Err(), err); err != nil {
			return err
		}
		v.Splits = splits
		w.rowsRead++
		err = w.beginItem(item)
		w.words.AddInstallment(&v)
		return err
	}, `
		SELECT
			i.sale_day,
			i.nsu,
			i.auth,
			i.reference,
			i.web_payment_id,
			i.card,
			i.gross,
			COALESCE(i.sale_total, 0),
			COALESCE(i.received, 0),
			i.splits
		FROM installment AS i
		WHERE i.account = $1`+condition+`
		ORDER BY i.sale_day, i.nsu, i.auth`, append([]any{int64(w.account)}, args...)...)
}

// addSlips is addInstallments for the views of slips. A slip is under its last due date, and under an earlier one that it had.
func (w *Writer) addSlips(condition string, args ...any) error {
	return w.t.DB.StreamRows(w.ctx, func(f *sqldb.RowReader) error {
		v := &facts.SlipRow{}
		v.ReadColumns(f)
		if err := f.Err(); err != nil {
			return err
		}
		err := w.beginItem(Item{Day: v.Due, Slip: v.ID})
		w.words.AddSlip(&v.SlipView)
		return err
	}, `
		SELECT `+facts.SlipColumns+`
		FROM slip AS v
		WHERE v.account = $1`+condition+`
		ORDER BY v.id, v.due`, append([]any{int64(w.account)}, args...)...)
}
