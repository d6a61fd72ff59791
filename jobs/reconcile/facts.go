package reconcile

import (
	"context"
	"fmt"
	"slices"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// knownFacts are the facts about an account that are read before its first row is evaluated.
type knownFacts struct {
	coverage      coverage
	notifications *dayNotifications
	notices       rules.NotificationFacts
	pulls         *pullFacts
	replaced      *replacedSlips
	populations   []ledger.Population // at the end of the last reconcile
	quarantine    *quarantine
}

func (at *attempt) readFacts(ctx context.Context) (*knownFacts, error) {
	k := &knownFacts{notifications: &dayNotifications{}, replaced: &replacedSlips{}}
	var err error
	if k.coverage, err = readCoverage(ctx, at.src, at.account, at.in.AsOf); err != nil {
		return nil, err
	}
	if k.notices, err = at.readNotificationFacts(ctx, k.notifications); err != nil {
		return nil, err
	}
	if k.pulls, err = readPullFacts(ctx, at.src, at.account); err != nil {
		return nil, err
	}
	if k.populations, err = at.sink.CurrentPopulations(); err != nil {
		return nil, err
	}
	k.quarantine, err = readQuarantine(ctx, at.src, at.account, k.populations)
	return k, err
}

// newEnv gives the rules the documents and what is known about the account.
func (at *attempt) newEnv(ctx context.Context, k *knownFacts) (*rules.Env, error) {
	in := &at.in
	return rules.NewEnv(catalogue.All(), rules.Options{
		Account: at.account, Run: at.run.ID, AsOf: in.AsOf, Contracts: in.Contracts, Mapping: in.Mapping, Profile: in.Profile,
		Calendar: in.Calendar(at.account), Settings: in.Settings, Answered: at.src.WasAnswered, Notifications: k.notices,
		SeenOn:      func(s ledger.Source, d ledger.Date) ledger.Date { return k.coverage[s][d].CompleteOn },
		CompleteNow: func(s ledger.Source, d ledger.Date) bool { return k.coverage[s][d].CompleteNow },
		PullsOf:     func(s ledger.Source, d ledger.Date) int { return k.coverage[s][d].CompletePulls },
		SlipNote:    k.pulls.describeSlip,
		Replaced:    k.replaced.newLookup(ctx, in.ListReplaced),
		Register:    in.Register,
		Orders:      in.Orders,
		Closes:      in.Closes,
	})
}

// coverage is what is known about the days of each list.
type coverage map[ledger.Source]map[ledger.Date]DayCoverage

// maxForwardDays is the furthest day ahead a list by due date can be pulled for.
const maxForwardDays = 400

// firstCoveredDay is the first day that coverage is read for: rows older than Since come from ranges that were pulled
// separately.
var firstCoveredDay = ledger.NewDate(calendar.FirstYear, 1, 1)

func readCoverage(ctx context.Context, src Source, a ledger.Account, asOf ledger.Date) (coverage, error) {
	c := coverage{}
	for _, s := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		// Days after the as-of count too: a list by due date is pulled forward.
		days, err := src.Coverage(ctx, a, s, ledger.Period{From: firstCoveredDay, To: asOf + maxForwardDays})
		if err != nil {
			return nil, fmt.Errorf("coverage of %s: %w", s, err)
		}
		c[s] = days
	}
	return c, nil
}

// countPullsOfMonth is the smallest number of complete pulls of any day of cards in a month, of its days from since on
// and before asOf.
func (c coverage) countPullsOfMonth(first, since, asOf ledger.Date) int {
	least := -1
	for d := max(first, since); d < asOf && d.MonthStart() == first; d++ {
		if n := c[ledger.Cards][d].CompletePulls; least < 0 || n < least {
			least = n
		}
	}
	return max(least, 0)
}

// quarantine are the rows that could not be read. They decide whether the sales of their day are complete.
type quarantine struct {
	rows       []ledger.Quarantined
	days       map[ledger.Date]bool // of cards with any quarantined row
	daysBefore map[ledger.Date]bool // those of the last reconcile
	unreadable map[ledger.Date]bool // of cards with a quarantined row whose key could not be read
}

// readQuarantine reads the quarantined rows; populations hold the days that had some at the last reconcile.
func readQuarantine(ctx context.Context, src Source, a ledger.Account, before []ledger.Population) (*quarantine, error) {
	rows, err := src.QuarantinedRows(ctx, a)
	if err != nil {
		return nil, err
	}
	q := &quarantine{rows: rows, days: map[ledger.Date]bool{}, daysBefore: map[ledger.Date]bool{}, unreadable: map[ledger.Date]bool{}}
	for i := range rows {
		if r := &rows[i]; r.Source == ledger.Cards && r.Day != 0 {
			q.days[r.Day] = true
			q.unreadable[r.Day] = q.unreadable[r.Day] || !r.KeyRead
		}
	}
	for _, p := range populationsOf(before, kindQuarantined) {
		d, err := ledger.ParseDate(p.Item)
		if err != nil {
			return nil, err
		}
		q.daysBefore[d] = true
	}
	return q, nil
}

// listChanged lists the days of cards that have a quarantined row now and had none at the last reconcile, or the reverse.
func (q *quarantine) listChanged() []ledger.Date {
	var changed []ledger.Date
	for d := range q.days {
		if !q.daysBefore[d] {
			changed = append(changed, d)
		}
	}
	for d := range q.daysBefore {
		if !q.days[d] {
			changed = append(changed, d)
		}
	}
	slices.Sort(changed)
	return changed
}

// addDays adds the days with a quarantined row to the populations: all of them if sums start from zero, else the
// differences.
func (q *quarantine) addDays(to *aggregateChanges, everything bool) error {
	for d := range q.days {
		if everything || !q.daysBefore[d] {
			if err := to.addPopulation(kindQuarantined, d.String(), 1, 0); err != nil {
				return err
			}
		}
	}
	for d := range q.daysBefore {
		if !everything && !q.days[d] {
			if err := to.addPopulation(kindQuarantined, d.String(), -1, 0); err != nil {
				return err
			}
		}
	}
	return nil
}
