package reconcile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"strings"
	"time"

	"concilia/jobs/agreements"
	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// Inputs are the documents, the settings and the as-of date of a run. All but Settings, Register and Orders are
// required.
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
	// Since is the first day that the account is covered from.
	Since ledger.Date
	// Closes are the closed periods of the account; nil: there are none.
	Closes []rules.Close
	// Full: everything is evaluated, and all aggregates are computed from zero.
	Full bool
	// MeasureBetterFit measures on all rows of the account which interpretations fit better than those in force, by their name
	// (assumptions.FitsBetter). It is called at most once, if a rule is suppressed. nil: nothing is measured.
	MeasureBetterFit func(context.Context) (func(reading string) string, error)
	// ListReplaced returns the ids of the account's slips that another slip with the same reference code replaced. It is
	// called at most once, if a rule fires on a slip that may have been replaced. nil: none is known.
	ListReplaced func(context.Context) (map[string]bool, error)
	// Zone is the time zone of the moments of notifications; nil is UTC.
	Zone *time.Location
}

// expectationForm is the version of the form in which expectations are stored. Increment it when they get another
// member: then all expectations are computed again. 2: brackets name their owner; 3: fees of a sale that are on other
// rows.
const expectationForm = 3

// Hash identifies, in lower-case hex, what the expectations of an account depend on: documents, settings, the version
// of every rule and the form of their results, but not the as-of date.
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

// describeBasis identifies what the stored expectations of an account depend on, except for the suppressed rules. If it
// differs from that of the last reconcile, everything is evaluated.
func (at *attempt) describeBasis() string {
	text := at.inputsHash
	if at.env.Notifications.From != 0 {
		text += " notified since " + at.env.Notifications.From.String()
	}
	if len(at.in.Closes) == 0 {
		return text
	}
	// Closing or reopening a period concerns everything that changed since.
	h := sha256.New()
	for _, c := range at.in.Closes {
		fmt.Fprintf(h, "%s %s %s\n", c.Basis, c.Period, c.AsOf)
	}
	return text + " closed " + hex.EncodeToString(h.Sum(nil)[:8])
}

// decideScope decides what is evaluated, and records by which documents. Everything is, if there is no earlier reconcile,
// if that one had another basis or a later as-of date, or if Inputs.Full asks for it. Else the rows that changed, those
// whose date of next evaluation has come, those of days whose quarantined rows changed, and those with an unresolved case.
func (at *attempt) decideScope(quarantineChanged []ledger.Date, stored []ledger.Finding) error {
	last := at.sink.LastReconcile()
	at.isFirst = last.Inputs == ""
	if at.in.Full || last.Inputs != at.describeBasis() || last.AsOf > at.in.AsOf || strings.Join(last.Shadow, " ") != strings.Join(at.suppressedCodes, " ") {
		at.everything, at.scope = true, &ledger.Scope{Whole: true}
		return at.sink.RecordInputs(at.describeBasis(), at.suppressedCodes)
	}
	sales, slips := listSubjectsWithCases(at.account, stored)
	var err error
	if at.scope, err = at.sink.Scope(quarantineChanged, sales, slips); err != nil {
		return err
	}
	return at.sink.RecordInputs(at.describeBasis(), at.suppressedCodes)
}

// listSubjectsWithCases lists the sales and the ids of the slips that have an unresolved case.
func listSubjectsWithCases(a ledger.Account, stored []ledger.Finding) (sales []ledger.SaleKey, slips []string) {
	for i := range stored {
		f := &stored[i]
		if !f.State.IsUnresolved() {
			continue
		}
		if k, ok := ledger.SaleOfSubject(f.Subject); ok {
			sales = append(sales, k)
		} else if id, ok := strings.CutPrefix(f.Subject, ledger.Subject("slip", a)+":"); ok {
			slips = append(slips, id)
		}
	}
	return sales, slips
}
