package export_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/export"
	"concilia/export/table"
	"concilia/store/ledger"
)

func TestNames(t *testing.T) {
	t.Parallel()
	p := ledger.Period{From: day("2026-11-01"), To: day("2026-11-30")}
	filter := export.Filter{Brands: []string{"Visa", "ELO"}, Classes: []ledger.Class{ledger.Open}}
	for _, tc := range []struct{ why, got, want string }{
		{
			"a table's file", export.Name("splits-payable", "1001", export.ByCredit, p, "", 0, "csv"),
			"splits-payable_1001_credit_20261101_20261130_r0.csv",
		},
		{
			"a filter shows as eight digits", export.Name("summary", "all", export.ByOperation, p, filter.Canonical(), 12, "csv"),
			"summary_all_operation_20261101_20261130_f520caf9c_r12.csv",
		},
		{"a filter has one spelling", filter.Canonical(), "brand=elo,visa;status=open"},
		{"no filter is no text", export.Filter{}.Canonical(), ""},
		{
			"year and month are those of the last day",
			export.Dir("1001", ledger.Period{From: day("2026-12-15"), To: day("2027-01-14")}), "1001/2027/01",
		},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, tc.got, tc.want)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	all := export.Kinds()
	brand := export.Filter{Brands: []string{"visa"}}
	for _, tc := range []struct {
		why     string
		asked   []export.Kind
		formats []export.Format
		basis   export.Basis
		filter  export.Filter
		named   bool
		want    []export.Kind
		err     string
	}{
		{"everything of a period goes with operation", all, nil, export.ByOperation, export.Filter{}, false, periodKinds(), ""},
		{
			"a state kind that was named with a period's basis is refused",
			[]export.Kind{export.AgingKind},
			nil,
			export.ByOperation,
			export.Filter{},
			true, nil, "kind aging takes basis asof, not operation",
		},
		{
			"a period's kind that was named with the state is refused",
			[]export.Kind{export.SlipsKind},
			nil,
			export.ByAsOf,
			export.Filter{},
			true, nil, "kind slips takes basis operation, forecast, payment, credit, not asof",
		},
		{
			"a case has no class to filter by",
			[]export.Kind{export.ExceptionsKind},
			nil, export.ByAsOf,
			export.Filter{Classes: []ledger.Class{ledger.Open}},
			true, nil, "kind exceptions has no classes to filter by",
		},
		{"payment is for slips alone", all, nil, export.ByPayment, export.Filter{}, false, []export.Kind{export.SlipsKind, export.ControlKind}, ""},
		{
			"a card kind that was named is refused",
			[]export.Kind{export.SummaryKind},
			nil, export.ByPayment,
			export.Filter{},
			true, nil,
			"kind summary takes basis operation, forecast, credit, not payment",
		},
		{
			"a brand leaves the slips out", all, nil, export.ByCredit, brand, false,
			[]export.Kind{
				export.SummaryKind, export.InstallmentsKind, export.SplitsKind, export.FeesKind, export.ClaimsKind, export.RestatementKind, export.StatementKind,
				export.ControlKind,
			},
			"",
		},
		{
			"slips that were named with a brand are refused",
			[]export.Kind{export.SlipsKind},
			nil, export.ByCredit, brand, true, nil,
			"kind slips has no brands to filter by",
		},
		{
			"a kind that has no EDI is refused when only EDI is asked for",
			[]export.Kind{export.SplitsKind},
			[]export.Format{export.EDI},
			export.ByCredit,
			export.Filter{},
			true, nil, "kind splits has no format edi",
		},
	} {
		got, err := export.Choose(tc.asked, tc.formats, tc.basis, tc.filter, tc.named)
		if !slices.Equal(got, tc.want) || (err == nil) != (tc.err == "") || err != nil && err.Error() != tc.err {
			t.Errorf("%s: %v, %v", tc.why, got, err)
		}
	}
	if _, err := export.ParseKind("profit"); err == nil || !strings.Contains(err.Error(), "summary, installments, splits, fees, slips, exceptions, aging, ") {
		t.Error(err)
	}
}

func TestMasks(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why, got, want string
	}{
		{"a payer's CPF", export.PayerDocument("529.982.247-25", false), "***982247**"},
		{"a payer's CNPJ", export.PayerDocument("11.222.333/0001-81", false), "11222333******"},
		{"what is neither is hidden whole", export.PayerDocument("1234567", false), "*******"},
		{"nothing stays nothing", export.PayerDocument("", false), ""},
		{"a kind that is told to shows it", export.PayerDocument("52998224725", true), "52998224725"},
		{"a beneficiary's CPF", export.Beneficiary("52998224725", false), "***982247**"},
		{"a beneficiary's CNPJ is a company's", export.Beneficiary("11444777000161", false), "11444777000161"},
		{"a beneficiary's name", export.Beneficiary("Loja Centro", false), "Loja Centro"},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, tc.got, tc.want)
		}
	}
}

// Columns are the law of whoever reads the files: every id once, every header said, the hash last.
func TestTablesAreWhole(t *testing.T) {
	t.Parallel()
	want := []string{"summary 33", "installments 44", "splits 21", "splits-payable 6", "fees 22", "slips 35", "slips-summary 26", "exceptions 34", "aging 22", "agenda 15", "agenda-roll 21", "claims 21", "restatement 17", "control 12"}
	var got []string
	for _, tb := range export.Tables() {
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
		t.Error(d)
	}
}
