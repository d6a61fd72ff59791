package reconcile

import (
	"context"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Source is where the facts of an account come from.
type Source interface {
	Notices
	// Sales hands over every sale of the account in order of (day, NSU, authorization, occurrence), histories oldest
	// first, vanished rows left out. The sale is the callee's to keep.
	Sales(ctx context.Context, a ledger.Account, fn func(*ledger.Sale) error) error
	// Slips hands over every slip of the account in order of id. The slip is the callee's to keep.
	Slips(ctx context.Context, a ledger.Account, fn func(*ledger.Slip) error) error
	// Coverage tells of the days of a source that have a complete pull; the others may be left out.
	Coverage(ctx context.Context, a ledger.Account, s ledger.Source, p ledger.Period) (map[ledger.Date]Cover, error)
	// Quarantine lists the rows that could not be read.
	Quarantine(ctx context.Context, a ledger.Account) ([]ledger.Quarantined, error)
	// Answered says whether a question of Candidates was put again in this run and answered whole.
	Answered(rules.Ask) bool
}

// Cover is what is known of one day of a source.
type Cover struct {
	// Complete: there is a complete pull of a window that holds the day, begun after the day had ended.
	Complete bool
	// On is the date, in the configured zone, on which the last such pull began.
	On ledger.Date
	// Now: a pull of this run holds the day and arrived whole, whether the day had ended or not.
	Now bool
}

// Sink is where what was found goes: one database transaction of the ledger. Expectations are the sink's to keep.
type Sink interface {
	// Standing is every case of the account, whatever its state, as it was seen last.
	Standing() ([]ledger.Finding, error)
	Expectation(*ledger.Expectation) error
	SlipExpectation(*ledger.SlipExpectation) error
	// Finding writes a case; event says that its state or its numbers changed.
	Finding(f ledger.Finding, event bool) error
	Bridge([]ledger.BridgeRow) error
	Tallies([]ledger.Tally) error
	// Rounding adds tolerated cents of a rule in a month, by its first day.
	Rounding(code string, month ledger.Date, abs ledger.Amount) error
	// CardDifferences is Σ(N* − R) per day, brand and product, and SlipDifferences Σ(V* − credited) per due date, by a
	// query of their own over what was written.
	CardDifferences() ([]ledger.BridgeRow, error)
	SlipDifferences() ([]ledger.BridgeRow, error)
}

// Candidates are the questions to put to the service once more before the rules judge: what the slips of a run
// contradict each other about. Every question is named once, in a fixed order.
func Candidates(run string, slips []*ledger.Slip, completeNow func(ledger.Source, ledger.Date) bool) []rules.Ask {
	var asks []rules.Ask
	seen := map[rules.Ask]bool{}
	for _, s := range slips {
		for _, ask := range rules.Candidates(run, s, completeNow) {
			if !seen[ask] {
				seen[ask] = true
				asks = append(asks, ask)
			}
		}
	}
	sortAsks(asks)
	return asks
}
