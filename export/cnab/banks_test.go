package cnab_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/cnab"
)

// Files with the habits of three banks, all of it invented: they are read without a fault, and every habit has a name.
func TestHabitsOfBanks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		titles int
		habits []string
		people []string // who must not be named
	}{
		{
			"bank-084", 2,
			[]string{cnab.CodeBlank, cnab.CodeLastLine, cnab.CodeLineEnd, cnab.CodeVersion, cnab.CodeXDigit},
			[]string{"INVENTADO", "52998224725", "11444777000161"},
		},
		{
			"bank-040", 2,
			[]string{cnab.CodeEndOfFile, cnab.CodeFiller, cnab.CodeRecord, cnab.CodeVersion},
			[]string{"FICTICI", "11144477735", "39053344705"},
		},
		{
			"bank-101", 2,
			[]string{cnab.CodeCase, cnab.CodeIdentity, cnab.CodeVersion},
			[]string{"Imaginaria", "12345678909"},
		},
	} {
		raw := sample(t, tc.name+".ret")
		var out bytes.Buffer
		report, err := cnab.Inspect(bytes.NewReader(raw), &out, cnab.InspectOptions{})
		if err != nil || !report.OK() || report.File.Totals.Titles != tc.titles {
			t.Errorf("%s: %v, %d titles, faults:\n%v", tc.name, err, report.File.Totals.Titles, report.Faults)
		}
		golden(t, tc.name+".inspect.txt", out.Bytes())
		habits := map[string]bool{}
		for _, w := range report.File.Warnings.List {
			habits[w.Code] = true
		}
		if d := cmp.Diff(tc.habits, slices.Sorted(maps.Keys(habits))); d != "" {
			t.Errorf("%s: habits (-want +named):\n%s", tc.name, d)
		}
		for _, who := range tc.people {
			if strings.Contains(out.String(), who) {
				t.Errorf("%s: %s is named", tc.name, who)
			}
		}
		// The records are the bank's own bytes; only the line ends are written by this package.
		again, _, _ := reemit(raw)
		if d := cmp.Diff(records(bytes.TrimSuffix(raw, []byte{0x1a})), records(again)); d != "" {
			t.Errorf("%s: the records do not come back:\n%s", tc.name, d)
		}
	}
}

// records are the lines of a file, whatever ends them.
func records(raw []byte) []string {
	return strings.Split(strings.TrimSuffix(strings.ReplaceAll(string(raw), "\r\n", "\n"), "\n"), "\n")
}
