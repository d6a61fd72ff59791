package jobs_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/casework"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// What each answer changed of a record is told with the answer, and so are the days a date rests on.
func TestExplainVersions(t *testing.T) {
	t.Parallel()
	spare(t)
	m := newMerchant(t, world.Options{Seed: 21, Days: 40, Installments: 150, Plant: true})
	m.unpublished()
	m.night(t)
	for range 2 {
		m.world.SetNow(m.world.Now().AddDate(0, 0, 1))
		m.night(t)
	}
	x := &casework.Explainer{Ledger: m.Ledger, Profile: m.Inputs.Profile, Calendar: m.Inputs.Calendar}
	last := ""
	changed, dated, settled := false, false, false
	err := m.Ledger.Findings(t.Context(), caselog.FindingFilter{}, func(f *ledger.Finding) error {
		last = f.Case
		e, err := x.ExplainCase(t.Context(), f.Case, "en")
		if err != nil {
			return err
		}
		if e.Sentence == "" || e.Settles == "" || len(e.History) == 0 {
			t.Errorf("%s is told by %+v", f.Code, e)
		}
		for _, v := range e.Versions {
			if v.Version > 1 && len(v.Changes) == 0 && !v.Vanished || v.Began.IsZero() || v.Pull == "" {
				t.Errorf("version %d of %s: %+v", v.Version, f.Subject, v)
			}
			changed = changed || len(v.Changes) > 0
		}
		for _, p := range e.Evidence {
			if p.Complete && len(p.SHA256) != 64 {
				t.Errorf("evidence of %s: %+v", f.Subject, p)
			}
		}
		if e.OtherCalendar || e.Calendar != "" && len(e.Days) == 0 && strings.HasPrefix(f.Subject, "slip:") {
			t.Errorf("%s rests on the calendar in force, and its days are not told: other %t", f.Code, e.OtherCalendar)
		}
		for _, d := range e.Days {
			dated = true
			settled = settled || d.Settles
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if !changed || !dated || !settled {
		t.Errorf("some case tells of a change: %t, of days: %t, of business days: %t", changed, dated, settled)
	}
	if e, err := x.ExplainCase(t.Context(), strings.ToUpper(last[:10]), "en"); err != nil || e.Case != last {
		t.Errorf("a case by its first digits: %v %v", e, err)
	}
	var refused *casework.RequestError
	if _, err := x.ExplainCase(t.Context(), "0123456789abcdef", "en"); !errors.As(err, &refused) {
		t.Errorf("a case nobody knows: %v", err)
	}
}

// The page of an order that was not filled shows the installment it names; that of a simulator off its price shows what
// it was asked and said, the contract line it was held to, and its answer as evidence.
func TestExplainOrdersAndSimulations(t *testing.T) {
	t.Parallel()
	page := func(code string) *casework.CasePage {
		t.Helper()
		all := mutants()
		m := all[slices.IndexFunc(all, func(m mutant) bool { return m.code == code })]
		l := newLab(t, onSQLite())
		m.setup(l)
		l.nights(1, m.edit)
		var id string
		if err := l.Ledger.Findings(t.Context(), caselog.FindingFilter{Codes: []string{code}}, func(f *ledger.Finding) error {
			id = f.Case
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		x := &casework.Explainer{Ledger: l.Ledger, Profile: l.Inputs.Profile, Calendar: l.Inputs.Calendar}
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
	if !slices.Contains(p.Record, casework.RecordMember{Name: "installmentNumber", Value: "3"}) || len(p.Versions) == 0 || len(p.Evidence) == 0 || p.Settles == "" || len(p.Days) == 0 {
		t.Errorf("the order's page: %+v", p)
	}
	p = page("SIMULATOR_DRIFT")
	want := []casework.RecordMember{{Name: "Brand", Value: "visa"}, {Name: "netValue", Value: "1000.00"}, {Name: "installment", Value: "6"}, {Name: "amount", Value: "1029.15"}}
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
