package main

import (
	"path/filepath"
	"strings"
	"testing"

	"concilia/cmd/concilia/exit"
)

// The demo tells of what is planted in the statements of the bank, finds exactly that, and lives the same morning again without
// anything new; the first page of the desk's commands says how much is proven.
func TestDemoFindsWhatIsPlantedAtTheBanks(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches a whole demo in another test")
	}
	left := demoWith(t, "--banks")
	for _, want := range []string{
		"All 40 planted differences were found, and nothing else.",
		"R$ 321,275.12 of R$ 348,248.13 proven at the bank up to 2026-11-17.",
	} {
		if !strings.Contains(left.said, want) {
			t.Errorf("it does not say %q:\n%s", want, left.said)
		}
	}
	dir := copyLeft(t, left)
	code, out, errs := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "bank", "list", "--json")
	if code != exit.OK || !strings.Contains(out, `"bank":"itau-1001","home":1001,`) || !strings.Contains(out, `"proven":"168799.34"`) {
		t.Errorf("bank list ends with %d:\n%s%s", code, out, errs)
	}
	for code, want := range map[string]int{
		"BANK_CREDIT_MISSING": 1, "BANK_CREDIT_RETURNED": 1, "BANK_AMOUNT_MISMATCH": 1, "BANK_CREDIT_UNEXPECTED": 2, "BANK_DEBIT_UNEXPLAINED": 1,
		"BANK_DATE_SHIFT": 2, "SLIP_BANK_AMOUNT_MISMATCH": 1, "SLIP_TARIFF_MISMATCH": 1,
	} {
		_, out, _ := inProcess("--config", filepath.Join(dir, "concilia.yaml"), "exceptions", "list", "--code", code, "--json")
		if got := strings.Count(out, "\n"); got != want {
			t.Errorf("%d cases of %s, want %d:\n%s", got, code, want, out)
		}
	}
}
