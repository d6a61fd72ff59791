package report

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"concilia/export/table"
	"concilia/store/ledger"

	"github.com/google/go-cmp/cmp"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	all := []Kind{
		SummaryKind, InstallmentsKind, SplitsKind, FeesKind, SlipsKind, ExceptionsKind, AgingKind, AgendaKind, SalesKind, ClaimsKind,
		RestatementKind, StatementKind, ControlKind,
	}
	brand := Filter{Brands: []string{"visa"}}
	for _, tc := range []struct {
		why     string
		asked   []Kind
		formats []Format
		basis   Basis
		filter  Filter
		named   bool
		want    []Kind
		err     string
	}{
		{"everything of a period goes with operation", all, nil, ByOperation, Filter{}, false, []Kind{
			SummaryKind, InstallmentsKind, SplitsKind, FeesKind, SlipsKind, SalesKind, ClaimsKind, RestatementKind, ControlKind,
		}, ""},
		{
			"a state kind that was named with a period's basis is refused",
			[]Kind{AgingKind},
			nil,
			ByOperation,
			Filter{},
			true, nil, "kind aging takes basis asof, not operation",
		},
		{
			"a period's kind that was named with the state is refused",
			[]Kind{SlipsKind},
			nil,
			ByAsOf,
			Filter{},
			true, nil, "kind slips takes basis operation, forecast, payment, credit, not asof",
		},
		{
			"a case has no class to filter by",
			[]Kind{ExceptionsKind},
			nil, ByAsOf,
			Filter{Classes: []ledger.Class{ledger.Open}},
			true, nil, "kind exceptions has no classes to filter by",
		},
		{"payment is for slips alone", all, nil, ByPayment, Filter{}, false, []Kind{SlipsKind, ControlKind}, ""},
		{
			"a card kind that was named is refused",
			[]Kind{SummaryKind},
			nil, ByPayment,
			Filter{},
			true, nil,
			"kind summary takes basis operation, forecast, credit, not payment",
		},
		{
			"a brand leaves the slips out", all, nil, ByCredit, brand, false,
			[]Kind{
				SummaryKind, InstallmentsKind, SplitsKind, FeesKind, ClaimsKind, RestatementKind, StatementKind,
				ControlKind,
			},
			"",
		},
		{
			"slips that were named with a brand are refused",
			[]Kind{SlipsKind},
			nil, ByCredit, brand, true, nil,
			"kind slips has no brands to filter by",
		},
		{
			"a kind that has no EDI is refused when only EDI is asked for",
			[]Kind{SplitsKind},
			[]Format{EDI},
			ByCredit,
			Filter{},
			true, nil, "kind splits has no format edi",
		},
	} {
		got, err := Choose(tc.asked, tc.formats, tc.basis, ledger.Period{From: 2, To: 3}, tc.filter, tc.named)
		if !slices.Equal(got, tc.want) || (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
			t.Errorf("%s: %v, %v", tc.why, got, err)
		}
	}
	if _, err := ParseKind("profit"); err == nil || !strings.Contains(err.Error(), joinNames(Kinds())) {
		t.Error(err)
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why, got, want string
	}{
		{"a payer's CPF", maskPayerDocument("529.982.247-25", false), "***982247**"},
		{"a payer's CNPJ", maskPayerDocument("11.222.333/0001-81", false), "11222333******"},
		{"what is neither is hidden whole", maskPayerDocument("1234567", false), "*******"},
		{"nothing stays nothing", maskPayerDocument("", false), ""},
		{"a kind that is told to shows it", maskPayerDocument("52998224725", true), "52998224725"},
		{"a beneficiary's CPF", maskBeneficiary("52998224725", false), "***982247**"},
		{"a beneficiary's CNPJ is a company's", maskBeneficiary("11444777000161", false), "11444777000161"},
		{"a beneficiary's name", maskBeneficiary("Loja Centro", false), "Loja Centro"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, tc.got, tc.want)
		}
	}
}

// Columns are the law of whoever reads the files: every id once, every header said, the hash last, and none is lost. A table that is
// new or grows is written down here.
func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	want := []string{"summary 33", "month 26", "installments 44", "splits 21", "splits-payable 6", "fees 22", "slips 35", "slips-summary 26", "exceptions 40", "recoveries 18", "aging 22", "agenda 15", "agenda-roll 21", "bank 21", "bank-days 12", "sales 26", "sales-summary 21", "efd-1601 11", "forecast 15", "claims 21", "restatement 17", "card-events 35", "slip-events 30", "journal 18", "control 12"}
	var got []string
	for _, tb := range Tables() {
		got = append(got, tb.ID+" "+strconv.Itoa(len(tb.Columns)))
		seen := map[string]bool{}
		for i, c := range tb.Columns {
			if seen[c.ID] || c.Header == "" || c.HeaderEN == "" {
				t.Errorf("%s: column %q stands twice or has no header", tb.ID, c.ID)
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
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("tables with their number of columns, as in want of this test (-) and as declared (+):\n%s", d)
	}
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
		if written := d.Kind == ControlKind || d.Kind == StatementKind; written == (d.Begin != nil) {
			t.Errorf("%s: either package render writes the kind or it has a content", d.Kind)
		}
		if len(d.Bases) == 0 || len(d.Formats) == 0 {
			t.Errorf("%s goes with no basis or no format", d.Kind)
		}
		for id, v := range d.View {
			tb := TableByID(id)
			if tb == nil || !slices.Contains(d.Tables, tb) {
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

// The reader of one kind sees the rows of each of its tables.
func TestPaidFaceIsOfPaidSlipsAlone(t *testing.T) {
	t.Parallel()
	r := slipsDefinition.NewReader(0)
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
