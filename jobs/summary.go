package jobs

import (
	"concilia/export"
	"concilia/store/ledger"
)

// Summary is what a run ends with: the one JSON object on standard output. Parts that do not apply are absent.
type Summary struct {
	Run         string           `json:"run,omitzero"` // absent when none was begun
	Verdict     ledger.Verdict   `json:"verdict,omitzero"`
	AsOf        ledger.Date      `json:"as_of"`
	Pulled      *Pulled          `json:"pulled,omitzero"`
	Findings    map[string]int   `json:"findings,omitzero"`     // cases pending, open or reopened, by code
	NewFindings map[string]int   `json:"new_findings,omitzero"` // those first seen in this run
	Totals      *export.Totals   `json:"totals,omitzero"`
	Accounts    []AccountSummary `json:"accounts,omitzero"`
	Files       []FileSummary    `json:"files,omitzero"`
	// Retired are the published files that this run took away because they were past their days.
	Retired []FileSummary `json:"retired,omitzero"`
	// Left are the days of lists that a backfill was told to leave for another time; the run goes on then.
	Left int `json:"left,omitzero"`
	// Away are the sets that stand as they were and whose files are no longer on the target.
	Away int `json:"away,omitzero"`

	// Period spans the operation days that Totals are of.
	Period ledger.Period `json:"-"`
	// FailedWindows were asked for in vain, or not asked because the service was gone.
	FailedWindows []ledger.Pull `json:"-"`
	Windows       int           `json:"-"`
	// Outage is the last reason why nobody answered, if that happened.
	Outage error `json:"-"`
	// Unpublished says, per set that could not be published, why.
	Unpublished []error `json:"-"`
	// Gone says that the target took nothing more.
	Gone bool  `json:"-"`
	gone error // why, while the outbox takes what is proven
	sets []ledger.RunSet
	// NotAttributed says that money stands in the bridge that no rule could be asked about.
	NotAttributed bool `json:"-"`
	// Record is the run's record, once the run has ended; nil when none was begun.
	Record *ledger.Run `json:"-"`
	// Worst holds the gravest severity among open and reopened cases, empty when there are none.
	Worst ledger.Severity `json:"-"`
}

// Pulled counts what the service was asked and said, over all sources; a slip counts once per list.
type Pulled struct {
	Requests    int64 `json:"requests"`
	Rows        int64 `json:"rows"`
	New         int64 `json:"new"`
	Changed     int64 `json:"changed"`
	Same        int64 `json:"same"`
	Vanished    int64 `json:"vanished"`
	Quarantined int64 `json:"quarantined"`
}

// AccountSummary is the verdict on one account and the kinds that were not published.
type AccountSummary struct {
	Account  ledger.Account `json:"account"`
	Verdict  ledger.Verdict `json:"verdict,omitzero"`
	Withheld []string       `json:"withheld"`
}

// FileSummary is one published file; New is false when it stood already.
type FileSummary struct {
	Path     string `json:"path"`
	SHA256   string `json:"sha256"`
	Kind     string `json:"kind"`
	Format   string `json:"format"`
	Revision int    `json:"revision"`
	New      bool   `json:"new"`
}

func pulledOf(c ledger.Counts) *Pulled {
	return &Pulled{
		Requests: c.Requests, Rows: c.Rows, New: c.New, Changed: c.Changed, Same: c.Same, Vanished: c.Vanished,
		Quarantined: c.Quarantined,
	}
}
