package demo

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/cmd/sandbox/world"
	"concilia/config"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// Clock is the clock of a demo: the wall's, and in a demo of several mornings moved to each of them.
type Clock struct {
	wall  func() time.Time
	shift atomic.Int64
}

func (c *Clock) now() time.Time { return c.wall().Add(time.Duration(c.shift.Load())) }

// MoveTo moves the clock to a moment, from which it goes on.
func (c *Clock) MoveTo(t time.Time) { c.shift.Store(int64(t.Sub(c.wall()))) }

// lookupEnvironment is all that the demo's worker sees of the outside: a password, and a morning to live in.
func (d *Demo) lookupEnvironment(key string) (string, bool) {
	switch key {
	case "CONCILIA_SERVICE_PASSWORD":
		return d.password, true
	case "CONCILIA_CLOCK":
		return d.Moment.Format(time.RFC3339), true
	}
	return "", false
}

// Live lives every morning that was not lived yet, and lists what was found and not planted, or the other way
// round.
func (d *Demo) Live(ctx context.Context) ([]string, error) {
	began := d.Clock.wall()
	first := d.World.AsOf()
	lived, err := d.findLastLived(ctx)
	if err != nil {
		return nil, err
	}
	claimed := d.chooseClaim()
	for i := range d.nights {
		last := i == d.nights-1
		d.Moment = (first + world.Date(i)).At(6 * 60 * 60)
		d.World.SetNow(d.Moment)
		if i == 1 && claimed != "" {
			d.World.Pay(claimed)
		}
		day := ledger.DateOf(d.Moment, d.Moment.Location())
		before := lived != nil && lived.AsOf >= day
		if before && !last {
			continue
		}
		found, err := d.liveMorning(ctx, day, lived, before)
		if err != nil {
			return nil, err
		}
		wrong := comparePlanted(found, d.plantedAll())
		if last || len(wrong) > 0 {
			if err := d.closeMonth(ctx, i); err != nil {
				return nil, err
			}
			what := words.Text(d.Language, "demo.night")
			if d.nights > 1 {
				what = words.Text(d.Language, "demo.nights", "count", d.nights)
			}
			return wrong, d.printFindings(d.Summary, found, len(d.plantedAll()), wrong, d.Dir, what, d.Clock.wall().Sub(began))
		}
		if err := d.printMorning(ctx, i, day, claimed); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// liveMorning runs the night of a morning, unless it was lived before, and returns the unresolved cases after it.
func (d *Demo) liveMorning(ctx context.Context, day ledger.Date, lived *ledger.Run, before bool) (found []ledger.Finding, err error) {
	if before {
		d.Summary = &jobs.Summary{Run: lived.ID, Verdict: lived.Verdict, AsOf: lived.AsOf, Record: lived}
		return found, d.WithKeptLedger(ctx, func(_ *config.Config, l *store.Ledger, _ ledger.Date) error {
			found, err = listStanding(ctx, l)
			return err
		})
	}
	if d.nights > 1 {
		d.Clock.MoveTo(laterOf(d.Moment, lived))
	}
	if err := d.WriteStatements(world.DateOf(d.Moment)); err != nil {
		return nil, err
	}
	d.Summary, found, err = d.Night(ctx, day)
	return found, err
}

// laterOf is the morning, or a minute past the end of a run that ended later.
func laterOf(morning time.Time, lived *ledger.Run) time.Time {
	if lived != nil && !lived.Ended.Before(morning) {
		return lived.Ended.Add(time.Minute)
	}
	return morning
}

// findLastLived is the last night of the folder's ledger; nil before the first.
func (d *Demo) findLastLived(ctx context.Context) (night *ledger.Run, err error) {
	if d.nights == 1 {
		return nil, nil // that morning is lived again each time
	}
	d.Moment = d.World.Now()
	worker, closeAll, err := d.WireWorker(ctx, wire.WantService|wire.WantTarget)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	return desk.FindLastNight(ctx, worker)
}

// chooseClaim is the subject that is claimed after the first morning, and paid on the second: the installment that is overdue. A short
// demo may have none.
func (d *Demo) chooseClaim() string {
	for _, p := range d.World.Planted() {
		if p.Code == "RECEIVED_OVERDUE" && p.Impact != "0.00" {
			return p.Subject
		}
	}
	return ""
}

// printMorning prints on a line what a morning that is not the last one found, and what was done about it.
func (d *Demo) printMorning(ctx context.Context, i int, day ledger.Date, claimed string) error {
	text := words.Text(d.Language, "demo.morning", "day", view.SpellDate(day, string(d.Language)), "count", len(d.plantedAll()))
	if i == 0 && claimed != "" {
		amount, err := d.claim(ctx, claimed)
		if err != nil {
			return err
		}
		text += " " + words.Text(d.Language, "demo.claimed", "amount", d.Language.FormatReais(amount))
	}
	if !d.json {
		fmt.Fprintln(d.out, text)
	}
	return nil
}

// claim claims the case of a subject, as exceptions dispute does.
func (d *Demo) claim(ctx context.Context, subject string) (amount ledger.Amount, err error) {
	return amount, d.WithCasework(ctx, func(d *casework.Handler) error {
		id := ""
		filter := caselog.FindingFilter{Codes: []string{"RECEIVED_OVERDUE"}, States: ledger.Dispute.AllowedStates()}
		err := d.Ledger.Findings(ctx, filter, func(f *ledger.Finding) error {
			if f.Subject == subject {
				id, amount = f.Case, f.Impact.V
			}
			return nil
		})
		if err != nil || id == "" {
			return err
		}
		_, err = d.ActOnCases(ctx, casework.ActRequest{
			Verb: ledger.Dispute, Cases: []string{id}, Actor: claimant, Reference: "2026-004711", Reason: "parcela vencida que não caiu na conta",
		})
		return err
	})
}

// closeMonth closes the month before, by the day of credit, on the third morning of a demo or a later one.
func (d *Demo) closeMonth(ctx context.Context, i int) error {
	month := (ledger.DateOf(d.Moment, d.Moment.Location()).MonthStart() - 1).MonthStart()
	if i < 2 || d.Since > month {
		return nil
	}
	req := casework.PeriodRequest{
		Verb: ledger.ClosePeriod, Month: ledger.Period{From: month, To: (month + 31).MonthStart() - 1}, Basis: string(report.ByCredit),
		Actor: closer, Reason: "extrato do banco conferido",
	}
	return d.WithKeptLedger(ctx, func(c *config.Config, l *store.Ledger, today ledger.Date) (err error) {
		if req.Accounts, err = wire.AccountNumbers(c, nil); err != nil {
			return err
		}
		closer := &casework.Handler{Ledger: l, FourEyes: c.FourEyes, Today: today, Wall: d.Wall, PublishMonths: wire.MonthPublisher(&d.Process, c)}
		_, err = closer.ChangePeriod(ctx, req)
		return err
	})
}

// Night takes in what the stores exported and runs the night as the run command does, and lists the unresolved cases after it.
func (d *Demo) Night(ctx context.Context, asOf ledger.Date) (*jobs.Summary, []ledger.Finding, error) {
	worker, closeAll, err := d.WireWorker(ctx, wire.WantService|wire.WantTarget)
	if err != nil {
		return nil, nil, err
	}
	defer closeAll()
	if err := d.takeInSales(ctx, worker); err != nil {
		return nil, nil, err
	}
	s, err := worker.Night(ctx, asOf)
	if err != nil {
		return nil, nil, err
	}
	found, err := listStanding(ctx, worker.Ledger)
	return s, found, err
}

// plantedAll are the differences of the service and, where the demo has them, of the bank's statements and the stores' own sales.
func (d *Demo) plantedAll() []world.Planted {
	all := d.World.Planted()
	if len(d.Banks) > 0 {
		all = append(all, d.World.PlantedAtBanks()...)
	}
	if len(d.Stores) > 0 {
		all = append(all, d.World.PlantedInStores()...)
	}
	return all
}

// comparePlanted lists, a line each, what was planted and not found, and what was found and not planted.
func comparePlanted(found []ledger.Finding, planted []world.Planted) []string {
	want := map[string]bool{}
	for _, p := range planted {
		want[plantedLine(p.Code, p.Subject, p.Impact)] = true
	}
	var wrong []string
	for _, f := range found {
		line := plantedLine(f.Code, f.Subject, view.OptionalAmount(f.Impact).String())
		if !want[line] && f.State != ledger.Closed {
			wrong = append(wrong, "found, not planted: "+line)
		}
		delete(want, line)
	}
	for _, p := range planted {
		if line := plantedLine(p.Code, p.Subject, p.Impact); want[line] {
			wrong = append(wrong, "planted, not found: "+line)
		}
	}
	return wrong
}

func plantedLine(code, subject, impact string) string {
	if impact == "" {
		impact = "no impact"
	}
	return code + " " + subject + " " + impact
}

// listStanding lists the cases that data have not resolved, whatever people did with them.
func listStanding(ctx context.Context, l *store.Ledger) ([]ledger.Finding, error) {
	var found []ledger.Finding
	states := slices.DeleteFunc(ledger.UnresolvedStates(), func(s ledger.State) bool { return s == ledger.Shadow })
	filter := caselog.FindingFilter{States: append(states, ledger.Closed)}
	err := l.Findings(ctx, filter, func(f *ledger.Finding) error {
		found = append(found, *f)
		return nil
	})
	return found, err
}
