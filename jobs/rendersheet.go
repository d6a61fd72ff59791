package jobs

import (
	"encoding/json"
	"fmt"

	"concilia/export"
	"concilia/export/report"
	"concilia/jobs/reconcile"
	"concilia/store/ledger"
	"concilia/store/reports"
)

// renderOrder is what a unit that renders an account's sets says: what is asked for, with all that is not in the ledger,
// and once somebody did it what came of it. Whoever does it, on whatever machine, goes by the sheet.
type renderOrder struct {
	Name     string              `json:"name"`
	Block    export.Block        `json:"block"`
	Verdict  ledger.Verdict      `json:"verdict"`
	Critical map[string][]string `json:"critical,omitempty"` // codes that withhold, by side
	Asked    []orderedSet        `json:"asked"`

	Came        []ledger.RunReportSet `json:"came,omitempty"`        // revisions that stand, made by the run or not
	Made        []*reports.Set        `json:"made,omitempty"`        // rendered and archived, for the process that leads the run to record
	Unpublished []string              `json:"unpublished,omitempty"` // why, per set that could not be
	Left        []string              `json:"left,omitempty"`        // who gave the unit back before, and why
}

// orderedSet is a set of the account that its unit owes.
type orderedSet struct {
	Basis   report.Basis    `json:"basis"`
	From    int64           `json:"from"` // as ledger.Date counts
	To      int64           `json:"to"`
	Kinds   []report.Kind   `json:"kinds"`
	Formats []report.Format `json:"formats"`
}

// newRenderOrder asks for sets of one account.
func newRenderOrder(a Account, r reconcile.Result, sets []setRequest) *renderOrder {
	sheet := &renderOrder{Name: a.Name, Block: a.Block, Verdict: r.Verdict, Critical: r.Critical}
	for _, set := range sets {
		sheet.Asked = append(sheet.Asked, orderedSet{
			set.basis, int64(set.period.From), int64(set.period.To), set.kinds, set.formats,
		})
	}
	return sheet
}

// readRenderOrder reads what a unit asks for. What came of an earlier try is over; who gave the unit back is not.
func readRenderOrder(u *ledger.WorkUnit) (*renderOrder, error) {
	sheet := &renderOrder{}
	if err := json.Unmarshal(u.Result, sheet); err != nil {
		return nil, fmt.Errorf("%s: what is asked for: %w", u.String(), err)
	}
	sheet.Came, sheet.Made, sheet.Unpublished = nil, nil, nil
	if u.Failure != "" {
		sheet.Left = append(sheet.Left, u.Failure)
	}
	return sheet, nil
}

// listSets are those asked for, of the account as it is configured where the run is led.
func (s *renderOrder) listSets(a Account) []setRequest {
	a.Name, a.Block = s.Name, s.Block
	out := make([]setRequest, len(s.Asked))
	for i, asked := range s.Asked {
		out[i] = setRequest{
			name: a.Number.String(), accounts: []Account{a}, basis: asked.Basis,
			period: ledger.Period{From: ledger.Date(asked.From), To: ledger.Date(asked.To)}, kinds: asked.Kinds,
			formats: asked.Formats,
		}
	}
	return out
}

// asVerdicts is what the rules said of the account.
func (s *renderOrder) asVerdicts(a ledger.Account) *accountVerdicts {
	return &accountVerdicts{byAccount: map[ledger.Account]reconcile.Result{a: {Verdict: s.Verdict, Critical: s.Critical}}}
}
