package cnab_test

import (
	"bytes"
	"strings"
	"testing"

	"concilia/export/cnab"
)

// The totals begin with what the file is, so that a stranger's file is known before its columns are read.
func TestInspectSaysWhatTheFileIs(t *testing.T) {
	t.Parallel()
	bank := sample(t, "bank-101.ret")
	for _, row := range []struct {
		because, want string
		raw           []byte
	}{
		{"a bank's cobrança", "cobrança, bank 104, branch 99-4, account 5678-1, NSA 815, written 2026-11-20, layout 101", bank},
		{"a statement", "extrato, bank 001, branch 1234-5, account 67890-1, NSA 42, written 2026-11-20, layout 103", sample(t, "statement.ret")},
		{"a header alone", "no lote, bank 104, branch 99-4, account 5678-1, NSA 815, written 2026-11-20, layout 101", bank[:242]},
		{"a header without an account", "account missing", edited(bank, at{1, 59, "000000000000"}, at{1, 71, " "})},
	} {
		var out bytes.Buffer
		if _, err := cnab.Inspect(bytes.NewReader(row.raw), &out, cnab.InspectOptions{Summary: true}); err != nil {
			t.Errorf("%s: %v", row.because, err)
		}
		if line := strings.Split(out.String(), "\n")[1]; !strings.Contains(line, row.want) {
			t.Errorf("%s: %q, want %q", row.because, line, row.want)
		}
		if strings.Contains(out.String(), "a ! stands") {
			t.Errorf("%s: a summary has no fields to mark", row.because)
		}
	}
}
