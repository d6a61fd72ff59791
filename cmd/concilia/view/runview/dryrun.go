package runview

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/report"
	"concilia/export/words"
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
func (v *DryRun) WriteText(w io.Writer, l view.Language) error {
	if err := v.Plan.WriteText(w, l); err != nil {
		return err
	}
	fmt.Fprintln(w, "\n"+words.Text(l, "plan.to_publish"))
	t := view.NewTable(w)
	t.AppendHeader(l.HeadRow("plan.account", "plan.basis", "plan.period", "plan.revision", "", "plan.withheld"))
	inserted := 0
	for i := range v.Publish {
		s := &v.Publish[i]
		became := words.Text(l, "plan.stays_current")
		if s.New {
			inserted++
			became = words.Text(l, "plan.new_because", "why", strings.Join(describeReasons(l, s.Why), ", "))
		}
		t.AppendRow(table.Row{words.Label(l, "account", s.Account), words.Label(l, "set_basis", string(s.Basis)), describePeriod(s, l), fmt.Sprintf("r%d", s.Revision), became, strings.Join(s.Withheld, ", ")})
	}
	t.Render()
	_, err := fmt.Fprintln(w, "\n"+words.Text(l, "plan.nothing_done", "sets", l.Count(int64(len(v.Publish)), "set"), "n", inserted))
	return err
}

func describePeriod(s *jobs.SetPreview, l view.Language) string {
	if s.Basis == report.ByAsOf {
		return l.FormatDay(s.To)
	}
	return words.Text(l, "command.period", "from", l.FormatDay(s.From), "to", l.FormatDay(s.To))
}

// describeReasons are the reasons for revisions in words.
func describeReasons(l view.Language, reasons []string) []string {
	out := make([]string, len(reasons))
	for i, why := range reasons {
		name, change, _ := strings.Cut(why, " ")
		switch {
		case why == "first":
			out[i] = words.Text(l, "revision.first")
		case l != view.Portuguese:
			out[i] = why
		case strings.HasPrefix(why, "reconciled as of "):
			day, _ := ledger.ParseDate(strings.Fields(why)[3])
			out[i] = words.Text(l, "plan.reconciled_since", "day", l.FormatDay(day))
		case change == "added" || change == "changed":
			out[i] = words.Text(l, "revision."+change, "what", words.Label(l, "kind", name))
		default:
			out[i] = why
		}
	}
	return out
}
