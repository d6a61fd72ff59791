package manifest_test

import (
	"testing"

	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/store/ledger"
)

func day(text string) ledger.Date {
	d, err := ledger.ParseDate(text)
	if err != nil {
		panic(err)
	}
	return d
}

func TestNames(t *testing.T) {
	t.Parallel()
	p := ledger.Period{From: day("2026-11-01"), To: day("2026-11-30")}
	filter := report.Filter{Brands: []string{"Visa", "ELO"}, Classes: []ledger.Class{ledger.Open}}
	for _, tc := range []struct{ why, got, want string }{
		{
			"a table's file", manifest.Name("splits-payable", "1001", report.ByCredit, p, "", 0, "csv"),
			"splits-payable_1001_credit_20261101_20261130_r0.csv",
		},
		{
			"a filter shows as eight digits", manifest.Name("summary", "all", report.ByOperation, p, filter.Canonical(), 12, "csv"),
			"summary_all_operation_20261101_20261130_f520caf9c_r12.csv",
		},
		{"a filter has one spelling", filter.Canonical(), "brand=elo,visa;status=open"},
		{"no filter is no text", report.Filter{}.Canonical(), ""},
		{
			"year and month are those of the last day",
			manifest.Dir("1001", ledger.Period{From: day("2026-12-15"), To: day("2027-01-14")}), "1001/2027/01",
		},
	} {
		if tc.got != tc.want {
			t.Errorf("%s: %s, want %s", tc.why, tc.got, tc.want)
		}
	}
}
