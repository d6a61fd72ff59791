package proof

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"concilia/export"
	"concilia/export/control"
	"concilia/export/report"
	"concilia/export/report/kindlist"
	"concilia/export/table"
	"concilia/store/ledger"
)

// These sections repeat what a job was given, whatever was rendered of it.

func listWithheld(c *control.Writer, j *export.Job) {
	for _, w := range j.Withheld {
		c.AddText(string(w.Kind), "code", w.Code)
	}
}

func listDocuments(c *control.Writer, j *export.Job) {
	docs := j.Documents
	for _, name := range export.ShownDocuments {
		if docs[name] != "" {
			c.AddHash(name, "hash", docs[name])
		}
	}
}

// listActLogEnds lists the last act of each log when the set was rendered.
func listActLogEnds(c *control.Writer, j *export.Job) {
	for _, end := range j.Facts.Acts {
		item := control.ActLogItem + end.Account.String()
		c.AddCount(item, control.MeasureLastAct, end.Number)
		if end.Number > 0 {
			c.AddHash(item, control.MeasureLastActHash, end.Hash)
		}
	}
}

func listRetired(c *control.Writer, j *export.Job) {
	r := j.Facts.Retired
	if r.Since == 0 {
		return
	}
	c.AddDate("set", control.MeasureRetiredSince, r.Since)
	for _, name := range slices.Sorted(maps.Keys(r.Files)) {
		c.AddHash(name, control.MeasureRetired, r.Files[name])
	}
}

func listCoverage(c *control.Writer, j *export.Job) {
	for _, v := range j.Facts.Coverage {
		item := string(v.Source)
		for _, m := range []struct {
			name string
			n    int64
		}{{"days_complete", v.Complete}, {"days_partial", v.Partial}, {"days_missing", v.Missing}} {
			c.AddValue(item, m.name, control.UnitDays, table.Int(m.n), control.Note{})
		}
		c.AddDate(item, "history_from", v.HistoryFrom)
		if v.Horizon != 0 {
			c.AddDate(item, "horizon", v.Horizon)
		}
	}
}

// valueText is the value of digit columns: they are to be imported as text.
const valueText = "text"

// listDigitColumns lists the columns of the set's csv files whose texts consist of digits. Documents of payers do only if they
// are not masked.
func listDigitColumns(c *control.Writer, j *export.Job) {
	for _, k := range j.Kinds {
		if j.IsOwnCSV(k, report.CSV) {
			for _, header := range j.Journal.Chart.DigitHeaders() {
				c.AddText(string(k), header, valueText)
			}
			continue
		}
		for _, t := range kindlist.TablesIn(k, j.BankColumns) {
			for i := range t.Columns {
				if col := &t.Columns[i]; col.Digits && (col.ID != report.PayerDocumentID || j.ShowsPersons(k)) {
					c.AddText(t.ID, col.ID, valueText)
				}
			}
		}
	}
}

// bridgeLines are the lines of the bridge in the order of control.
var bridgeLines = []ledger.BridgeLine{
	ledger.LineMDR, ledger.LineFee, ledger.LineAntifraud, ledger.LineAnticipation, ledger.LineSplit, ledger.LineReceived,
	ledger.LineReversed, ledger.LineBlocked, ledger.LineNoForecast, ledger.LineNotDue, ledger.LineOverdue,
	ledger.LinePenalty, ledger.LineInterest, ledger.LineChargeNotDue, ledger.LineLateNotShown, ledger.LinePaid,
	ledger.LineCancelledPaid, ledger.LineCreditNotDue, ledger.LineCreditOverdue, ledger.LineNotRegistered,
	ledger.LineUnpaidNotDue, ledger.LineUnpaidPastDue, ledger.LineRounding, ledger.LineNotAttributed,
}

// ListBridge lists the lines of the bridge of each side, their sum, and what is left of the difference.
func ListBridge(c *control.Writer, j *export.Job) {
	type key struct {
		side   string
		line   ledger.BridgeLine
		reason string
	}
	sums, sides := make(map[key]ledger.BridgeRow), make(map[string]ledger.Amount)
	for _, r := range j.Facts.Bridge {
		sum := sums[key{r.Side, r.Line, r.Reason}]
		sum.Amount, sum.Excess = sum.Amount+r.Amount, sum.Excess+r.Excess
		sums[key{r.Side, r.Line, r.Reason}] = sum
		sides[r.Side] += r.Amount
	}
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b key) int {
		return cmp.Or(cmp.Compare(a.side, b.side), cmp.Compare(slices.Index(bridgeLines, a.line), slices.Index(bridgeLines, b.line)),
			cmp.Compare(a.line, b.line), cmp.Compare(a.reason, b.reason))
	})
	for _, k := range keys {
		measure, sum := strings.TrimSpace(string(k.line)+" "+k.reason), sums[k]
		if sum.Lost() != 0 || sum.Excess == 0 {
			c.AddMoney(k.side, measure, sum.Lost(), control.Note{})
		}
		if sum.Excess != 0 {
			c.AddMoney(k.side, measure+control.ExcessOf, -sum.Excess, control.Note{})
		}
	}
	for _, s := range j.Facts.Sides {
		// The bridge has its own date basis: in a set on another basis it covers other rows than those above.
		days := control.TextNote("bridge_of_slips")
		if s.Side == ledger.Cards.Side() {
			days = control.TextNote("bridge_of_cards")
		}
		c.AddMoney(s.Side, "sum_of_lines", sides[s.Side], days)
		c.AddResidual(s.Side, "expected_less_received", s.Difference, s.Difference-sides[s.Side], control.Note{})
		if s.Side == ledger.Cards.Side() && !j.NetOfSplits {
			// If splits are paid out of what is received, the impacts of split rules are in no line of the bridge.
			c.AddMoney(s.Side, "split_outside", s.SplitOutside, control.TextNote("split_outside"))
		}
	}
}

func listRuleCounts(c *control.Writer, j *export.Job) {
	for _, t := range sortRuleCounts(j) {
		for _, m := range listRuleMeasures(t) {
			c.AddCount(t.Code, m.Name, m.N)
		}
	}
}

func sortRuleCounts(j *export.Job) []ledger.RuleCounts {
	return slices.SortedFunc(slices.Values(j.Facts.Tallies), func(a, b ledger.RuleCounts) int {
		return cmp.Compare(a.Code, b.Code)
	})
}

func listRuleMeasures(t ledger.RuleCounts) []control.Count {
	return append([]control.Count{
		{Name: "eligible", N: t.Eligible}, {Name: "evaluated", N: t.Evaluated}, {Name: "fired", N: t.Fired}, {Name: "within_tolerance", N: t.Within},
	}, listSkipMeasures(t)...)
}

func listSkipMeasures(t ledger.RuleCounts) []control.Count {
	return []control.Count{
		{Name: "no_input", N: t.NoInput},
		{Name: "unmapped", N: t.Unmapped},
		{Name: "shadow", N: t.Shadow},
		{Name: "window", N: t.Window},
		{Name: "not_evaluable", N: t.NotEvaluable},
	}
}

// ListNotEvaluated lists the rules that evaluated none of their eligible rows, with the reasons.
func ListNotEvaluated(c *control.Writer, j *export.Job) {
	for _, t := range sortRuleCounts(j) {
		if t.Eligible == 0 || t.Evaluated != 0 {
			continue
		}
		reasons := slices.DeleteFunc(listSkipMeasures(t), func(m control.Count) bool { return m.N == 0 })
		c.AddValue(t.Code, "eligible", control.UnitCount, table.Int(t.Eligible), control.Note{Counts: reasons})
	}
}

func listQuarantine(c *control.Writer, j *export.Job) {
	type sum struct {
		rows, readable int64
		amount         ledger.Amount
	}
	bySource := make(map[ledger.Source]*sum)
	for _, q := range j.Facts.Quarantine {
		s := bySource[q.Source]
		if s == nil {
			s = &sum{}
			bySource[q.Source] = s
		}
		s.rows++
		if q.Gross.OK {
			s.readable++
			s.amount += q.Gross.V
		}
	}
	for _, source := range slices.Sorted(maps.Keys(bySource)) {
		s := bySource[source]
		c.AddCount(string(source), "rows", s.rows)
		c.AddValue(string(source), "amount", control.UnitBRL, table.Cell{N: int64(s.amount), Type: table.TypeMoney, OK: true},
			control.TextNote("readable", "readable", s.readable, "rows", s.rows))
	}
}

func listTolerance(c *control.Writer, j *export.Job) {
	for _, t := range j.Facts.Tolerance {
		item := t.Code
		if t.Month != 0 {
			item += " " + t.Month.String()[:len("2026-11")]
		}
		c.AddMoney(item, "used", t.Used, control.Note{})
		if t.Budget.OK {
			c.AddMoney(item, "budget", t.Budget.V, control.Note{})
		}
	}
}
