//go:build unix

package store_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// TestForgedLedgerLacksPublishedEnds: somebody who changes an expectation, a line of a bridge or the record of a run behind the
// program, and computes again every digest that the ledger has of it, passes the check of the ledger. The ends that were published
// before are not the ledger's any more.
func TestForgedLedgerLacksPublishedEnds(t *testing.T) {
	t.Parallel()
	for name, fresh := range map[string]func(testing.TB) string{"sqlite": storetest.FreshSQLite, "postgres": storetest.FreshPostgres} {
		for _, c := range []struct {
			says  string
			forge func(*forger)
			lacks ledger.Account // whose end the ledger does not have any more; 0: that of the runs
		}{
			{"an expectation", (*forger).changeExpectation, 1001},
			{"a line of a bridge", (*forger).changeBridge, 1001},
			{"the record of a run", (*forger).changeRun, 0},
			{"the end of the last runs", (*forger).reopenLastRuns, 0},
		} {
			t.Run(name+"/"+c.says, func(t *testing.T) {
				forgeLedger(t, fresh(t), c.forge, c.lacks)
			})
		}
	}
}

func forgeLedger(t *testing.T, dsn string, forge func(*forger), lacks ledger.Account) {
	t.Helper()
	l := openDSN(t, dsn)
	story := newStory(t, l, 5)
	for range 3 {
		story.Night()
	}
	published, err := l.ChainEnds(t.Context(), []ledger.Account{story.Account()})
	must(t, err)
	story.Night() // after the publication, so that the chains have gone on
	hold := func(want bool, of ledger.Account) {
		t.Helper()
		chains := l.NewChains()
		for _, end := range published {
			has, err := chains.Has(t.Context(), end)
			must(t, err)
			if end.Number < 3 || has != (want || end.Account != of) {
				t.Errorf("the ledger has the published end %d of chain %s: %t", end.Number, end.Account, has)
			}
		}
	}
	hold(true, 0)
	f := &forger{t, rawDB(t, dsn)}
	forge(f)
	r, err := l.Check(t.Context())
	must(t, err)
	if len(r.Faults) > 0 {
		t.Errorf("the forgery is not whole:\n%s", words.JoinMessages("en", r.Faults))
	}
	hold(false, lacks)
}

// forger changes a ledger and computes its digests again. It shares nothing with the code that made them.
type forger struct {
	t  *testing.T
	db *sqldb.DB
}

func (f *forger) do(query string, args ...any) {
	f.t.Helper()
	res, err := f.db.Write.ExecContext(f.t.Context(), query, args...)
	must(f.t, err)
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		f.t.Fatalf("%s: changed nothing", query)
	}
}

// row reads one row.
func (f *forger) row(columns int, query string, args ...any) []any {
	f.t.Helper()
	values, targets := make([]any, columns), make([]any, columns)
	for i := range values {
		targets[i] = &values[i]
	}
	must(f.t, f.db.Read.QueryRowContext(f.t.Context(), query, args...).Scan(targets...))
	return values
}

// hashForged is what a row adds to the digest of the reconcile that made it.
func hashForged(values ...any) (sum [2]uint64) {
	row := []byte{'+'}
	for _, v := range values {
		switch v := v.(type) {
		case int64:
			row = binary.BigEndian.AppendUint64(append(row, 1), uint64(v))
		case string:
			row = append(binary.AppendUvarint(append(row, 2), uint64(len(v))), v...)
		case []byte:
			row = append(binary.AppendUvarint(append(row, 2), uint64(len(v))), v...)
		}
	}
	h := sha256.Sum256(row)
	return [2]uint64{binary.BigEndian.Uint64(h[:]), binary.BigEndian.Uint64(h[8:])}
}

// digestAgain replaces a row in the digest that a reconcile has of a table.
func (f *forger) digestAgain(table string, run any, was, is [2]uint64) {
	f.t.Helper()
	text := f.row(1, "SELECT digests FROM reconciled WHERE account = 1001 AND run = $1", run)[0].(string)
	digests := map[string]string{}
	must(f.t, json.Unmarshal([]byte(text), &digests))
	sum, err := hex.DecodeString(digests[table])
	must(f.t, err)
	for i := range was {
		part := sum[8*i : 8*i+8]
		binary.BigEndian.PutUint64(part, binary.BigEndian.Uint64(part)-was[i]+is[i])
	}
	digests[table] = hex.EncodeToString(sum)
	forged, err := json.Marshal(digests)
	must(f.t, err)
	f.do("UPDATE reconciled SET digests = $2 WHERE account = 1001 AND run = $1", run, string(forged))
}

// changeExpectation says of one sale what was expected of another.
func (f *forger) changeExpectation() {
	const key = "sale_day, nsu, auth, number, occurrence"
	of := f.row(7, "SELECT "+key+", run, content FROM expectation WHERE account = 1001 ORDER BY run, "+key+" LIMIT 1")
	from := f.row(7, "SELECT "+key+", run, content FROM expectation WHERE account = 1001 AND content <> $1 AND version = 1 ORDER BY run, "+key+
		" LIMIT 1", of[6])
	var set []string
	for _, column := range strings.Fields("content version inputs class unmapped brand product band net net_contract gross_cents received " +
		"contract_line contract_mdr_rate expected_date days_late days_anticipated rest brackets verdict codes impact splits next_on contribution") {
		set = append(set, column+" = (SELECT n."+column+" FROM expectation AS n WHERE n.account = 1001 AND n.sale_day = $7 AND n.nsu = $8"+
			" AND n.auth = $9 AND n.number = $10 AND n.occurrence = $11 AND n.run = $12)")
	}
	f.do("UPDATE expectation SET "+strings.Join(set, ", ")+
		" WHERE account = 1001 AND sale_day = $1 AND nsu = $2 AND auth = $3 AND number = $4 AND occurrence = $5 AND run = $6",
		append(append([]any{}, of[:6]...), from[:6]...)...)
	named := append([]any{int64(1001)}, of[:5]...)
	f.digestAgain("expectation", of[5], hashForged(append(named, of[6])...), hashForged(append(named, from[6])...))
}

// changeBridge says R$ 0.01 more in one line.
func (f *forger) changeBridge() {
	const key = "side, day, brand, product, line, reason"
	line := f.row(9, "SELECT "+key+", amount, excess, run FROM bridge WHERE account = 1001 ORDER BY run, "+key+" LIMIT 1")
	f.do("UPDATE bridge SET amount = amount + 100 WHERE account = 1001 AND side = $1 AND day = $2 AND brand = $3 AND product = $4 AND line = $5 "+
		"AND reason = $6 AND run = $7", append(append([]any{}, line[:6]...), line[8])...)
	forged := append([]any{}, line[:8]...)
	forged[6] = line[6].(int64) + 100
	f.digestAgain("bridge", line[8], hashForged(line[:8]...), hashForged(forged...))
}

// changeRun says that the first run reconciled, and signs all records again.
func (f *forger) changeRun() {
	const columns = "id, kind, started_by, parameters, as_of, clock, previous, began, ended, taken_up, engine, documents, accounts, pulled, " +
		"windows, windows_failed, retries, bytes, cases_new, cases_persisting, cases_resolved, archive_removed, lost, late, at_risk, claimed, " +
		"waived, excess, sums, sets, steps, verdict, verdicts, exit_code"
	f.do("UPDATE run SET verdict = 'reconciled', exit_code = 0, lost = 0 WHERE end_number = 1")
	before := ""
	last := f.row(1, "SELECT MAX(end_number) FROM run")[0].(int64)
	for n := int64(1); n <= last; n++ {
		record := f.row(34, "SELECT "+columns+" FROM run WHERE end_number = $1", n)
		text, err := json.Marshal([]any{before, record})
		must(f.t, err)
		sum := sha256.Sum256(text)
		before = hex.EncodeToString(sum[:])
		f.do("UPDATE run SET digest = $2 WHERE end_number = $1", n, before)
	}
}

// reopenLastRuns says of the last runs that they have not ended.
func (f *forger) reopenLastRuns() {
	f.do("UPDATE run SET ended = NULL, end_number = NULL, digest = '' WHERE end_number >= 3")
}
