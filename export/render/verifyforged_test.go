package render_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export/manifest"
	"concilia/export/verify"
)

// What a killed rendering leaves on its way, or an office program while a workbook is open, is no set.
func TestVerifyLooksAtNothingHidden(t *testing.T) {
	t.Parallel()
	root := published(t)
	there := len(files(t, root))
	for _, dir := range []string{".staging-QX", filepath.Join("1001", "2026", "11", ".staging-QX")} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{
			"set_1001_operation_20261101_20261130_r2.manifest.json", "summary_1001_operation_20261101_20261130_r2.csv", "summary.csv",
		} {
			write(t, filepath.Join(root, dir, name), []byte("{"))
		}
	}
	at := filepath.Join(root, "1001", "2026", "11")
	for _, name := range []string{".part-ABC", "~$settlement_1001_operation_20261101_20261130_r1.xlsx", "notas.txt"} {
		write(t, filepath.Join(at, name), []byte("half"))
	}
	if r := verifyTree(t, root); len(r.Faults) > 0 || r.Sets != 2 || r.Files != there {
		t.Errorf("%d sets, %d files of %d, faults %v", r.Sets, r.Files, there, r.Faults)
	}
}

// A copy that a file manager made, a renamed report, and a report that was never published are each named.
func TestVerifyNamesEveryReportBesideASet(t *testing.T) {
	t.Parallel()
	root := published(t)
	names := []string{
		"summary_1001_operation_20261101_20261130_r1 (1).csv", "slips_1001_operation_20261101_20261130_r1.ret.bak", "resumo.CSV",
	}
	for _, name := range names {
		write(t, filepath.Join(root, "1001", "2026", "11", name), []byte("account\n"))
	}
	r := verifyTree(t, root)
	wants(t, r, names[0]+": listed by no manifest", names[1]+": listed by no manifest", names[2]+": listed by no manifest")
	if len(r.Faults) != len(names) {
		t.Errorf("faults %v", r.Faults)
	}
}

// A set in the directory of another month is a fault, because it is not found where it belongs; a copy elsewhere is none.
func TestVerifyNamesASetInAnotherMonth(t *testing.T) {
	t.Parallel()
	root := published(t)
	if err := os.Rename(filepath.Join(root, "1001", "2026", "11"), filepath.Join(root, "1001", "2026", "12")); err != nil {
		t.Fatal(err)
	}
	wants(t, verifyTree(t, root), "stands in 1001/2026/12, should be in 1001/2026/11")
	if err := os.Rename(filepath.Join(root, "1001", "2026", "12"), filepath.Join(root, "copy")); err != nil {
		t.Fatal(err)
	}
	if r := verifyTree(t, root); len(r.Faults) > 0 {
		t.Errorf("of a copy: %v", r.Faults)
	}
}

// A damaged workbook is reported by its damage, in one line, and not as one without sheets.
func TestVerifyTellsTheDamageOfAWorkbook(t *testing.T) {
	t.Parallel()
	root := published(t)
	path := filepath.Join(root, "1001", "2026", "11", "settlement_1001_operation_20261101_20261130_r1.xlsx")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	body[len(body)/2] ^= 0xff
	write(t, path, body)
	for _, f := range verifyTree(t, root).Faults {
		if strings.Contains(f.Text.String(), "missing") || strings.Contains(f.Text.String(), "\n") {
			t.Errorf("told as %q", f.Text)
		}
	}
}

// A file that cannot be read is one fault, not also one for each figure that control has of it.
func TestVerifyTellsATruncatedTableOnce(t *testing.T) {
	t.Parallel()
	root := published(t)
	if err := os.Truncate(filepath.Join(root, "1001", "2026", "11", "slips_1001_operation_20261101_20261130_r1.csv"), 700); err != nil {
		t.Fatal(err)
	}
	r := verifyTree(t, root)
	wants(t, r, "SHA-256 is ", "table slips: row ")
	if len(r.Faults) != 2 {
		t.Errorf("faults %v", r.Faults)
	}
}

// Somebody changes a file and writes manifest and mark anew for it. Control, which was written for the old one, tells.
func TestVerifyFindsAForgedManifest(t *testing.T) {
	t.Parallel()
	const set = "_1001_operation_20261101_20261130_r1"
	for _, tc := range []struct{ why, file, from, to, want string }{
		{
			"a name in an EDI file", "installments" + set + ".ret", "LOJA EXEMPLO", "LOJA ALHEIA ",
			"files, installments" + set + ".ret, sha256: says ",
		},
		{
			"a date in a table", "slips-summary" + set + ".csv", "2026-11-0", "2026-10-0",
			"files, slips-summary" + set + ".csv, sha256: says ",
		},
		{"nothing but the run", "", "", "", "run, run, id: says "},
	} {
		t.Run(tc.why, func(t *testing.T) {
			t.Parallel()
			root := published(t)
			forge(t, filepath.Join(root, "1001", "2026", "11"), set, tc.file, tc.from, tc.to)
			wants(t, verifyTree(t, root), tc.want)
		})
	}
}

// forge changes a file, or the run when there is none, and makes manifest and mark agree with it.
func forge(t *testing.T, dir, set, file, from, to string) {
	t.Helper()
	path := filepath.Join(dir, "set"+set+".manifest.json")
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var m manifest.Manifest
	if err := json.Unmarshal(body, &m); err != nil {
		t.Fatal(err)
	}
	if file == "" {
		m.Run = "another"
	} else {
		flip(filepath.Join(dir, file), from, to)
	}
	for i := range m.Files {
		if b, err := os.ReadFile(filepath.Join(dir, m.Files[i].Path)); err != nil {
			t.Fatal(err)
		} else if m.Files[i].Path == file {
			m.Files[i].SHA256, m.Files[i].Bytes = hash(b), int64(len(b))
		}
	}
	if body, err = json.MarshalIndent(m, "", " "); err != nil {
		t.Fatal(err)
	}
	write(t, path, body)
	write(t, filepath.Join(dir, "set"+set+".done"), fmt.Appendf(nil, "%s  %s\n", hash(body), filepath.Base(path)))
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// wants is that each text is part of a fault.
func wants(t *testing.T, r verify.Result, texts ...string) {
	t.Helper()
	for _, text := range texts {
		found := false
		for _, f := range r.Faults {
			found = found || strings.Contains(f.String(), text)
		}
		if !found {
			t.Errorf("no fault says %q, there are %v", text, r.Faults)
		}
	}
}
