package reconcile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// Inputs are what a run judges by: the documents, the settings and the as-of date. All but Settings, Register and Orders
// are required.
type Inputs struct {
	Contracts *agreements.Contracts
	Mapping   *agreements.Mapping
	Profile   agreements.Profile
	// Register and Orders are nil where they are not configured.
	Register *agreements.Register
	Orders   *agreements.Orders
	// Calendar is that of an account, local days included.
	Calendar func(ledger.Account) *calendar.Calendar
	Settings rules.Settings
	AsOf     ledger.Date
	// Since is the first day the account at hand is answered for.
	Since ledger.Date
	// Closes are the periods of the account at hand that are closed; nil: none ever was.
	Closes []rules.Close
	// Full: everything is judged, and all sums are made anew.
	Full bool
	// MeasureBetterFit measures, on everything kept of the account, which answers to open questions fit better than those in force,
	// by name of the reading (rules.FitsBetter). It is asked once, where a rule is not believed. nil: nothing is measured.
	MeasureBetterFit func(context.Context) (func(reading string) string, error)
	// ListReplaced names the slips of the account at hand that another of their reference code took the place of. It is asked
	// once, where a rule has something against a slip that could have been replaced. nil: none is known to be.
	ListReplaced func(context.Context) (map[string]bool, error)
	// Zone is where the moments of notifications are read on a clock; nil is UTC.
	Zone *time.Location
}

// expectationForm counts what expectations hold: with one more member, all of them are made anew. 2: whose a bracket is;
// 3: a fee of the sale that lies on other rows.
const expectationForm = 3

// Hash identifies, in lower-case hex, what the expectations of an account rest on: documents, settings, the version of
// every rule and of the kept form of their results, but not the as-of date.
func (in *Inputs) Hash(a ledger.Account) string {
	h := sha256.New()
	fmt.Fprintf(h, "contract %s\nmapping %s\nprofile %s\ncalendar %s\n",
		in.Contracts.Hash(), in.Mapping.Hash(), in.Profile.Hash(), in.Calendar(a).Hash())
	if in.Register != nil {
		fmt.Fprintf(h, "register %s\n", in.Register.Hash())
	}
	if in.Orders != nil {
		fmt.Fprintf(h, "orders %s\n", in.Orders.Hash())
	}
	fmt.Fprintf(h, "beliefs %d\n", expectationForm)
	_, _ = io.WriteString(h, in.Settings.Text()) // a hash refuses no write
	_, _ = io.WriteString(h, catalogue.Versions())
	return hex.EncodeToString(h.Sum(nil))
}

// describeBasis names what the standing beliefs of an account rest on, the rules not believed apart: when it is another than
// that of the last reconcile, everything is judged anew.
func (ev *evaluation) describeBasis() string {
	text := ev.inputsHash
	if ev.env.Notifications.From != 0 {
		text += " told " + ev.env.Notifications.From.String()
	}
	if len(ev.in.Closes) == 0 {
		return text
	}
	// A period that is closed, or reopened, is held against everything that changed since what was closed.
	h := sha256.New()
	for _, c := range ev.in.Closes {
		fmt.Fprintf(h, "%s %s %s\n", c.Basis, c.Period, c.AsOf)
	}
	return text + " closed " + hex.EncodeToString(h.Sum(nil)[:8])
}

// readScope decides what is judged: everything when there is nothing to go on from, or what stands rests on something
// else, or time went back, or it is asked for; else what moved, what time turns, and what has a case that is not over.
func (ev *evaluation) readScope(ctx context.Context, standing []ledger.Finding) error {
	last := ev.sink.LastReconcile()
	turned, err := ev.readQuarantinedDays(ctx)
	if err != nil {
		return err
	}
	ev.continuity = continuity{isFirst: last.Inputs == "", movements: map[openKey]*[ledger.MovementCount]ledger.Amount{}}
	if ev.in.Full || last.Inputs != ev.describeBasis() || last.AsOf > ev.in.AsOf || strings.Join(last.Shadow, " ") != strings.Join(ev.suppressedCodes, " ") {
		ev.everything, ev.scope = true, &ledger.Scope{Whole: true}
		return ev.sink.RecordInputs(ev.describeBasis(), ev.suppressedCodes)
	}
	var sales []ledger.SaleKey
	var slips []string
	for i := range standing {
		f := &standing[i]
		if !f.State.IsUnresolved() {
			continue
		}
		if k, ok := ledger.SaleOfSubject(f.Subject); ok {
			sales = append(sales, k)
		} else if id, ok := strings.CutPrefix(f.Subject, ledger.Subject("slip", ev.account)+":"); ok {
			slips = append(slips, id)
		}
	}
	if ev.scope, err = ev.sink.Scope(turned, sales, slips); err != nil {
		return err
	}
	return ev.sink.RecordInputs(ev.describeBasis(), ev.suppressedCodes)
}

// readQuarantinedDays counts the days of cards that hold a quarantined row now, and tells those on which that changed since the last
// reconcile: whether a sale of them is complete did.
func (ev *evaluation) readQuarantinedDays(ctx context.Context) ([]ledger.Date, error) {
	bad, err := ev.src.QuarantinedRows(ctx, ev.account)
	if err != nil {
		return nil, err
	}
	counts, err := ev.sink.CurrentPopulations()
	if err != nil {
		return nil, err
	}
	ev.populations = counts
	now, turned := map[ledger.Date]bool{}, map[ledger.Date]bool{}
	for i := range bad {
		if q := &bad[i]; q.Source == ledger.Cards && q.Day != 0 {
			now[q.Day], turned[q.Day] = true, true
			ev.unreadable[q.Day] = ev.unreadable[q.Day] || !q.KeyRead
		}
	}
	ev.quarantinedDays = now
	for _, p := range ev.populationsOf(kindQuarantined) {
		d, err := ledger.ParseDate(p.Item)
		if err != nil {
			return nil, err
		}
		if ev.quarantinedBefore[d] = true; now[d] {
			delete(turned, d)
		} else {
			turned[d] = true
		}
	}
	return slices.Sorted(maps.Keys(turned)), nil
}

// countQuarantinedDays counts the unread days: all of them where sums start from nothing, else what became another.
func (ev *evaluation) countQuarantinedDays() error {
	for d := range ev.quarantinedDays {
		if ev.everything || !ev.quarantinedBefore[d] {
			if err := ev.changes.addPopulation(kindQuarantined, d.String(), 1, 0); err != nil {
				return err
			}
		}
	}
	for d := range ev.quarantinedBefore {
		if !ev.everything && !ev.quarantinedDays[d] {
			if err := ev.changes.addPopulation(kindQuarantined, d.String(), -1, 0); err != nil {
				return err
			}
		}
	}
	return nil
}
