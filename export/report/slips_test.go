package report

import (
	"testing"

	"concilia/export/table"
	"concilia/store/ledger"
)

// The reader of one kind sees the rows of each of its tables.
func TestPaidFaceIsOfPaidSlipsAlone(t *testing.T) {
	t.Parallel()
	r := SlipsDefinition.NewReader(0)
	row := SlipsTable.NewRow()
	for _, class := range []ledger.Class{ledger.Paid, ledger.Open, ledger.Paid} {
		row[SlipsTable.ColumnIndex("class")], row[SlipsTable.ColumnIndex("value")] = table.Text(string(class)), table.Cents(10_0000)
		if err := r.ReadRow(SlipsTable, row); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Terms()[PaidFace]; got != 20_0000 {
		t.Errorf("paid face %s", got)
	}
}
