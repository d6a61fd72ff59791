package pull

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"concilia/store/ledger"
)

// PullUnits asks for the window of every unit, several at a time, and keeps each answer. A window that fails is kept as
// failed and the others go on; refused credentials, a ledger that cannot be written and the end of ctx stop everything.
func (p *Puller) PullUnits(ctx context.Context, run *ledger.Run, units []ledger.WorkUnit) (*Outcome, error) {
	p.Progress.Step("pull", len(units))
	o := &Outcome{}
	units, err := mixLists(units)
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
	p.finishStep(o, ledger.CountText(max(asked, o.Windows), "window", "windows"))
	return o, nil
}

// mixLists puts the windows of an account in order of their days, newest first, whatever list they are of. Slips are merged one window
// after the other: asked for in a row, their windows would only wait for each other.
func mixLists(units []ledger.WorkUnit) ([]ledger.WorkUnit, error) {
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

// finishStep ends the progress step of pulling.
func (p *Puller) finishStep(o *Outcome, what string) {
	c := o.counts
	p.Progress.Done(fmt.Sprintf("%s, %s: %d new, %d changed, %d same, %d vanished, %d quarantined%s%s%s", what, ledger.CountText(c.Rows, "row", "rows"),
		c.New, c.Changed, c.Same, c.Vanished, c.Quarantined, recheckedText(o.rechecked), failedText(len(o.Failed)), leftText(o.DaysLeft)))
}

func recheckedText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + ledger.CountText(n, "answer lacked known rows and was", "answers lacked known rows and were") + " asked for once more"
}

func failedText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + ledger.CountText(n, "window", "windows") + " failed"
}

func leftText(n int) string {
	if n == 0 {
		return ""
	}
	return "; " + ledger.CountText(n, "day", "days") + " left for another time"
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
