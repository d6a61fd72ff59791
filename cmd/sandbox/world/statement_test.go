package world_test

import (
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
)

// Every format has the same movements of the days asked for, and the balances of a table follow its rows.
func TestStatementsInEveryFormat(t *testing.T) {
	t.Parallel()
	w, err := world.New(world.Options{Plant: true})
	if err != nil {
		t.Fatal(err)
	}
	first, _ := w.Days()
	last := w.AsOf() - 1
	for _, b := range w.Banks() {
		p := world.StatementPeriod{From: first + 20, To: last - 3, Made: w.Now()}
		rows := strings.Split(strings.TrimSpace(string(w.StatementCSV(b, p, true))), "\r\n")[1:]
		entries := strings.Count(string(w.StatementCNAB(b, p, true)), "DPV00")
		transactions := strings.Count(string(w.StatementOFX(b, p, true)), "<STMTTRN>")
		if len(rows) < 20 || len(rows) != entries || transactions != entries+2 {
			t.Errorf("%s: %d rows, %d entries, %d transactions of which one is a balance and one announced", b.ID, len(rows), entries, transactions)
		}
		var before world.Money
		for i, row := range rows {
			f := strings.Split(row, ";")
			amount, err := world.ParseMoney(strings.Replace(strings.TrimPrefix(f[3], "-"), ",", ".", 1))
			balance, balanceErr := world.ParseMoney(strings.Replace(f[4], ",", ".", 1))
			if err != nil || balanceErr != nil {
				t.Fatal(row, err, balanceErr)
			}
			if strings.HasPrefix(f[3], "-") {
				amount = -amount
			}
			if i > 0 && balance != before+amount {
				t.Errorf("%s: after %s comes %q", b.ID, before.Cents(), row)
			}
			before = balance
		}
	}
}
