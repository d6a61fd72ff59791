package export_test

import (
	"testing"

	"concilia/export"
)

// What the control file names by ids, the control sheet names in words.
func TestControlItemsInWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ why, section, item, want string }{
		{"a file of a table", "sums", "installments.csv", "Parcelas (csv)"},
		{"the second file of titles", "sums", "installments-2.ret", "Parcelas, parte 2 (EDI)"},
		{"a table whose own name has a dash", "sums", "agenda-roll.csv", "Movimento da agenda (csv)"},
		{"causes on the page", "sums", "settlement.html causes", "Causas (página)"},
		{"causes of a restatement on the page", "sums", "settlement.html restatement-causes", "Causas da reapresentação (página)"},
		{"an identity of a closed month", "identities", "restated 1001 2026-10 cards gross", "reapresentado, conta 1001 2026-10 cartões valor bruto"},
		{"what has no word stays", "sums", "else", "else"},
	} {
		if got := export.ItemWords(row.section, row.item); got != row.want {
			t.Errorf("%s: %q is %q, should be %q", row.why, row.item, got, row.want)
		}
	}
}
