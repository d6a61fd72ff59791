//go:build unix

package store_test

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/store"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/storetest"
)

// download is a statement as a bank makes it.
type download struct {
	name      string
	made      string // with its time
	from, to  string
	balance   string // of its last day; empty: none
	rows      []string
	scheduled []string
}

func (d download) takeIn() bank.TakeIn {
	st := &banking.Statement{
		Format: "ofx", Stated: true, Window: ledger.Period{From: parseDay(d.from), To: parseDay(d.to)}, Made: parseTime(d.made),
	}
	st.AsOf = st.Made.Date()
	st.Whole = ledger.Period{From: st.Window.From, To: min(st.Window.To, st.AsOf-1)}
	if d.balance != "" {
		st.Balances = []banking.Balance{{Day: st.Whole.To, Amount: parseAmount(d.balance)}}
	}
	var rows banking.RowList
	for i, r := range slices.Concat(d.rows, d.scheduled) {
		f := strings.SplitN(r, " ", 3)
		rows = append(rows, banking.Row{Day: parseDay(f[0]), Amount: parseAmount(f[1]), Text: f[2], Scheduled: i >= len(d.rows)})
	}
	slices.SortStableFunc(rows, func(a, b banking.Row) int { return int(a.Day - b.Day) })
	st.Rows = rows
	text := fmt.Sprintf("%+v", d)
	return bank.TakeIn{
		Bank: "itau-12345", First: 1001, Bytes: sha256.Sum256([]byte(text)), WriteBody: writeText(text), Name: d.name + ".ofx", Statement: st,
		Actor: "ana", At: time.Date(2026, 11, 12, 9, 0, 0, 0, time.UTC), IsBusinessDay: weekdays,
	}
}

// writeText writes a text.
func writeText(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func weekdays(d ledger.Date) bool { return d.Weekday() != time.Saturday && d.Weekday() != time.Sunday }

func parseDay(s string) ledger.Date {
	d, err := ledger.ParseDate(s)
	if err != nil {
		panic(err)
	}
	return d
}

func parseTime(s string) ledger.LocalTime {
	at, err := ledger.ParseLocalTime(s, time.UTC)
	if err != nil {
		panic(err)
	}
	return at
}

func parseAmount(s string) ledger.Amount {
	a, err := ledger.ParseAmount(s)
	if err != nil {
		panic(err)
	}
	return a
}

// bankLedgers are an empty ledger on each database.
func bankLedgers(t *testing.T) map[string]*store.Ledger {
	t.Helper()
	return map[string]*store.Ledger{"sqlite": openDSN(t, storetest.FreshSQLite(t)), "postgres": openDSN(t, storetest.FreshPostgres(t))}
}

var home = bank.Account{Home: 1001, ID: "itau-12345"}

// TestOlderStatements: a statement that the bank made before one that is known says so, whichever it is.
func TestOlderStatements(t *testing.T) {
	t.Parallel()
	for name, l := range bankLedgers(t) {
		later := takeIn(t, l, statementB)
		if earlier := takeIn(t, l, statementA); later.Older || !earlier.Older {
			t.Errorf("%s: the later one %+v, the earlier one %+v", name, later, earlier)
		}
	}
}

// TestKnownBytesAreNotReadAgain: what the same bytes brought, and what of them was passed over, is known by their hash.
func TestKnownBytesAreNotReadAgain(t *testing.T) {
	t.Parallel()
	for name, l := range bankLedgers(t) {
		first, second := statementA.takeIn(), statementA.takeIn()
		first.PassedOver, second.PassedOver, second.Part = 1, 1, 1
		_, err := l.TakeInStatements(t.Context(), []bank.TakeIn{first, second}, false)
		must(t, err)
		known, err := l.KnownStatements(t.Context(), first.Bank, first.Bytes)
		must(t, err)
		if len(known) != 2 || known[0].Lines != int64(first.Statement.Rows.Len()) || known[0].PassedOver != 1 || known[1].Window != first.Statement.Window {
			t.Errorf("%s: known is %+v", name, known)
		}
		for _, c := range []struct {
			bank  string
			bytes ledger.FileHash
		}{{"another", first.Bytes}, {first.Bank, ledger.FileHash{1}}} {
			if known, err := l.KnownStatements(t.Context(), c.bank, c.bytes); err != nil || len(known) > 0 {
				t.Errorf("%s: bank account %s knows of %x %+v, %v", name, c.bank, c.bytes[:2], known, err)
			}
		}
	}
}

func takeIn(t *testing.T, l *store.Ledger, d download) banking.Import {
	t.Helper()
	out, err := l.TakeInStatements(t.Context(), []bank.TakeIn{d.takeIn()}, false)
	must(t, err)
	return out[0]
}

// bankStates are the days, a line each.
func bankStates(t *testing.T, l *store.Ledger) (out []string) {
	t.Helper()
	days, err := l.BankDays(t.Context(), home)
	must(t, err)
	for _, d := range days {
		line := d.Day.String()[5:] + " " + string(d.State)
		if d.Residual.V != 0 {
			line += " " + d.Residual.V.Fixed(2)
		}
		out = append(out, line)
	}
	return out
}

// bankLines are the current lines, a line each: what the ledger says, without how it came to it.
func bankLines(t *testing.T, l *store.Ledger) (out []string) {
	t.Helper()
	count := map[string]int{}
	must(t, l.BankLines(t.Context(), home, ledger.Period{From: 1, To: 1 << 30}, func(x *banking.Line) error {
		state := ""
		if x.Scheduled {
			state += " scheduled"
		}
		if x.Vanished {
			state += " vanished"
		}
		key := fmt.Sprintf("%s %s %s%s", x.Day.String()[5:], x.Amount.Fixed(2), x.Text, state)
		count[key]++
		out = append(out, fmt.Sprintf("%s #%d", key, count[key]))
		return nil
	}))
	slices.Sort(out)
	return out
}

var (
	statementA = download{
		name: "a", made: "2026-11-06T08:00:00", from: "2026-11-03", to: "2026-11-05", balance: "1457.98",
		rows: []string{"2026-11-04 357.98 PIX RECEBIDO", "2026-11-05 50.00 PIX RECEBIDO", "2026-11-05 50.00 PIX RECEBIDO"},
	}
	statementB = download{
		name: "b", made: "2026-11-10T08:00:00", from: "2026-11-05", to: "2026-11-09", balance: "1542.13",
		rows: []string{"2026-11-05 50.00 PIX RECEBIDO", "2026-11-05 50.00 PIX RECEBIDO", "2026-11-09 84.15 PIX RECEBIDO"},
	}
	statementC = download{
		name: "c", made: "2026-11-11T08:00:00", from: "2026-11-05", to: "2026-11-05",
		rows: []string{"2026-11-05 50.00 PIX RECEBIDO"},
	}
)

// TestOverlappingDownloads: two downloads that share a day come to four lines in either order, and their balances prove the
// days between.
func TestOverlappingDownloads(t *testing.T) {
	t.Parallel()
	for _, order := range [][]download{{statementA, statementB}, {statementB, statementA}} {
		for name, l := range bankLedgers(t) {
			takeIn(t, l, order[0])
			second := takeIn(t, l, order[1])
			if order[1].name == "b" && (second.New != 1 || second.Same != 2 || second.SettledTo != parseDay("2026-11-09")) {
				t.Errorf("%s: the second download is %+v", name, second)
			}
			if again := takeIn(t, l, order[1]); !again.Known || again.New != 0 || again.Same != 3 {
				t.Errorf("%s: the same bytes again are %+v", name, again)
			}
			want := []string{"11-03 covered", "11-04 covered", "11-05 covered", "11-06 proven", "11-07 proven", "11-08 proven", "11-09 proven"}
			if d := cmp.Diff(want, bankStates(t, l)); d != "" {
				t.Errorf("%s, %s first:\n%s", name, order[0].name, d)
			}
			lines := []string{"11-04 357.98 PIX RECEBIDO #1", "11-05 50.00 PIX RECEBIDO #1", "11-05 50.00 PIX RECEBIDO #2", "11-09 84.15 PIX RECEBIDO #1"}
			if d := cmp.Diff(lines, bankLines(t, l)); d != "" {
				t.Errorf("%s, %s first:\n%s", name, order[0].name, d)
			}
		}
	}
}

// TestBalanceThatLinesDoNotComeTo: the days of a link that does not close are broken by what lacks, and nothing after the
// last good day is settled.
func TestBalanceThatLinesDoNotComeTo(t *testing.T) {
	t.Parallel()
	wrong := statementB
	wrong.balance = "1532.13"
	for name, l := range bankLedgers(t) {
		takeIn(t, l, statementA)
		if got := takeIn(t, l, wrong); got.SettledTo != parseDay("2026-11-05") {
			t.Errorf("%s: settled to %s", name, got.SettledTo)
		}
		want := []string{"11-03 covered", "11-04 covered", "11-05 covered", "11-06 broken -10.00", "11-07 broken -10.00", "11-08 broken -10.00", "11-09 broken -10.00"}
		if d := cmp.Diff(want, bankStates(t, l)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestLaterStatementLowersTheCount: of two equal lines one vanishes when a later whole statement has one, in whatever order
// the three come.
func TestLaterStatementLowersTheCount(t *testing.T) {
	t.Parallel()
	all := []download{statementA, statementB, statementC}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {2, 0, 1}} {
		for name, l := range bankLedgers(t) {
			for _, i := range order {
				takeIn(t, l, all[i])
			}
			want := []string{"11-04 357.98 PIX RECEBIDO #1", "11-05 50.00 PIX RECEBIDO #1", "11-05 50.00 PIX RECEBIDO vanished #1", "11-09 84.15 PIX RECEBIDO #1"}
			if d := cmp.Diff(want, bankLines(t, l)); d != "" {
				t.Errorf("%s %v:\n%s", name, order, d)
			}
		}
	}
}

// TestRewordedLines: as many lines of the same cents under other texts, in a later whole statement, are the same lines.
func TestRewordedLines(t *testing.T) {
	t.Parallel()
	reworded := download{
		name: "r", made: "2026-11-12T08:00:00", from: "2026-11-04", to: "2026-11-05",
		rows: []string{"2026-11-04 357.98 PIX RECEBIDO LOJA", "2026-11-05 50.00 PIX 1", "2026-11-05 50.00 PIX 2"},
	}
	for name, l := range bankLedgers(t) {
		takeIn(t, l, statementA)
		if got := takeIn(t, l, reworded); got.Reworded != 3 || got.New != 0 || got.Vanished != 0 || got.Same != 0 {
			t.Errorf("%s: %+v", name, got)
		}
		if got := takeIn(t, l, statementB); got.New != 1 || got.Reworded != 0 {
			t.Errorf("%s: an older statement under the old texts is %+v", name, got)
		}
		want := []string{"11-04 357.98 PIX RECEBIDO LOJA #1", "11-05 50.00 PIX 1 #1", "11-05 50.00 PIX 2 #1", "11-09 84.15 PIX RECEBIDO #1"}
		if d := cmp.Diff(want, bankLines(t, l)); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestAnnouncedLines: what a statement announces is kept apart and becomes the line that a later one books.
func TestAnnouncedLines(t *testing.T) {
	t.Parallel()
	announced := statementA
	announced.scheduled = []string{"2026-11-09 84.15 PIX RECEBIDO", "2026-11-09 -5.00 TARIFA"}
	for name, l := range bankLedgers(t) {
		if got := takeIn(t, l, announced); got.Scheduled != 2 || got.New != 3 {
			t.Errorf("%s: %+v", name, got)
		}
		if got := bankLines(t, l); got[len(got)-1] != "11-09 84.15 PIX RECEBIDO scheduled #1" {
			t.Errorf("%s: %q", name, got)
		}
		takeIn(t, l, statementB)
		got := bankLines(t, l)
		want := []string{"11-09 -5.00 TARIFA scheduled vanished #1", "11-09 84.15 PIX RECEBIDO #1"}
		if d := cmp.Diff(want, got[len(got)-2:]); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestDryRunOfAStatement says what would be new and keeps nothing.
func TestDryRunOfAStatement(t *testing.T) {
	t.Parallel()
	for name, l := range bankLedgers(t) {
		out, err := l.TakeInStatements(t.Context(), []bank.TakeIn{statementA.takeIn()}, true)
		must(t, err)
		if out[0].New != 3 || out[0].SettledTo != parseDay("2026-11-05") {
			t.Errorf("%s: %+v", name, out[0])
		}
		if _, known, err := l.HomeOf(t.Context(), "itau-12345", 1001); err != nil || known || len(bankLines(t, l)) > 0 {
			t.Errorf("%s: something was kept: %v, %v", name, known, err)
		}
	}
}

// TestStatementsInAnyOrder: a month downloaded in random overlapping windows, each on the day after its last or during it,
// taken in in any order, comes to the ledger that one download of the whole month makes.
func TestStatementsInAnyOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2026, 11))
	for range storetest.Few(60, 12, 3) {
		world := randomMonth(r)
		want := bankLinesOf(t, []download{wholeMonth(world)})
		all := randomDownloads(r, world)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		if d := cmp.Diff(want, bankLinesOf(t, all)); d != "" {
			t.Fatalf("one download (-), %d of them (+):\n%s\n%+v", len(all), d, all)
		}
	}
}

func bankLinesOf(t *testing.T, all []download) []string {
	t.Helper()
	l := openDSN(t, storetest.FreshSQLite(t))
	for _, d := range all {
		takeIn(t, l, d)
	}
	r, err := l.Check(t.Context())
	must(t, err)
	if len(r.Faults) > 0 {
		t.Errorf("%d downloads: %q", len(all), r.Faults)
	}
	return bankLines(t, l)
}

// randomMonth has the lines of every day of November, equal ones among them.
func randomMonth(r *rand.Rand) [][]string {
	days := make([][]string, 30)
	for i := range days {
		for range r.IntN(5) {
			days[i] = append(days[i], fmt.Sprintf("2026-11-%02d %d.00 %s", i+1, 10*(1+r.IntN(3)), []string{"PIX", "TED", "TARIFA"}[r.IntN(3)]))
		}
	}
	return days
}

func wholeMonth(world [][]string) download {
	return download{name: "month", made: "2026-12-01T08:00:00", from: "2026-11-01", to: "2026-11-30", rows: slices.Concat(world...)}
}

// randomDownloads cover every day with at least one that is whole for it. One made during its last day has the first of its
// lines only.
func randomDownloads(r *rand.Rand, world [][]string) []download {
	var all []download
	for next := 0; next < len(world); {
		from, to := max(0, next-r.IntN(4)), min(len(world)-1, next+r.IntN(6))
		d := download{name: fmt.Sprint(len(all)), from: fmt.Sprintf("2026-11-%02d", from+1), to: fmt.Sprintf("2026-11-%02d", to+1)}
		made := parseDay(d.to) + 1
		if r.IntN(3) == 0 && to > from {
			made-- // the last day is not over
		}
		d.made = fmt.Sprintf("%sT%02d:00:00", made, 1+r.IntN(22))
		for i := from; i <= to; i++ {
			rows := slices.Clone(world[i])
			if made == parseDay(d.to) && i == to {
				rows = rows[:r.IntN(len(rows)+1)]
			}
			r.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
			d.rows = append(d.rows, rows...)
		}
		all = append(all, d)
		if made > parseDay(d.to) {
			next = to + 1
		} else {
			next = to
		}
	}
	return all
}
