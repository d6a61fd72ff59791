package proof_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/explain"
	"concilia/jobs/jobstest"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// The page of an order that was not filled shows the installment it names; that of a simulator off its price shows what
// it was asked and said, the contract line it was held to, and its answer as evidence.
func TestExplainOrdersAndSimulations(t *testing.T) {
	t.Parallel()
	page := func(code string) *explain.CasePage {
		t.Helper()
		all := mutants()
		m := all[slices.IndexFunc(all, func(m mutant) bool { return m.code == code })]
		l := newLab(t, jobstest.OnSQLite())
		m.setup(l)
		l.nights(1, m.edit)
		var id string
		if err := l.Ledger.Findings(t.Context(), caselog.FindingFilter{Codes: []string{code}}, func(f *ledger.Finding) error {
			id = f.Case
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		x := &explain.Explainer{Ledger: l.Ledger, Profile: l.Inputs.Profile, Calendar: l.Inputs.Calendar}
		p, err := x.ExplainCase(t.Context(), id, "pt-BR")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	p := page("ANTICIPATION_ORDER_UNFILLED")
	if want := "A ordem O-2 lista 2 parcelas: 1 não foi paga até 09/03/2026, R$ 100,00; a primeira é a parcela 3 do NSU A, pedida para 06/03/2026."; p.Sentence != want {
		t.Errorf("the order's sentence:\n%s\nwant\n%s", p.Sentence, want)
	}
	if !slices.Contains(p.Record, explain.RecordMember{Name: "installmentNumber", Value: "3"}) || len(p.Versions) == 0 || len(p.Evidence) == 0 || p.Settles == "" || len(p.Days) == 0 {
		t.Errorf("the order's page: %+v", p)
	}
	p = page("SIMULATOR_DRIFT")
	want := []explain.RecordMember{{Name: "Brand", Value: "visa"}, {Name: "netValue", Value: "1000.00"}, {Name: "installment", Value: "6"}, {Name: "amount", Value: "1029.15"}}
	if diff := cmp.Diff(want, p.Record); diff != "" {
		t.Errorf("the simulator's record: %s", diff)
	}
	if p.Contract == nil || p.Contract.Line != "1001/2024-01-01/visa/credit/1-12" || len(p.Evidence) != 1 || p.Evidence[0].Source != "simulator" || !p.Evidence[0].Kept {
		t.Errorf("the simulator's page: contract %+v, evidence %+v", p.Contract, p.Evidence)
	}
	if !strings.Contains(p.Formula, "esperado") || p.Settles == "" {
		t.Errorf("formula %q, settles %q", p.Formula, p.Settles)
	}
}
