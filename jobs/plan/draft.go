package plan

import (
	"cmp"
	"context"
	"slices"

	"concilia/store"
	"concilia/store/facts"
	"concilia/store/ledger"
)

// The reasons of windows, as people read them.
const (
	reasonMissing      = "no complete pull yet"
	reasonRecent       = "one of the last days"
	reasonDue          = "holds an installment due or overdue"
	reasonBlocked      = "holds one that is blocked, and a forecast of the day has passed"
	reasonOld          = "holds one overdue for more than 10 business days: every 3rd night"
	reasonUnevaluated  = "its rows have not been evaluated yet"
	reasonWeekly       = "holds one that is open or blocked: every 7th night"
	reasonEarly        = "holds one that is open or blocked, and money came early of late: every night"
	reasonTruncated    = "an answer seemed truncated there"
	reasonNamed        = "a notification names it"
	reasonUnlinked     = "a notification not linked yet"
	reasonFound        = "the search by code found the sale of a notification there"
	reasonSlipDue      = "due around now"
	reasonSlipPaid     = "paid in the last days"
	reasonSlipCredited = "credited in the last days"
)

// accountDraft collects the days of each source of an account with the first reason given.
type accountDraft struct {
	ledger   *store.Ledger
	account  ledger.Account
	since    ledger.Date
	asOf     ledger.Date
	calendar businessCalendar
	notified bool // the account receives notifications
	asked    map[ledger.Source]map[ledger.Date]askedOn
	waiting  []facts.WaitingDay // sale days of cards, oldest first
	reasons  map[ledger.Source]map[ledger.Date]string
}

// askedOn is the as-of of the requests for a day of a source that were answered completely.
type askedOn struct {
	first, last ledger.Date
	changed     ledger.Date // the last as-of with a new, changed or vanished row; none: never
}

// draftAccount collects the days of an account to request, each with the first reason that applies.
func (p *Planner) draftAccount(ctx context.Context, a ledger.Account, since, asOf ledger.Date) (*accountDraft, error) {
	d := &accountDraft{
		ledger: p.Ledger, account: a, since: since, asOf: asOf, calendar: p.Calendar(a),
		asked: map[ledger.Source]map[ledger.Date]askedOn{}, reasons: map[ledger.Source]map[ledger.Date]string{},
	}
	asked, err := p.Ledger.RequestedWindows(ctx, a, since)
	if err != nil {
		return nil, err
	}
	d.recordAsked(asked)
	d.addMissingDays()
	d.addSpan(ledger.Cards, asOf-recentDays, asOf-1, reasonRecent)
	for _, step := range []func(context.Context) error{d.addDueDays, d.addUnevaluatedDays, d.addNotifiedDays, d.addTruncatedDays, d.addOpenDays} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	d.addRechecks()
	d.addSpan(ledger.SlipsDue, asOf-ledger.Date(p.Settings.SlipsDueBack), asOf+ledger.Date(p.Settings.SlipsDueForward), reasonSlipDue)
	d.addSpan(ledger.SlipsPayment, asOf-recentSlipDays, asOf, reasonSlipPaid)
	d.addSpan(ledger.SlipsCredit, asOf-recentSlipDays, asOf, reasonSlipCredited)
	return d, nil
}

func (p *accountDraft) recordAsked(asked []facts.RequestedWindow) {
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
			on.last, on.changed = max(on.last, w.Last), max(on.changed, w.LastChange)
			days[d] = on
		}
	}
}

// addMissingDays adds every day since the first one that no complete pull proves. A pull from before the end of the day proves
// nothing.
func (p *accountDraft) addMissingDays() {
	for _, source := range append([]ledger.Source{ledger.Cards}, ledger.SlipLists()...) {
		for d := p.since; d < p.asOf; d++ {
			if p.asked[source][d].last <= d {
				p.addDay(source, d, reasonMissing)
			}
		}
	}
}

func (p *accountDraft) addSpan(s ledger.Source, from, to ledger.Date, reason string) {
	for d := max(from, p.since); d <= to; d++ {
		p.addDay(s, d, reason)
	}
}

func (p *accountDraft) addDay(s ledger.Source, d ledger.Date, reason string) {
	days := p.reasons[s]
	if days == nil {
		days = map[ledger.Date]string{}
		p.reasons[s] = days
	}
	if _, ok := days[d]; !ok {
		days[d] = reason
	}
}

func (p *accountDraft) listWindows() []ledger.Window {
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
