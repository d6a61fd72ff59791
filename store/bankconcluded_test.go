//go:build unix

package store_test

import (
	"slices"
	"strings"
	"testing"

	"concilia/store"
	"concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/storetest"
)

// concludedOf is what a run might conclude of the statements that the tests take in: of two groups one came, by a line that is half
// of a cent short or not.
func concludedOf(came ledger.Amount) *ledger.BankConclusion {
	const group, other, line = "group:1001:itau:2026-11-04:service", "group:1001:itau:2026-11-05:service", "bank:1001:itau:2026-11-04:357.98:0011223344556677"
	first, second := parseAmount("357.98"), parseAmount("50.00")
	month := parseDay("2026-11-01")
	bridge := func(line string, a ledger.Amount) ledger.BankBridgeAmount {
		return ledger.BankBridgeAmount{Month: month, Line: line, Amount: a}
	}
	out := &ledger.BankConclusion{
		BankStanding: ledger.BankStanding{Verdict: ledger.Breaks, Frontier: parseDay("2026-11-05")},
		Deposits: []ledger.Deposit{
			{
				Name: "aaaa", Match: "aaaa", Payer: "service", Day: parseDay("2026-11-04"), CreditDay: parseDay("2026-11-04"), Items: 3, Expected: ledger.Some(first),
				Credited: ledger.Some(came), Lines: 1, Status: "credited", Pass: ledger.Some[int64](1), Shift: ledger.Some[int64](0), Subject: group,
			},
			{Name: other, Payer: "service", Day: parseDay("2026-11-05"), CreditDay: parseDay("2026-11-05"), Items: 1, Expected: ledger.Some(second), Status: "missing", Subject: other},
		},
		Parts: []ledger.DepositPart{
			{Part: group, Deposit: "aaaa", Kind: ledger.GroupPart, BankDay: parseDay("2026-11-04"), Amount: first},
			{Part: line, Deposit: "aaaa", Kind: ledger.LinePart, BankDay: parseDay("2026-11-04"), Amount: came},
			{Part: other, Deposit: other, Kind: ledger.GroupPart, BankDay: parseDay("2026-11-05"), Amount: second},
		},
		Days: []ledger.SeenBankDay{
			{Day: parseDay("2026-11-03"), State: ledger.BankDayCovered},
			{Day: parseDay("2026-11-04"), State: ledger.BankDayCovered},
			{Day: parseDay("2026-11-05"), State: ledger.BankDayProven},
		},
		Bridge: []ledger.BankBridgeAmount{bridge("received", first+second), bridge("missing", second), bridge("booked", came)},
	}
	if came != first {
		out.Deposits[0].Status = "differs"
		out.Bridge = append(out.Bridge, bridge("differs", first-came))
	}
	return out
}

// A past run is told as it was believed: what a later run concludes otherwise ends the rows of the first, what it concludes alike
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
	keep := func(run string, what *ledger.BankConclusion) {
		t.Helper()
		must(t, l.KeepConclusion(t.Context(), &ledger.Run{ID: run}, at, what, nil))
	}
	keep("run1", concludedOf(parseAmount("357.98")))
	keep("run2", concludedOf(parseAmount("357.98")))
	keep("run3", concludedOf(parseAmount("300.00")))
	keep("run3", concludedOf(parseAmount("320.78")))
	says := func(run string) string {
		t.Helper()
		var out []string
		all := bank.Concluded{Home: 1001, Run: run, Period: ledger.Period{From: parseDay("2026-11-01"), To: parseDay("2026-11-30")}}
		must(t, l.Deposits(t.Context(), all, func(d *ledger.Deposit) error {
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
	// What stands is what the last run concluded.
	proofs, err := l.BankProofs(t.Context(), 1001)
	must(t, err)
	none, err := l.BankProofs(t.Context(), 1002)
	must(t, err)
	if len(proofs) != 1 || len(none) != 0 || proofs[0].Bank != at.ID || proofs[0].Verdict != ledger.Breaks || proofs[0].Received != parseAmount("407.98") ||
		proofs[0].Proven != 0 || proofs[0].Days[ledger.BankDayProven] != 1 || proofs[0].Days[ledger.BankDayCovered] != 2 {
		t.Errorf("what stands is %+v, of another home %+v", proofs, none)
	}
	db := rawDB(t, dsn)
	for _, c := range []struct{ name, break_, mend, want string }{
		{"nothing was done", "", "", ""},
		{"a line grew", "UPDATE bank_deposit_part SET amount = amount + 100 WHERE kind = 'line' AND ended_run IS NULL", "UPDATE bank_deposit_part SET amount = amount - 100 WHERE kind = 'line' AND ended_run IS NULL", "the lines of aaaa come to"},
		{"nobody matched it", "UPDATE bank_deposit SET pass = 0 WHERE pass = 1 AND ended_run IS NULL", "UPDATE bank_deposit SET pass = 1 WHERE pass = 0 AND ended_run IS NULL", "aaaa is matched by a person, and the log of acts has nothing of it"},
		{"a deposit is gone", "UPDATE bank_deposit SET ended_run = 'x' WHERE status = 'missing'", "UPDATE bank_deposit SET ended_run = NULL WHERE status = 'missing'", "has parts and does not stand"},
		{"a line of the bridge is gone", "UPDATE bank_bridge SET ended_run = 'x' WHERE line = 'missing'", "UPDATE bank_bridge SET ended_run = NULL WHERE line = 'missing'", "the bridge of 2026-11 leaves 50.00"},
	} {
		if c.break_ != "" {
			_, err := db.Write.ExecContext(t.Context(), c.break_)
			must(t, err)
		}
		r, err := l.Check(t.Context())
		must(t, err)
		if found := slices.ContainsFunc(r.Faults, func(s string) bool { return strings.Contains(s, c.want) }); c.want == "" && len(r.Faults) > 0 || c.want != "" && !found {
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
}
