package results

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// caseBatchSize is how many sights of cases are gathered before they are written.
const caseBatchSize = 500

// caseBatch is what is gathered of cases until it is written. A case that the account had not goes in bulk, and so does
// its first event: nothing is there that either could meet.
type caseBatch struct {
	newCases, newCaseEvents [][]any // cases the account had not, and those of them with an event: findingColumns
	seenCases, events       [][]any // of the others: findingColumns; with the run and its as-of behind them
}

func (b *caseBatch) countCases() int { return len(b.newCases) + len(b.seenCases) }

// writeRows is for whoever has the connection to himself. Every event is of one of the cases, and a case that is made here
// may be among those seen again.
func (b *caseBatch) writeRows(ctx context.Context, t *sqldb.Tx, run *ledger.Run) error {
	d := t.DB.Dialect
	if len(b.newCases) > 0 {
		if err := d.LoadRows(ctx, t.Conn, "finding", findingColumnNames(), len(b.newCases), func(i int, r sqldb.Row) error {
			putValues(r, b.newCases[i])
			return nil
		}); err != nil {
			return err
		}
	}
	if len(b.newCaseEvents) > 0 {
		first := []any{run.ID, sqldb.DateArg(run.AsOf), int64(0), int64(1)}
		if err := d.LoadRows(ctx, t.Conn, "finding_event", append(findingColumnNames(), "run", "as_of", "act", "sequence"), len(b.newCaseEvents),
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

// addCase gathers a sight of a case and, with event set, its event in the run.
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

// findingColumnNames are findingColumns one by one.
func findingColumnNames() []string {
	return strings.FieldsFunc(FindingColumns, func(c rune) bool { return c == ',' || c == ' ' || c == '\t' || c == '\n' })
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

// addCase adds a case and says whether it was not there.
func (s caseSet) addCase(id string) (fresh bool) {
	n, err := strconv.ParseUint(id, 16, 64)
	if err != nil {
		return false // of another program: it is looked for before it is written
	}
	before := len(s)
	s[n] = struct{}{}
	return len(s) > before
}
