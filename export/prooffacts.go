package export

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// bridgeLines is the order of the lines.
var bridgeLines = []ledger.BridgeLine{
	ledger.LineMDR, ledger.LineFee, ledger.LineAntifraud, ledger.LineAnticipation, ledger.LineSplit, ledger.LineReceived,
	ledger.LineReversed, ledger.LineBlocked, ledger.LineNoForecast, ledger.LineNotDue, ledger.LineOverdue,
	ledger.LinePenalty, ledger.LineInterest, ledger.LineChargeNotDue, ledger.LineLateNotShown, ledger.LinePaid,
	ledger.LineCancelledPaid, ledger.LineCreditNotDue, ledger.LineCreditOverdue, ledger.LineNotRegistered,
	ledger.LineUnpaidNotDue, ledger.LineUnpaidPastDue, ledger.LineRounding, ledger.LineNotAttributed,
}

// excessOf ends the measure of a line's excess, which has a row of its own.
const excessOf = " excess"

func (p *setProof) listBridge(c *controlWriter) {
	type key struct {
		side   string
		line   ledger.BridgeLine
		reason string
	}
	sums, sides := make(map[key]ledger.BridgeRow), make(map[string]ledger.Amount)
	for _, r := range p.job.Facts.Bridge {
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
			c.addMoney(k.side, measure, sum.Lost(), note{})
		}
		if sum.Excess != 0 {
			c.addMoney(k.side, measure+excessOf, -sum.Excess, note{})
		}
	}
	for _, s := range p.job.Facts.Sides {
		// The bridge stands on days of its own: on another basis than these it is not of the rows above it.
		days := noteText("bridge_of_slips")
		if s.Side == ledger.Cards.Side() {
			days = noteText("bridge_of_cards")
		}
		c.addMoney(s.Side, "sum_of_lines", sides[s.Side], days)
		c.addResidual(s.Side, "expected_less_received", s.Difference, s.Difference-sides[s.Side], note{})
		if s.Side == ledger.Cards.Side() && !p.job.NetOfSplits {
			// Where splits are paid out of what is received, what rules find on them is in no line of the bridge.
			c.addMoney(s.Side, "split_outside", s.SplitOutside, noteText("split_outside"))
		}
	}
}

func (p *setProof) listRuleCounts(c *controlWriter) {
	for _, t := range p.sortedRuleCounts() {
		for _, m := range tallyMeasures(t) {
			c.addCount(t.Code, m.name, m.n)
		}
	}
}

func (p *setProof) sortedRuleCounts() []ledger.RuleCounts {
	return slices.SortedFunc(slices.Values(p.job.Facts.Tallies), func(a, b ledger.RuleCounts) int {
		return cmp.Compare(a.Code, b.Code)
	})
}

type measure struct {
	name string
	n    int64
}

func tallyMeasures(t ledger.RuleCounts) []measure {
	return append([]measure{
		{"eligible", t.Eligible}, {"evaluated", t.Evaluated}, {"fired", t.Fired}, {"within_tolerance", t.Within},
	}, skippedMeasures(t)...)
}

func skippedMeasures(t ledger.RuleCounts) []measure {
	return []measure{
		{"no_input", t.NoInput},
		{"unmapped", t.Unmapped},
		{"shadow", t.Shadow},
		{"window", t.Window},
		{"not_evaluable", t.NotEvaluable},
	}
}

// listNotEvaluated lists the rules that had rows to look at and looked at none, with the reasons.
func (p *setProof) listNotEvaluated(c *controlWriter) {
	for _, t := range p.sortedRuleCounts() {
		if t.Eligible == 0 || t.Evaluated != 0 {
			continue
		}
		reasons := slices.DeleteFunc(skippedMeasures(t), func(m measure) bool { return m.n == 0 })
		c.addValue(t.Code, "eligible", unitCount, table.Int(t.Eligible), note{counts: reasons})
	}
}

func (p *setProof) listQuarantine(c *controlWriter) {
	type sum struct {
		rows, readable int64
		amount         ledger.Amount
	}
	bySource := make(map[ledger.Source]*sum)
	for _, q := range p.job.Facts.Quarantine {
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
		c.addCount(string(source), "rows", s.rows)
		c.addValue(string(source), "amount", unitBRL, table.Cell{N: int64(s.amount), Type: table.TypeMoney, OK: true},
			noteText("readable", "readable", s.readable, "rows", s.rows))
	}
}

func (p *setProof) listTolerance(c *controlWriter) {
	for _, t := range p.job.Facts.Tolerance {
		item := t.Code
		if t.Month != 0 {
			item += " " + t.Month.String()[:len("2026-11")]
		}
		c.addMoney(item, "used", t.Used, note{})
		if t.Budget.OK {
			c.addMoney(item, "budget", t.Budget.V, note{})
		}
	}
}

func (p *setProof) listWarnings(c *controlWriter) {
	j := p.job
	if j.hasAnyEDI() && j.Block.CNAB().HasNonStandardReaders() {
		c.addWarning("edi", "bank "+j.Block.Bank.Code, "bank_readers")
	}
	for _, set := range p.changedStatements {
		c.addWarning(string(report.StatementKind), set, "earlier_statement")
	}
}
