package othersides

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// lines keeps the rows of a table as text.
type lines struct {
	of    *table.Table
	count table.Counter
	out   []string
}

func (l *lines) Write(row table.Row) error {
	w, err := table.NewCSVWriter(io.Discard, l.of)
	if err != nil {
		return err
	}
	text, err := w.Encode(row)
	if err != nil {
		return err
	}
	l.out = append(l.out, string(text))
	return l.count.Add(row)
}

func (l *lines) Counter() *table.Counter { return &l.count }

// storesSource has the worked example of four payments against three sales, a day without a file, and a month.
type storesSource struct {
	report.RowSource
	lost ledger.Amount // of what the run said that the last sale differs in
}

func (storesSource) OwnDays(_ context.Context, yield func(*ownsales.SeenDay) error) error {
	for d := range ledger.Date(2) {
		state := ownsales.DayComplete
		if d == 1 {
			state = ownsales.DayMissing
		}
		if err := yield(&ownsales.SeenDay{Account: 1001, Store: "centro", Day: firstOfStores + d, State: state}); err != nil {
			return err
		}
	}
	return nil
}

var firstOfStores = ledger.NewDate(2026, 11, 3)

func (s storesSource) OwnMatches(_ context.Context, yield func(*ownsales.Match) error) error {
	for _, x := range []struct {
		sale       string
		own, there int64
		level      int
		bucket     ownsales.Bucket
		codes      string
	}{
		{"A", 100_00, 100_00, 4, ownsales.Matched, ""},
		{"B", 50_00, 50_01, 6, ownsales.Divergent, "SALE_AMOUNT_MISMATCH"},
		{"C", 80_00, 80_00, 7, ownsales.Matched, "SALE_WEAK_MATCH"},
		{"D", 30_00, 0, 0, ownsales.NotAtService, "SALE_AUTH_UNKNOWN"},
	} {
		m := ownsales.Match{
			Account: 1001, Store: "centro", Day: firstOfStores, Sale: x.sale, Number: 1, OwnAt: ledger.StartOf(firstOfStores), OwnAmount: ledger.Some(ledger.FromCents(x.own)),
			OwnMethod: "credit", OwnStatus: "paid", Level: x.level, Bucket: x.bucket, Codes: x.codes, Difference: ledger.FromCents(x.own - x.there),
		}
		if x.there != 0 {
			m.Service, m.SaleAt, m.SaleTotal, m.Installments, m.Brand, m.Product, m.Live = "sale:"+x.sale, ledger.StartOf(firstOfStores), ledger.Some(ledger.FromCents(x.there)), 1, "visa", "credit", true
		}
		if m.Bucket == ownsales.NotAtService {
			m.Difference -= s.lost
		}
		if err := yield(&m); err != nil {
			return err
		}
	}
	return nil
}

func (storesSource) OwnMonths(_ context.Context, yield func(*report.EFDMonth) error) error {
	month := ownsales.MonthTotal{Account: 1001, Store: "centro", Month: ledger.NewDate(2026, 11, 1), OwnTotal: ledger.FromCents(1_234_567), DaysMissing: 1}
	service := month
	service.Institution, service.Participant, service.OfService = "11444777000161", "IP01", true
	other := month
	other.Institution, other.Participant = "22333444000155", "IP02"
	pix := month
	pix.Institution = ownsales.UnknownInstitution
	for _, m := range []report.EFDMonth{{MonthTotal: service, ServiceTotal: ledger.Some(ledger.FromCents(1_234_500))}, {MonthTotal: other}, {MonthTotal: pix}} {
		if err := yield(&m); err != nil {
			return err
		}
	}
	return nil
}

// fillStores writes the tables of stores of the example.
func fillStores(t *testing.T, source storesSource) (map[string]*lines, []report.Identity) {
	t.Helper()
	out := map[string]*lines{}
	set := &report.Set{Definitions: []*report.Definition{SalesDefinition, EFDDefinition}, Source: source, Open: func(tb *table.Table) (report.Rows, error) {
		out[tb.ID] = &lines{of: tb, count: table.NewCounter(tb)}
		return out[tb.ID], nil
	}}
	if err := set.Begin(t.Context(), []report.Kind{report.SalesKind, report.EFDKind}); err != nil {
		t.Fatal(err)
	}
	identities, err := set.Fill(t.Context(), report.Intake{})
	if err != nil {
		t.Fatal(err)
	}
	return out, identities
}

// The worked example: 260.00 here, 230.01 there, and the 29.99 between are −0.01 of a pair and 30.00 that never came. A day without a
// file has a line, and no row.
func TestWorkedExampleOfStores(t *testing.T) {
	t.Parallel()
	out, identities := fillStores(t, storesSource{})
	want := []string{
		"1001,centro,2026-11-03,credit,complete,2,180.0000,1,50.0000,1,30.0000,0,0.0000,0,0.0000,0,0.0000,260.0000,230.0100,29.9900",
		"1001,centro,2026-11-04,,missing,0,0.0000,0,0.0000,0,0.0000,0,0.0000,0,0.0000,0,0.0000,0.0000,0.0000,0.0000",
	}
	if diff := cmp.Diff(want, out["sales-summary"].out); diff != "" {
		t.Error(diff)
	}
	rows := out["sales"].out
	if len(rows) != 4 || rows[2] != "1001,centro,C,1,,2026-11-03T00:00:00,80.0000,,,credit,paid,7,weak,sale:C,,,2026-11-03T00:00:00,80.0000,1,visa,credit,live,matched,0.0000,SALE_WEAK_MATCH" ||
		rows[3] != "1001,centro,D,1,,2026-11-03T00:00:00,30.0000,,,credit,paid,,,,,,,,,,,,not_at_service,30.0000,SALE_AUTH_UNKNOWN" {
		t.Errorf("rows are\n%s", strings.Join(rows, "\n"))
	}
	want = []string{
		"1001,centro,2026-11,11444777000161,IP01,12345.67,12345.00,0.67,1,\"|1601|IP01||12345,00|0,00|0,00|\"",
		"1001,centro,2026-11,22333444000155,IP02,12345.67,,,1,\"|1601|IP02||12345,67|0,00|0,00|\"",
		"1001,centro,2026-11,,,12345.67,,,1,",
	}
	if diff := cmp.Diff(want, out["efd-1601"].out); diff != "" {
		t.Error(diff)
	}
	if len(identities) != 4 || identities[2].Name != "sales_day:centro:2026-11-03:credit" {
		t.Errorf("identities are %+v", identities)
	}
	for _, i := range identities {
		if i.Printed != 0 || i.Exact != 0 {
			t.Errorf("%s leaves %s", i.Name, i.Exact)
		}
	}
}

// What a run said of a row and its sides do not come to stays over, on the day of the row.
func TestResidualOfStores(t *testing.T) {
	t.Parallel()
	_, identities := fillStores(t, storesSource{lost: ledger.Cent})
	var over []string
	for _, i := range identities {
		if i.Exact != 0 {
			over = append(over, i.Name+" "+i.Exact.String())
		}
	}
	if diff := cmp.Diff([]string{"sales_rows -0.01", "sales_day:centro:2026-11-03:credit 0.01"}, over); diff != "" {
		t.Error(diff)
	}
}

// A row that contradicts itself is refused when it is read back.
func TestRowsOfStoresAreChecked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of     *report.Definition
		table  *table.Table
		column string
		change table.Cell
	}{
		{SalesDefinition, SalesTable, "difference", table.Exact(1)},
		{SalesDefinition, SalesTable, "own_status", table.Text("cancelled")},
		{SalesDefinition, SalesDaysTable, "own_total", table.Exact(1)},
		{EFDDefinition, EFDTable, "difference", table.Cents(ledger.Cent)},
		{EFDDefinition, EFDTable, "line", table.Text("|1601|IP01||0,01|0,00|0,00|")},
	} {
		row := c.table.NewRow()
		set := func(id string, cell table.Cell) { row[c.table.ColumnIndex(id)] = cell }
		if c.table != EFDTable {
			for _, id := range []string{"own_amount", "own_total", "difference"} {
				if c.table.ColumnIndex(id) >= 0 {
					set(id, table.Exact(ledger.FromCents(1000)))
				}
			}
		}
		if err := c.of.NewReader(0).ReadRow(c.table, row); err != nil {
			t.Errorf("%s: a right row is refused: %v", c.table.ID, err)
		}
		if set(c.column, c.change); c.of.NewReader(0).ReadRow(c.table, row) == nil {
			t.Errorf("%s: a wrong %s is taken", c.table.ID, c.column)
		}
	}
}
