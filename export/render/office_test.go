package render_test

import (
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// officeProgram finds the office program that opens workbooks as their users do. CONCILIA_REQUIRE_OFFICE makes its absence a
// failure.
func officeProgram(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"soffice", "libreoffice", "localc"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	if os.Getenv("CONCILIA_REQUIRE_OFFICE") != "" {
		t.Fatal("no LibreOffice: install libreoffice-calc-nogui, or unset CONCILIA_REQUIRE_OFFICE")
	}
	t.Skip("no LibreOffice to open the workbook with")
	return ""
}

// alwaysRecalculate makes the office program work formulas out anew instead of showing the values that the file has for them.
const alwaysRecalculate = `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item></oor:items>`

// TestOffice opens a workbook in another program, which works the formulas out by itself: every sheet is there, its
// subtotals are our totals, and numbers that are text keep their zeros.
func TestOffice(t *testing.T) {
	t.Parallel()
	office := officeProgram(t)
	target, out := target(t)
	r := renderJob(t, job(), everyClass(), target)
	path := ""
	for _, f := range r.Files {
		if strings.HasSuffix(f.Path, ".xlsx") {
			path = filepath.Join(out.root, r.Dir, f.Path)
		}
	}
	if path == "" {
		t.Fatal("the set has no workbook")
	}
	dir, profile := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(profile, "user"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(profile, "user", "registrymodifications.xcu"), []byte(alwaysRecalculate), 0o600); err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // the program that was found, and files of this test
	cmd := exec.CommandContext(t.Context(), office, "-env:UserInstallation=file://"+profile, "--headless", "--convert-to",
		"csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1", "--outdir", dir, path)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	t.Log("libreoffice: real")
	for _, name := range []string{"Resumo", "Parcelas", "Splits", "Boletos"} {
		rows := officeRows(t, dir, name)
		total, sub := slices.IndexFunc(rows, begins("Total")), slices.IndexFunc(rows, begins("Subtotal"))
		if total < 0 || sub < 0 {
			t.Errorf("sheet %s has no total or no subtotal", name)
			continue
		}
		added := 0
		for i := range rows[sub] {
			if i == 0 || rows[sub][i] == "" {
				continue
			}
			if added++; rows[sub][i] != rows[total][i] {
				t.Errorf("sheet %s column %d: subtotal %s, our total %s", name, i+1, rows[sub][i], rows[total][i])
			}
		}
		if added == 0 {
			t.Errorf("sheet %s: no subtotal was worked out", name)
		}
	}
	zeros := false
	for _, row := range officeRows(t, dir, "Parcelas") {
		zeros = zeros || len(row) > 6 && strings.HasPrefix(row[6], "0")
	}
	if !zeros {
		t.Error("no NSU kept its leading zero")
	}
}

func begins(word string) func([]string) bool {
	return func(row []string) bool { return row[0] == word }
}

// officeRows are the cells of a sheet as the other program shows them.
func officeRows(t *testing.T, dir, sheet string) [][]string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*-"+sheet+".csv"))
	if err != nil || len(found) != 1 {
		t.Fatalf("sheet %s: %v %v", sheet, found, err)
	}
	f, err := os.Open(found[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := csv.NewReader(f)
	in.FieldsPerRecord = -1
	rows, err := in.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
