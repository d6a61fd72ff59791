package reconcile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"concilia/jobs/calendar"
	"concilia/jobs/rules"
	"concilia/jobs/terms"
	"concilia/store/ledger"
)

// Inputs are what a run believes: the documents, the settings and the day it judges from. All but Settings are needed.
type Inputs struct {
	Contracts *terms.Contracts
	Mapping   *terms.Mapping
	Profile   terms.Profile
	// Calendar is that of an account, local days included.
	Calendar func(ledger.Account) *calendar.Calendar
	Settings rules.Settings
	AsOf     ledger.Date
	// Since is the first day the account at hand is answered for.
	Since ledger.Date
	// Zone is where the moments of notifications are read on a clock; nil is UTC.
	Zone *time.Location
}

// Hash names what the expectations of an account rest on, lower-case hex: documents, settings and the version of
// every rule. The as-of does not enter it.
func (in *Inputs) Hash(a ledger.Account) string {
	h := sha256.New()
	fmt.Fprintf(h, "contract %s\nmapping %s\nprofile %s\ncalendar %s\n",
		in.Contracts.Hash(), in.Mapping.Hash(), in.Profile.Hash(), in.Calendar(a).Hash())
	_, _ = io.WriteString(h, in.Settings.Text()) // a hash refuses no write
	_, _ = io.WriteString(h, rules.Versions())
	return hex.EncodeToString(h.Sum(nil))
}
