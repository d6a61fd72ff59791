package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"concilia/export/words"

	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/view"
	"concilia/cmd/concilia/wire"
	"concilia/cmd/sandbox/world"
	"concilia/config"
	"concilia/export/report"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
)

// mostNights is how many mornings a demo may have.
const mostNights = 60

// The people of a demo, who both manage.
const (
	demoClaimant = "ana"
	demoCloser   = "bruno"
)

// demoClock is the clock of a demo: the wall's, and in a demo of several mornings moved to each of them.
type demoClock struct {
	wall  func() time.Time
	shift atomic.Int64
}

func (c *demoClock) now() time.Time { return c.wall().Add(time.Duration(c.shift.Load())) }

func (c *demoClock) moveTo(t time.Time) { c.shift.Store(int64(t.Sub(c.wall()))) }

// mornings are the mornings of a demo, lived one after the other, with what people and the service do between them.
type mornings struct {
	globals // of the demo's own configuration
	demoFiles
	world    *world.World
	password string // of the worker at the sandbox
	clock    *demoClock
	nights   int
	summary  *jobs.Summary // of the last morning
	moment   time.Time     // the last morning, at 06:00
}

// lookupEnvironment is all that the demo's worker sees of the outside: a password, and a morning to live in.
func (m *mornings) lookupEnvironment(key string) (string, bool) {
	switch key {
	case "CONCILIA_SERVICE_PASSWORD":
		return m.password, true
	case "CONCILIA_CLOCK":
		return m.moment.Format(time.RFC3339), true
	}
	return "", false
}

// liveThem lives every morning that was not lived yet, and lists what was found and not planted, or the other way
// round.
func (m *mornings) liveThem(ctx context.Context) ([]string, error) {
	began := m.clock.wall()
	first := m.world.AsOf()
	lived, err := m.findLastLived(ctx)
	if err != nil {
		return nil, err
	}
	claimed := m.chooseClaim()
	for i := range m.nights {
		last := i == m.nights-1
		m.moment = (first + world.Date(i)).At(6 * 60 * 60)
		m.world.SetNow(m.moment)
		if i == 1 && claimed != "" {
			m.world.Pay(claimed)
		}
		day := ledger.DateOf(m.moment, m.moment.Location())
		before := lived != nil && lived.AsOf >= day
		if before && !last {
			continue
		}
		found, err := m.liveMorning(ctx, day, lived, before)
		if err != nil {
			return nil, err
		}
		wrong := comparePlanted(found, m.plantedAll())
		if last || len(wrong) > 0 {
			if err := m.closeMonth(ctx, i); err != nil {
				return nil, err
			}
			what := words.Text(m.Language, "demo.night")
			if m.nights > 1 {
				what = words.Text(m.Language, "demo.nights", "count", m.nights)
			}
			return wrong, m.printDemo(m.summary, found, len(m.plantedAll()), wrong, m.dir, what, m.clock.wall().Sub(began))
		}
		if err := m.tellMorning(ctx, i, day, claimed); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// liveMorning runs the night of a morning, unless it was lived before, and gives the cases that stand after it.
func (m *mornings) liveMorning(ctx context.Context, day ledger.Date, lived *ledger.Run, before bool) (found []ledger.Finding, err error) {
	if before {
		m.summary = &jobs.Summary{Run: lived.ID, Verdict: lived.Verdict, AsOf: lived.AsOf, Record: lived}
		return found, m.withKeptLedger(ctx, func(_ *config.Config, l *store.Ledger, _ ledger.Date) error {
			found, err = listStanding(ctx, l)
			return err
		})
	}
	if m.nights > 1 {
		m.clock.moveTo(laterOf(m.moment, lived))
	}
	if err := m.writeStatements(world.DateOf(m.moment)); err != nil {
		return nil, err
	}
	m.summary, found, err = m.demoNight(ctx, day)
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
func (m *mornings) findLastLived(ctx context.Context) (night *ledger.Run, err error) {
	if m.nights == 1 {
		return nil, nil // that morning is lived again each time
	}
	m.moment = m.world.Now()
	worker, closeAll, err := m.WireWorker(ctx, wire.WantService|wire.WantTarget)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	return desk.FindLastNight(ctx, worker)
}

// chooseClaim is the subject that is claimed after the first morning, and paid on the second: the installment that is overdue. A short
// demo may have none.
func (m *mornings) chooseClaim() string {
	for _, p := range m.world.Planted() {
		if p.Code == "RECEIVED_OVERDUE" && p.Impact != "0.00" {
			return p.Subject
		}
	}
	return ""
}

// tellMorning says on a line what a morning that is not the last one found, and what was done about it.
func (m *mornings) tellMorning(ctx context.Context, i int, day ledger.Date, claimed string) error {
	text := words.Text(m.Language, "demo.morning", "day", view.SpellDate(day, string(m.Language)), "count", len(m.plantedAll()))
	if i == 0 && claimed != "" {
		amount, err := m.claim(ctx, claimed)
		if err != nil {
			return err
		}
		text += " " + words.Text(m.Language, "demo.claimed", "amount", m.Language.FormatReais(amount))
	}
	if !m.json {
		fmt.Fprintln(m.stdout, text)
	}
	return nil
}

// claim claims the case of a subject, as exceptions dispute does.
func (m *mornings) claim(ctx context.Context, subject string) (amount ledger.Amount, err error) {
	return amount, m.withCasework(ctx, func(d *casework.Handler) error {
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
			Verb: ledger.Dispute, Cases: []string{id}, Actor: demoClaimant, Reference: "2026-004711", Reason: "parcela vencida que não caiu na conta",
		})
		return err
	})
}

// closeMonth closes the month before, by the day of credit, on the third morning of a demo or a later one.
func (m *mornings) closeMonth(ctx context.Context, i int) error {
	month := (ledger.DateOf(m.moment, m.moment.Location()).MonthStart() - 1).MonthStart()
	if i < 2 || m.since > month {
		return nil
	}
	req := casework.PeriodRequest{
		Verb: ledger.ClosePeriod, Month: ledger.Period{From: month, To: (month + 31).MonthStart() - 1}, Basis: string(report.ByCredit),
		Actor: demoCloser, Reason: "extrato do banco conferido",
	}
	return m.withKeptLedger(ctx, func(c *config.Config, l *store.Ledger, today ledger.Date) (err error) {
		if req.Accounts, err = periodAccounts(c, nil); err != nil {
			return err
		}
		closer := &casework.Handler{Ledger: l, FourEyes: c.FourEyes, Today: today, Wall: m.Wall, PublishMonths: wire.MonthPublisher(&m.Process, c)}
		_, err = closer.ChangePeriod(ctx, req)
		return err
	})
}
