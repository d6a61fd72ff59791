package main

import (
	"context"
	"encoding/json"
	"time"

	"concilia/config"
	"concilia/export"
	"concilia/jobs"
	"concilia/jobs/casework"
	"concilia/store/ledger"

	"github.com/spf13/cobra"
)

func newStatus(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "show the current state on one screen",
		Long: `status shows the figures of the cases as they are now: what is missing, at risk, claimed, waived and in excess; then the last
night and its verdict, how many days are complete and the oldest that is not, the cases by severity
and the oldest open one, the latest and next occurrences of the schedule, waiting notifications, files that wait for the
target, who holds an account, and the size of the ledger. It does not call the service and judges nothing: its exit code
says only whether the status could be read.

With --json it prints one object:
  {"now","as_of","figures":{"missing","lost","late","at_risk","claimed","waived","excess"},"ledger":{"kind","bytes"},
   "last_night":{the object of runs list, absent when no night has ended},"unfinished_night":{the same},
   "coverage":[{"account","source","days","complete","partial","missing","first_gap"}],
   "cases":[{"severity","state","cases","oldest"}],
   "oldest_case":{"case","code","severity","subject","impact","opened","days"},
   "schedule":{"last":[{"slot","job","state","why","run"}],"next":[{"slot","job"}]},
   "inbox":{"waiting","oldest"},"not_linked":{"waiting","oldest"},
   "outbox":[{"account","basis","from","to","revision","files","as_of"}],
   "held":[{"account","run","since","host","process"}]}
schedule is absent when none is configured, oldest_case when no case is open.

Exit status: 0 printed, whatever the state; 2 usage; 40 configuration; 50 ledger unreachable; 130 interrupted.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return g.status(cmd.Context()) },
	}
}

// statusPage is what status tells.
type statusPage struct {
	*casework.Status
	accounts []jobs.Account
	zone     *time.Location
	ticks    *statusTicks // nil: no schedule is configured
}

// statusTicks is what became of the last occurrences of the schedules, and what comes next.
type statusTicks struct {
	Last []statusTick `json:"last"`
	Next []statusTick `json:"next"`
}

type statusTick struct {
	Slot  string `json:"slot"`
	Job   string `json:"job"`
	State string `json:"state,omitempty"`
	Why   string `json:"why,omitempty"`
	Run   string `json:"run,omitempty"`
	in    time.Duration
}

func (g *globals) status(ctx context.Context) error {
	w, done, err := g.wire(ctx, wantKept)
	if err != nil {
		return err
	}
	defer done()
	c, err := config.LoadOffline(g.config, g.lookup) // wire has told its warnings
	if err != nil {
		return err
	}
	closeInbox, err := wireInbox(ctx, w, c.Ledger.DSN.Reveal())
	if err != nil {
		return err
	}
	defer closeInbox()
	s, err := viewer(w).ReadStatus(ctx)
	if err != nil {
		return err
	}
	page := &statusPage{Status: s, accounts: w.Accounts, zone: w.Zone}
	if page.ticks, err = ticksOf(ctx, c, w, s.Now); err != nil {
		return err
	}
	if !g.json {
		return page.print(g.stdout)
	}
	encoder := json.NewEncoder(g.stdout)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(page.json())
}

// statusJSON is what status --json prints.
type statusJSON struct {
	Now        string             `json:"now"`
	AsOf       ledger.Date        `json:"as_of"`
	Ledger     statusLedger       `json:"ledger"`
	LastNight  *record            `json:"last_night,omitempty"`
	Unfinished *record            `json:"unfinished_night,omitempty"`
	Coverage   []statusCoverage   `json:"coverage"`
	Figures    export.FiguresJSON `json:"figures"`
	Cases      []statusCases      `json:"cases"`
	Oldest     *statusOldest      `json:"oldest_case,omitempty"`
	Schedule   *statusTicks       `json:"schedule,omitempty"`
	Inbox      statusWaiting      `json:"inbox"`
	NotLinked  statusWaiting      `json:"not_linked"`
	Outbox     []statusOutbox     `json:"outbox"`
	Held       []statusHeld       `json:"held"`
}

type statusLedger struct {
	Kind  string `json:"kind"`
	Bytes int64  `json:"bytes"`
}

type statusCoverage struct {
	Account  ledger.Account `json:"account"`
	Source   ledger.Source  `json:"source"`
	Days     int            `json:"days"`
	Complete int            `json:"complete"`
	Partial  int            `json:"partial"`
	Missing  int            `json:"missing"`
	FirstGap string         `json:"first_gap"`
}

type statusCases struct {
	Severity ledger.Severity `json:"severity"`
	State    ledger.State    `json:"state"`
	Cases    int64           `json:"cases"`
	Oldest   string          `json:"oldest"`
}

type statusOldest struct {
	Case     string          `json:"case"`
	Code     string          `json:"code"`
	Severity ledger.Severity `json:"severity"`
	Subject  string          `json:"subject"`
	Impact   string          `json:"impact"`
	Opened   ledger.Date     `json:"opened"`
	Days     int             `json:"days"`
}

type statusWaiting struct {
	Waiting int64  `json:"waiting"`
	Oldest  string `json:"oldest"`
}

type statusOutbox struct {
	Account  string      `json:"account"`
	Basis    string      `json:"basis"`
	From     ledger.Date `json:"from"`
	To       ledger.Date `json:"to"`
	Revision int         `json:"revision"`
	Files    int         `json:"files"`
	AsOf     ledger.Date `json:"as_of"`
}

type statusHeld struct {
	Account ledger.Account `json:"account"`
	Run     string         `json:"run"`
	Since   string         `json:"since"`
	Host    string         `json:"host"`
	Process int            `json:"process"`
}

// viewer looks things up in the ledger of a wired worker.
func viewer(w *jobs.Worker) *casework.Overview {
	v := &casework.Overview{Ledger: w.Ledger, Accounts: planned(w), Unit: w.Terms.Profile.Unit, Now: w.Now, Zone: w.Zone}
	if inbox, ok := w.Inbox.(casework.Inbox); ok {
		v.Inbox = inbox
	}
	return v
}
