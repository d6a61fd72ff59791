//go:build unix

package store_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/words"
	"concilia/store"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/reports"
	"concilia/store/storetest"
)

// concludedOf is what a run might conclude of the statements that the tests take in: of two groups one came, by a line that is half
// of a cent short or not.
func concludedOf(came ledger.Amount) *banking.Conclusion {
	const group, other, line = "group:1001:itau:2026-11-04:service", "group:1001:itau:2026-11-05:service", "bank:1001:itau:2026-11-04:357.98:0011223344556677"
	first, second := parseAmount("357.98"), parseAmount("50.00")
	month := parseDay("2026-11-01")
	bridge := func(line string, a ledger.Amount) banking.BridgeAmount {
		return banking.BridgeAmount{Month: month, Line: line, Amount: a}
	}
	out := &banking.Conclusion{
		Outcome: banking.Outcome{Verdict: ledger.Breaks, Frontier: parseDay("2026-11-05")},
		Deposits: []banking.Deposit{
			{
				Name: "aaaa", Match: "aaaa", Payer: "service", Day: parseDay("2026-11-04"), CreditDay: parseDay("2026-11-04"), Items: 3, Expected: ledger.Some(first),
				Credited: ledger.Some(came), Lines: 1, Status: "credited", Pass: ledger.Some[int64](1), Shift: ledger.Some[int64](0), Subject: group,
			},
			{Name: other, Payer: "service", Day: parseDay("2026-11-05"), CreditDay: parseDay("2026-11-05"), Items: 1, Expected: ledger.Some(second), Status: "missing", Subject: other},
		},
		Parts: []banking.DepositPart{
			{Part: group, Deposit: "aaaa", Kind: banking.GroupPart, BankDay: parseDay("2026-11-04"), Amount: first},
			{Part: line, Deposit: "aaaa", Kind: banking.LinePart, BankDay: parseDay("2026-11-04"), Amount: came},
			{Part: other, Deposit: other, Kind: banking.GroupPart, BankDay: parseDay("2026-11-05"), Amount: second},
		},
		Days: []banking.SeenDay{
			{Day: parseDay("2026-11-03"), State: banking.DayCovered},
			{Day: parseDay("2026-11-04"), State: banking.DayCovered},
			{Day: parseDay("2026-11-05"), State: banking.DayProven},
		},
		Credits: []banking.Credit{
			{Account: 1001, Day: parseDay("2026-11-04"), Side: banking.CreditedCards, Brand: "visa", Product: ledger.Credit, Band: "1", Class: ledger.Received, Items: 3, Expected: first, Credited: came},
			{Account: 1001, Day: parseDay("2026-11-05"), Side: banking.CreditedCards, Brand: "elo", Product: ledger.Credit, Band: "1", Class: ledger.Received, Items: 1, Expected: second},
		},
		Paid:   []banking.PaidSide{{Account: 1001, Side: banking.CreditedCards, Since: parseDay("2026-11-03")}},
		Whole:  true,
		Bridge: []banking.BridgeAmount{bridge("received", first+second), bridge("missing", second), bridge("booked", came)},
	}
	if came != first {
		out.Deposits[0].Status = "differs"
		out.Bridge = append(out.Bridge, bridge("differs", first-came))
	}
	return out
}

// A past run is read as it was concluded: what a later run concludes otherwise ends the rows of the first, what it concludes alike
// leaves them, and a run that is taken up again replaces its own. Each thing done behind the program's back is named.
func TestConclusionsOfBankAccounts(t *testing.T) {
	t.Parallel()
	for name, dsn := range map[string]string{"sqlite": storetest.FreshSQLite(t), "postgres": storetest.FreshPostgres(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			concludeTwice(t, openDSN(t, dsn), dsn)
		})
	}
}

func concludeTwice(t *testing.T, l *store.Ledger, dsn string) {
	t.Helper()
	takeIn(t, l, statementA)
	at := bank.Account{Home: 1001, ID: statementA.takeIn().Bank}
	keep := func(run string, what *banking.Conclusion) {
		t.Helper()
		must(t, l.KeepConclusion(t.Context(), &ledger.Run{ID: run}, at, what, nil))
	}
	keep("run1", concludedOf(parseAmount("357.98")))
	keep("run2", concludedOf(parseAmount("357.98")))
	keep("run3", concludedOf(parseAmount("300.00")))
	keep("run3", concludedOf(parseAmount("320.78")))
	beside := concludedOf(parseAmount("357.98"))
	beside.Whole, beside.After = false, "run2"
	if err := l.KeepConclusion(t.Context(), &ledger.Run{ID: "run4"}, at, beside, nil); err == nil || !strings.Contains(err.Error(), "run run3 has concluded meanwhile") {
		t.Errorf("days were kept beside a conclusion that no longer stands: %v", err)
	}
	says := func(run string) string {
		t.Helper()
		var out []string
		all := bank.Concluded{Home: 1001, Run: run, Period: ledger.Period{From: parseDay("2026-11-01"), To: parseDay("2026-11-30")}}
		must(t, l.Deposits(t.Context(), all, func(d *banking.Deposit) error {
			out = append(out, d.Status+" "+d.Credited.V.Fixed(2))
			return nil
		}))
		proven, received, err := l.ProvenAtBank(t.Context(), all, at.ID)
		must(t, err)
		rows, sums, err := l.DepositSums(t.Context(), all)
		must(t, err)
		if rows != int64(len(out)) || len(out) > 0 && sums["expected"] != int64(received) {
			t.Errorf("%s: %d rows of %v, sums %v", run, rows, out, sums)
		}
		return strings.Join(out, ", ") + "; proven " + proven.Fixed(2) + " of " + received.Fixed(2)
	}
	for _, c := range []struct{ run, want string }{
		{"run0", "; proven 0.00 of 0.00"},
		{"run1", "credited 357.98, missing 0.00; proven 357.98 of 407.98"},
		{"run2", "credited 357.98, missing 0.00; proven 357.98 of 407.98"},
		{"run3", "differs 320.78, missing 0.00; proven 0.00 of 407.98"},
	} {
		if got := says(c.run); got != c.want {
			t.Errorf("as of %s: %s, want %s", c.run, got, c.want)
		}
	}
	asked := bank.CreditsAsked{Account: 1001, Side: banking.CreditedCards, Period: ledger.Period{From: parseDay("2026-11-04"), To: parseDay("2026-11-05")}}
	for _, c := range []struct {
		why, run, expected, credited string
		brands                       []string
		classes                      []ledger.Class
	}{
		{"nothing before the first run", "run0", "0.00", "0.00", nil, nil},
		{"all that came", "run2", "407.98", "357.98", nil, nil},
		{"as a later run concluded", "run3", "407.98", "320.78", nil, nil},
		{"of a brand", "run3", "50.00", "0.00", []string{"elo"}, nil},
		{"of a class that no row has", "run3", "0.00", "0.00", nil, []ledger.Class{ledger.Blocked}},
	} {
		q := asked
		q.Run, q.Brands, q.Classes = c.run, c.brands, c.classes
		expected, credited, err := l.SumBankCredits(t.Context(), q)
		must(t, err)
		var listed ledger.Amount
		must(t, l.BankCredits(t.Context(), q, func(x *banking.Credit) error {
			listed += x.Credited
			return nil
		}))
		if expected.Fixed(2) != c.expected || credited.Fixed(2) != c.credited || listed != credited {
			t.Errorf("%s: %s of %s, listed %s", c.why, credited, expected, listed)
		}
	}
	paid, err := l.PaidInto(t.Context(), 1001, "run3")
	must(t, err)
	want := []bank.PaidAt{{Bank: at.ID, Side: banking.CreditedCards, Days: ledger.Period{From: parseDay("2026-11-03"), To: parseDay("2026-11-05")}}}
	if d := cmp.Diff(want, paid); d != "" {
		t.Errorf("account 1001 is paid into\n%s", d)
	}
	// What is current is what the last run concluded.
	proofs, err := l.BankProofs(t.Context(), 1001)
	must(t, err)
	none, err := l.BankProofs(t.Context(), 1002)
	must(t, err)
	if len(proofs) != 1 || len(none) != 0 || proofs[0].Bank != at.ID || proofs[0].Verdict != ledger.Breaks || proofs[0].Received != parseAmount("407.98") ||
		proofs[0].Proven != 0 || proofs[0].Days[banking.DayProven] != 1 || proofs[0].Days[banking.DayCovered] != 2 {
		t.Errorf("what stands is %+v, of another home %+v", proofs, none)
	}
	db := rawDB(t, dsn)
	_, err = db.Write.ExecContext(t.Context(), "UPDATE bank_deposit SET status = 'waiting' WHERE status = 'missing'")
	must(t, err)
	notDue, err := l.StateNotDue(t.Context(), reports.StateQuery{Account: 1001, AsOf: parseDay("2026-11-06"), AsOfRun: "run3"})
	must(t, err)
	if len(notDue) != 1 || notDue[0] != (reports.NotDue{Kind: "bank_missing", Count: 1, Printed: parseAmount("50.00"), Exact: parseAmount("50.00")}) {
		t.Errorf("not yet due at the bank is %+v", notDue)
	}
	_, err = db.Write.ExecContext(t.Context(), "UPDATE bank_deposit SET status = 'missing' WHERE status = 'waiting'")
	must(t, err)
	for _, c := range []struct{ name, break_, mend, want string }{
		{"nothing was done", "", "", ""},
		{"a line grew", "UPDATE bank_deposit_part SET amount = amount + 100 WHERE kind = 'line' AND ended_run IS NULL", "UPDATE bank_deposit_part SET amount = amount - 100 WHERE kind = 'line' AND ended_run IS NULL", "the lines of aaaa come to"},
		{"nobody matched it", "UPDATE bank_deposit SET pass = 0 WHERE pass = 1 AND ended_run IS NULL", "UPDATE bank_deposit SET pass = 1 WHERE pass = 0 AND ended_run IS NULL", "aaaa is matched by a person, and the log of acts has nothing of it"},
		{"what is missing is closed", "UPDATE bank_deposit SET closed_day = day WHERE status = 'missing' AND ended_run IS NULL", "UPDATE bank_deposit SET closed_day = NULL", "is of a closed day, and did not come whole on it"},
		{"a deposit is gone", "UPDATE bank_deposit SET ended_run = 'x' WHERE status = 'missing'", "UPDATE bank_deposit SET ended_run = NULL WHERE status = 'missing'", "has parts and is not current"},
		{"a line of the bridge is gone", "UPDATE bank_bridge SET ended_run = 'x' WHERE line = 'missing'", "UPDATE bank_bridge SET ended_run = NULL WHERE line = 'missing'", "the bridge of 2026-11 leaves 50.00"},
	} {
		if c.break_ != "" {
			_, err := db.Write.ExecContext(t.Context(), c.break_)
			must(t, err)
		}
		r, err := l.Check(t.Context())
		must(t, err)
		if found := slices.ContainsFunc(r.Faults, func(m words.Message) bool { return strings.Contains(m.String(), c.want) }); c.want == "" && len(r.Faults) > 0 || c.want != "" && !found {
			t.Errorf("%s: says %q", c.name, r.Faults)
		}
		if c.mend != "" {
			_, err := db.Write.ExecContext(t.Context(), c.mend)
			must(t, err)
		}
	}
	if _, err := db.Write.ExecContext(t.Context(), "INSERT INTO bank_deposit_part (account, bank, part, run, deposit, kind, bank_day, amount) SELECT account, bank, part, 'run9', 'bbbb', kind, bank_day, amount FROM bank_deposit_part WHERE ended_run IS NULL"); err == nil {
		t.Error("a line is in two matches")
	}
	// With a critical case a bank account has no rows, and tells of no day: what summaries say of the bank is empty.
	critical := concludedOf(parseAmount("320.78"))
	critical.Verdict = ledger.Incomplete
	keep("run5", critical)
	if got := says("run5"); got != "; proven 0.00 of 407.98" {
		t.Errorf("with a critical case: %s", got)
	}
	paid, err = l.PaidInto(t.Context(), 1001, "run5")
	must(t, err)
	if len(paid) != 1 || paid[0].Bank != at.ID || paid[0].Days.Days() > 0 {
		t.Errorf("with a critical case account 1001 is paid into %+v", paid)
	}
}

// Each line of a deposit leads to the statement that first had it as booked, whatever later ones call it; of lines that are alike the
// subject's number tells which, and a line of the same amount on another day is another.
func TestLineOrigins(t *testing.T) {
	t.Parallel()
	for name, l := range bankLedgers(t) {
		first := download{name: "first", made: "2026-11-05T09:00:00", from: "2026-11-03", to: "2026-11-04", rows: []string{
			"2026-11-03 10.00 PIX", "2026-11-04 10.00 PIX", "2026-11-04 10.00 TED",
		}, scheduled: []string{"2026-11-06 30.00 PIX"}}
		second := download{name: "second", made: "2026-11-07T09:00:00", from: "2026-11-04", to: "2026-11-06", rows: []string{
			"2026-11-04 10.00 PIX", "2026-11-04 10.00 PIX", "2026-11-04 10.00 TED", "2026-11-06 30.00 PIX",
		}}
		one, two := takeInAs(t, l, first), takeInAs(t, l, second)
		subject := func(day, amount, text, number string) string {
			return banking.LineSubject(1001, home.ID, &banking.Row{Day: parseDay(day), Amount: parseAmount(amount), Text: text}) + number
		}
		lines := map[string]string{
			subject("2026-11-03", "10.00", "PIX", ""):   "first.ofx " + one,
			subject("2026-11-04", "10.00", "PIX", ""):   "first.ofx " + one,
			subject("2026-11-04", "10.00", "PIX", "~2"): "second.ofx " + two,
			subject("2026-11-04", "10.00", "TED", ""):   "first.ofx " + one,
			subject("2026-11-06", "30.00", "PIX", ""):   "second.ofx " + two, // the first announced it
		}
		kept := &banking.Conclusion{Deposits: []banking.Deposit{{Name: "aaaa", Payer: "service", Day: parseDay("2026-11-04"), Status: "unexpected", Lines: 5}}}
		for s := range lines {
			p, _ := ledger.ParseSubject(s)
			kept.Parts = append(kept.Parts, banking.DepositPart{
				Part: s, Deposit: "aaaa", Kind: banking.LinePart, BankDay: parseDay(p.Parts[1]), Amount: parseAmount(p.Parts[2]),
			})
		}
		must(t, l.KeepConclusion(t.Context(), &ledger.Run{ID: "run1"}, home, kept, nil))
		check := func(when string) {
			t.Helper()
			origins, err := l.LineOrigins(t.Context(), home, "aaaa")
			must(t, err)
			got := map[string]string{}
			for _, o := range origins {
				got[o.Subject] = o.File + " " + o.SHA256
				if p, _ := ledger.ParseSubject(o.Subject); o.Day != parseDay(p.Parts[1]) || o.Amount.Fixed(2) != p.Parts[2] || !o.Taken.Equal(first.takeIn().At) {
					t.Errorf("%s, %s: %+v", name, when, o)
				}
			}
			if diff := cmp.Diff(lines, got); diff != "" {
				t.Errorf("%s, %s: %s", name, when, diff)
			}
		}
		check("as taken in")
		takeIn(t, l, download{name: "third", made: "2026-11-08T09:00:00", from: "2026-11-03", to: "2026-11-03", rows: []string{"2026-11-03 10.00 PIX DE LOJA"}})
		check("reworded since")
		if none, err := l.LineOrigins(t.Context(), home, "bbbb"); err != nil || len(none) > 0 {
			t.Errorf("%s: no deposit has the lines %v, %v", name, none, err)
		}
	}
}

// takeInAs takes in a download and returns the SHA-256 of its bytes.
func takeInAs(t *testing.T, l *store.Ledger, d download) string {
	t.Helper()
	takeIn(t, l, d)
	bytes := d.takeIn().Bytes
	return hex.EncodeToString(bytes[:])
}
