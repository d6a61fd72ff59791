package jobs

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/store"
	"concilia/store/ledger"
)

// PlanSettings is how far the windows of slips reach, in days, and the maximum length of a list.
type PlanSettings struct {
	SlipsDueBack    int // of the due list, before as-of
	SlipsDueForward int // of the due list, after as-of
	ListCap         int // rows at which the operator cuts a list; 0: not known
}

// NightPlan is what a night would ask for, by account.
type NightPlan struct {
	AsOf     ledger.Date
	Accounts []AccountPlan
}

// AccountPlan is what a night would ask for one account.
type AccountPlan struct {
	Number ledger.Account
	Name   string
	Since  ledger.Date // the first day answered for
	// Windows are one day of one list each, newest first within a list; coverage rests on them.
	Windows []ledger.Window
	// Beside are additional questions, whose answers do not prove a day.
	Beside []Beside
	// Told: the account receives notifications, so early payments are learned from them and not searched for.
	Told bool
}

// Calls is how many questions the night would put, when each is answered at once.
func (a *AccountPlan) Calls() int { return len(a.Windows) + len(a.Beside) }

// Tonight plans the night of asOf from what the ledger holds. It does not call the service and writes nothing, not even
// the first day answered for. It does not look at notifications in the inbox.
func (w *Worker) Tonight(ctx context.Context, asOf ledger.Date) (*NightPlan, error) {
	plan := &NightPlan{AsOf: asOf}
	for _, a := range w.Accounts {
		since, err := w.answeredSince(ctx, a, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		p, err := w.planAccount(ctx, a.Number, since, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		one := AccountPlan{Number: a.Number, Name: a.Name, Since: since, Windows: p.windows(), Told: p.told}
		if one.Beside, err = w.planBeside(ctx, a.Number, since, asOf); err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		plan.Accounts = append(plan.Accounts, one)
	}
	return plan, nil
}

// PlanWindows returns the windows of the night of asOf, each one day of one source, newest first within a source. A day
// is asked for once, for the first reason that applies.
func (w *Worker) PlanWindows(ctx context.Context, asOf ledger.Date) ([]ledger.Window, error) {
	var all []ledger.Window
	for _, a := range w.Accounts {
		since, err := w.since(ctx, a, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		p, err := w.planAccount(ctx, a.Number, since, asOf)
		if err != nil {
			return nil, fmt.Errorf("plan of account %s: %w", a.Number, err)
		}
		all = append(all, p.windows()...)
	}
	return all, nil
}

func (w *Worker) planAccount(ctx context.Context, a ledger.Account, since, asOf ledger.Date) (*planner, error) {
	p := &planner{
		account: a, since: since, asOf: asOf, calendar: w.Terms.Calendar(a),
		asked: map[ledger.Source]map[ledger.Date]askedOn{}, reasons: map[ledger.Source]map[ledger.Date]string{},
	}
	asked, err := w.Ledger.AskedWindows(ctx, a, since)
	if err != nil {
		return nil, err
	}
	p.remember(asked)
	p.missing()
	p.span(ledger.Cards, asOf-recentDays, asOf-1, reasonRecent)
	for _, step := range []func(context.Context, *planner) error{
		w.planWaiting, w.planUnjudged, w.planNotified, w.planDoubted, w.planOpen,
	} {
		if err := step(ctx, p); err != nil {
			return nil, err
		}
	}
	p.recheck()
	p.span(ledger.SlipsDue, asOf-ledger.Date(w.Plan.SlipsDueBack), asOf+ledger.Date(w.Plan.SlipsDueForward), reasonSlipDue)
	p.span(ledger.SlipsPayment, asOf-recentSlipDays, asOf, reasonSlipPaid)
	p.span(ledger.SlipsCredit, asOf-recentSlipDays, asOf, reasonSlipCredited)
	return p, nil
}

// The reasons of windows, as people read them.
const (
	reasonMissing      = "no complete pull yet"
	reasonRecent       = "one of the last days"
	reasonDue          = "holds an installment due or overdue"
	reasonBlocked      = "holds one that is blocked, and promises of the day have passed"
	reasonOld          = "holds one overdue for more than 10 business days: every 3rd night"
	reasonUnjudged     = "what it brought nobody has judged yet"
	reasonWeekly       = "holds one that is open or blocked: every 7th night"
	reasonEarly        = "holds one that is open or blocked, and money came early of late: every night"
	reasonSlipDue      = "due around now"
	reasonSlipPaid     = "paid in the last days"
	reasonSlipCredited = "credited in the last days"
)

// planner collects the days of each source with the first reason given.
type planner struct {
	account  ledger.Account
	since    ledger.Date
	asOf     ledger.Date
	calendar planCalendar
	told     bool // notifications come
	asked    map[ledger.Source]map[ledger.Date]askedOn
	waiting  []store.WaitingDay // sale days of cards, oldest first
	reasons  map[ledger.Source]map[ledger.Date]string
}

// askedOn is when a day of a source was asked for and answered whole, on the business clock.
type askedOn struct {
	first, last ledger.Date
	moved       ledger.Date // the last time anything was new, other or gone; none: never
}

func (p *planner) remember(asked []store.AskedWindow) {
	for _, w := range asked {
		days := p.asked[w.Source]
		if days == nil {
			days = map[ledger.Date]askedOn{}
			p.asked[w.Source] = days
		}
		for d := max(w.Period.From, p.since); d <= w.Period.To; d++ {
			on, known := days[d]
			if !known || w.First < on.first {
				on.first = w.First
			}
			on.last, on.moved = max(on.last, w.Last), max(on.moved, w.Moved)
			days[d] = on
		}
	}
}

// missing adds every day answered for that no complete pull proves: one begun before the day had ended does not.
func (p *planner) missing() {
	for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		for d := p.since; d < p.asOf; d++ {
			if p.asked[source][d].last <= d {
				p.add(source, d, reasonMissing)
			}
		}
	}
}

func (p *planner) span(s ledger.Source, from, to ledger.Date, reason string) {
	for d := max(from, p.since); d <= to; d++ {
		p.add(s, d, reason)
	}
}

func (p *planner) add(s ledger.Source, d ledger.Date, reason string) {
	days := p.reasons[s]
	if days == nil {
		days = map[ledger.Date]string{}
		p.reasons[s] = days
	}
	if _, ok := days[d]; !ok {
		days[d] = reason
	}
}

func (p *planner) windows() []ledger.Window {
	var out []ledger.Window
	for source, days := range p.reasons {
		for d, reason := range days {
			out = append(out, ledger.Window{
				Account: p.account, Source: source, Period: ledger.Period{From: d, To: d}, Reason: reason,
			})
		}
	}
	slices.SortFunc(out, func(a, b ledger.Window) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(b.Period.From, a.Period.From))
	})
	return out
}
