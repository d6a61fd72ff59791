package runview

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/store/ledger"
)

// Backfill is what a backfill would ask for.
type Backfill struct {
	Lists []jobs.BackfillList
	Rate  float64     // requests a second
	AsOf  ledger.Date // to evaluate from
}

// WriteText writes a line for each list, and how long it would take.
func (v *Backfill) WriteText(w io.Writer, l view.Language) error {
	t := view.NewTable(w)
	t.AppendHeader(l.HeadRow("plan.account", "plan.list", "plan.days", "plan.complete", "plan.call_column", "plan.windows"))
	days, least, most := 0, 0, 0
	for _, x := range v.Lists {
		days, least, most = days+x.Days, least+len(x.Windows), most+x.Most
		t.AppendRow(table.Row{x.Account, words.Label(l, "source", string(x.Source)), x.Days, x.Complete, formatRange(l, len(x.Windows), x.Most), describeWindows(l, x.Windows)})
	}
	t.Render()
	takes := durationAt(least, v.Rate).String()
	if longest := durationAt(most, v.Rate).String(); longest != takes {
		takes = words.Text(l, "command.range", "from", takes, "to", longest)
	}
	calls := words.Text(l, "plan.range_of_calls", "range", formatRange(l, least, most))
	if most == 1 {
		calls = l.Count(1, "call")
	}
	fmt.Fprintln(w, "\n"+words.Text(l, "plan.backfill", "days", l.Count(int64(days), "day"), "calls", calls, "rate", l.SpellPoint(strconv.FormatFloat(v.Rate, 'g', -1, 64)), "takes", takes))
	_, err := fmt.Fprintln(w, words.Text(l, "plan.backfill_judges", "day", l.FormatDay(v.AsOf)))
	return err
}

// durationAt is how long so many requests take at a pace, in whole seconds, the last one begun.
func durationAt(requests int, perSecond float64) time.Duration {
	return time.Duration(math.Ceil(float64(requests)/perSecond)) * time.Second
}

func formatRange(l view.Language, least, most int) string {
	if least == most {
		return strconv.Itoa(least)
	}
	return words.Text(l, "command.range", "from", least, "to", most)
}

// describeWindows names the first windows, newest first.
func describeWindows(l view.Language, windows []jobs.BackfillRange) string {
	const most = 4
	var b strings.Builder
	for i, p := range windows {
		if i == most {
			b.WriteString(", " + words.Text(l, "plan.more_down_to", "n", l.FormatCount(int64(len(windows)-most)), "day", l.FormatDay(windows[len(windows)-1].From)))
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		if p.To == p.From {
			b.WriteString(l.FormatDay(p.From))
		} else {
			b.WriteString(l.FormatDays(p.From, p.To))
		}
	}
	return b.String()
}
