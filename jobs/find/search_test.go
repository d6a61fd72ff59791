package find

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// lookedUp is a ledger with a few sales and slips of two accounts, whose words a reconcile has added.
func lookedUp(t *testing.T, dsn string) *store.Ledger {
	t.Helper()
	l, err := store.Open(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	asOf := ledger.NewDate(2026, time.November, 18)
	run := &ledger.Run{ID: "run-1", Kind: ledger.ReconcileRun, AsOf: asOf, Began: asOf.Time()}
	must(t, l.BeginRun(t.Context(), run))
	for _, a := range []ledger.Account{1001, 1002} {
		lease, err := l.LeaseAccounts(t.Context(), run.ID, []ledger.Account{a}, time.Hour)
		must(t, err)
		must(t, l.MergeInstallments(t.Context(), pullOf(a, ledger.Cards, 1), []ledger.Installment{
			installment(a, 1, "0071", 1, 2), installment(a, 1, "0071", 2, 2), installment(a, 3, "72", 1, 1),
		}, nil))
		must(t, l.MergeSlips(t.Context(), pullOf(a, ledger.SlipsDue, 2), []ledger.SlipView{{
			Account: a, ID: fmt.Sprintf("slip-%s", a), List: ledger.SlipsDue, Value: 100 * ledger.Real, Due: ledger.NewDate(2026, time.November, 2), BarCode: barCode,
			PayerDocument: map[ledger.Account]string{1001: "11144477735", 1002: "111.444.777-35"}[a],
		}}, nil))
		tx, err := l.BeginReconcile(t.Context(), run, a)
		must(t, err)
		c := ledger.Finding{
			Account: a, Code: "RECEIVED_OVERDUE", Subject: installmentKey(a, 3, "72").Subject(), Severity: ledger.Error, State: ledger.Opened,
			Impact: ledger.Some(97 * ledger.Real), Day: ledger.NewDate(2026, time.November, 3), Reference: fmt.Sprintf("PROT-%s", a),
		}
		c.Case = ledger.CaseID(a, c.Subject, c.Code)
		_, err = tx.CurrentCases()
		must(t, err)
		must(t, tx.WriteCase(c, true))
		must(t, tx.AddWords())
		must(t, tx.Commit())
		must(t, lease.Release(t.Context()))
	}
	return l
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func pullOf(a ledger.Account, source ledger.Source, n int) *ledger.Pull {
	day := func(n int) ledger.Date { return ledger.NewDate(2026, time.November, n) }
	began := day(18).Time().Add(time.Duration(n) * time.Hour)
	return &ledger.Pull{
		ID: fmt.Sprintf("pull-%s-%d", a, n), Run: "run-1", Complete: true, AsOf: day(18), On: day(18), Began: began, Ended: began.Add(time.Minute),
		Window: ledger.Window{Account: a, Source: source, Period: ledger.Period{From: day(1), To: day(3)}},
	}
}

func installmentKey(a ledger.Account, day int, nsu string) ledger.InstallmentKey {
	i := installment(a, day, nsu, 1, 1)
	return i.Key()
}

func installment(a ledger.Account, day int, nsu string, k, n int) ledger.Installment {
	d := ledger.NewDate(2026, time.November, day)
	return ledger.Installment{
		Account: a, SoldAt: ledger.LocalTimeOf(d.Time().Add(14*time.Hour), time.UTC), Card: "411111******5843", CardName: "VISA", CardType: "CREDIT",
		Auth: "AB" + nsu, NSU: nsu, Number: k, Count: n, Gross: 100 * ledger.Real, SaleTotal: ledger.Some(ledger.Amount(n) * 100 * ledger.Real),
		Forecast: d + ledger.Date(30*k), Status: "Authorized",
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]func(testing.TB) string{"sqlite": storetest.FreshSQLite, "postgres": storetest.FreshPostgres} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := lookedUp(t, dsn(t))
			testFind(t, l)
			testPayers(t, l)
		})
	}
}

func testFind(t *testing.T, l *store.Ledger) {
	caseOf := func(a ledger.Account) string {
		return ledger.CaseID(a, installmentKey(a, 3, "72").Subject(), "RECEIVED_OVERDUE")
	}
	for _, row := range []struct {
		because, query string
		accounts       []ledger.Account
		want           string
	}{
		{"an NSU without its zeros, in every account", "71", nil, "sale 71 1001 [nsu] · sale 71 1002 [nsu]"},
		{"only in the accounts of whoever asks", "0071", []ledger.Account{1002}, "sale 71 1002 [nsu]"},
		{"an authorization whatever its case", "ab72", []ledger.Account{1001}, "sale 72 1001 [auth] open"},
		{"the total of a sale", "200,00", []ledger.Account{1001}, "sale 71 1001 [amount]"},
		{"an amount is of sales and slips, the latest first", "100,00", []ledger.Account{1001}, "sale 72 1001 [amount] open · slip 1001 [amount] · sale 71 1001 [amount]"},
		{"all words must fit", "100,00 *5843 71", []ledger.Account{1001}, "sale 71 1001 [amount card nsu]"},
		{"what has one of them alone is not found", "71 72", nil, ""},
		{"a day", "02/11/2026", []ledger.Account{1001}, "slip 1001 [date]"},
		{"a day with an amount", "03/11/2026 100,00", []ledger.Account{1001}, "sale 72 1001 [amount date] open"},
		{"a slip by its digitable line", line, []ledger.Account{1001}, "slip 1001 [slip]"},
		{"a case by its first digits", caseOf(1001)[:8], nil, "case 1001 [case] open"},
		{"a case by the protocol of its claim, whatever its case", "prot-1002", nil, "case 1002 [protocol] open"},
		{"a case with an amount of its sale", caseOf(1001)[:8] + " 100,00", nil, "case 1001 [amount case] open"},
		{"an installment leads to its sale", "card:1001:2026-11-01:0071:AB0071:2", nil, "sale 71 1001 [subject]"},
		{"the subject of another's account leads nowhere", "slip:1001:slip-1001", []ledger.Account{1002}, ""},
		{"nothing", "nobody", nil, ""},
		{"a payer is not found by who may not see payers", "111.444.777-35", nil, ""},
	} {
		accounts := row.accounts
		if accounts == nil {
			accounts = []ledger.Account{1001, 1002}
		}
		q, err := ParseQuery(row.query, ledger.NewDate(2026, time.November, 18))
		must(t, err)
		answer, err := (&Finder{Ledger: l, Accounts: accounts, Voice: catalogue.Voice{Language: "en"}}).Find(t.Context(), Request{Query: q})
		must(t, err)
		var got []string
		for _, h := range answer.Hits {
			nsu := ""
			if p, ok := ledger.ParseSubject(h.Subject); ok && h.Kind == SaleHit {
				nsu = strings.TrimLeft(p.Parts[1], "0") + " "
			}
			got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s%s %v %s", h.Kind, nsu, h.Account, h.Matched, h.State)))
		}
		if s := strings.Join(got, " · "); s != row.want {
			t.Errorf("%s: %q finds %s, want %s", row.because, row.query, s, row.want)
		}
	}
}

// A payer's document finds the slips, however the service writes it, for who may see payers.
func testPayers(t *testing.T, l *store.Ledger) {
	f := &Finder{Ledger: l, Accounts: []ledger.Account{1001, 1002}, Voice: catalogue.Voice{Language: "en"}, FindsPayers: true}
	for query, want := range map[string]string{
		"111.444.777-35": "slip:1001:slip-1001 [payer] slip:1002:slip-1002 [payer]", "11144477735 100,00": "slip:1001:slip-1001 [amount payer] slip:1002:slip-1002 [amount payer]",
		"beneficiary:11144477735": "slip:1001:slip-1001 [payer] slip:1002:slip-1002 [payer]", "123.456.789-09": "",
	} {
		q, err := ParseQuery(query, ledger.NewDate(2026, time.November, 18))
		must(t, err)
		answer, err := f.Find(t.Context(), Request{Query: q})
		must(t, err)
		var got []string
		for _, h := range answer.Hits {
			got = append(got, fmt.Sprint(h.Subject, " ", h.Matched))
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%s finds %s, want %s", query, s, want)
		}
	}
}

// A query narrows by day, and shows no more than was asked for.
func TestFindWithin(t *testing.T) {
	t.Parallel()
	l := lookedUp(t, storetest.FreshSQLite(t))
	q, err := ParseQuery("*5843", ledger.NewDate(2026, time.November, 18))
	must(t, err)
	f := &Finder{Ledger: l, Accounts: []ledger.Account{1001, 1002}, Voice: catalogue.Voice{Language: "en"}}
	for _, row := range []struct {
		because string
		request Request
		hits    int
		total   int
	}{
		{"all", Request{Query: q}, 4, 4},
		{"no more than the limit", Request{Query: q, Limit: 3}, 3, 4},
		{"from a day on", Request{Query: q, From: ledger.NewDate(2026, time.November, 2)}, 2, 2},
		{"up to a day", Request{Query: q, To: ledger.NewDate(2026, time.November, 2)}, 2, 2},
	} {
		answer, err := f.Find(t.Context(), row.request)
		must(t, err)
		if len(answer.Hits) != row.hits || answer.Total != row.total || answer.TooMany {
			t.Errorf("%s: %d of %d hits", row.because, len(answer.Hits), answer.Total)
		}
	}
}
