package asof

import (
	"slices"
	"strings"
	"testing"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// keptRow keeps the last row of a table.
type keptRow struct{ row table.Row }

func (k *keptRow) Write(row table.Row) error {
	k.row = slices.Clone(row)
	return nil
}

func (*keptRow) Counter() *table.Counter { return nil }

// The cents of a claim add up whatever rounding does to its parts, and what has not happened is empty.
func TestRecoveries(t *testing.T) {
	t.Parallel()
	const reais = ledger.Real
	first := ledger.NewDate(2026, 11, 1)
	for _, tc := range []struct {
		why   string
		claim report.Claim
		want  string // claimed, recovered, given up, open, recovered on
	}{
		{"nothing has come of it", report.Claim{Claimed: 10 * reais, Open: 10 * reais, State: "claimed"}, "10.00 - - 10.00 -"},
		{
			"a part came back and the rest was given up",
			report.Claim{Claimed: 10 * reais, Recovered: 6 * reais, GivenUp: 4 * reais, RecoveredOn: first, State: "given_up"},
			"10.00 6.00 4.00 0.00 2026-11-01",
		},
		{
			"half cents go to what is open",
			report.Claim{Claimed: 10_0050, Recovered: 5_0050, Open: 5_0000, RecoveredOn: first, State: "claimed"},
			"10.01 5.01 - 5.00 2026-11-01",
		},
		{"a claim of no amount", report.Claim{State: "recovered"}, "0.00 - - 0.00 -"},
	} {
		var kept keptRow
		x := &Recoveries{out: &kept, row: RecoveriesTable.NewRow()}
		tc.claim.Account, tc.claim.ClaimedOn = 1001, first
		if err := x.addClaim(&tc.claim); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range []string{"claimed", "recovered", "given_up", "open", "recovered_on"} {
			switch c := kept.row[RecoveriesTable.ColumnIndex(id)]; {
			case !c.OK:
				got = append(got, "-")
			case c.Type == table.TypeDate:
				got = append(got, ledger.Date(c.N).String())
			default:
				got = append(got, ledger.Amount(c.N).Fixed(2))
			}
		}
		if strings.Join(got, " ") != tc.want {
			t.Errorf("%s: %v, should be %s", tc.why, got, tc.want)
		}
		if i := x.Identities(); len(i) != 1 || i[0].Printed != 0 || i[0].Exact != 0 {
			t.Errorf("%s: %+v", tc.why, i)
		}
		if err := (recoveriesReader{}).ReadRow(RecoveriesTable, kept.row); err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		kept.row[RecoveriesTable.ColumnIndex("open")] = table.Cents(99 * reais)
		if err := (recoveriesReader{}).ReadRow(RecoveriesTable, kept.row); err == nil {
			t.Errorf("%s: parts that do not add up were read", tc.why)
		}
	}
}
