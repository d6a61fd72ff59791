package jobs_test

import (
	"bytes"
	"errors"
	"testing"

	"concilia/cmd/sandbox/world"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/agreements"
	"concilia/jobs/casework"
	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// What changed between two nights is what the later one says less what the earlier one said.
func TestDiffRuns(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	m := newMerchant(t, world.Options{Seed: 33, Days: 14, Installments: 150, Plant: true})
	m.Reports.Bases, m.Reports.Kinds = []report.Basis{report.ByOperation}, []report.Kind{report.SummaryKind}
	nights := []*jobs.Summary{m.RunNight(t)}
	agreed := m.Inputs.Contracts
	// Other rates on the next morning, the old ones again on the third: cases come, and go.
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	var err error
	m.Inputs.Contracts, err = agreements.ParseContracts("contract.yaml", bytes.Replace(agreed.Text(), []byte("mdr: "), []byte("mdr: 1"), 1))
	if err != nil {
		t.Fatal(err)
	}
	nights = append(nights, m.RunNight(t))
	m.World.SetNow(m.World.Now().AddDate(0, 0, 1))
	m.Inputs.Contracts = agreed
	nights = append(nights, m.RunNight(t))

	for _, c := range []struct {
		says     string
		from, to int
		holds    func(d *casework.RunDiff) bool
	}{
		{"a contract that asks for more opens cases", 0, 1, func(d *casework.RunDiff) bool {
			return d.Cases.Opened.Cases > 3 && d.Cases.Opened.Amount != 0 && len(d.Cases.Opened.Top) > 0 && d.Pulled.New > 0 &&
				len(d.Documents) == 1 && d.Documents[0].Name == "contract" && len(d.Sets) > 0
		}},
		{"the old one resolves them", 1, 2, func(d *casework.RunDiff) bool {
			return d.Cases.Resolved.Cases > 3 && len(d.Documents) == 1 && d.Cases.Opened.Cases == 0
		}},
		{"over both they came and went", 0, 2, func(d *casework.RunDiff) bool {
			return d.Cases.OpenedAndEnded > 3 && len(d.Documents) == 0 && d.Cases.Opened.Cases == 0
		}},
		{"a night differs in nothing from itself", 1, 1, func(d *casework.RunDiff) bool {
			return d.Cases.Opened.Cases+d.Cases.Resolved.Cases+d.Cases.Closed.Cases+d.Cases.Changed.Cases+d.Cases.StateChanged+d.Cases.OpenedAndEnded == 0 &&
				len(d.Documents) == 0 && len(d.Sets) == 0 && d.Pulled == ledger.Counts{}
		}},
	} {
		from, to := m.recordOf(t, nights[c.from].Run), m.recordOf(t, nights[c.to].Run)
		d, err := m.viewer().CompareRuns(t.Context(), from, to)
		if err != nil {
			t.Fatal(err)
		}
		if !c.holds(d) {
			t.Errorf("%s: %+v, documents %v, %d sets, pulled %+v", c.says, d.Cases, d.Documents, len(d.Sets), d.Pulled)
		}
		for _, s := range d.Sums {
			if s.Before != from.Sums[s.Name] || s.After != to.Sums[s.Name] {
				t.Errorf("%s: %s went from %s to %s, and the nights said %s and %s", c.says, s.Name, s.Before, s.After, from.Sums[s.Name], to.Sums[s.Name])
			}
		}
		if len(d.Sums) != 16 {
			t.Errorf("%s: %d sums", c.says, len(d.Sums))
		}
		// The unresolved cases came to more by what opened and changed, and to less by what is over.
		g := d.Cases
		stood, stands := from.Figures.Positive()-from.Figures.Excess, to.Figures.Positive()-to.Figures.Excess
		if moved := g.Opened.Amount + g.Changed.Amount - g.Resolved.Amount - g.Closed.Amount; stands-stood != moved {
			t.Errorf("%s: the cases went from %s to %s, and moved by %s", c.says, stood, stands, moved)
		}
	}
	var wrong *casework.RequestError
	if _, err := m.viewer().CompareRuns(t.Context(), m.recordOf(t, nights[1].Run), m.recordOf(t, nights[0].Run)); !errors.As(err, &wrong) {
		t.Errorf("the younger run first: %v", err)
	}
}
