package render_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/publish"
	"concilia/export/report"
	"concilia/export/retire"
	"concilia/store/ledger"
)

// twoRevisions publishes a set twice into a real folder, and says how to retire what the second replaced of the first.
func twoRevisions(t *testing.T) (target *publish.Folder, root string, r retire.Retirement) {
	t.Helper()
	root = t.TempDir()
	opened, err := publish.Open(root, publish.Options{})
	if err != nil {
		t.Fatal(err)
	}
	target = opened.(*publish.Folder)
	tg := export.Target{Staging: t.TempDir(), Numbers: &numbers{}, Publisher: target}
	j, f := job(), everyClass()
	first := renderJob(t, j, f, tg)
	j.Current = &export.CurrentRevision{Revision: first.Revision, Fingerprints: first.Fingerprints}
	f.cards[4].v.Received = opt("48.99")
	if second := renderJob(t, j, f, tg); second.Revision != 1 || len(second.Files) != len(first.Files) {
		t.Fatalf("revision %d has %d files, %d before", second.Revision, len(second.Files), len(first.Files))
	}
	r = retire.Retirement{
		Account: j.Account, Basis: j.Basis, Period: j.Period, Revision: 0, ReplacedBy: []int{1}, On: day("2027-12-06"),
		Files: map[string]string{},
	}
	for _, f := range first.Files {
		r.Files[f.Path] = f.SHA256
	}
	return target, root, r
}

// mortal is a folder whose process is killed before its nth change.
type mortal struct {
	*publish.Folder
	left int
}

func (m *mortal) Put(ctx context.Context, name, local string) error {
	if m.left--; m.left < 0 {
		return errKilled
	}
	return m.Folder.Put(ctx, name, local)
}

func (m *mortal) Withdraw(ctx context.Context, name string) error {
	if m.left--; m.left < 0 {
		return errKilled
	}
	return m.Folder.Withdraw(ctx, name)
}

// Killed at any change and started again, the same day or the next, all of it goes; who verifies finds no fault at any
// time.
func TestRetireKilledAnywhere(t *testing.T) {
	t.Parallel()
	_, root, r := twoRevisions(t)
	names := slices.Sorted(maps.Keys(r.Files))
	changes := 2 + len(names) // with the tombstone and the mark
	for n := range changes + 1 {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
			t.Fatal(err)
		}
		target, err := publish.Open(dir, publish.Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = retire.Retire(t.Context(), &mortal{target.(*publish.Folder), n}, t.TempDir(), r)
		if n < changes && !errors.Is(err, errKilled) || n == changes && err != nil {
			t.Fatalf("killed before change %d: %v", n+1, err)
		}
		if v := verifyTree(t, dir); len(v.Faults) > 0 {
			t.Errorf("killed before change %d: %v", n+1, v.Faults)
		}
		later := r
		later.On += ledger.Date(n % 2)
		gone, err := retire.Retire(t.Context(), target, t.TempDir(), later)
		if err != nil || !slices.Equal(gone, names) {
			t.Errorf("killed before change %d, and again: %v, %v", n+1, gone, err)
		}
		if v := verifyTree(t, dir); len(v.Faults) > 0 || v.Sets != 2 {
			t.Errorf("killed before change %d, and again: %d sets, %v", n+1, v.Sets, v.Faults)
		}
		for _, path := range files(t, dir) {
			stays := strings.HasSuffix(path, ".retired") || strings.HasSuffix(path, ".manifest.json")
			if strings.Contains(path, "_r0.") && !stays {
				t.Errorf("killed before change %d, and again: %s is left", n+1, filepath.Base(path))
			}
		}
	}
}

// What goes by kind goes in pieces: one tombstone a day, and what is left is checked as ever.
func TestRetireInPieces(t *testing.T) {
	t.Parallel()
	target, root, r := twoRevisions(t)
	all := r.Files
	for i, ext := range []string{".csv", ".ret", ".xlsx"} {
		r.On, r.Files = r.On+ledger.Date(i), map[string]string{}
		for name, sum := range all {
			if strings.HasSuffix(name, ext) {
				r.Files[name] = sum
			}
		}
		gone, err := retire.Retire(t.Context(), target, t.TempDir(), r)
		if err != nil || len(gone) == 0 || len(gone) != len(r.Files) {
			t.Fatalf("%s: %v, %v", ext, gone, err)
		}
		if v := verifyTree(t, root); len(v.Faults) > 0 {
			t.Errorf("without %s: %v", ext, v.Faults)
		}
		if ext == ".csv" {
			left := filepath.Join(root, "1001/2026/11/settlement_1001_operation_20261101_20261130_r0.xlsx")
			body, err := os.ReadFile(left)
			if err != nil {
				t.Fatal(err)
			}
			write(t, left, append(body, 0))
			if v := verifyTree(t, root); !names(v, filepath.Base(left)) {
				t.Errorf("a workbook was changed after its csv went, faults %v", v.Faults)
			}
			write(t, left, body)
		}
	}
	if stones, err := filepath.Glob(filepath.Join(root, "*/*/*/*.retired")); err != nil || len(stones) != 3 {
		t.Errorf("tombstones %v, %v", stones, err)
	}
}

// Nothing goes from a target that does not have the revision, or what replaced it, as the ledger remembers them.
func TestRetireRefused(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		because string
		change  func(dir string, r *retire.Retirement)
		want    string
	}{
		{"the later revision was published elsewhere", func(_ string, r *retire.Retirement) { r.ReplacedBy = []int{2} }, "does not have the revision 2"},
		{"the revision was published elsewhere", func(_ string, r *retire.Retirement) { r.Revision = 7 }, "does not have the revision 7"},
		{"the share is another one, and its files are too", func(_ string, r *retire.Retirement) {
			for name := range r.Files {
				r.Files[name] = strings.Repeat("0", 64)
			}
		}, "its manifest on the target says"},
		{"the tombstone of the day is no tombstone", func(dir string, _ *retire.Retirement) {
			_ = os.WriteFile(filepath.Join(dir, "set_1001_operation_20261101_20261130_r0.20271206.retired"), []byte("x\n"), 0o600)
		}, "should be a SHA-256 and a name"},
	} {
		t.Run(row.because, func(t *testing.T) {
			t.Parallel()
			target, root, r := twoRevisions(t)
			dir := filepath.Join(root, "1001/2026/11")
			row.change(dir, &r)
			before := len(files(t, root))
			gone, err := retire.Retire(t.Context(), target, t.TempDir(), r)
			if err == nil || !strings.Contains(err.Error(), row.want) || len(gone) > 0 || len(files(t, root)) != before {
				t.Errorf("%v, %v, want %q", gone, err, row.want)
			}
			if missing := strings.Contains(row.want, "does not have"); missing != errors.Is(err, retire.ErrRevisionMissing) {
				t.Errorf("is it ErrRevisionMissing? %v", err)
			}
		})
	}
}

// A tombstone excuses nothing but what its manifest lists and a later revision replaced.
func TestVerifyForgedTombstones(t *testing.T) {
	t.Parallel()
	const stone = "set_1001_operation_20261101_20261130_r0.20271206.retired"
	const last = "set_1001_operation_20261101_20261130_r1.20271206.retired"
	for _, row := range []struct {
		because string
		forge   func(t *testing.T, dir string)
		file    string
		want    string
	}{
		{"it is of another manifest", func(t *testing.T, dir string) {
			flip(filepath.Join(dir, stone), sha(t, filepath.Join(dir, "set_1001_operation_20261101_20261130_r0.manifest.json")), strings.Repeat("0", 64))
		}, stone, "is of a manifest with SHA-256 0000"},
		{"it names a file that was not published", func(_ *testing.T, dir string) {
			flip(filepath.Join(dir, stone), "fees_", "debt_")
		}, stone, "its manifest says \"\""},
		{"it is cut", func(t *testing.T, dir string) { write(t, filepath.Join(dir, stone), nil) }, stone, "should be a SHA-256 and a name"},
		{"it is gone", func(t *testing.T, dir string) { remove(t, filepath.Join(dir, stone)) }, "fees_1001_operation_20261101_20261130_r0.csv", "missing: "},
		{"its manifest is gone", func(t *testing.T, dir string) {
			remove(t, filepath.Join(dir, "set_1001_operation_20261101_20261130_r0.manifest.json"))
		}, stone, "listed by no manifest"},
		{"what stands is said to be taken away", func(t *testing.T, dir string) {
			lines := ""
			for _, path := range []string{"set_1001_operation_20261101_20261130_r1.manifest.json", "fees_1001_operation_20261101_20261130_r1.csv"} {
				lines += sha(t, filepath.Join(dir, path)) + "  " + path + "\n"
			}
			write(t, filepath.Join(dir, last), []byte(lines))
			remove(t, filepath.Join(dir, "fees_1001_operation_20261101_20261130_r1.csv"))
		}, "fees_1001_operation_20261101_20261130_r1.csv", "no later revision has one"},
	} {
		t.Run(row.because, func(t *testing.T) {
			t.Parallel()
			target, root, r := twoRevisions(t)
			if _, err := retire.Retire(t.Context(), target, t.TempDir(), r); err != nil {
				t.Fatal(err)
			}
			row.forge(t, filepath.Join(root, "1001/2026/11"))
			for _, f := range verifyTree(t, root).Faults {
				if filepath.Base(f.File) == row.file && strings.Contains(f.Text.String(), row.want) {
					return
				}
			}
			t.Errorf("faults %v, want one of %s: %s", verifyTree(t, root).Faults, row.file, row.want)
		})
	}
}

func sha(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// errKilled ends a process that a test kills.
var errKilled = errors.New("killed")

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
	first := retire.Retirement{Account: "1001", Basis: report.ByAsOf, Files: map[string]string{}}
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
		r := renderJob(t, j, stateFeed(), tg)
		switch n {
		case 0:
			first.Period = j.Period
			for _, f := range r.Files {
				first.Files[f.Path] = f.SHA256
			}
		case 1:
			first.On = j.AsOf
			if gone, err := retire.Retire(t.Context(), target, t.TempDir(), first); err != nil || len(gone) != len(first.Files) {
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
			told := fmt.Sprint(verifyTree(t, root).Faults)
			if row.want == "" && told != "[]" || !strings.Contains(told, file) || !strings.Contains(told, row.want) {
				t.Errorf("faults %s, want one of %s: %s", told, file, row.want)
			}
		})
	}
}
