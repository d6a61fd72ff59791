package reconcile

import (
	"cmp"
	"context"
	"slices"

	"concilia/jobs/rules"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

// Source reads the facts of an account.
type Source interface {
	NotificationSource
	// SalesInScope calls fn with the sales of the scope in order of (day, NSU, authorization, occurrence), histories oldest
	// first, with their stored expectations, and with the vanished rows that still have one. fn may keep the sale. If the
	// scope is whole, the expectations may lack Band, Lines and AggregateDelta.
	SalesInScope(ctx context.Context, a ledger.Account, scope *ledger.Scope, fn func(*ledger.Sale) error) error
	// SlipsInScope calls fn with the slips of the scope in order of id, with their stored expectations. fn may keep the slip.
	SlipsInScope(ctx context.Context, a ledger.Account, scope *ledger.Scope, fn func(*ledger.Slip) error) error
	// VanishedInstallments calls fn with every installment that the last complete pull of its day no longer shows, and the
	// as-of date of the last run that saw it.
	VanishedInstallments(ctx context.Context, a ledger.Account, fn func(*ledger.InstallmentVersion, ledger.Date) error) error
	// InstallmentsByNSU calls fn with the current versions of the installments with these NSUs, whenever they were sold, and
	// InstallmentsSoldIn with those sold in a period; vanished ones are left out.
	InstallmentsByNSU(ctx context.Context, a ledger.Account, nsus []string, fn func(*ledger.InstallmentVersion) error) error
	InstallmentsSoldIn(ctx context.Context, a ledger.Account, p ledger.Period, fn func(*ledger.InstallmentVersion) error) error
	// Coverage returns the days of a list that have a complete pull; the others may be missing.
	Coverage(ctx context.Context, a ledger.Account, s ledger.Source, p ledger.Period) (map[ledger.Date]DayCoverage, error)
	// QuarantinedRows lists the rows that could not be read.
	QuarantinedRows(ctx context.Context, a ledger.Account) ([]ledger.Quarantined, error)
	// RecentPulls returns the pulls since a run last reconciled the account.
	RecentPulls(ctx context.Context, a ledger.Account) (RecentPulls, error)
	// WasAnswered reports whether a question of ListRechecks was answered completely in this run.
	WasAnswered(rules.Recheck) bool
}

// DayCoverage is what is known about one day of a list.
type DayCoverage struct {
	// Complete: there is a complete pull of a window that holds the day, begun after the day had ended.
	Complete bool
	// CompleteOn is the date, in the configured zone, on which the last such pull began.
	CompleteOn ledger.Date
	// CompleteNow: a complete pull of this run contains the day, whether or not the day had ended.
	CompleteNow bool
	// RowsUnchanged: the last complete pull brought no new row of its window and lacked none.
	RowsUnchanged bool
	// CompletePulls is the number of complete pulls that contain the day, whenever they began.
	CompletePulls int
}

// Sink receives the results: one database transaction of the ledger. It may keep the expectations that it is passed.
type Sink interface {
	// LastReconcile returns the basis of the last reconcile.
	LastReconcile() ledger.LastReconcile
	// Scope returns what changed since the last reconcile, what is due for another evaluation, and what has to be evaluated
	// together with the given days, sales and slips.
	Scope(days []ledger.Date, sales []ledger.SaleKey, slips []string) (*ledger.Scope, error)
	// RecordInputs stores the basis of this reconcile.
	RecordInputs(inputs string, shadow []string) error
	// Restart discards everything written since the sink was opened.
	Restart() error
	// CurrentCases returns the last observation of every case of the account, in whatever state.
	CurrentCases() ([]ledger.Finding, error)
	// SetSale says that what is written from here on is about the rows of a sale; nil: about anything.
	SetSale(s *ledger.Sale)
	// WriteExpectation and WriteSlipExpectation store an expectation and report whether it changed; EndExpectation and
	// EndSlipExpectation end one. The caller may reuse the expectation when they have returned.
	WriteExpectation(e *ledger.Expectation, before *ledger.StoredExpectation) (other bool, err error)
	WriteSlipExpectation(e *ledger.SlipExpectation, before *ledger.StoredExpectation) (other bool, err error)
	EndExpectation(ledger.InstallmentKey) error
	EndSlipExpectation(id string) error
	// WriteCase writes a case; event reports that its state or its numbers changed. WriteUnchangedCase writes a case that
	// differs from the stored one only in the last run and its as-of date.
	WriteCase(f ledger.Finding, event bool) error
	WriteUnchangedCase(f *ledger.Finding) error
	RecordRuleCounts([]ledger.RuleCounts) error
	// UpdateBridge, UpdateRounding and UpdatePopulations add changes to the aggregates, or replace them if all is set; each is
	// called once. CurrentBridge, CurrentRounding and CurrentPopulations return the results, in order.
	UpdateBridge(all bool, moved []ledger.BridgeRow) error
	CurrentBridge() ([]ledger.BridgeRow, error)
	UpdateRounding(all bool, moved []ledger.ToleratedAmount) error
	CurrentRounding() ([]ledger.ToleratedAmount, error)
	UpdatePopulations(all bool, moved []ledger.Population) error
	CurrentPopulations() ([]ledger.Population, error)
	// SumCardsAhead names days, in order, whose card expectations are final, so that they may be summed in the meantime.
	SumCardsAhead(days []ledger.Date) error
	// CardSums computes the sums of the cards of the days (all if none is given), SlipSums those of all slips, by queries over
	// what was written.
	CardSums(days []ledger.Date) ([]ledger.DaySum, error)
	SlipSums() ([]ledger.DaySum, error)
	// CurrentClosings returns what was open at the end of the last reconcile; WriteContinuity stores what became of it.
	CurrentClosings() ([]ledger.Continuity, error)
	WriteContinuity([]ledger.Continuity) error
	// KeepTotals adds up what was written, and keeps it for reports and pages: the months and what is to be credited, to which only
	// the sale days given, or all, add something else than before. It is called once.
	KeepTotals(all bool, days []ledger.Date, in ledger.ForecastReading) error
}

// ListRechecks returns the questions to ask the service a second time before the rules are evaluated, because the views
// of a run's slips contradict each other: each question once, in a fixed order.
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

func sortRechecks(asks []rules.Recheck) {
	slices.SortFunc(asks, func(a, b rules.Recheck) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID))
	})
}
