package reconcile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
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
