package pull

import (
	"cmp"
	"context"
	"slices"

	"concilia/export/words"
	"concilia/store/ledger"
)

// PullUnits asks for the window of every unit, several at a time, and keeps each answer. A window that fails is kept as
// failed and the others go on; refused credentials, a ledger that cannot be written and the end of ctx stop everything.
func (p *Puller) PullUnits(ctx context.Context, run *ledger.Run, units []ledger.WorkUnit) (*Outcome, error) {
	p.Progress.Step("pull", len(units))
	o := &Outcome{}
	mix := mixLists
	if p.Queue == nil { // the ledger has one writer: small windows that wait for it would keep those of cards from being read
		mix = mixDays
	}
	units, err := mix(units)
	if err != nil {
		return nil, err
	}
	if err := p.chooseQueue().Do(ctx, units, p.workOn(run, o)); err != nil {
		return nil, err
	}
	asked, err := p.readOutcome(ctx, run, o)
	if err != nil {
		return nil, err
	}
	if o.isWorthAskingAgain() && p.newAsker(run, o).stopReason() == nil {
		if asked, err = p.pullFailedAgain(ctx, run, o); err != nil {
			return nil, err
		}
	}
	p.finishStep(o, words.NewMessage("counts.window", "n", max(asked, o.Windows)))
	return o, nil
}

// mixLists mixes the lists of each account, the windows of a list in their order: however many a list has, half of them are asked for when half of
// all are. Windows of slips are merged one after the other, and are many and small: in a row they would only wait for each other, while
// beside windows of cards they fill the pauses of these.
func mixLists(units []ledger.WorkUnit) ([]ledger.WorkUnit, error) {
	type list struct {
		account ledger.Account
		source  ledger.Source
	}
	type place struct{ at, of int } // the windows of its list before it, and all of them
	lists, places := make(map[list][]int), make([]place, len(units))
	for i := range units {
		window, err := units[i].Window()
		if err != nil {
			return nil, err
		}
		l := list{units[i].Account, window.Source}
		places[i].at = len(lists[l])
		lists[l] = append(lists[l], i)
	}
	for _, members := range lists {
		for _, i := range members {
			places[i].of = len(members)
		}
	}
	accounts := make(map[ledger.Account]int) // in their order
	order := make([]int, len(units))
	for i := range units {
		if _, known := accounts[units[i].Account]; !known {
			accounts[units[i].Account] = i
		}
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := places[a], places[b]
		return cmp.Or(cmp.Compare(accounts[units[a].Account], accounts[units[b].Account]), cmp.Compare((2*x.at+1)*y.of, (2*y.at+1)*x.of))
	})
	mixed := make([]ledger.WorkUnit, len(units))
	for i, at := range order {
		mixed[i] = units[at]
	}
	return mixed, nil
}

// mixDays puts the windows of an account in order of their days, newest first, whatever list they are of.
func mixDays(units []ledger.WorkUnit) ([]ledger.WorkUnit, error) {
	days := make(map[string]ledger.Date, len(units))
	for i := range units {
		window, err := units[i].Window()
		if err != nil {
			return nil, err
		}
		days[units[i].What] = window.Period.From
	}
	mixed := slices.Clone(units)
	for first, next := 0, 0; first < len(mixed); first = next {
		for next < len(mixed) && mixed[next].Account == mixed[first].Account {
			next++
		}
		slices.SortStableFunc(mixed[first:next], func(a, b ledger.WorkUnit) int { return cmp.Compare(days[b.What], days[a.What]) })
	}
	return mixed, nil
}

// pullFailedAgain asks once more for the windows that failed while others were answered: what refused them, such as a limit of
// calls a minute, may have passed.
func (p *Puller) pullFailedAgain(ctx context.Context, run *ledger.Run, o *Outcome) (asked int, err error) {
	failed, err := p.ListUnits(ctx, run.ID, ledger.PullUnit, ledger.UnitFailed)
	if err != nil {
		return 0, err
	}
	p.Progress.Step("pull", len(failed))
	if err := p.chooseQueue().Do(ctx, failed, p.workOn(run, o)); err != nil {
		return 0, err
	}
	return p.readOutcome(ctx, run, o)
}

// finishStep ends the progress step of pulling; asked is what was asked for.
func (p *Puller) finishStep(o *Outcome, asked words.Message) {
	c := o.counts
	results := []words.Message{words.NewMessage("steps.pulled", "asked", asked, "rows", words.NewMessage("steps.row", "n", c.Rows),
		"new", c.New, "changed", c.Changed, "same", c.Same, "vanished", c.Vanished, "quarantined", c.Quarantined)}
	if n := o.rechecked; n > 0 {
		results = append(results, words.NewMessage("steps.rechecked", "n", n))
	}
	if n := len(o.Failed); n > 0 {
		results = append(results, words.NewMessage("steps.windows_failed", "windows", words.NewMessage("counts.window", "n", n)))
	}
	if n := o.DaysLeft; n > 0 {
		results = append(results, words.NewMessage("steps.days_left", "days", words.NewMessage("counts.day", "n", n)))
	}
	p.Progress.Done(results...)
}

// pullUnit asks for the window of one unit.
func (p *Puller) pullUnit(ctx context.Context, run *ledger.Run, u ledger.WorkUnit, o *Outcome) error {
	window, err := u.Window()
	if err != nil {
		return err
	}
	_, err = p.newAsker(run, o).pullWindow(ctx, window, []ledger.WorkUnit{u})
	p.Progress.Advance(1)
	return err
}
