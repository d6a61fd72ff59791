package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/export/report"
	"concilia/jobs"
	"concilia/store/ledger"
)

// DryRun is what a run would ask for, and what it would publish with the ledger as it is.
type DryRun struct {
	AsOf    ledger.Date       `json:"as_of"`
	IsDry   bool              `json:"dry_run"` // always
	Plan    *Plan             `json:"plan"`
	Publish []jobs.SetPreview `json:"publish"`
}

// WriteText writes the plan, and below it the sets.
func (v *DryRun) WriteText(w io.Writer, l Language) error {
	if err := v.Plan.WriteText(w, l); err != nil {
		return err
	}
	fmt.Fprintln(w, "\n"+l.text("plan.to_publish"))
	t := NewTable(w)
	t.AppendHeader(l.HeadRow("plan.account", "plan.basis", "plan.period", "plan.revision", "", "plan.withheld"))
	inserted := 0
	for i := range v.Publish {
		s := &v.Publish[i]
		became := l.text("plan.stays_current")
		if s.New {
			inserted++
			became = l.text("plan.new_because", "why", strings.Join(l.describeReasons(s.Why), ", "))
		}
		t.AppendRow(table.Row{l.label("account", s.Account), l.label("set_basis", string(s.Basis)), describePeriod(s, l), fmt.Sprintf("r%d", s.Revision), became, strings.Join(s.Withheld, ", ")})
	}
	t.Render()
	_, err := fmt.Fprintln(w, "\n"+l.text("plan.nothing_done", "sets", l.Count(int64(len(v.Publish)), "set"), "n", inserted))
	return err
}

func describePeriod(s *jobs.SetPreview, l Language) string {
	if s.Basis == report.ByAsOf {
		return l.FormatDay(s.To)
	}
	return l.text("command.period", "from", l.FormatDay(s.From), "to", l.FormatDay(s.To))
}

// describeReasons are the reasons for revisions in words.
func (l Language) describeReasons(reasons []string) []string {
	out := make([]string, len(reasons))
	for i, why := range reasons {
		name, change, _ := strings.Cut(why, " ")
		switch {
		case why == "first":
			out[i] = l.text("revision.first")
		case l != Portuguese:
			out[i] = why
		case strings.HasPrefix(why, "reconciled as of "):
			day, _ := ledger.ParseDate(strings.Fields(why)[3])
			out[i] = l.text("plan.reconciled_since", "day", l.FormatDay(day))
		case change == "added" || change == "changed":
			out[i] = l.text("revision."+change, "what", l.label("kind", name))
		default:
			out[i] = why
		}
	}
	return out
}
