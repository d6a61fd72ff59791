package reconcile

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/notifications"
	"concilia/jobs/rules/runs"
	"concilia/store/ledger"
)

// Result is the state of an account after a run. The counts of what was judged cover only this run, all else the whole
// account.
type Result struct {
	Verdict ledger.Verdict
	// Counts holds, by code, the cases pending, open or reopened after the run; NewCases those of them first seen in it.
	Counts   map[string]int
	NewCases map[string]int
	// Critical names the codes of open critical cases by side: cards, slips.
	Critical map[string][]string
	// NotAttributed is the sum of the brackets that could not be attributed, each without its sign.
	NotAttributed ledger.Amount
	// Lines are the totals of the bridges, cards before slips, by line; days, brands and products are left out.
	Lines []ledger.BridgeRow
	// Installments and Slips are how many were judged, and Believed is of how many of them another thing is believed now.
	Installments int64
	Slips        int64
	Believed     int64
}

// attempts bounds how often an account is judged in one run. What is counted for the guard rests on what the rules say,
// not on whether they are believed, so a second attempt settles it.
const attempts = 3

// Account judges what moved in one account since its last reconcile, or everything, as of the inputs' date, and writes
// the results to the sink. It writes nothing about rows that did not arrive. The caller commits or rolls back. It starts
// with the set of rules that the last reconcile did not believe; if the counts contradict that set, everything is judged
// once more.
func Account(ctx context.Context, in Inputs, run *ledger.Run, a ledger.Account, src Source, sink Sink) (Result, error) {
	shadow := sink.LastReconcile().Shadow
	for try := 1; ; try++ {
		w, err := begin(ctx, in, run, a, src, sink, shadow)
		if err == nil {
			err = w.do(ctx, w.coverage, w.asked, w.quarantine, w.sales, w.absentees, w.slips, w.aggregate)
		}
		if err != nil {
			return Result{}, fmt.Errorf("reconcile account %s: %w", a, err)
		}
		doubted := w.doubted()
		if slices.Equal(doubted, shadow) || try == attempts {
			if err := w.do(ctx, w.notifications, w.populations, w.anticipationOrders, w.simulations, w.readings, w.residuals, w.conclude); err != nil {
				return Result{}, fmt.Errorf("reconcile account %s: %w", a, err)
			}
			return w.result, nil
		}
		shadow = doubted
		if err := sink.Restart(); err != nil {
			return Result{}, err
		}
	}
}

func (w *work) do(ctx context.Context, steps ...func(context.Context) error) error {
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// work is one attempt at the reconciliation of one account.
type work struct {
	in      Inputs
	run     *ledger.Run
	account ledger.Account
	src     Source
	sink    Sink
	env     *rules.Env
	hash    string
	cal     string // hash of the calendar, on findings that rest on it
	covers  map[ledger.Source]map[ledger.Date]Cover
	scope   *ledger.Scope
	all     bool // everything is judged, and sums start from nothing

	byKind  map[rules.Subject][]int // rules by what they judge
	saleIdx []int                   // rules that judge sales, of whatever kind
	rowIdx  rowRules
	owners  map[ledger.BridgeLine][]int
	shadow  []string
	doubt   []bool          // by rule: it is not believed
	places  []int           // of each rule among those that rest on an interpretation, or -1
	outs    []rules.Outcome // of the subject at hand, by rule
	saleOut []rules.Outcome
	impacts []ledger.Opt[ledger.Amount]
	roots   []int // by rule: the one that explains it, or -1
	doubles cards.DuplicateSales

	cases      cases
	tallies    []ledger.RuleCounts
	sums       sums
	judging    rules.Sale             // the sale at hand
	expected   ledger.Expectation     // of the row at hand
	now        contribution           // of the row or slip at hand
	ofSale     assumptions.GuardDelta // of the sale at hand, until its first row takes it
	text       []byte
	texts      map[string]string // contributions by their text: most rows share a few
	days       map[ledger.Date]bool
	toSumAhead []ledger.Date        // days judged and not summed ahead yet
	summedAt   int64                // installments judged when days were last
	unreadable map[ledger.Date]bool // days of cards with a quarantined row whose key could not be read
	unreadDays map[ledger.Date]bool // days of cards with any quarantined row, and those of the reconcile before
	wasUnread  map[ledger.Date]bool
	continuity continuity
	lines      []ledger.BridgeRow // as they stand after the rows were judged
	counts     []ledger.Population
	guard      *assumptions.Guard
	measured   *assumptions.Calibration // of the readings, where everything is judged
	grown      bool                     // the rows doubled since they were measured
	spelled    map[rules.Spelling]int   // of notifications
	notices    notices
	answers    *answers
	failed     error // of a question that a rule asked
	result     Result
}

func begin(
	ctx context.Context, in Inputs, run *ledger.Run, a ledger.Account, src Source, sink Sink, shadow []string,
) (*work, error) {
	if in.Contracts == nil || in.Mapping == nil || in.Calendar == nil || in.AsOf == 0 || in.Since == 0 {
		return nil, errors.New("contracts, mapping, calendar, as-of and since are all needed")
	}
	w := &work{
		in: in, run: run, account: a, src: src, sink: sink, hash: in.Hash(a), cal: in.Calendar(a).Hash(), shadow: shadow,
		sums: newSums(), texts: map[string]string{}, days: map[ledger.Date]bool{}, unreadable: map[ledger.Date]bool{},
		wasUnread: map[ledger.Date]bool{},
		spelled:   map[rules.Spelling]int{}, byKind: map[rules.Subject][]int{}, owners: map[ledger.BridgeLine][]int{},
	}
	w.result = Result{Counts: map[string]int{}, NewCases: map[string]int{}, Critical: map[string][]string{}}
	if err := w.readCoverage(ctx); err != nil {
		return nil, err
	}
	notices, err := w.readNotices(ctx)
	if err != nil {
		return nil, err
	}
	if err := w.readAsked(ctx); err != nil {
		return nil, err
	}
	w.env, err = rules.NewEnv(catalogue.All(), rules.Options{
		Account: a, Run: run.ID, AsOf: in.AsOf, Contracts: in.Contracts, Mapping: in.Mapping, Profile: in.Profile,
		Calendar: in.Calendar(a), Settings: in.Settings, Answered: src.Answered, Notifications: notices,
		SeenOn:      func(s ledger.Source, d ledger.Date) ledger.Date { return w.covers[s][d].On },
		CompleteNow: func(s ledger.Source, d ledger.Date) bool { return w.covers[s][d].Now },
		PullsOf:     func(s ledger.Source, d ledger.Date) int { return w.covers[s][d].Whole },
		SlipNote:    w.answers.slip,
		Replaced:    w.replaced(ctx),
		Register:    in.Register,
		Orders:      in.Orders,
		Closes:      in.Closes,
	})
	if err != nil {
		return nil, err
	}
	standing, err := sink.CurrentCases()
	if err != nil {
		return nil, fmt.Errorf("standing cases: %w", err)
	}
	w.cases = newCases(w, standing)
	w.prepare()
	if err := w.readScope(ctx, standing); err != nil {
		return nil, err
	}
	w.measured = w.measuring()
	return w, nil
}

// rowRules are rules that are asked for at every row or sale.
type rowRules struct{ bare, unmapped, untold, double int }

// prepare sorts the rules by what they judge and the owners by line.
func (w *work) prepare() {
	all := w.env.Rules()
	w.places = assumptions.PlacesOf(all)
	w.tallies = make([]ledger.RuleCounts, len(all))
	w.outs, w.saleOut = make([]rules.Outcome, len(all)), make([]rules.Outcome, len(all))
	w.impacts, w.roots = make([]ledger.Opt[ledger.Amount], len(all)), make([]int, len(all))
	w.doubt = make([]bool, len(all))
	for _, code := range w.shadow {
		if i := w.env.Index(code); i >= 0 {
			w.doubt[i] = true
		}
	}
	w.rowIdx = rowRules{
		bare: w.env.Index(contractMissing), unmapped: w.env.Index(runs.EnumUnmapped), untold: w.env.Index(notifications.ChangeUnnotified),
		double: w.env.Index(doubleCharge),
	}
	for i := range all {
		w.tallies[i].Code = all[i].Code
		for _, kind := range all[i].Subjects() {
			w.byKind[kind] = append(w.byKind[kind], i)
		}
		if all[i].EvaluatesSales() {
			w.saleIdx = append(w.saleIdx, i)
		}
	}
	for _, o := range append(catalogue.CardOwners(), catalogue.SlipOwners()...) {
		for _, code := range o.Owners {
			w.owners[o.Line] = append(w.owners[o.Line], w.env.Index(code))
		}
	}
}

// tally counts what came of rule i on one subject.
func (w *work) tally(i int, s rules.Status) {
	t := &w.tallies[i]
	if s == rules.NotEligible {
		return
	}
	t.Eligible++
	switch s {
	case rules.NoInput:
		t.NoInput++
	case rules.Unmapped:
		t.Unmapped++
	case rules.NotPulled:
		t.Window++
	case rules.NotEvaluable:
		t.NotEvaluable++
	case rules.SuppressedPass, rules.SuppressedFire:
		t.Shadow++
	default:
		t.Evaluated++
		switch s {
		case rules.Within:
			t.Within++
		case rules.Fires, rules.Pends:
			t.Fired++
		}
	}
}

// oldest is the first day coverage is asked for: rows older than since come from ranges pulled apart from it.
var oldest = ledger.NewDate(calendar.FirstYear, 1, 1)

func (w *work) readCoverage(ctx context.Context) error {
	w.covers = map[ledger.Source]map[ledger.Date]Cover{}
	for _, s := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		// Days after the as-of count too: a list by due date is pulled forward.
		c, err := w.src.Coverage(ctx, w.account, s, ledger.Period{From: oldest, To: w.in.AsOf + forward})
		if err != nil {
			return fmt.Errorf("coverage of %s: %w", s, err)
		}
		w.covers[s] = c
	}
	return nil
}

// forward is the furthest day ahead a list by due date can be pulled for.
const forward = 400

func sortAsks(asks []rules.Recheck) {
	slices.SortFunc(asks, func(a, b rules.Recheck) int {
		return cmp.Or(cmp.Compare(a.List, b.List), cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID))
	})
}
