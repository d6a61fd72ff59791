package html

import (
	"testing"

	"concilia/store/ledger"
)

// A bridge is shown in cents, and whole at four decimals where one of its amounts has parts of a cent: the lines shown add up either way.
func TestBridgeIsShownInCents(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		line, sum ledger.Amount
		want      string
	}{
		{110_000, 110_000, "11,00 11,00"},
		{110_025, 110_025, "11,0025 11,0025"},
		{110_000, 110_025, "11,0000 11,0025"},
	} {
		b := Bridge{Lines: []Step{{Amount: row.line}}, Sum: row.sum, Difference: row.sum}
		v := &pageView{Page: &Page{Language: "pt-BR"}}
		if got := v.formatStep(b, row.line) + " " + v.formatStep(b, row.sum); got != row.want {
			t.Errorf("it shows %q, not %q", got, row.want)
		}
	}
}
