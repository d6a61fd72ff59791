package cnab_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"concilia/export/cnab"
)

func TestInspect(t *testing.T) {
	t.Parallel()
	bank := sample(t, "bank-collection.ret")
	// The payer's line of the first title has lost its length; the second one's document fails its check.
	broken := edited(bank, at{5, 134, "011222333000182"}, at{5, 82, "0000000000250OO"}, at{6, 146, "31022026"}, at{7, 90, "1"})
	broken = bytes.Replace(broken, []byte("MARIA JOSE DA SILVA"), []byte("MARIA JOS\u00c9 DA SILVA"), 1)
	for _, tc := range []struct {
		why, want string
		raw       []byte
		ok        bool
	}{
		{"a bank's file, with payers", "bank-collection.inspect.txt", bank, true},
		{"our installments, with shares", "installments.inspect.txt", sample(t, "installments.ret"), true},
		{"a statement", "statement.inspect.txt", sample(t, "statement.ret"), true},
		{"a file at fault", "broken.inspect.txt", broken, false},
	} {
		var out bytes.Buffer
		report, err := cnab.Inspect(bytes.NewReader(tc.raw), &out, cnab.InspectOptions{})
		if err != nil || report.OK() != tc.ok {
			t.Errorf("%s: %v, faults %v", tc.why, err, report.Faults)
		}
		for _, private := range []string{"MARIA", "SILVA", "CLIENTE PJ", "52998224725", "222333000181 ", "222333000182"} {
			if strings.Contains(strings.ReplaceAll(out.String(), "[11222333000181]", ""), private) {
				t.Errorf("%s: %q is not masked", tc.why, private)
			}
		}
		golden(t, tc.want, out.Bytes())
	}
}

func TestInspectOptions(t *testing.T) {
	t.Parallel()
	raw := sample(t, "installments.ret")
	var plain, fillers, summary bytes.Buffer
	for _, tc := range []struct {
		out *bytes.Buffer
		o   cnab.InspectOptions
	}{{&plain, cnab.InspectOptions{}}, {&fillers, cnab.InspectOptions{Fillers: true}}, {&summary, cnab.InspectOptions{Summary: true}}} {
		if _, err := cnab.Inspect(bytes.NewReader(raw), tc.out, tc.o); err != nil {
			t.Fatal(err)
		}
	}
	if strings.Contains(plain.String(), "cnab_224") || !strings.Contains(fillers.String(), "cnab_224") {
		t.Error("fillers are printed when asked for, and only then")
	}
	if !strings.HasPrefix(summary.String(), "totals\n") || !strings.HasSuffix(plain.String(), summary.String()) {
		t.Error("the summary is the end of the whole")
	}
}

func TestInspectReportsAFailingReader(t *testing.T) {
	t.Parallel()
	_, err := cnab.Inspect(brokenPipe{}, &bytes.Buffer{}, cnab.InspectOptions{})
	if !errors.Is(err, errDisk) || !strings.Contains(err.Error(), "cnab line 1") {
		t.Errorf("error %v", err)
	}
	if _, err := cnab.Inspect(bytes.NewReader(sample(t, "installments.ret")), &failing{left: 10}, cnab.InspectOptions{}); !errors.Is(err, errDisk) {
		t.Errorf("error %v", err)
	}
}

type brokenPipe struct{}

func (brokenPipe) Read([]byte) (int, error) { return 0, errDisk }

// The totals begin with what the file is, so that a stranger's file is known before its columns are read.
func TestInspectDescribesTheFile(t *testing.T) {
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
