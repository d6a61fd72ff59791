package results

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// beliefTable is a table of what runs believe. A row stands from its run until ended_run.
type beliefTable struct {
	Name    string
	columns []string
	where   string // takes the key and names what stands of it
}

// beliefsAtOnce is how many beliefs are gathered before they are written: some two megabytes. Postgres makes room for the
// first thousand rows of every COPY, one by one, and gives it up at its end: of a COPY of no more that is a fifth.
const beliefsAtOnce = 4000

// believing writes the beliefs of one reconcile about one kind of thing. What already stands as it is believed now is
// not written; the rest goes in bulk, a batch at a time, while the next is gathered.
type believing struct {
	t     *sqldb.Tx
	run   string
	table beliefTable
	batch *beliefBatch
	spare chan *beliefBatch // written, and empty
}

func newBelieving(t *sqldb.Tx, run string, table beliefTable) *believing {
	// One batch is gathered, one written, and the others wait for that.
	return &believing{t: t, run: run, table: table, batch: &beliefBatch{}, spare: make(chan *beliefBatch, sqldb.MaxQueued+2)}
}

// beliefBatch is what is gathered until it is written.
type beliefBatch struct {
	ends [][]any // keys of what stands and no longer holds, with the run that ends it
	rows []pendingBelief
	text record // of all rows, one behind the other: key, values
}

// pendingBelief is a row to be written: where its key ends in the batch's text, and its values.
type pendingBelief struct {
	key, values int
	content     ledger.Hash
}

// keep takes a belief unless it is what stands already, and says whether it is another. The content is hashed of what
// put gives alone.
func (b *believing) keep(ctx context.Context, before *ledger.StoredExpectation, key func(sqldb.Row), put func(sqldb.Row) error,
) (bool, error) {
	start := len(b.batch.text)
	key(&b.batch.text)
	values := len(b.batch.text)
	if err := put(&b.batch.text); err != nil {
		b.batch.text = b.batch.text[:start]
		return false, err
	}
	content := b.batch.text[values:].hash()
	if before != nil && before.Content == content {
		b.batch.text = b.batch.text[:start]
		return false, nil
	}
	if before != nil {
		b.batch.ends = append(b.batch.ends, append(b.batch.text[start:values].args(), b.run))
	}
	b.batch.rows = append(b.batch.rows, pendingBelief{key: values, values: len(b.batch.text), content: content})
	if len(b.batch.rows) < beliefsAtOnce {
		return true, nil
	}
	return true, b.flush(ctx)
}

// gone ends what stands and puts nothing in its place.
func (b *believing) gone(ctx context.Context, key []any) error {
	b.batch.ends = append(b.batch.ends, append(key[:len(key):len(key)], b.run))
	if len(b.batch.ends) < beliefsAtOnce {
		return nil
	}
	return b.flush(ctx)
}

// flush lets what is gathered be written beside what the caller does next. The transaction settles before anything else
// is done on it.
func (b *believing) flush(ctx context.Context) error {
	if len(b.batch.ends) == 0 && len(b.batch.rows) == 0 {
		return nil
	}
	full := b.batch
	select {
	case b.batch = <-b.spare:
	default:
		b.batch = &beliefBatch{}
	}
	return b.t.RunInBackground(func() error {
		err := full.write(ctx, b.t, &b.table, b.run)
		full.forget()
		select {
		case b.spare <- full:
		default:
		}
		return err
	})
}

// write writes the batch: what no longer holds ends first, since only one may stand.
func (batch *beliefBatch) write(ctx context.Context, t *sqldb.Tx, table *beliefTable, run string) error {
	if len(batch.ends) > 0 {
		if err := t.DB.Dialect.ExecBatch(ctx, t.Conn, table.ending(), len(batch.ends), func(i int) []any { return batch.ends[i] }); err != nil {
			return err
		}
	}
	if len(batch.rows) == 0 {
		return nil
	}
	text, at := string(batch.text), 0
	return t.DB.Dialect.LoadRows(ctx, t.Conn, table.Name, table.columns, len(batch.rows), func(i int, r sqldb.Row) error {
		row := &batch.rows[i]
		replay(text[at:row.key], r)
		r.Text(run)
		r.Bytes(row.content[:])
		replay(text[row.key:row.values], r)
		at = row.values
		return nil
	})
}

// ending takes the key and, after it, the run that ends what stands.
func (t *beliefTable) ending() string {
	keys := strings.Count(t.where, "$")
	return "UPDATE " + t.Name + " SET ended_run = $" + strconv.Itoa(keys+1) + t.where
}

// standing looks up what is believed of a key. What this run itself believed is dropped: its last belief holds.
func (b *believing) standing(ctx context.Context, key []any) (*ledger.StoredExpectation, error) {
	if err := cmp.Or(b.flush(ctx), b.t.WaitBackground()); err != nil {
		return nil, err
	}
	var content []byte
	var run string
	err := b.t.QueryRowContext(ctx, "SELECT content, run FROM "+b.table.Name+b.table.where, key...).Scan(&content, &run)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err == nil && run == b.run {
		_, err = b.t.ExecContext(ctx, "DELETE FROM "+b.table.Name+b.table.where, key...)
		return nil, err
	}
	before := &ledger.StoredExpectation{}
	copy(before.Content[:], content)
	return before, err
}

// forget drops what is gathered and not written: the transaction went back.
func (b *believing) forget() { b.batch.forget() }

func (batch *beliefBatch) forget() {
	batch.ends, batch.rows, batch.text = batch.ends[:0], batch.rows[:0], batch.text[:0]
}

// record holds the values of a row as they came: integers, texts and NULLs, in their order. What it is hashed by does
// not change, since hashes are kept.
type record []byte

func (r *record) Int(v int64) { *r = binary.BigEndian.AppendUint64(append(*r, 1), uint64(v)) }

func (r *record) Text(v string) {
	*r = append(binary.AppendUvarint(append(*r, 2), uint64(len(v))), v...)
}

func (r *record) Bytes(v []byte) { r.Text(string(v)) }

func (r *record) Null() { *r = append(*r, 0) }

func (r record) hash() (h ledger.Hash) {
	sum := sha256.Sum256(r)
	copy(h[:], sum[:])
	return h
}

// args are the values as a statement takes them.
func (r record) args() []any {
	var to argRow
	replay(string(r), &to)
	return to
}

type argRow []any

func (a *argRow) Int(v int64) { *a = append(*a, v) }

func (a *argRow) Text(v string) { *a = append(*a, v) }

func (a *argRow) Bytes(v []byte) { *a = append(*a, v) }

func (a *argRow) Null() { *a = append(*a, nil) }

// replay gives the values of a record's text again.
func replay(text string, to sqldb.Row) {
	for len(text) > 0 {
		kind := text[0]
		switch text = text[1:]; kind {
		case 0:
			to.Null()
		case 1:
			var v uint64
			for i := range 8 {
				v = v<<8 | uint64(text[i])
			}
			to.Int(int64(v))
			text = text[8:]
		default:
			var n, size int
			for ; text[size] >= 0x80; size++ {
				n |= int(text[size]&0x7f) << (7 * size)
			}
			n |= int(text[size]) << (7 * size)
			end := size + 1 + n
			to.Text(text[size+1 : end])
			text = text[end:]
		}
	}
}
