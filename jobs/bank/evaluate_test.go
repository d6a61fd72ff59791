package bank_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/agreements"
	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/deposits"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

func november(day int) ledger.Date { return ledger.NewDate(2026, 11, day) }

// bankExample is a worked example: what the service says it credited, the lines of the statement, and how it is configured.
type bankExample struct {
	says  string
	paid  []string // DAY BRAND AMOUNT [ACCOUNT], of slips DAY slips ID AMOUNT
	lines []string // DAY AMOUNT; a second one on a day with the same amount is of the same text
	asOf  int      // 18 where it is 0
	payer bank.Payer
	// unsettled are days that no statement has whole; gone are lines that vanished.
	unsettled []int
	gone      []string
	// broken are days whose balances the lines do not come to, by how much.
	broken map[int]string
	// terminals are how many sold in October.
	terminals int
}

// evaluateExample evaluates an example, and tells its cases in both languages.
func evaluateExample(t *testing.T, x *bankExample) string {
	t.Helper()
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	contracts, err := agreements.ParseContracts("c", []byte("contracts:\n  - {account: 1001, valid_from: 2024-01-01, slip: {tariff: 2.50}, rental: 59.90}\n"))
	if err != nil {
		t.Fatal(err)
	}
	if x.asOf == 0 {
		x.asOf = 18
	}
	p := x.payer
	p.Name, p.Match, p.Cards, p.Slips = "service", bank.Pattern{Piece: "SERVICO"}, true, true
	if p.Grain == "" {
		p.Grain = match.Day
	}
	account := &bank.Account{ID: "itau-12345", Accounts: []ledger.Account{1001}, Shift: 5, Payers: []bank.Payer{p}}
	var settled []banking.Day
	for d := 3; d < x.asOf; d++ {
		settled = append(settled, banking.Day{Day: november(d), State: banking.DayCovered})
	}
	for _, d := range x.unsettled {
		settled[d-3].State = banking.DayPartial
	}
	for d, by := range x.broken {
		settled[d-3].State, settled[d-3].Residual = banking.DayBroken, ledger.Some(reaisOf(t, by))
	}
	c := bank.NewConciliation(account, 1001, settled, bank.Terms{Mapping: agreements.DefaultMapping(), Contracts: contracts, Calendar: days})
	if months := c.RentedMonths(1001); !slices.Equal(months, []ledger.Date{november(1)}) {
		t.Errorf("%s: rented in %v", x.says, months)
	}
	sold := map[string][]string{"of sales that were taken back": {"Cancelado"}}
	for n := range x.terminals {
		sold[fmt.Sprint(n)] = []string{"Cancelado", "Aprovado"}
	}
	c.AddTerminals(1001, november(1), sold)
	addPaid(t, c, x.paid)
	addLines(c, x.lines, false)
	addLines(c, x.gone, true)
	run := &ledger.Run{ID: "run", AsOf: november(x.asOf)}
	matched := c.Match(run.AsOf)
	addPaid(t, matched.NewTitles(), x.paid)
	found, err := matched.Evaluate(run, bank.Known{Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "== %s, as of %s\n", x.says, run.AsOf)
	for _, m := range matched.Bridge() {
		fmt.Fprintf(&b, "bridge %s: received %s", m.Month.String()[:7], m.Received.Fixed(2))
		for _, line := range match.BridgeLines() {
			if a := m.Lines[line]; a != 0 {
				fmt.Fprintf(&b, ", %s %s", line, a.Fixed(2))
			}
		}
		fmt.Fprintf(&b, ", booked %s, residual %s\n", m.Booked.Fixed(2), m.Residual().Fixed(2))
	}
	for _, f := range found.Findings {
		impact := "-"
		if f.Impact.OK {
			impact = f.Impact.V.Fixed(2)
		}
		fmt.Fprintf(&b, "%s %s %s %s %s", f.Code, f.Severity, f.State, impact, f.Subject)
		if f.BreakOn != 0 {
			fmt.Fprintf(&b, " break_on %s", f.BreakOn)
		}
		if f.ExplainedBy != "" {
			fmt.Fprintf(&b, " explained by %s", f.ExplainedBy)
		}
		b.WriteString("\n")
		for _, lang := range []string{"en", "pt-BR"} {
			voice := catalogue.Voice{Language: lang}
			fmt.Fprintf(&b, "    %s\n    %s\n", voice.Explain(f), catalogue.Formula(f, nil, lang))
		}
	}
	return b.String()
}

// paidTaker takes what the service says it credited.
type paidTaker interface {
	AddInstallment(*banking.CreditedInstallment)
	AddSlip(*banking.CreditedSlip)
}

func addPaid(t *testing.T, to paidTaker, paid []string) {
	t.Helper()
	for i, text := range paid {
		f := strings.Fields(text)
		var day int
		if _, err := fmt.Sscan(f[0], &day); err != nil {
			t.Fatal(err)
		}
		if f[1] == "slips" {
			to.AddSlip(&banking.CreditedSlip{Account: 1001, ID: f[2], Day: november(day), Due: november(day), Paid: reaisOf(t, f[3])})
			continue
		}
		x := banking.CreditedInstallment{Account: 1001, Day: november(day), Amount: reaisOf(t, f[2]), Brand: f[1], Product: "CREDIT", Key: fmt.Sprintf("card:1001:2026-10-02:%d:A:1", i+1)}
		if len(f) > 3 {
			x.Account = 1002
		}
		to.AddInstallment(&x)
	}
}

func addLines(c *bank.Conciliation, lines []string, vanished bool) {
	for _, text := range lines {
		var day int
		var amount string
		if _, err := fmt.Sscan(text, &day, &amount); err != nil {
			panic(err)
		}
		a, err := ledger.ParseAmount(amount)
		if err != nil {
			panic(err)
		}
		c.AddLine(&banking.Line{Row: banking.Row{Day: november(day), Amount: a, Text: "PAGAMENTO SERVICO"}, Vanished: vanished})
	}
}

func reaisOf(t *testing.T, text string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestWorkedExamples: each worked example gives its cases, with severity, impact and sentence. November 2026: Monday 2 and
// Friday 20 are holidays.
func TestWorkedExamples(t *testing.T) {
	t.Parallel()
	fourth := []string{"4 visa 97.11", "4 visa 48.50", "4 mastercard 212.37"}
	byBrand := bank.Payer{Grain: match.Brand}
	halves := []string{"4 visa 100.00", "4 mastercard 100.00", "4 elo 200.00"}
	six := []string{"4 visa 40.00", "4 visa 30.00", "4 visa 50.00", "4 mastercard 60.00", "4 mastercard 80.00", "4 mastercard 100.00"}
	slips := []string{"9 slips a 150.00", "9 slips b 320.00", "9 slips c 327.79"}
	month := append([]string{"5 visa 100.00", "6 visa 250.00", "17 visa 84.15"}, fourth...)
	var b strings.Builder
	for _, x := range []bankExample{
		{says: "a: exact day", paid: fourth, lines: []string{"4 357.98"}},
		{says: "b: by brand", paid: fourth, lines: []string{"4 145.61", "4 212.37"}, payer: byBrand},
		{says: "b: by brand, one does not come", paid: fourth, lines: []string{"4 212.37"}, payer: byBrand},
		{says: "c: two shops in one credit", paid: append([]string{"4 visa 120.02 1002"}, fourth...), lines: []string{"4 478.00"}},
		{says: "d: rental netted", paid: fourth, lines: []string{"4 238.18"}, terminals: 2},
		{says: "the rental of one terminal is taken, of two it is agreed", paid: fourth, lines: []string{"4 298.08"}, terminals: 2},
		{says: "the rental of two terminals is taken by a line of its own, of one it is agreed", paid: fourth, lines: []string{"4 357.98", "5 -119.80"}, terminals: 1},
		{says: "e: unknown 37.20", paid: fourth, lines: []string{"4 320.78"}},
		{says: "f: split credit", paid: fourth, lines: []string{"4 200.00", "4 157.98"}},
		{says: "g: holiday, and a day late", paid: []string{"20 visa 84.15", "19 visa 61.40"}, lines: []string{"23 84.15", "23 61.40"}, asOf: 25},
		{says: "h: returned", paid: fourth, lines: []string{"4 357.98", "5 -357.98"}, asOf: 6},
		{says: "h: returned and sent again", paid: fourth, lines: []string{"4 357.98", "5 -357.98", "9 357.98"}, asOf: 10},
		{says: "a credit of nothing known, taken back and sent again", paid: fourth, lines: []string{"4 357.98", "4 99.00", "5 -99.00", "9 99.00"}, asOf: 18},
		{says: "i: foreign credit, not yet", paid: fourth, lines: []string{"4 357.98", "4 145.61"}, asOf: 5},
		{says: "i: foreign credit, a warning", paid: fourth, lines: []string{"4 357.98", "4 145.61"}, asOf: 6},
		{says: "i: foreign credit, an error", paid: fourth, lines: []string{"4 357.98", "4 145.61"}, asOf: 12},
		{says: "j: late, pending", paid: fourth, asOf: 5},
		{says: "j: late, missing", paid: fourth, asOf: 6},
		{says: "j: late, it came", paid: fourth, lines: []string{"6 357.98"}, asOf: 9},
		{says: "j: later than is waited for", paid: fourth, lines: []string{"12 357.98"}, asOf: 16},
		{says: "k: slips, tariff 0.40 too high", paid: slips, lines: []string{"9 789.09"}, payer: bank.Payer{NetOfTariff: true}},
		{says: "k: slips, no tariff explains it", paid: slips, lines: []string{"9 789.08"}, payer: bank.Payer{NetOfTariff: true}},
		{says: "l: equal credits", paid: []string{"5 slips a 50.00", "5 slips b 50.00", "5 slips c 50.00"}, lines: []string{"5 50.00", "5 50.00"}, payer: bank.Payer{Grain: match.Slip}},
		{says: "m: a balance that the lines do not come to", paid: fourth, lines: []string{"4 357.98"}, broken: map[int]string{6: "-10.00", 7: "-10.00", 8: "-10.00", 9: "-10.00"}},
		{says: "n: month", paid: month, lines: []string{"4 238.18", "5 62.80", "9 145.61", "10 -12.00"}, terminals: 2},
		{says: "two sets of parts come to what came", paid: halves, lines: []string{"4 200.00"}},
		{says: "two parts come to a credit beside a missing group", paid: halves, lines: []string{"4 100.00"}},
		{says: "two installments of three come to what came", paid: fourth, lines: []string{"4 260.87"}},
		{says: "an installment is a credit beside a missing group, and not the nearest one", paid: fourth, lines: []string{"4 97.11", "4 600.00"}},
		{says: "too many installments: one brand of two comes to a credit beside a missing group", paid: six, lines: []string{"4 120.00"}},
		{says: "credits come to a missing group", paid: []string{"4 visa 400.00"}, lines: []string{"4 200.00", "4 200.00", "4 70.00"}},
		{says: "two sets of credits come to a missing group", paid: []string{"4 visa 400.00"}, lines: []string{"4 100.00", "4 300.00", "4 200.00", "4 200.00"}},
		{says: "a day that no statement has whole", paid: fourth, lines: []string{"4 100.00"}, unsettled: []int{4, 5}},
		{says: "a line that vanished", paid: fourth, lines: []string{"4 357.98"}, gone: []string{"4 357.98"}},
	} {
		b.WriteString(evaluateExample(t, &x))
	}
	const path = "../../testdata/bank/examples.golden"
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("%s differs (UPDATE_GOLDEN=1 rewrites it):\n%s", path, d)
	}
}

// TestCreditEqualsWhatIsOverdue: a credit that nothing is says so where it equals what the service says is late, of a slip less its tariff;
// where it equals more than one thing it says nothing.
func TestCreditEqualsWhatIsOverdue(t *testing.T) {
	t.Parallel()
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	contracts, err := agreements.ParseContracts("c", []byte("contracts:\n  - {account: 1001, valid_from: 2024-01-01, slip: {tariff: 2.50}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	account := &bank.Account{ID: "b", Accounts: []ledger.Account{1001}, Shift: 5, Payers: []bank.Payer{
		{Name: "service", Match: bank.Pattern{Piece: "SERVICO"}, Cards: true, Slips: true, NetOfTariff: true, Grain: match.Day},
	}}
	var settled []banking.Day
	for d := 3; d < 18; d++ {
		settled = append(settled, banking.Day{Day: november(d), State: banking.DayProven})
	}
	const card, other, slip = "card:1001:2026-10-01:1:a:1", "card:1001:2026-10-01:2:b:1", "slip:1001:x"
	for _, x := range []struct {
		says, came string
		paid       []string // that is missing
		late       map[string]string
		want       string
	}{
		{"an installment that is late", "97.11", nil, map[string]string{card: "97.11"}, card},
		{"a slip that is late, less its tariff", "47.50", nil, map[string]string{slip: "50.00"}, slip},
		{"a slip that is late, whole", "50.00", nil, map[string]string{slip: "50.00"}, ""},
		{"two installments that are late", "97.11", nil, map[string]string{card: "97.11", other: "97.11"}, ""},
		{"what is missing, and an installment that is late", "97.11", []string{"4 visa 97.11"}, map[string]string{card: "97.11"}, ""},
		{"what is missing alone", "97.11", []string{"4 visa 97.11"}, map[string]string{card: "12.00"}, "group:1001:b:2026-11-04:service"},
	} {
		c := bank.NewConciliation(account, 1001, settled, bank.Terms{Mapping: agreements.DefaultMapping(), Contracts: contracts, Calendar: days})
		addPaid(t, c, x.paid)
		addLines(c, []string{"16 " + x.came}, false)
		for subject, amount := range x.late {
			c.AddOverdue(&ledger.Finding{Account: 1001, Subject: subject, Day: november(1), Impact: ledger.Some(reaisOf(t, amount))}, subject == slip)
		}
		run := &ledger.Run{ID: "run", AsOf: november(18)}
		matched := c.Match(run.AsOf)
		if !matched.HasUnexpected() {
			t.Errorf("%s: nothing is unexpected", x.says)
		}
		found, err := matched.Evaluate(run, bank.Known{Complete: true})
		if err != nil {
			t.Fatal(err)
		}
		got := "no case"
		for _, f := range found.Findings {
			if f.Code == deposits.CreditUnexpected {
				got = ""
				for _, n := range f.Numbers {
					if n.Name == "equals" {
						got = n.Value
					}
				}
			}
		}
		reason := ""
		for _, d := range matched.Conclude(matched.NewTitles(), found, ledger.Breaks).Deposits {
			if d.Status == string(match.Unexpected) {
				reason = d.Reason.Names
			}
		}
		inList := x.want
		if len(x.paid) > 0 && x.want != "" {
			inList = "2026-11-04" // a list of the account names its groups by their keys
		}
		if got != x.want || reason != inList {
			t.Errorf("%s: the case says it equals %q, the row %q; want %q and %q", x.says, got, reason, x.want, inList)
		}
	}
}

// TestRegroupedGroups: once the configuration asks for other groups, the case of one that is no more does not count as come.
func TestRegroupedGroups(t *testing.T) {
	t.Parallel()
	c := conciliateNovember(t) // by day
	addPaid(t, c, []string{"4 visa 97.11", "5 visa 48.50"})
	run := &ledger.Run{ID: "run", AsOf: november(18)}
	matched := c.Match(run.AsOf)
	for _, x := range []struct {
		subject   string
		regrouped bool
		want      ledger.Closing
	}{
		{"group:1001:b:2026-11-04:service", true, ""},
		{"group:1001:b:2026-11-04:service:visa", true, ledger.Regrouped},
		{"group:1001:b:2026-11-04:another", true, ledger.Regrouped},
		{"group:1001:b:2026-11-04:service:visa", false, ""},
		{"bank:1001:b:2026-11-04:97.11:2b6755162b9c46fa", true, ""},
	} {
		found, err := matched.Evaluate(run, bank.Known{Complete: true, Regrouped: x.regrouped})
		if err != nil {
			t.Fatal(err)
		}
		if got := found.Closes(&ledger.Finding{Subject: x.subject}); got != x.want {
			t.Errorf("%s, other terms %v: closed as %q, want %q", x.subject, x.regrouped, got, x.want)
		}
	}
}

// TestStatementLate: two business days after the day after the last settled one a statement is late, after ten it is critical.
func TestStatementLate(t *testing.T) {
	t.Parallel()
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	account := &bank.Account{ID: "itau-12345", Accounts: []ledger.Account{1001}}
	settled := []banking.Day{{Day: november(3), State: banking.DayProven}}
	for _, x := range []struct {
		says string
		asOf int
		want string
	}{
		{"the day after", 4, ""},
		{"within the grace", 6, ""},
		{"a business day past it", 7, "W"},
		{"ten business days and the day after", 18, "W"},
		{"past them", 19, "C"},
	} {
		c := bank.NewConciliation(account, 1001, settled, bank.Terms{Calendar: days})
		found, err := (&bank.Matched{Conciliation: c}).Evaluate(&ledger.Run{ID: "run", AsOf: november(x.asOf)}, bank.Known{Complete: true})
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range found.Findings {
			if f.Code != deposits.StatementLate || f.Subject != "source:1001:bank.itau-12345" {
				t.Errorf("%s: %s on %s", x.says, f.Code, f.Subject)
			}
			got += string(f.Severity)
		}
		if got != x.want {
			t.Errorf("%s: %q, want %q", x.says, got, x.want)
		}
	}
}

// TestIncompleteAccounts: while something of the accounts was not pulled, a credit that is not expected, or one that differs, is
// neither reported nor forgotten; what is missing is reported.
func TestIncompleteAccounts(t *testing.T) {
	t.Parallel()
	c := conciliateNovember(t)
	addPaid(t, c, []string{"4 visa 100.00", "6 visa 70.00"})
	addLines(c, []string{"4 90.00", "9 12.00", "9 -5.00"}, false)
	run := &ledger.Run{ID: "run", AsOf: november(18)}
	found, err := c.Match(run.AsOf).Evaluate(run, bank.Known{})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Findings) != 1 || found.Findings[0].Code != deposits.CreditMissing {
		t.Errorf("found %+v", found.Findings)
	}
	for code, want := range map[string]bool{
		deposits.AmountMismatch: true, deposits.CreditUnexpected: true, deposits.DebitUnexplained: true, deposits.CreditMissing: false, deposits.DateShift: false,
	} {
		if got := found.Leaves(&ledger.Finding{Code: code}); got != want {
			t.Errorf("an earlier case of %s is left: %v", code, got)
		}
	}
}

// TestBridgeThatDoesNotClose: were a row lost between matching and evaluating, its month would be critical.
func TestBridgeThatDoesNotClose(t *testing.T) {
	t.Parallel()
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	account := &bank.Account{ID: "itau-12345", Accounts: []ledger.Account{1001}, Shift: 5, Payers: []bank.Payer{{
		Name: "service", Match: bank.Pattern{Piece: "SERVICO"}, Cards: true, Grain: match.Day,
	}}}
	settled := []banking.Day{{Day: november(3), State: banking.DayCovered}, {Day: november(4), State: banking.DayCovered}}
	c := bank.NewConciliation(account, 1001, settled, bank.Terms{Mapping: agreements.DefaultMapping(), Calendar: days})
	addPaid(t, c, []string{"4 visa 97.11"})
	addLines(c, []string{"4 90.00"}, false)
	run := &ledger.Run{ID: "run", AsOf: november(5)}
	matched := c.Match(run.AsOf)
	matched.Results[0].Rows = nil
	found, err := matched.Evaluate(run, bank.Known{Complete: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Findings) != 1 || found.Findings[0].Severity != ledger.Critical || found.Findings[0].Subject != "month:1001:2026-11:bank.itau-12345" ||
		found.Findings[0].Expected.Amount != reaisOf(t, "7.11") || found.Findings[0].Actual.Amount != 0 {
		t.Errorf("found %+v", found.Findings)
	}
}

// conciliateNovember is the conciliation of a bank account whose service pays cards by the day; the days of 2026-11-03 to 2026-11-17 are proven.
func conciliateNovember(t *testing.T) *bank.Conciliation {
	t.Helper()
	days, err := calendar.New(calendar.Options{})
	if err != nil {
		t.Fatal(err)
	}
	account := &bank.Account{ID: "b", Accounts: []ledger.Account{1001}, Shift: 5, Payers: []bank.Payer{
		{Name: "service", Match: bank.Pattern{Piece: "SERVICO"}, Cards: true, Grain: match.Day},
	}}
	var settled []banking.Day
	for d := 3; d < 18; d++ {
		settled = append(settled, banking.Day{Day: november(d), State: banking.DayProven})
	}
	return bank.NewConciliation(account, 1001, settled, bank.Terms{Mapping: agreements.DefaultMapping(), Contracts: agreements.NoContracts(), Calendar: days})
}
