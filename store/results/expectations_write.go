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

// ExpectationTable is a table of expectations. A row is current from its run until ended_run.
type ExpectationTable struct {
	Name    string
	columns []string
	where   string // takes the key and selects its current row
}

// expectationBatchSize is how many expectations are gathered before they are written: some two megabytes. Postgres makes room for the
// first thousand rows of every COPY, one by one, and gives it up at its end: of a COPY of no more that is a fifth.
const expectationBatchSize = 4000

// expectationWriter writes the expectations of one reconcile to one table. One that is equal to the current row is
// not written; the rest is written in bulk, a batch at a time, while the next is gathered.
type expectationWriter struct {
	t            *sqldb.Tx
	run          string
	table        ExpectationTable
	digest       digest     // of what it wrote and ended
	row          encodedRow // of the digest
	batch        *expectationBatch
	emptyBatches chan *expectationBatch // written, and empty
}

func newExpectationWriter(t *sqldb.Tx, run string, table ExpectationTable) *expectationWriter {
	// One batch is gathered, one written, and the others wait for that.
	return &expectationWriter{t: t, run: run, table: table, batch: &expectationBatch{}, emptyBatches: make(chan *expectationBatch, sqldb.MaxQueued+2)}
}

// expectationBatch is what is gathered until it is written.
type expectationBatch struct {
	ends [][]any // keys of current rows that no longer hold, with the run that ends them
	rows []pendingRow
	text encodedRow // of all rows, one behind the other: key, values
}

// pendingRow is a row to be written: where its key ends in the batch's text, and its values.
type pendingRow struct {
	key, values int
	content     ledger.Hash
}

// writeIfChanged writes an expectation unless the current one is equal, and reports whether it differs. The content is hashed of what
// put gives alone.
func (b *expectationWriter) writeIfChanged(ctx context.Context, before *ledger.StoredExpectation, key func(sqldb.Row), put func(sqldb.Row) error,
) (bool, error) {
	start := len(b.batch.text)
	key(&b.batch.text)
	values := len(b.batch.text)
	if err := put(&b.batch.text); err != nil {
		b.batch.text = b.batch.text[:start]
		return false, err
	}
	content := b.batch.text[values:].contentHash()
	if before != nil && before.Content == content {
		b.batch.text = b.batch.text[:start]
		return false, nil
	}
	if before != nil {
		b.batch.ends = append(b.batch.ends, append(b.batch.text[start:values].toArgs(), b.run))
		b.digest.add(rowEnded, b.batch.text[start:values])
	}
	b.row = appendContent(append(b.row[:0], b.batch.text[start:values]...), content)
	b.digest.add(rowMade, b.row)
	b.batch.rows = append(b.batch.rows, pendingRow{key: values, values: len(b.batch.text), content: content})
	if len(b.batch.rows) < expectationBatchSize {
		return true, nil
	}
	return true, b.flushBatch(ctx)
}

// endCurrent ends the current row of a key and puts nothing in its place.
func (b *expectationWriter) endCurrent(ctx context.Context, key []any) error {
	b.batch.ends = append(b.batch.ends, append(key[:len(key):len(key)], b.run))
	b.digest.add(rowEnded, encodedKey(key))
	if len(b.batch.ends) < expectationBatchSize {
		return nil
	}
	return b.flushBatch(ctx)
}

// flushBatch writes what is gathered in the background. The transaction waits for it before anything else
// is done on it.
func (b *expectationWriter) flushBatch(ctx context.Context) error {
	if len(b.batch.ends) == 0 && len(b.batch.rows) == 0 {
		return nil
	}
	full := b.batch
	select {
	case b.batch = <-b.emptyBatches:
	default:
		b.batch = &expectationBatch{}
	}
	return b.t.RunInBackground(func() error {
		err := full.writeRows(ctx, b.t, &b.table, b.run)
		full.clearRows()
		select {
		case b.emptyBatches <- full:
		default:
		}
		return err
	})
}

// writeRows writes the batch: rows that no longer hold end first, since a key may have one current row.
func (batch *expectationBatch) writeRows(ctx context.Context, t *sqldb.Tx, table *ExpectationTable, run string) error {
	if len(batch.ends) > 0 {
		if err := t.DB.Dialect.ExecBatch(ctx, t.Conn, table.endStatement(), len(batch.ends), func(i int) []any { return batch.ends[i] }); err != nil {
			return err
		}
	}
	if len(batch.rows) == 0 {
		return nil
	}
	text, at := string(batch.text), 0
	return t.DB.Dialect.LoadRows(ctx, t.Conn, table.Name, table.columns, len(batch.rows), func(i int, r sqldb.Row) error {
		row := &batch.rows[i]
		decodeRow(text[at:row.key], r)
		r.Text(run)
		r.Bytes(row.content[:])
		decodeRow(text[row.key:row.values], r)
		at = row.values
		return nil
	})
}

// endStatement takes the key and, after it, the run that ends the current row.
func (t *ExpectationTable) endStatement() string {
	keys := strings.Count(t.where, "$")
	return "UPDATE " + t.Name + " SET ended_run = $" + strconv.Itoa(keys+1) + t.where
}

// readCurrent looks up the current row of a key. One that this run wrote itself is deleted: its last one holds.
func (b *expectationWriter) readCurrent(ctx context.Context, key []any) (*ledger.StoredExpectation, error) {
	if err := cmp.Or(b.flushBatch(ctx), b.t.WaitBackground()); err != nil {
		return nil, err
	}
	var content []byte
	var run string
	err := b.t.QueryRowContext(ctx, "SELECT content, run FROM "+b.table.Name+b.table.where, key...).Scan(&content, &run)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err == nil && run == b.run {
		var was ledger.Hash
		copy(was[:], content)
		b.digest.subtract(rowMade, appendContent(encodedKey(key), was))
		_, err = b.t.ExecContext(ctx, "DELETE FROM "+b.table.Name+b.table.where, key...)
		return nil, err
	}
	before := &ledger.StoredExpectation{}
	copy(before.Content[:], content)
	return before, err
}

// dropBatch drops what is gathered and not written: the transaction went back.
func (b *expectationWriter) dropBatch() {
	b.batch.clearRows()
	b.digest = digest{}
}

// appendContent appends to the key of a row the hash of what it says.
func appendContent(key encodedRow, content ledger.Hash) encodedRow {
	key.Bytes(content[:])
	return key
}

func (batch *expectationBatch) clearRows() {
	batch.ends, batch.rows, batch.text = batch.ends[:0], batch.rows[:0], batch.text[:0]
}

// encodedRow holds the values of a row as they came: integers, texts and NULLs, in their order. What it is hashed by does
// not change, since hashes are kept.
type encodedRow []byte

func (r *encodedRow) Int(v int64) { *r = binary.BigEndian.AppendUint64(append(*r, 1), uint64(v)) }

func (r *encodedRow) Text(v string) {
	*r = append(binary.AppendUvarint(append(*r, 2), uint64(len(v))), v...)
}

func (r *encodedRow) Bytes(v []byte) {
	*r = append(binary.AppendUvarint(append(*r, 2), uint64(len(v))), v...)
}

func (r *encodedRow) Null() { *r = append(*r, 0) }

func (r encodedRow) contentHash() (h ledger.Hash) {
	sum := sha256.Sum256(r)
	copy(h[:], sum[:])
	return h
}

// toArgs are the values as a statement takes them.
func (r encodedRow) toArgs() []any {
	var to sqldb.Args
	decodeRow(string(r), &to)
	return to
}

// decodeRow gives the values of a record's text again.
func decodeRow(text string, to sqldb.Row) {
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
