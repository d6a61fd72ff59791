package kindlist

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	all := []report.Kind{
		report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.SlipsKind, report.ExceptionsKind, report.AgingKind, report.AgendaKind, report.SalesKind, report.ClaimsKind,
		report.RestatementKind, report.StatementKind, report.ControlKind,
	}
	brand := report.Filter{Brands: []string{"visa"}}
	for _, tc := range []struct {
		why     string
		asked   []report.Kind
		formats []report.Format
		basis   report.Basis
		filter  report.Filter
		named   bool
		want    []report.Kind
		err     string
	}{
		{"everything of a period goes with operation", all, nil, report.ByOperation, report.Filter{}, false, []report.Kind{
			report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.SlipsKind, report.SalesKind, report.ClaimsKind, report.RestatementKind, report.ControlKind,
		}, ""},
		{
			"a state kind that was named with a period's basis is refused",
			[]report.Kind{report.AgingKind},
			nil,
			report.ByOperation,
			report.Filter{},
			true, nil, "kind aging takes basis asof, not operation",
		},
		{
			"a period's kind that was named with the state is refused",
			[]report.Kind{report.SlipsKind},
			nil,
			report.ByAsOf,
			report.Filter{},
			true, nil, "kind slips takes basis operation, forecast, payment, credit, not asof",
		},
		{
			"a case has no class to filter by",
			[]report.Kind{report.ExceptionsKind},
			nil, report.ByAsOf,
			report.Filter{Classes: []ledger.Class{ledger.Open}},
			true, nil, "kind exceptions has no classes to filter by",
		},
		{"payment is for slips alone", all, nil, report.ByPayment, report.Filter{}, false, []report.Kind{report.SlipsKind, report.ControlKind}, ""},
		{
			"a card kind that was named is refused",
			[]report.Kind{report.SummaryKind},
			nil, report.ByPayment,
			report.Filter{},
			true, nil,
			"kind summary takes basis operation, forecast, credit, not payment",
		},
		{
			"a brand leaves the slips out", all, nil, report.ByCredit, brand, false,
			[]report.Kind{
				report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.ClaimsKind, report.RestatementKind, report.StatementKind,
				report.ControlKind,
			},
			"",
		},
		{
			"slips that were named with a brand are refused",
			[]report.Kind{report.SlipsKind},
			nil, report.ByCredit, brand, true, nil,
			"kind slips has no brands to filter by",
		},
		{
			"a kind that has no EDI is refused when only EDI is asked for",
			[]report.Kind{report.SplitsKind},
			[]report.Format{report.EDI},
			report.ByCredit,
			report.Filter{},
			true, nil, "kind splits has no format edi",
		},
	} {
		got, err := Choose(tc.asked, tc.formats, tc.basis, ledger.Period{From: 2, To: 3}, tc.filter, tc.named)
		if !slices.Equal(got, tc.want) || (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
			t.Errorf("%s: %v, %v", tc.why, got, err)
		}
	}
	if _, err := Parse("profit"); err == nil || !strings.Contains(err.Error(), report.JoinNames(Known())) {
		t.Error(err)
	}
}

// Programs that read the files depend on the columns: every id once, every header said, the hash last, and none is lost or moved
// unnoticed: testdata/export/columns.txt has the columns of every table.
func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	var columns strings.Builder
	for _, tb := range Tables() {
		columns.WriteString(tb.ID + ": " + columnIDs(tb) + "\n")
		seen := map[string]bool{}
		for i, c := range tb.Columns {
			if seen[c.ID] || c.Header == "" || c.HeaderEN == "" {
				t.Errorf("%s: column %q is there twice or has no header", tb.ID, c.ID)
			}
			seen[c.ID] = true
			if last := i == len(tb.Columns)-1; last != (c.Type == table.TypeHash) || last && c.ID != "row_hash" {
				t.Errorf("%s: row_hash must be the last column", tb.ID)
			}
			if money := c.Type == table.TypeMoney; money && c.Decimals != 2 && c.Decimals != 4 {
				t.Errorf("%s: money column %s has %d decimals", tb.ID, c.ID, c.Decimals)
			}
		}
	}
	for _, d := range Definitions() {
		for _, wide := range d.BankTables {
			columns.WriteString(wide.ID + " with banks: " + columnIDs(wide) + "\n")
			if narrow := TableInSet(wide.ID, false); TableInSet(wide.ID, true) != wide || !slices.ContainsFunc(d.Tables, func(t *table.Table) bool { return t == narrow }) {
				t.Errorf("%s with the columns of banks is not the table of %s in sets with banks", wide.ID, d.Kind)
			}
		}
	}
	path := filepath.FromSlash("../../../testdata/export/columns.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(path, []byte(columns.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), columns.String()); d != "" {
		t.Errorf("the columns in %s (-) and as declared (+) differ (UPDATE_GOLDEN=1 go test ./export/report/kindlist writes it again):\n%s", path, d)
	}
}

func columnIDs(tb *table.Table) string {
	ids := make([]string, 0, len(tb.Columns))
	for _, c := range tb.Columns {
		ids = append(ids, c.ID)
	}
	return strings.Join(ids, ", ")
}

// A definition names columns, kinds and formats by their ids: each has to be there.
func TestDefinitionsAreWhole(t *testing.T) {
	t.Parallel()
	for _, d := range Definitions() {
		for _, k := range d.Needs {
			if DefinitionOf(k) == nil || DefinitionOf(k).Begin == nil {
				t.Errorf("%s needs %s, which has no content", d.Kind, k)
			}
		}
		if written := d.Kind == report.ControlKind || d.Kind == report.StatementKind; written == (d.Begin != nil) {
			t.Errorf("%s: either package render writes the kind or it has a content", d.Kind)
		}
		if len(d.Bases) == 0 || len(d.Formats) == 0 {
			t.Errorf("%s goes with no basis or no format", d.Kind)
		}
		for id, v := range d.View {
			tb := TableByID(id)
			if tb == nil || DefinitionOfTable(tb) != d {
				t.Errorf("%s has a view of %s, which is none of its tables", d.Kind, id)
				continue
			}
			for _, c := range strings.Fields(v.PageColumns) {
				if tb.ColumnIndex(c) < 0 {
					t.Errorf("%s shows a column %s of %s on the page, which it does not have", d.Kind, c, id)
				}
			}
		}
	}
}

func TestMonthIsWhole(t *testing.T) {
	t.Parallel()
	november := ledger.Period{From: ledger.NewDate(2026, 11, 1), To: ledger.NewDate(2026, 11, 30)}
	asked := []report.Kind{report.SummaryKind, report.MonthKind}
	for _, tc := range []struct {
		why    string
		period ledger.Period
		basis  report.Basis
		has    bool
	}{
		{"a calendar month", november, report.ByOperation, true},
		{"a part of one", ledger.Period{From: november.From + 1, To: november.To}, report.ByOperation, false},
		{"two of them", ledger.Period{From: november.From, To: ledger.NewDate(2026, 12, 31)}, report.ByOperation, false},
		{"a basis that months are not kept on", november, report.ByForecast, false},
		{"a period that is not known yet", ledger.Period{}, report.ByCredit, true},
	} {
		kinds, err := Choose(asked, nil, tc.basis, tc.period, report.Filter{}, false)
		if err != nil || slices.Contains(kinds, report.MonthKind) != tc.has {
			t.Errorf("%s: %v, %v", tc.why, kinds, err)
		}
		if _, err := Choose(asked, nil, tc.basis, tc.period, report.Filter{}, true); (err == nil) != tc.has {
			t.Errorf("%s, named: %v", tc.why, err)
		}
	}
}
