package table_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"concilia/export/table"
)

// notes is a table with texts and two appended columns.
func notes() *table.Table {
	return &table.Table{ID: "notes", Layout: 1, Columns: []table.Column{
		{ID: "account", Header: "Conta", HeaderEN: "Account"},
		{ID: "item", Header: "Item", HeaderEN: "Item"},
		{ID: "note", Header: "Nota", HeaderEN: "Note", Null: "none"},
		{ID: "later_note", Header: "Outra nota", HeaderEN: "Other note", Null: "none", Appended: true},
		{ID: "later_count", Header: "Contagem", HeaderEN: "Count", Type: table.TypeInt, Null: "none", Appended: true},
		{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
	}}
}

// noteRows are rows of notes, with texts that need quotes and hold line ends.
func noteRows() []table.Row {
	row := func(note string, n int64) table.Row {
		return table.Row{table.Text("1001"), table.Text("a, \"b\"\n\nc"), {}, table.Text(note), table.Int(n)}
	}
	return []table.Row{row("x,\ny", 7), row("", 8)}
}

// What is appended to a table follows row_hash in csv and jsonl, and is hashed too (reports D.0, Cells).
func TestAppendedColumnsFollowTheHash(t *testing.T) {
	t.Parallel()
	var text bytes.Buffer
	if err := writeCSV(&text, notes(), noteRows()...); err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(text.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := len(records[0])
	if got := strings.Join(records[0][n-3:], " "); got != "row_hash later_note later_count" {
		t.Errorf("the header ends in %s", got)
	}
	var plain bytes.Buffer
	w := csv.NewWriter(&plain)
	for _, r := range records[1:] {
		plain.Reset()
		if err := w.Write(slices.Delete(slices.Clone(r), n-3, n-2)); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		sum := sha256.Sum256(bytes.TrimSuffix(plain.Bytes(), []byte("\n")))
		if want := hex.EncodeToString(sum[:8]); r[n-3] != want {
			t.Errorf("row_hash %s, should be %s", r[n-3], want)
		}
	}
	for _, f := range formats() {
		text, err := f.write(notes(), noteRows()...)
		if err != nil {
			t.Fatal(err)
		}
		if read, err := f.read(bytes.NewReader(text), notes()); err != nil || read.Rows != 2 {
			t.Errorf("%s: %d rows, %v", f.name, read.Rows, err)
		}
		if f.name == "csv-br" { // it has no row_hash
			continue
		}
		forged := bytes.Replace(text, []byte(`"later_count":8`), []byte(`"later_count":9`), 1)
		if f.name == "csv" {
			forged = append(bytes.TrimSuffix(text, []byte("8\n")), "9\n"...)
		}
		if _, err := f.read(bytes.NewReader(forged), notes()); err == nil || !strings.Contains(err.Error(), "row_hash") {
			t.Errorf("%s: an appended column that was changed is not found: %v", f.name, err)
		}
	}
}
