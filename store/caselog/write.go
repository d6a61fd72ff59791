package caselog

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// Writer writes the cases of one account within a transaction of a run, many at a time: Flush writes what is gathered. It is not
// safe for use by many goroutines.
type Writer struct {
	ctx              context.Context
	t                *sqldb.Tx
	run              *ledger.Run
	account          ledger.Account
	knownCases       caseSet // those of the account; nil: CurrentCases was not called
	caseBatch        caseBatch
	unchanged        []unchangedCase // unchanged cases that are not written yet
	reconciledBefore bool            // the run has reconciled the account before: its events of cases are there already
	doing            string
}

// NewWriter writes cases of the account as the run sees them. again says that the run has written events of these cases before,
// none of which is written twice; doing names the work in errors.
func NewWriter(ctx context.Context, t *sqldb.Tx, run *ledger.Run, a ledger.Account, again bool, doing string) *Writer {
	return &Writer{ctx: ctx, t: t, run: run, account: a, reconciledBefore: again, doing: doing}
}

// Drop forgets what is gathered and what is known of cases: the transaction has gone back to before it.
func (w *Writer) Drop() { w.knownCases, w.caseBatch, w.unchanged = nil, caseBatch{}, nil }

// Flush writes what is gathered.
func (w *Writer) Flush() error { return errors.Join(w.flushCases(), w.flushUnchanged()) }

// CurrentCases returns every case of the account, in any state, as it was evaluated last, in order of case.
func (w *Writer) CurrentCases() ([]ledger.Finding, error) {
	if err := w.Flush(); err != nil {
		return nil, w.t.DB.WrapError(w.doing, err)
	}
	var out []ledger.Finding
	w.knownCases = caseSet{}
	err := sqldb.ReadRows(w.ctx, w.t, func(row *sqldb.RowReader) error {
		f, err := ReadFinding(row)
		out = append(out, f)
		w.knownCases.addCase(f.Case)
		return err
	}, `
		SELECT `+FindingColumns+`
		FROM finding
		WHERE account = $1
		ORDER BY case_id`, int64(w.account))
	return out, w.t.DB.WrapError(w.doing, err)
}

// WriteCase keeps the case as it is seen now, and with event set an event that holds all its numbers. The same event of
// the same run is kept once. f.Case may be empty: it follows from account, subject and code.
func (w *Writer) WriteCase(f ledger.Finding, event bool) error {
	if f.Account != w.account {
		return errors.New(w.doing + ": case " + f.Case + " belongs to account " + f.Account.String())
	}
	if id := ledger.CaseID(f.Account, f.Subject, f.Code); f.Case == "" {
		f.Case = id
	} else if f.Case != id {
		return errors.New(w.doing + ": case " + f.Case + " does not follow from its subject and code")
	}
	args, err := findingArgs(&f)
	if err != nil {
		return err
	}
	if event && w.reconciledBefore {
		w.caseBatch.addCase(args, false, false, w.run)
		return w.t.DB.WrapError(w.doing, errors.Join(w.flushCases(), w.writeEvent(&f, args)))
	}
	w.caseBatch.addCase(args, event, w.isNewCase(f.Case), w.run)
	if w.caseBatch.countCases() < caseBatchSize {
		return nil
	}
	full := w.caseBatch
	w.caseBatch = caseBatch{}
	return w.t.DB.WrapError(w.doing, w.t.RunInBackground(func() error { return full.writeRows(w.ctx, w.t, w.run) }))
}

// isNewCase reports whether the account does not have the case yet, as far as CurrentCases has read its cases.
func (w *Writer) isNewCase(id string) bool {
	return w.knownCases != nil && !w.reconciledBefore && w.knownCases.addCase(id)
}

// flushCases writes the gathered cases and their events, in their order.
func (w *Writer) flushCases() error {
	full := w.caseBatch
	w.caseBatch = caseBatch{}
	if err := w.t.WaitBackground(); err != nil {
		return err
	}
	return full.writeRows(w.ctx, w.t, w.run)
}

// appendEvent adds an event of a run after the last of its case. It takes the values of findingTable, the run and its as-of.
var appendEvent = `
		INSERT INTO finding_event (` + strings.Join(findingTable.Names(), ", ") + `, run, as_of, act, sequence)
		VALUES (` + sqldb.ListPlaceholders(1, len(findingTable)+2) + `, 0, (
			SELECT COALESCE(MAX(sequence), 0) + 1
			FROM finding_event
			WHERE account = $1 AND case_id = $2))`

func (w *Writer) writeEvent(f *ledger.Finding, args []any) error {
	last, err := readLastEvent(w.ctx, w.t, f)
	if err != nil {
		return err
	}
	if last.run == w.run.ID {
		same, err := w.isSameEvent(f, last.sequence)
		if err != nil || same {
			return err
		}
	}
	return insertEvent(w.ctx, w.t, args, last.sequence+1, w.run.ID, w.run.AsOf, 0)
}

// eventRef is where the events of a case end: the zero value is before the first.
type eventRef struct {
	sequence int64
	run      string
}

func readLastEvent(ctx context.Context, q sqldb.Querier, f *ledger.Finding) (eventRef, error) {
	var m eventRef
	err := q.QueryRowContext(ctx, `
		SELECT
			sequence,
			run
		FROM finding_event
		WHERE account = $1 AND case_id = $2
		ORDER BY sequence DESC
		LIMIT 1`, int64(f.Account), f.Case).Scan(&m.sequence, &m.run)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return m, err
}

// insertEvent adds an event of a case whose columns are args: of a run, or of an act that was done after it.
func insertEvent(ctx context.Context, t *sqldb.Tx, args []any, sequence int64, run string, asOf ledger.Date, act int64) error {
	_, err := t.ExecContext(ctx, `
		INSERT INTO finding_event (`+strings.Join(findingTable.Names(), ", ")+`, sequence, run, as_of, act)
		VALUES (`+sqldb.ListPlaceholders(1, len(args)+4)+`)`, append(slices.Clone(args), sequence, run, sqldb.DateArg(asOf), act)...)
	return err
}

// isSameEvent reports whether the last event has the numbers and states of f.
func (w *Writer) isSameEvent(f *ledger.Finding, sequence int64) (bool, error) {
	same := false
	err := sqldb.ReadRows(w.ctx, w.t, func(row *sqldb.RowReader) error {
		g, err := ReadFinding(row)
		same = f.SameNumbers(&g) && f.State == g.State && f.ReturnState == g.ReturnState && f.RuleVersion == g.RuleVersion
		return err
	}, `
		SELECT `+FindingColumns+`
		FROM finding_event AS finding
		WHERE account = $1 AND case_id = $2 AND sequence = $3`, int64(f.Account), f.Case, sequence)
	return same, err
}

// upsertFinding writes a case as it was seen last. It takes the values of findingTable.
var upsertFinding = func() string {
	var set []string
	for _, name := range findingTable.Without(fixedFindingColumns...).Names() {
		set = append(set, "\n\t\t\t"+name+" = excluded."+name)
	}
	return `
		INSERT INTO finding (` + strings.Join(findingTable.Names(), ", ") + `)
		VALUES (` + sqldb.ListPlaceholders(1, len(findingTable)) + `)
		ON CONFLICT (account, case_id) DO UPDATE
		SET` + strings.Join(set, ",")
}()

// caseBatchSize is how many cases are gathered before they are written.
const caseBatchSize = 500

// caseBatch is what is gathered of cases until it is written. A case that the account had not goes in bulk, and so does
// its first event: nothing is there that either could meet.
type caseBatch struct {
	newCases, newCaseEvents [][]any // cases the account had not, and those of them with an event: values of findingTable
	seenCases, events       [][]any // of the others: values of findingTable; with the run and its as-of behind them
}

func (b *caseBatch) countCases() int { return len(b.newCases) + len(b.seenCases) }

// writeRows writes the batch. The caller has the connection to itself. Every event is of one of the cases, and a case that is inserted here
// may be among those seen again.
func (b *caseBatch) writeRows(ctx context.Context, t *sqldb.Tx, run *ledger.Run) error {
	d := t.DB.Dialect
	if len(b.newCases) > 0 {
		if err := d.LoadRows(ctx, t.Conn, "finding", findingTable.Names(), len(b.newCases), func(i int, r sqldb.Row) error {
			putValues(r, b.newCases[i])
			return nil
		}); err != nil {
			return err
		}
	}
	if len(b.newCaseEvents) > 0 {
		first := []any{run.ID, sqldb.DateArg(run.AsOf), int64(0), int64(1)}
		if err := d.LoadRows(ctx, t.Conn, "finding_event", append(findingTable.Names(), "run", "as_of", "act", "sequence"), len(b.newCaseEvents),
			func(i int, r sqldb.Row) error {
				putValues(r, b.newCaseEvents[i])
				putValues(r, first)
				return nil
			}); err != nil {
			return err
		}
	}
	if len(b.seenCases) > 0 {
		if err := d.ExecBatch(ctx, t.Conn, upsertFinding, len(b.seenCases), func(i int) []any { return b.seenCases[i] }); err != nil {
			return err
		}
	}
	if len(b.events) == 0 {
		return nil
	}
	return d.ExecBatch(ctx, t.Conn, appendEvent, len(b.events), func(i int) []any { return b.events[i] })
}

// addCase gathers a case and, with event set, its event in the run.
func (b *caseBatch) addCase(args []any, event, made bool, run *ledger.Run) {
	switch {
	case made && event:
		b.newCaseEvents = append(b.newCaseEvents, args)
		fallthrough
	case made:
		b.newCases = append(b.newCases, args)
	default:
		b.seenCases = append(b.seenCases, args)
		if event {
			b.events = append(b.events, append(slices.Clone(args), run.ID, sqldb.DateArg(run.AsOf)))
		}
	}
}

// putValues gives a row values as a statement takes them.
func putValues(r sqldb.Row, values []any) {
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			r.Int(v)
		case string:
			r.Text(v)
		case []byte:
			r.Bytes(v)
		case nil:
			r.Null()
		}
	}
}

// caseSet holds cases by their names, which are 64 bits: a first reconcile may find very many.
type caseSet map[uint64]struct{}

// addCase adds a case and reports whether it was not there.
func (s caseSet) addCase(id string) (fresh bool) {
	n, err := strconv.ParseUint(id, 16, 64)
	if err != nil {
		return false // of another program: it is looked for before it is written
	}
	before := len(s)
	s[n] = struct{}{}
	return len(s) > before
}

// unchangedBatchSize is how many unchanged cases are written at once: a megabyte. It is many, because Postgres may
// look through all cases of an account for each lot.
const unchangedBatchSize = 20_000

// unchangedCase is a case in the list that the database is handed.
type unchangedCase struct {
	Case string `json:"case"`
}

// WriteUnchangedCase is WriteCase without an event for a case that has not changed: only LastRun and LastSeen are written,
// as the run's, for many cases at once.
func (w *Writer) WriteUnchangedCase(f *ledger.Finding) error {
	if f.Account != w.account {
		return errors.New(w.doing + ": case " + f.Case + " belongs to account " + f.Account.String())
	}
	w.unchanged = append(w.unchanged, unchangedCase{f.Case})
	if len(w.unchanged) < unchangedBatchSize {
		return nil
	}
	seen := w.unchanged
	w.unchanged = nil
	return w.t.DB.WrapError(w.doing, w.t.RunInBackground(func() error { return w.writeUnchanged(seen) }))
}

// flushUnchanged writes the cases that are gathered.
func (w *Writer) flushUnchanged() error {
	seen := w.unchanged
	w.unchanged = nil
	if err := w.t.WaitBackground(); err != nil || len(seen) == 0 {
		return err
	}
	return w.writeUnchanged(seen)
}

// writeUnchanged writes them. The caller has the connection to itself. The order of this and of the other cases makes no
// difference: both say the same of the run. The cases are one argument, to be joined with: of a list of many Postgres
// compares every case of the account with every one of them, as long as it does not know how many cases there are.
func (w *Writer) writeUnchanged(seen []unchangedCase) error {
	list, err := sqldb.MarshalText(seen)
	if err != nil {
		return err
	}
	d := w.t.DB.Dialect
	_, err = w.t.Tx.ExecContext(w.ctx, `
		UPDATE finding
		SET
			last_run = $2,
			seen_on = $3
		WHERE account = $1 AND case_id IN (
			SELECT `+d.TextMember("x", "case")+`
			FROM `+d.UnnestJSON("$4", "x")+`)`, int64(w.account), w.run.ID, sqldb.DateArg(w.run.AsOf), list)
	return err
}

// WriteCase writes a case that was found outside a reconcile, such as by a publication, and with event set an event that
// holds all its numbers; f.Case may be empty.
func (l *Store) WriteCase(ctx context.Context, run *ledger.Run, f *ledger.Finding, event bool) error {
	if f.Case == "" {
		f.Case = ledger.CaseID(f.Account, f.Subject, f.Code)
	}
	args, err := findingArgs(f)
	if err != nil {
		return err
	}
	return l.db.Transact(ctx, "keep case "+f.Case, func(t *sqldb.Tx) error {
		if _, err := t.ExecContext(ctx, upsertFinding, args...); err != nil || !event {
			return err
		}
		last, err := readLastEvent(ctx, t, f)
		if err != nil {
			return err
		}
		return insertEvent(ctx, t, args, last.sequence+1, run.ID, run.AsOf, 0)
	})
}

// KeepCases keeps within a transaction what a run found of cases outside the reconcile of their account. An event that the run
// has kept already is not kept again.
func KeepCases(ctx context.Context, t *sqldb.Tx, run *ledger.Run, a ledger.Account, all []ledger.CaseChange) error {
	w := NewWriter(ctx, t, run, a, true, "keep cases of account "+a.String())
	for i := range all {
		if err := w.WriteCase(all[i].Finding, all[i].Event); err != nil {
			return err
		}
	}
	return w.flushCases()
}
