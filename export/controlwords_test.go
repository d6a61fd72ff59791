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
		{"a file for spreadsheets", "sums", "claims.br.csv", "Contestação (csv-br)"},
		{"a file for programs", "sums", "installments.jsonl", "Parcelas (jsonl)"},
		{"a published file keeps its name", "files", "summary_1001_operation_20261101_20261130_r0.br.csv", "summary_1001_operation_20261101_20261130_r0.br.csv"},
		{"acts about an account", "run", "acts 1001", "atos da conta 1001"},
		{"acts about no account", "run", "acts 0", "atos"},
		{"an identity of a closed month", "identities", "restated 1001 2026-10 cards gross", "reapresentado, conta 1001 2026-10 cartões valor bruto"},
		{"what has no word stays", "sums", "else", "else"},
	} {
		if got := export.ItemWords(row.section, row.item); got != row.want {
			t.Errorf("%s: %q is %q, should be %q", row.why, row.item, got, row.want)
		}
	}
}

// Measures are headers, also of a file for spreadsheets, and reasons are words.
func TestControlMeasuresAndReasonsInWords(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ why, item, measure, want string }{
		{"a column of a file for spreadsheets", "fees.br.csv", "due", "Devido"},
		{"what is no column stays", "fees.br.csv", "else", "else"},
	} {
		if got := export.MeasureWords(row.item, row.measure); got != row.want {
			t.Errorf("%s: %q is %q, should be %q", row.why, row.measure, got, row.want)
		}
	}
	for _, row := range []struct{ why, change, what, want string }{
		{"nothing was published before", "first", "", "primeira publicação"},
		{"rows differ", "changed", "slips", "Boletos: alterado"},
		{"a document differs", "changed", "contract", "contrato: alterado"},
		{"a table is new", "added", "claims", "Contestação: incluído"},
	} {
		if got := export.ReasonInWords(row.change, row.what); got != row.want {
			t.Errorf("%s: %q, should be %q", row.why, got, row.want)
		}
	}
}
