package runview

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/report/asof"
	exporttable "concilia/export/table"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/setpublish"
	"concilia/store/ledger"
)

// Run is the record of a run.
type Run struct {
	ID         string                            `json:"run"`
	Kind       ledger.RunKind                    `json:"kind"`
	Trigger    string                            `json:"trigger"`
	Parameters map[string]string                 `json:"parameters,omitempty"`
	AsOf       ledger.Date                       `json:"as_of"`
	Clock      string                            `json:"clock,omitempty"`
	Previous   string                            `json:"previous,omitempty"`
	State      string                            `json:"state"`
	Began      view.Instant                      `json:"began"`
	Ended      view.Instant                      `json:"ended,omitzero"`
	Took       *view.Seconds                     `json:"seconds,omitempty"` // nil: it has not ended
	TakenUp    bool                              `json:"taken_up,omitempty"`
	Verdict    ledger.Verdict                    `json:"verdict,omitempty"`
	ExitCode   *int                              `json:"exit_code,omitempty"`
	Accounts   []RunAccount                      `json:"accounts"`
	Asked      *RunAsked                         `json:"asked,omitempty"`
	Pulled     *jobs.Pulled                      `json:"pulled,omitempty"`
	Totals     map[string]map[string]view.Amount `json:"totals,omitempty"` // by side and member
	Cases      *RunCases                         `json:"cases,omitempty"`
	Figures    *asof.FiguresJSON                 `json:"figures,omitempty"`
	Steps      []RunStep                         `json:"steps,omitempty"`
	Engine     string                            `json:"engine"`
	Documents  map[string]string                 `json:"documents"`
	Sets       []RunSet                          `json:"sets,omitempty"`
}

// RunAccount is what a run came to for an account.
type RunAccount struct {
	Account ledger.Account `json:"account"`
	Verdict ledger.Verdict `json:"verdict,omitempty"`
}

// RunAsked is what a run asked the service.
type RunAsked struct {
	Windows int64 `json:"windows"`
	Failed  int64 `json:"failed"`
	Retries int64 `json:"retries"`
	Bytes   int64 `json:"bytes"`
}

// RunCases are the cases of a run.
type RunCases struct {
	New        int64 `json:"new"`
	Persisting int64 `json:"persisting"`
	Resolved   int64 `json:"resolved"`
}

// RunStep is how long a step took.
type RunStep struct {
	Name string       `json:"step"`
	Took view.Seconds `json:"seconds"`
}

// RunSet is a revision that a run published, or found as it was.
type RunSet struct {
	Account  string      `json:"account"`
	Basis    string      `json:"basis"`
	From     ledger.Date `json:"from"`
	To       ledger.Date `json:"to"`
	Filter   string      `json:"filter,omitempty"`
	Revision int         `json:"revision"`
	New      bool        `json:"new"`
}

// describeSet is the set in the words of its files' names.
func (s *RunSet) describeSet(l view.Language) string {
	return formatSet(l, s.Account, s.Basis, s.From, s.To, s.Filter, s.Revision)
}

// The states of a run.
const (
	runEnded   = "ended"
	runRunning = "running"
	runStopped = "stopped" // its process gave up, and recorded the exit code
	runBegun   = "begun"   // a check, which holds no lease that would show whether its process lives
	runKilled  = "killed"
)

func stateOfRun(r *ledger.Run, running map[string]bool) string {
	switch {
	case r.Finished():
		return runEnded
	case running[r.ID]:
		return runRunning
	case r.ExitCode != jobs.ExitOK:
		return runStopped
	case r.Kind == ledger.CheckRun:
		return runBegun
	}
	return runKilled
}

// RunOf is the record of a run. running has the ids of the runs whose processes hold an account.
func RunOf(r *ledger.Run, running map[string]bool) Run {
	out := Run{
		ID: r.ID, Kind: r.Kind, Trigger: r.Trigger, Parameters: r.Parameters, AsOf: r.AsOf, Clock: r.Clock, Previous: r.Previous,
		State: stateOfRun(r, running), Began: view.Instant{Time: r.Began}, TakenUp: r.Resumed, Verdict: r.Verdict,
		Engine: r.ProgramVersion, Documents: r.Documents, Totals: map[string]map[string]view.Amount{},
	}
	for name, sum := range r.Sums {
		side, member, _ := strings.Cut(name, ".")
		if out.Totals[side] == nil {
			out.Totals[side] = map[string]view.Amount{}
		}
		out.Totals[side][member] = view.Amount(sum)
	}
	for _, a := range r.Accounts {
		out.Accounts = append(out.Accounts, RunAccount{a, r.Verdicts[a]})
	}
	if !r.Finished() {
		if out.State == runStopped {
			out.ExitCode = &r.ExitCode
		}
		return out
	}
	took := view.Seconds(r.Took())
	out.Ended, out.Took, out.ExitCode = view.Instant{Time: r.Ended}, &took, &r.ExitCode
	if r.Asked.Windows > 0 {
		out.Asked = &RunAsked{r.Asked.Windows, r.Asked.Failed, r.Asked.Retries, r.Asked.Bytes}
	}
	if r.Asked.Windows > 0 || r.Pulled.Requests > 0 {
		p := r.Pulled
		out.Pulled = &jobs.Pulled{
			Requests: p.Requests, Rows: p.Rows, New: p.New, Changed: p.Changed, Same: p.Same, Vanished: p.Vanished,
			Quarantined: p.Quarantined,
		}
	}
	if r.Evaluated() {
		figures := asof.FiguresJSON(r.Figures)
		out.Cases, out.Figures = &RunCases{r.Cases.New, r.Cases.Persisting, r.Cases.Resolved}, &figures
	}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, RunStep{s.Name, view.Seconds(s.Took)})
	}
	for _, s := range r.Sets {
		out.Sets = append(out.Sets, RunSet{s.Account, s.Basis, s.Period.From, s.Period.To, s.Filter, s.Revision, s.New})
	}
	return out
}

// pulledRows are the rows that the run pulled, and those of them that were new.
func (r *Run) pulledRows() (rows, inserted int64) {
	if r.Pulled == nil {
		return 0, 0
	}
	return r.Pulled.Rows, r.Pulled.New
}

// describeStop is what a run stopped with that did not come to its end.
func (r *Run) describeStop(l view.Language) string {
	return words.Text(l, "runs.stopped_with", "code", *r.ExitCode, "why", l.DescribeExit(*r.ExitCode))
}

// Runs is a list of runs, latest first.
type Runs struct {
	All  []Run
	Zone *time.Location // of the instants in text
}

// WriteText lists runs, a line each.
func (v *Runs) WriteText(w io.Writer, l view.Language) error {
	if len(v.All) == 0 {
		_, err := fmt.Fprintln(w, words.Text(l, "runs.none"))
		return err
	}
	header := l.HeadRow("runs.run", "runs.kind", "runs.as_of", "runs.began", "runs.took", "runs.verdict", "runs.exit", "runs.rows", "runs.new", "runs.cases", "runs.missing")
	figures := v.furtherFigures()
	for _, name := range figures {
		header = append(header, strings.ToLower(asof.FigureName(name, exporttable.Language(l)))+" R$")
	}
	right := []int{5}
	for n := 7; n <= len(header); n++ {
		right = append(right, n)
	}
	t := view.NewTable(w, right...)
	t.AppendHeader(header)
	for i := range v.All {
		r := &v.All[i]
		row := table.Row{r.ID, words.Label(l, "run_kind", string(r.Kind)), l.FormatDay(r.AsOf), l.FormatLocal(r.Began.Time, v.Zone)}
		if r.Took == nil {
			row = append(row, "", words.Label(l, "run_state", r.State))
			if r.State == runStopped {
				row = append(row, *r.ExitCode)
			}
			t.AppendRow(row)
			continue
		}
		rows, inserted := r.pulledRows()
		row = append(row, l.FormatDuration(time.Duration(*r.Took)), l.FormatVerdict(r.Verdict), *r.ExitCode, l.FormatCount(rows), l.FormatCount(inserted))
		if r.Figures != nil {
			of := ledger.Figures(*r.Figures)
			row = append(row, l.FormatCount(r.Cases.New+r.Cases.Persisting), l.FormatReais(of.Missing()))
			for _, name := range figures {
				row = append(row, l.FormatReais(of.AmountOf(name)))
			}
		}
		t.AppendRow(row)
	}
	t.Render()
	return nil
}

// furtherFigures are the figures that the list has after what is missing: those that any of the runs has, and always what is at
// risk and in excess.
func (v *Runs) furtherFigures() []ledger.Figure {
	var all ledger.Figures
	for i := range v.All {
		if f := v.All[i].Figures; f != nil {
			all.Claimed, all.Waived = max(all.Claimed, f.Claimed), max(all.Waived, f.Waived)
		}
	}
	return slices.DeleteFunc(asof.FiguresShown(&all), func(name ledger.Figure) bool {
		return name == ledger.FigureLost || name == ledger.FigureLate
	})
}

// RunPage is the complete record of a run: with the outcomes of every rule on every account, and the files.
type RunPage struct {
	Run
	Rules []RunRule                `json:"rules,omitempty"`
	Files []setpublish.FileSummary `json:"files,omitempty"`
	Left  []string                 `json:"left,omitempty"` // which worker left files to others, and why

	Zone *time.Location `json:"-"` // of the instants in text
}

// RunRule is what became of a rule on an account.
type RunRule struct {
	Account   ledger.Account   `json:"account"`
	Code      string           `json:"code"`
	Eligible  int64            `json:"eligible"`
	Evaluated int64            `json:"evaluated"`
	Fired     int64            `json:"fired"`
	Within    int64            `json:"within_tolerance"`
	Skipped   map[string]int64 `json:"skipped"`
}

// AddRule adds what became of a rule on an account.
func (v *RunPage) AddRule(a ledger.Account, t *ledger.RuleCounts) {
	v.Rules = append(v.Rules, RunRule{
		Account: a, Code: t.Code, Eligible: t.Eligible, Evaluated: t.Evaluated, Fired: t.Fired, Within: t.Within,
		Skipped: map[string]int64{
			"no_input": t.NoInput, "unmapped": t.Unmapped, "shadow": t.Shadow, "window": t.Window, "not_evaluable": t.NotEvaluable,
		},
	})
}

// WriteText writes the record on one page.
func (v *RunPage) WriteText(w io.Writer, l view.Language) error {
	s := view.NewScreen(l, 10)
	v.writeBeginning(s)
	v.writeResults(s)
	if n := len(v.Files); n > 0 {
		s.AddText("runs.files", "runs.files_with_hashes", "n", l.FormatCount(int64(n)))
	}
	if err := s.Print(w); err != nil || len(v.Rules) == 0 {
		return err
	}
	fmt.Fprintln(w)
	v.writeRules(w, l)
	return nil
}

// writeBeginning writes who began the run, how, and what it came to.
func (v *RunPage) writeBeginning(s *view.Screen) {
	l := s.Language
	outcome := words.Label(l, "run_state", v.State)
	switch {
	case v.State == runStopped:
		outcome = v.describeStop(l)
	case v.Took != nil:
		outcome = strings.TrimPrefix(words.Text(l, "runs.ended_with", "verdict", l.FormatVerdict(v.Verdict), "code", *v.ExitCode), " ")
	}
	s.AddText("runs.run", "runs.kind_as_of", "run", v.ID, "kind", words.Label(l, "run_kind", string(v.Kind)), "day", l.FormatDay(v.AsOf), "outcome", outcome)
	s.AddLine("runs.begun_by", words.Label(l, "trigger", v.Trigger))
	s.AddLine("runs.began", l.FormatLocal(v.Began.Time, v.Zone))
	if v.Took != nil {
		s.AddText("runs.ended", "runs.ended_after", "ended", l.FormatLocal(v.Ended.Time, v.Zone), "took", l.FormatDuration(time.Duration(*v.Took)))
	}
	if v.TakenUp {
		s.AddText("runs.taken_up", "runs.taken_up_by_another")
	}
	if len(v.Parameters) > 0 {
		var flags []string
		for _, name := range slices.Sorted(maps.Keys(v.Parameters)) {
			flags = append(flags, "--"+name+" "+v.Parameters[name])
		}
		s.AddLine("runs.flags", strings.Join(flags, " "))
	}
	if v.Clock != "" {
		s.AddText("runs.clock", "runs.clock_moved", "clock", v.Clock)
	}
	if v.Previous != "" {
		s.AddLine("runs.previous", v.Previous)
	}
	for _, a := range v.Accounts {
		s.AddLine("runs.account", strings.TrimSuffix(fmt.Sprintf("%s: %s", a.Account, l.FormatVerdict(a.Verdict)), ": "))
	}
}

// writeResults writes what the run asked, got, concluded and published.
func (v *RunPage) writeResults(s *view.Screen) {
	l := s.Language
	if a := v.Asked; a != nil {
		s.AddLine("runs.asked", fmt.Sprintf("%s%s, %s, %s, %s bytes", l.Count(a.Windows, "window"), listParts(l, view.Part{N: a.Failed, What: "failed"}),
			l.Count(v.Pulled.Requests, "request"), l.Count(a.Retries, "retry"), l.FormatCount(a.Bytes)))
	}
	if p := v.Pulled; p != nil {
		s.AddText("runs.pulled", "runs.pulled_rows", "rows", l.Count(p.Rows, "row"), "new", l.FormatCount(p.New),
			"changed", l.FormatCount(p.Changed), "same", l.FormatCount(p.Same), "vanished", l.FormatCount(p.Vanished), "quarantined", l.FormatCount(p.Quarantined))
	}
	for _, side := range slices.Sorted(maps.Keys(v.Totals)) {
		for _, member := range slices.Sorted(maps.Keys(v.Totals[side])) {
			s.AddLine("runs.reais", fmt.Sprintf("%-24s %16s", words.Label(l, "run_total", side+"."+member), l.FormatReais(ledger.Amount(v.Totals[side][member]))))
		}
	}
	if v.Cases != nil {
		s.AddLine("runs.figures", l.FormatFigures(ledger.Figures(*v.Figures)))
		s.AddLine("runs.cases", v.Cases.describe(l))
	}
	for _, step := range v.Steps {
		s.AddLine("runs.step", fmt.Sprintf("%-24s %16s", words.Label(l, "step", step.Name), l.SpellPoint(time.Duration(step.Took).Round(time.Millisecond).String())))
	}
	for _, why := range v.Left {
		s.AddLine("runs.left", why)
	}
	s.AddLine("runs.engine", v.Engine)
	for _, name := range slices.Sorted(maps.Keys(v.Documents)) {
		s.AddLine("runs.document", fmt.Sprintf("%-24s %s", nameDocument(l, name), v.Documents[name]))
	}
	for i := range v.Sets {
		became := words.Text(l, "runs.set_stands")
		if v.Sets[i].New {
			became = words.Text(l, "runs.set_new")
		}
		s.AddLine("runs.set", v.Sets[i].describeSet(l)+": "+became)
	}
}

// writeRules writes, over all accounts, the rules that found something, let something pass within their tolerance, or could not
// be asked about everything; and how many others there are.
func (v *RunPage) writeRules(w io.Writer, l view.Language) {
	sums := map[string]*ledger.RuleCounts{}
	for _, r := range v.Rules {
		t := sums[r.Code]
		if t == nil {
			t = &ledger.RuleCounts{Code: r.Code}
			sums[r.Code] = t
		}
		t.Add(ledger.RuleCounts{Eligible: r.Eligible, Evaluated: r.Evaluated, Fired: r.Fired, Within: r.Within})
	}
	t := view.NewTable(w, 2, 3, 4, 5, 6)
	t.AppendHeader(l.HeadRow("runs.rule", "runs.eligible", "runs.evaluated", "runs.fired", "runs.within", "runs.not_evaluated"))
	var passed, idle int64
	for _, code := range slices.Sorted(maps.Keys(sums)) {
		s := sums[code]
		switch {
		case s.Eligible == 0:
			idle++
		case s.Fired == 0 && s.Within == 0 && s.Evaluated == s.Eligible:
			passed++
		default:
			t.AppendRow(table.Row{code, l.FormatCount(s.Eligible), l.FormatCount(s.Evaluated), l.FormatCount(s.Fired), l.FormatCount(s.Within), l.FormatCount(s.Eligible - s.Evaluated)})
		}
	}
	if t.Length() > 0 {
		t.Render()
	}
	fmt.Fprintln(w, words.Text(l, "runs.rules_passed", "rules", l.Count(passed, "other_rule"), "idle", l.FormatCount(idle)))
}

// describe is the unresolved cases, with the new and the resolved ones.
func (c *RunCases) describe(l view.Language) string {
	return l.Count(c.New+c.Persisting, "case") + listParts(l, view.Part{N: c.New, What: "new_case"}, view.Part{N: c.Resolved, What: "resolved_case"})
}

func formatSet(l view.Language, account, basis string, from, to ledger.Date, filter string, revision int) string {
	parts := []string{words.Label(l, "account", account), words.Label(l, "set_basis", basis), l.FormatDays(from, to)}
	if filter != "" {
		parts = append(parts, filter)
	}
	return fmt.Sprintf("%s r%d", strings.Join(parts, " "), revision)
}

// nameDocument is the name of a document, of an account's with its number.
func nameDocument(l view.Language, name string) string {
	kind, account, _ := strings.Cut(name, " ")
	return strings.TrimSpace(words.Label(l, "document", kind) + " " + account)
}
