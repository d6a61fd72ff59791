package export_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/publish"
	"concilia/export/report"
	"concilia/store/ledger"
)

// threeStates publishes the states of three days into a real folder, each telling what went since the one before: of the
// first day all files did, on the second.
func threeStates(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	opened, err := publish.Open(root, publish.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target := opened.(*publish.Folder)
	tg := export.Target{Staging: t.TempDir(), Numbers: &numbers{}, Publisher: target}
	first := export.Retirement{Account: "1001", Basis: report.ByAsOf, Files: map[string]string{}}
	for n := range 3 {
		j := stateJob()
		j.Formats = []report.Format{report.CSV}
		j.AsOf += ledger.Date(n)
		j.Period = ledger.Period{From: j.AsOf, To: j.AsOf}
		if n > 0 {
			j.Facts.Retired = export.RetiredFiles{Since: j.AsOf - 1}
		}
		if n == 2 {
			j.Facts.Retired.Files = first.Files
		}
		r := render(t, j, stateFeed(), tg)
		switch n {
		case 0:
			first.Period = j.Period
			for _, f := range r.Files {
				first.Files[f.Path] = f.SHA256
			}
		case 1:
			first.On = j.AsOf
			if gone, err := export.Retire(t.Context(), target, t.TempDir(), first); err != nil || len(gone) != len(first.Files) {
				t.Fatal(gone, err)
			}
		}
	}
	return root
}

// A tombstone of a state has no later revision that replaced it; the control of the next state tells what really went.
func TestVerifyForgedTombstoneOfAState(t *testing.T) {
	t.Parallel()
	stone := func(t *testing.T, dir, set, on, file string) string {
		t.Helper()
		text := ""
		for _, name := range []string{set + ".manifest.json", file} {
			text += sha(t, filepath.Join(dir, name)) + "  " + name + "\n"
		}
		name := set + "." + on + ".retired"
		write(t, filepath.Join(dir, name), []byte(text))
		remove(t, filepath.Join(dir, file))
		return name
	}
	const second, third = "set_1001_asof_20261119_20261119_r0", "set_1001_asof_20261120_20261120_r0"
	for _, row := range []struct {
		because string
		forge   func(t *testing.T, dir string) (file string)
		want    string
	}{
		{"nothing is forged", func(*testing.T, string) string { return "" }, ""},
		{"the control of the day after does not name the file", func(t *testing.T, dir string) string {
			return stone(t, dir, second, "20261119", "aging_1001_asof_20261119_20261119_r0.csv")
		}, "control_1001_asof_20261120_20261120_r0.csv, which lists what was until its day, does not"},
		{"no control tells of the day: only a ledger can", func(t *testing.T, dir string) string {
			stone(t, dir, second, "20261120", "aging_1001_asof_20261119_20261119_r0.csv")
			return ""
		}, ""},
		{"a killed night put a tombstone, and the next one another", func(t *testing.T, dir string) string {
			const first = "set_1001_asof_20261118_20261118_r0"
			body, err := os.ReadFile(filepath.Join(dir, first+".20261119.retired"))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, first+".20261118.retired"), body)
			return ""
		}, ""},
		{"the state of the last day never goes", func(t *testing.T, dir string) string {
			stone(t, dir, third, "20261120", "aging_1001_asof_20261120_20261120_r0.csv")
			return third + ".manifest.json"
		}, "no later state of account 1001 is here: the last one stays"},
	} {
		t.Run(row.because, func(t *testing.T) {
			t.Parallel()
			root := threeStates(t)
			file := row.forge(t, filepath.Join(root, "1001/2026/11"))
			told := fmt.Sprint(verify(t, root).Faults)
			if row.want == "" && told != "[]" || !strings.Contains(told, file) || !strings.Contains(told, row.want) {
				t.Errorf("faults %s, want one of %s: %s", told, file, row.want)
			}
		})
	}
}
