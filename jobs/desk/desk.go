package desk

import (
	"strings"
	"time"

	"concilia/export"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/results"
)

// Desk carries out what people do about cases and periods. Every field except FourEyes is required.
type Desk struct {
	Ledger   *store.Ledger
	FourEyes []string         // verbs that take effect only after a second person repeats them
	Today    ledger.Date      // on the business clock
	Wall     func() time.Time // dates the acts
}

// proposalLives is how long a proposal waits for a second person, by the wall clock.
const proposalLives = 7 * 24 * time.Hour

// The outcomes of an act for one case.
const (
	actDone     = "done"
	actProposed = "proposed"
	actWaiting  = "waiting"
)

// proposals are, by subject, those of a verb that still wait for a second person and have the subject's parameters.
func (d *Desk) proposals(
	verb ledger.Verb, subjects []string, parameters func(subject string) string, acts func(results.ActFilter) ([]ledger.Act, error),
) (map[string][]ledger.Act, error) {
	all, err := acts(results.ActFilter{Subjects: subjects, Verbs: []ledger.Verb{verb}, Since: d.Wall().Add(-proposalLives)})
	if err != nil {
		return nil, err
	}
	type entry struct {
		account ledger.Account
		number  int64
	}
	confirmed := map[entry]bool{}
	for _, a := range all {
		confirmed[entry{a.Account, a.Confirms}] = true
	}
	open := map[string][]ledger.Act{}
	for _, a := range all {
		if a.Stage == ledger.Proposed && a.Parameters == parameters(a.Subject) && !confirmed[entry{a.Account, a.Number}] {
			open[a.Subject] = append(open[a.Subject], a)
		}
	}
	return open, nil
}

// outcomeOf is what an act of an actor comes to that needs a second person, by the proposals that wait for one.
func outcomeOf(actor string, open []ledger.Act) (outcome string, partner ledger.Act) {
	outcome = actProposed
	for _, p := range open {
		// A second person outweighs the same one who proposed before.
		if mine := strings.EqualFold(p.Actor, actor); !mine {
			outcome, partner = actDone, p
		} else if outcome != actDone {
			outcome, partner = actWaiting, p
		}
	}
	return outcome, partner
}

// Stands says whether what a kind of report shows stands once its month is closed. The other kinds tell what became of it,
// or follow each other by themselves.
func Stands(k export.Kind) bool {
	return k != export.RestatementKind && k != export.StatementKind && k != export.ControlKind
}
