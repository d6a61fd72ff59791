package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"concilia/export"
	"concilia/jobs"
	"concilia/store/ledger"
)

// record is a run as --json prints it.
type record struct {
	Run        string                       `json:"run"`
	Kind       ledger.RunKind               `json:"kind"`
	Trigger    string                       `json:"trigger"`
	Parameters map[string]string            `json:"parameters,omitempty"`
	AsOf       ledger.Date                  `json:"as_of"`
	Clock      string                       `json:"clock,omitempty"`
	Previous   string                       `json:"previous,omitempty"`
	State      string                       `json:"state"`
	Began      string                       `json:"began"`
	Ended      string                       `json:"ended,omitempty"`
	Seconds    *jsonSeconds                 `json:"seconds,omitempty"`
	TakenUp    bool                         `json:"taken_up,omitempty"`
	Verdict    ledger.Verdict               `json:"verdict,omitempty"`
	ExitCode   *int                         `json:"exit_code,omitempty"`
	Accounts   []recordAccount              `json:"accounts"`
	Asked      *recordAsked                 `json:"asked,omitempty"`
	Pulled     *jobs.Pulled                 `json:"pulled,omitempty"`
	Totals     map[string]map[string]string `json:"totals,omitempty"`
	Cases      *recordCases                 `json:"cases,omitempty"`
	Figures    *export.FiguresJSON          `json:"figures,omitempty"`
	Steps      []recordStep                 `json:"steps,omitempty"`
	Engine     string                       `json:"engine"`
	Documents  map[string]string            `json:"documents"`
	Sets       []recordSet                  `json:"sets,omitempty"`
}

type recordAccount struct {
	Account ledger.Account `json:"account"`
	Verdict ledger.Verdict `json:"verdict,omitempty"`
}

type recordAsked struct {
	Windows int64 `json:"windows"`
	Failed  int64 `json:"failed"`
	Retries int64 `json:"retries"`
	Bytes   int64 `json:"bytes"`
}

type recordCases struct {
	New        int64 `json:"new"`
	Persisting int64 `json:"persisting"`
	Resolved   int64 `json:"resolved"`
}

type recordStep struct {
	Step    string      `json:"step"`
	Seconds jsonSeconds `json:"seconds"`
}

type recordSet struct {
	Account  string      `json:"account"`
	Basis    string      `json:"basis"`
	From     ledger.Date `json:"from"`
	To       ledger.Date `json:"to"`
	Filter   string      `json:"filter,omitempty"`
	Revision int         `json:"revision"`
	New      bool        `json:"new"`
}

// wholeRecord is a run as runs show --json prints it.
type wholeRecord struct {
	record
	Rules []recordRule       `json:"rules,omitempty"`
	Files []jobs.FileSummary `json:"files,omitempty"`
	Left  []string           `json:"left,omitempty"`
}

type recordRule struct {
	Account   ledger.Account   `json:"account"`
	Code      string           `json:"code"`
	Eligible  int64            `json:"eligible"`
	Evaluated int64            `json:"evaluated"`
	Fired     int64            `json:"fired"`
	Within    int64            `json:"within_tolerance"`
	Skipped   map[string]int64 `json:"skipped"`
}

// jsonSeconds is a duration in seconds, with its milliseconds.
type jsonSeconds time.Duration

// MarshalJSON prints seconds with three decimals.
func (s jsonSeconds) MarshalJSON() ([]byte, error) {
	ms := time.Duration(s).Milliseconds()
	return fmt.Appendf(nil, "%d.%03d", ms/1000, ms%1000), nil
}

func recordOf(r *ledger.Run, live map[string]bool) record {
	out := record{
		Run: r.ID, Kind: r.Kind, Trigger: r.Trigger, Parameters: r.Parameters, AsOf: r.AsOf, Clock: r.Clock, Previous: r.Previous,
		State: stateOf(r, live), Began: r.Began.UTC().Format(time.RFC3339), TakenUp: r.Resumed, Verdict: r.Verdict,
		Engine: r.ProgramVersion, Documents: r.Documents, Totals: totalsOf(r.Sums),
	}
	for _, a := range r.Accounts {
		out.Accounts = append(out.Accounts, recordAccount{a, r.Verdicts[a]})
	}
	if !r.Finished() {
		if out.State == stateStopped {
			out.ExitCode = &r.ExitCode
		}
		return out
	}
	took := jsonSeconds(r.Took())
	out.Ended, out.Seconds, out.ExitCode = r.Ended.UTC().Format(time.RFC3339), &took, &r.ExitCode
	if r.Asked.Windows > 0 {
		out.Asked = &recordAsked{r.Asked.Windows, r.Asked.Failed, r.Asked.Retries, r.Asked.Bytes}
	}
	if r.Asked.Windows > 0 || r.Pulled.Requests > 0 {
		p := r.Pulled
		out.Pulled = &jobs.Pulled{
			Requests: p.Requests, Rows: p.Rows, New: p.New, Changed: p.Changed, Same: p.Same, Vanished: p.Vanished,
			Quarantined: p.Quarantined,
		}
	}
	if r.Evaluated() {
		figures := export.FiguresJSON(r.Figures)
		out.Cases, out.Figures = &recordCases{r.Cases.New, r.Cases.Persisting, r.Cases.Resolved}, &figures
	}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, recordStep{s.Name, jsonSeconds(s.Took)})
	}
	for _, s := range r.Sets {
		out.Sets = append(out.Sets, recordSet{s.Account, s.Basis, s.Period.From, s.Period.To, s.Filter, s.Revision, s.New})
	}
	return out
}

// stateStopped is the state of a run that its process did not bring to its end, and said with which exit code.
const stateStopped = "stopped"

// stateOf says whether a run ended, goes on, stopped, or was killed. A check holds nothing that would tell.
func stateOf(r *ledger.Run, live map[string]bool) string {
	switch {
	case r.Finished():
		return "ended"
	case live[r.ID]:
		return "running"
	case r.ExitCode != exitOK:
		return stateStopped
	case r.Kind == ledger.CheckRun:
		return "begun"
	}
	return "killed"
}

// totalsOf are a record's sums by side, as the summary of a run prints them.
func totalsOf(sums map[string]ledger.Amount) map[string]map[string]string {
	out := map[string]map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		side, member, _ := strings.Cut(name, ".")
		if out[side] == nil {
			out[side] = map[string]string{}
		}
		out[side][member] = sums[name].String()
	}
	return out
}

func ruleOf(a ledger.Account, t ledger.RuleCounts) recordRule {
	return recordRule{
		Account: a, Code: t.Code, Eligible: t.Eligible, Evaluated: t.Evaluated, Fired: t.Fired, Within: t.Within,
		Skipped: map[string]int64{
			"no_input": t.NoInput, "unmapped": t.Unmapped, "shadow": t.Shadow, "window": t.Window, "not_evaluable": t.NotEvaluable,
		},
	}
}
