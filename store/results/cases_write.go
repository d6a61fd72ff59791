package results

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

// CurrentCases returns every case of the account, in any state, as it was evaluated last, in order of case.
func (r *ReconcileTx) CurrentCases() ([]ledger.Finding, error) {
	if err := r.flushAll(); err != nil {
		return nil, r.t.DB.WrapError(r.doing, err)
	}
	var out []ledger.Finding
	r.knownCases = caseSet{}
	err := sqldb.ReadRows(r.ctx, r.t, func(row *sqldb.RowReader) error {
		f, err := ReadFinding(row)
		out = append(out, f)
		r.knownCases.addCase(f.Case)
		return err
	}, `
		SELECT `+FindingColumns+`
		FROM finding
		WHERE account = $1
		ORDER BY case_id`, int64(r.account))
	return out, r.t.DB.WrapError(r.doing, err)
}

// WriteCase keeps the case as it is seen now, and with event set an event that holds all its numbers. The same event of
// the same run is kept once. f.Case may be empty: it follows from account, subject and code.
func (r *ReconcileTx) WriteCase(f ledger.Finding, event bool) error {
	if err := r.checkAccount(f.Account); err != nil {
		return err
	}
	if id := ledger.CaseID(f.Account, f.Subject, f.Code); f.Case == "" {
		f.Case = id
	} else if f.Case != id {
		return errors.New(r.doing + ": case " + f.Case + " does not follow from its subject and code")
	}
	args, err := findingArgs(&f)
	if err != nil {
		return err
	}
	if event && r.reconciledBefore {
		r.caseBatch.addCase(args, false, false, r.run)
		return r.t.DB.WrapError(r.doing, errors.Join(r.flushCases(), r.writeEvent(&f, args)))
	}
	r.caseBatch.addCase(args, event, r.isNewCase(f.Case), r.run)
	if r.caseBatch.countCases() < caseBatchSize {
		return nil
	}
	full := r.caseBatch
	r.caseBatch = caseBatch{}
	return r.t.DB.WrapError(r.doing, r.t.RunInBackground(func() error { return full.writeRows(r.ctx, r.t, r.run) }))
}

// isNewCase reports whether the account does not have the case yet, as far as CurrentCases has read its cases.
func (r *ReconcileTx) isNewCase(id string) bool {
	return r.knownCases != nil && !r.reconciledBefore && r.knownCases.addCase(id)
}

// flushCases writes the gathered cases and their events, in their order.
func (r *ReconcileTx) flushCases() error {
	full := r.caseBatch
	r.caseBatch = caseBatch{}
	if err := r.t.WaitBackground(); err != nil {
		return err
	}
	return full.writeRows(r.ctx, r.t, r.run)
}

// appendEvent adds an event of a run after the last of its case. It takes the values of findingTable, the run and its as-of.
var appendEvent = `
		INSERT INTO finding_event (` + strings.Join(findingTable.Names(), ", ") + `, run, as_of, act, sequence)
		VALUES (` + sqldb.ListPlaceholders(1, len(findingTable)+2) + `, 0, (
			SELECT COALESCE(MAX(sequence), 0) + 1
			FROM finding_event
			WHERE account = $1 AND case_id = $2))`

func (r *ReconcileTx) writeEvent(f *ledger.Finding, args []any) error {
	last, err := readLastEvent(r.ctx, r.t, f)
	if err != nil {
		return err
	}
	if last.run == r.run.ID {
		same, err := r.isSameEvent(f, last.sequence)
		if err != nil || same {
			return err
		}
	}
	return insertEvent(r.ctx, r.t, args, last.sequence+1, r.run.ID, r.run.AsOf, 0)
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
func (r *ReconcileTx) isSameEvent(f *ledger.Finding, sequence int64) (bool, error) {
	same := false
	err := sqldb.ReadRows(r.ctx, r.t, func(row *sqldb.RowReader) error {
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
func (r *ReconcileTx) WriteUnchangedCase(f *ledger.Finding) error {
	if err := r.checkAccount(f.Account); err != nil {
		return err
	}
	r.unchanged = append(r.unchanged, unchangedCase{f.Case})
	if len(r.unchanged) < unchangedBatchSize {
		return nil
	}
	seen := r.unchanged
	r.unchanged = nil
	return r.t.DB.WrapError(r.doing, r.t.RunInBackground(func() error { return r.writeUnchanged(seen) }))
}

// flushUnchanged writes the cases that are gathered.
func (r *ReconcileTx) flushUnchanged() error {
	seen := r.unchanged
	r.unchanged = nil
	if err := r.t.WaitBackground(); err != nil || len(seen) == 0 {
		return err
	}
	return r.writeUnchanged(seen)
}

// writeUnchanged writes them. The caller has the connection to itself. The order of this and of the other cases makes no
// difference: both say the same of the run. The cases are one argument, to be joined with: of a list of many Postgres
// compares every case of the account with every one of them, as long as it does not know how many cases there are.
func (r *ReconcileTx) writeUnchanged(seen []unchangedCase) error {
	list, err := sqldb.MarshalText(seen)
	if err != nil {
		return err
	}
	d := r.t.DB.Dialect
	_, err = r.t.Tx.ExecContext(r.ctx, `
		UPDATE finding
		SET
			last_run = $2,
			seen_on = $3
		WHERE account = $1 AND case_id IN (
			SELECT `+d.TextMember("x", "case")+`
			FROM `+d.UnnestJSON("$4", "x")+`)`, int64(r.account), r.run.ID, sqldb.DateArg(r.run.AsOf), list)
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
	r := &ReconcileTx{ctx: ctx, t: t, run: run, account: a, reconciledBefore: true, doing: "keep cases of account " + a.String()}
	for i := range all {
		if err := r.WriteCase(all[i].Finding, all[i].Event); err != nil {
			return err
		}
	}
	return r.flushCases()
}
