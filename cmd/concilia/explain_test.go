package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"concilia/cmd/concilia/exit"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

// explained are the cases that have a page among the goldens: one or more of each family that the demo plants.
var explained = []string{
	"MDR_RATE_MISMATCH", "RECEIVED_VALUE_MISMATCH", "RECEIVED_OVERDUE", "RECEIVED_LATE", "TXN_INSTALLMENTS_MISSING", "SPLIT_AMOUNT_MISMATCH",
	"SLIP_SHORT_PAID", "SLIP_CREDIT_OVERDUE", "SLIP_LIST_FIELD_CONFLICT", "SLIP_DOCUMENT_INVALID",
}

// What differs from night to night: instants, and the tails of names.
var (
	runName  = regexp.MustCompile(`\d{8}T\d{6}\.\d{3}Z-[a-z0-9]{8}`)
	pullTail = regexp.MustCompile(`(/\d{8}(?:-\d{8})?)-[a-z0-9]{8}`)
	instant  = regexp.MustCompile(`(\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4}) \d\d:\d\d:\d\d [+-]\d\d:\d\d`)
)

func settled(page string) string {
	page = runName.ReplaceAllString(page, "RUN")
	page = pullTail.ReplaceAllString(page, "$1-TAIL")
	return instant.ReplaceAllString(page, "INSTANT")
}

// The page about a case says it all, in both languages, within its width, and nothing of a payer.
func TestExplainPages(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the night, the demo and the webhooks")
	}
	dir := copyDemo(t, allDays)
	concilia := func(args ...string) (string, int) {
		var out bytes.Buffer
		code := run(t.Context(), environment{
			args: args, stdout: &out, stderr: &out, lookup: func(string) (string, bool) { return "", false }, wall: time.Now,
		})
		return out.String(), code
	}
	config := filepath.Join(dir, "concilia.yaml")
	l, err := store.Open(t.Context(), "sqlite:"+filepath.Join(dir, "concilia.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	secrets := payers(t, l)
	first := map[string]string{}
	if err := l.Findings(t.Context(), caselog.FindingFilter{}, func(f *ledger.Finding) error {
		if first[f.Code] == "" {
			first[f.Code] = f.Case
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	for _, code := range explained {
		for _, lang := range []string{"en", "pt-BR"} {
			page, exit := concilia("--config", config, "explain", first[code], "--lang", lang)
			if exit != 0 {
				t.Fatalf("%s: exit %d:\n%s", code, exit, page)
			}
			for _, s := range secrets {
				if strings.Contains(page, s) {
					t.Errorf("%s shows something of a payer", code)
				}
			}
			golden := filepath.Join("..", "..", "testdata", "explain", code+"."+lang+".txt")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, []byte(settled(page)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), settled(page)); diff != "" {
				t.Errorf("%s differs (UPDATE_GOLDEN=1 rewrites it):\n%s", golden, diff)
			}
		}
	}
	if out, code := concilia("--config", config, "explain", first["RECEIVED_LATE"], "--json"); code != 0 || !strings.Contains(out, `"code":"RECEIVED_LATE"`) {
		t.Errorf("as JSON: exit %d, %s", code, out)
	}
	if out, code := concilia("--config", config, "explain", "0000000000000000"); code != exit.Usage || !strings.Contains(out, `nothing is known of "0000000000000000"`) {
		t.Errorf("of a case nobody knows: exit %d, %s", code, out)
	}
	if _, code := concilia("--config", config, "explain", first["RECEIVED_LATE"], "--lang", "de"); code != exit.Usage {
		t.Errorf("in German: exit %d", code)
	}
}

// payers are what the ledger knows of payers that a page must not show.
func payers(t *testing.T, l *store.Ledger) []string {
	t.Helper()
	var out []string
	for _, a := range []ledger.Account{1001, 1002} {
		err := l.Slips(context.Background(), a, func(s *ledger.Slip) error {
			for _, text := range []string{s.PayerDocument, s.PayerName, s.PayerStreet, s.PayerPhone, s.BarCode, s.DigitableLine} {
				if len(text) > 6 {
					out = append(out, text)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(out) == 0 {
		t.Fatal("the demo has slips without payers")
	}
	return out
}
