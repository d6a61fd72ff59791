package reconcile

import (
	"context"

	"concilia/jobs/rules"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

// Source reads the facts of an account.
type Source interface {
	NotificationSource
	// SalesInScope hands over the sales of the scope in order of (day, NSU, authorization, occurrence), histories oldest
	// first, with what is believed of them, and what vanished and is still believed in. The sale is the callee's to keep.
	// Of a scope that leaves nothing out the beliefs may lack what they added to sums: Band, Lines and Contribution.
	SalesInScope(ctx context.Context, a ledger.Account, scope *ledger.Scope, fn func(*ledger.Sale) error) error
	// SlipsInScope hands over the slips of the scope in order of id, with what is believed of them. The slip is the callee's
	// to keep.
	SlipsInScope(ctx context.Context, a ledger.Account, scope *ledger.Scope, fn func(*ledger.Slip) error) error
	// VanishedInstallments hands over every installment that the last complete pull of its day no longer shows, and the as-of of the
	// run that saw it last.
	VanishedInstallments(ctx context.Context, a ledger.Account, fn func(*ledger.InstallmentVersion, ledger.Date) error) error
	// InstallmentsByNSU hands over the current versions of the installments with those NSUs, whenever they were sold, and InstallmentsSoldIn those
	// sold in a period; vanished ones are left out.
	InstallmentsByNSU(ctx context.Context, a ledger.Account, nsus []string, fn func(*ledger.InstallmentVersion) error) error
	InstallmentsSoldIn(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*ledger.InstallmentVersion) error) error
	// Coverage tells of the days of a source that have a complete pull; the others may be left out.
	Coverage(ctx context.Context, a ledger.Account, s ledger.Source, p ledger.Period) (map[ledger.Date]DayCoverage, error)
	// QuarantinedRows lists the rows that could not be read.
	QuarantinedRows(ctx context.Context, a ledger.Account) ([]ledger.Quarantined, error)
	// RecentPulls tells of the questions put since a run last reconciled the account.
	RecentPulls(ctx context.Context, a ledger.Account) (RecentPulls, error)
	// WasAnswered says whether a question of Candidates was put again in this run and answered whole.
	WasAnswered(rules.Recheck) bool
}

// DayCoverage is what is known about one day of a source.
type DayCoverage struct {
	// Complete: there is a complete pull of a window that holds the day, begun after the day had ended.
	Complete bool
	// CompleteOn is the date, in the configured zone, on which the last such pull began.
	CompleteOn ledger.Date
	// CompleteNow: a pull of this run holds the day and arrived whole, whether the day had ended or not.
	CompleteNow bool
	// RowsUnchanged: that pull brought no new row of its window and lacked none.
	RowsUnchanged bool
	// CompletePulls is how many pulls that hold the day arrived whole, whenever they began.
	CompletePulls int
}

// Sink receives the results: one database transaction of the ledger. It may keep the expectations it is passed.
type Sink interface {
	// LastReconcile is what the reconcile before rested on.
	LastReconcile() ledger.LastReconcile
	// Scope finds what moved since, what time turns, and what those named need to be judged.
	Scope(days []ledger.Date, sales []ledger.SaleKey, slips []string) (*ledger.Scope, error)
	// RecordInputs keeps what this reconcile rests on.
	RecordInputs(inputs string, shadow []string) error
	// Restart forgets everything written since the sink was opened.
	Restart() error
	// CurrentCases is every case of the account, whatever its state, as it was seen last.
	CurrentCases() ([]ledger.Finding, error)
	// WriteExpectation and WriteSlipExpectation keep an expectation and say whether it is another than before; Gone and EndSlipExpectation end one. The
	// expectation is the caller's again once they return.
	WriteExpectation(e *ledger.Expectation, before *ledger.StoredExpectation) (other bool, err error)
	WriteSlipExpectation(e *ledger.SlipExpectation, before *ledger.StoredExpectation) (other bool, err error)
	EndExpectation(ledger.InstallmentKey) error
	EndSlipExpectation(id string) error
	// WriteCase writes a case; event says that its state or its numbers changed. Seen is Finding of a case that is as it
	// stood, down to the last member, but for the run that saw it and its as-of.
	WriteCase(f ledger.Finding, event bool) error
	WriteUnchangedCase(f *ledger.Finding) error
	RecordRuleCounts([]ledger.RuleCounts) error
	// UpdateBridge, Rounding and Populate move sums by what is given, or put it in their place when it is all there is; each
	// is called once. Bridged, Rounded and Populations tell what they are then, in order.
	UpdateBridge(all bool, moved []ledger.BridgeRow) error
	CurrentBridge() ([]ledger.BridgeRow, error)
	UpdateRounding(all bool, moved []ledger.ToleratedAmount) error
	CurrentRounding() ([]ledger.ToleratedAmount, error)
	UpdatePopulations(all bool, moved []ledger.Population) error
	CurrentPopulations() ([]ledger.Population, error)
	// SumCardsAhead names days, in order, of whose cards nothing more will be believed, so that they may be summed meanwhile.
	SumCardsAhead(days []ledger.Date) error
	// CardSums is what the ledger holds of the days, all of them when none is named, and SlipSums of all slips, by
	// queries of their own over what was written.
	CardSums(days []ledger.Date) ([]ledger.DaySum, error)
	SlipSums() ([]ledger.DaySum, error)
	// CurrentClosings are what was open when the reconcile before ended; Continued keeps what became of it.
	CurrentClosings() ([]ledger.Continuity, error)
	WriteContinuity([]ledger.Continuity) error
}

// ListRechecks returns the questions to ask the service again before the rules judge, because the views of a run's slips
// contradict each other; each question once, in a fixed order.
func ListRechecks(run string, all []*ledger.Slip, completeNow func(ledger.Source, ledger.Date) bool) []rules.Recheck {
	var asks []rules.Recheck
	seen := map[rules.Recheck]bool{}
	for _, s := range all {
		for _, ask := range slips.RechecksOf(run, s, completeNow) {
			if !seen[ask] {
				seen[ask] = true
				asks = append(asks, ask)
			}
		}
	}
	sortRechecks(asks)
	return asks
}
