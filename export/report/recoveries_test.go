package report

import (
	"strings"
	"testing"

	"concilia/export/table"
	"concilia/store/ledger"
)

// The cents of a claim add up whatever rounding does to its parts, and what has not happened is empty.
func TestRecoveries(t *testing.T) {
	t.Parallel()
	const reais = ledger.Real
	for _, tc := range []struct {
		why   string
		claim Claim
		want  string // claimed, recovered, given up, open, recovered on
	}{
		{"nothing has come of it", Claim{Claimed: 10 * reais, Open: 10 * reais, State: "claimed"}, "10.00 - - 10.00 -"},
		{
			"a part came back and the rest was given up",
			Claim{Claimed: 10 * reais, Recovered: 6 * reais, GivenUp: 4 * reais, RecoveredOn: november.From, State: "given_up"},
			"10.00 6.00 4.00 0.00 2026-11-01",
		},
		{
			"half cents go to what is open",
			Claim{Claimed: 10_0050, Recovered: 5_0050, Open: 5_0000, RecoveredOn: november.From, State: "claimed"},
			"10.01 5.01 - 5.00 2026-11-01",
		},
		{"a claim of no amount", Claim{State: "recovered"}, "0.00 - - 0.00 -"},
	} {
		var kept rowsKept
		x := &Recoveries{out: &kept, row: RecoveriesTable.NewRow()}
		tc.claim.Account, tc.claim.ClaimedOn = 1001, november.From
		if err := x.addClaim(&tc.claim); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range []string{"claimed", "recovered", "given_up", "open", "recovered_on"} {
			switch c := kept.rows[0][RecoveriesTable.ColumnIndex(id)]; {
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
		if err := (recoveriesReader{}).ReadRow(RecoveriesTable, kept.rows[0]); err != nil {
			t.Errorf("%s: %v", tc.why, err)
		}
		kept.rows[0][RecoveriesTable.ColumnIndex("open")] = table.Cents(99 * reais)
		if err := (recoveriesReader{}).ReadRow(RecoveriesTable, kept.rows[0]); err == nil {
			t.Errorf("%s: parts that do not add up were read", tc.why)
		}
	}
}
