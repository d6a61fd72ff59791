package proof

import (
	"fmt"
	"strings"

	"concilia/export/report/kindlist"
	"concilia/export/xlsx"

	"concilia/export"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// The head of the control sheet summarizes the table below it. A line has its label in the first column, the result in the
// third, the residual in the fourth and an explanation at its right.

// HeadLines returns the head of the control sheet, with the bridges of those sides. The control part of the page repeats it.
func (p *Proof) HeadLines(sides []export.BridgeSide) [][]xlsx.Cell {
	text := p.job.Text
	lines := [][]xlsx.Cell{
		p.summarizeVerdict(text), p.summarizeWithheld(text), p.summarizeSums(text), p.summarizeIdentities(text),
	}
	for _, s := range sides {
		lines = append(lines, p.summarizeBridge(text, s))
	}
	lines = append(lines, p.summarizeCoverage(text), p.summarizeNotEvaluated(text), nil)
	return append(lines, listAmounts(text, p.result.Totals)...)
}

// textFunc is words.Text in the language of the set.
type textFunc func(id string, values ...any) string

func newHeadLine(label, result string, look xlsx.CellStyle, rest xlsx.Cell, detail string) []xlsx.Cell {
	return []xlsx.Cell{
		xlsx.Text(label).WithStyle(xlsx.Strong), {}, xlsx.Text(result).WithStyle(look), rest, xlsx.Text(detail).WithStyle(xlsx.Muted),
	}
}

func (p *Proof) summarizeVerdict(text textFunc) []xlsx.Cell {
	look := xlsx.Bad
	switch p.verdict {
	case ledger.Reconciled:
		look = xlsx.Good
	case ledger.ReconciledWithPending, ledger.ReconciledWithWarnings:
		look = xlsx.Strong
	}
	spell := func(v ledger.Verdict) string { return p.job.VerdictWords(v) }
	var accounts []string
	for _, a := range p.accountFacts {
		accounts = append(accounts, a.Account.String()+": "+spell(a.Verdict))
	}
	if len(accounts) == 0 && p.job.Basis == report.ByAsOf {
		accounts = append(accounts, text("control.account_as_of", "date", p.job.AsOf.Brazilian()))
	}
	if p.job.Basis != report.ByAsOf {
		accounts = append(accounts, text("control.verdict_today", "verdict", spell(p.job.Facts.Verdict)))
	}
	return newHeadLine(text("control.verdict"), spell(p.verdict), look, xlsx.Cell{}, strings.Join(accounts, " · "))
}

func (p *Proof) summarizeWithheld(text textFunc) []xlsx.Cell {
	var kinds []string
	for _, h := range p.job.Withheld {
		name := string(h.Kind)
		if t := kindlist.TablesOf(h.Kind); len(t) > 0 && p.job.Language != table.English {
			name = t[0].Sheet
		}
		kinds = append(kinds, name+" ("+h.Code+")")
	}
	for _, a := range p.job.Facts.Accounts {
		for _, h := range a.Withheld {
			kinds = append(kinds, a.Account.String()+" "+h.String())
		}
	}
	result := text("control.nothing_withheld")
	if len(kinds) > 0 {
		result = text("control.not_published")
	}
	return newHeadLine(text("control.publication"), result, xlsx.GoodIf(len(kinds) == 0), xlsx.Cell{}, strings.Join(kinds, ", "))
}

// CountDifferences returns how many sums differ between ledger and writer.
func (p *Proof) CountDifferences() (n int) {
	for i := range p.Figures {
		if p.Figures[i].Residual() != 0 {
			n++
		}
	}
	return n
}

// SumsInWords says how many of all sums tie, or how many do not.
func (p *Proof) SumsInWords() string {
	text := p.job.Text
	if n := p.CountDifferences(); n > 0 {
		return text("dashboard.sums_differ", "n", n, "of", len(p.Figures))
	}
	return text("dashboard.all_sums_tie", "n", len(p.Figures))
}

// summarizeSums reports whether the sums of all files equal the ledger's; the sums read back are in the control file only.
func (p *Proof) summarizeSums(text textFunc) []xlsx.Cell {
	var worst int64
	differ := p.CountDifferences()
	for i := range p.Figures {
		worst = max(worst, p.Figures[i].Residual())
	}
	j := p.job
	name := "control_" + manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical())
	return newHeadLine(text("control.sums"),
		text("control.sums_tie", "tie", len(p.Figures)-differ, "of", len(p.Figures)),
		xlsx.GoodIf(differ == 0), xlsx.Money4(worst).WithStyle(xlsx.GoodIf(differ == 0)),
		text("control.third_figure", "file", name))
}

func (p *Proof) summarizeIdentities(text textFunc) []xlsx.Cell {
	var worst, printed ledger.Amount
	open := 0
	for _, i := range p.identityResults {
		if i.Exact != 0 {
			open++
		}
		worst, printed = max(worst, i.Exact.Abs()), max(printed, i.Printed.Abs())
	}
	detail := text("control.four_decimals")
	if printed != 0 {
		detail = text("control.four_decimals_rounding", "amount", p.formatAmount(printed))
	}
	return newHeadLine(text("control.identities"),
		text("control.identities_hold", "hold", len(p.identityResults)-open, "of", len(p.identityResults)),
		xlsx.GoodIf(open == 0), xlsx.Money4(int64(worst)).WithStyle(xlsx.GoodIf(open == 0)), detail)
}

// summarizeBridge reports whether the lines of a side's bridge add up to what was expected and not received.
func (p *Proof) summarizeBridge(text textFunc, s export.BridgeSide) []xlsx.Cell {
	rest := s.Difference
	for _, line := range p.job.Facts.Bridge {
		if line.Side == s.Side {
			rest -= line.Amount
		}
	}
	label, day := text("control.bridge_of_cards"), p.job.BridgeDay(s.Side)
	if s.Side != ledger.Cards.Side() {
		label = text("control.bridge_of_slips")
	}
	result := text("control.closes")
	if rest != 0 {
		result = text("control.does_not_close")
	}
	return newHeadLine(label, result, xlsx.GoodIf(rest == 0), xlsx.Money4(int64(rest)).WithStyle(xlsx.GoodIf(rest == 0)),
		text("control.expected_less_received", "day", day, "amount", p.formatAmount(s.Difference)))
}

func (p *Proof) summarizeCoverage(text textFunc) []xlsx.Cell {
	var missing, partial int64
	var sources []string
	for _, c := range p.job.Facts.Coverage {
		missing, partial = missing+c.Missing, partial+c.Partial
		name := words.Label(p.job.Language, "control", string(c.Source))
		sources = append(sources, fmt.Sprintf("%s %d/%d", name, c.Complete, c.Complete+c.Partial+c.Missing))
	}
	label := text("control.coverage")
	switch {
	case p.job.Account == manifest.AllAccounts:
		return newHeadLine(label, text("control.of_each_account"), xlsx.Plain, xlsx.Cell{}, "")
	case missing+partial == 0:
		return newHeadLine(label, text("control.complete"), xlsx.Good, xlsx.Cell{}, text("control.days", "days", strings.Join(sources, ", ")))
	}
	gaps := text("control.days_missing", "n", missing) + ", " + text("control.days_partial", "n", partial)
	return newHeadLine(label, gaps,
		xlsx.Bad, xlsx.Cell{}, text("control.days", "days", strings.Join(sources, ", ")))
}

// summarizeNotEvaluated counts the rules that evaluated no row, and the rows that could not be read.
func (p *Proof) summarizeNotEvaluated(text textFunc) []xlsx.Cell {
	label, rules := text("control.not_evaluated"), 0
	if p.job.Account == manifest.AllAccounts {
		return newHeadLine(label, text("control.of_each_account"), xlsx.Plain, xlsx.Cell{}, "")
	}
	for _, t := range p.job.Facts.Tallies {
		if t.Eligible > 0 && t.Evaluated == 0 {
			rules++
		}
	}
	unread := len(p.job.Facts.Quarantine)
	look := xlsx.Plain
	if rules+unread > 0 {
		look = xlsx.Strong
	}
	return newHeadLine(label, text("control.rules", "n", rules), look, xlsx.Cell{},
		text("control.quarantine", "n", unread))
}

// formatAmount returns an amount with the separators of the workbook's language.
func (p *Proof) formatAmount(a ledger.Amount) string {
	whole, decimals, _ := strings.Cut(a.Abs().String(), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "." + whole[i:]
	}
	s := whole + "," + decimals
	if p.job.Language == table.English {
		s = strings.NewReplacer(".", ",", ",", ".").Replace(s)
	}
	if a < 0 {
		return "-" + s
	}
	return s
}

// listAmounts returns the totals of the set, cards at the left and slips at the right.
func listAmounts(text textFunc, t report.Totals) [][]xlsx.Cell {
	type line struct {
		label string
		sum   ledger.Amount
	}
	var cards, slips []line
	if c := t.Cards; c != nil {
		cards = []line{
			{text("control.gross"), c.Gross},
			{text("control.expected_net"), c.NetExpected},
			{text("control.received"), c.Received},
			{text("control.not_due"), c.NotDue},
			{text("control.overdue"), c.Overdue},
			{text("control.blocked"), c.Blocked},
			{text("control.difference"), c.Difference},
		}
	}
	if s := t.Slips; s != nil {
		slips = []line{
			{text("control.issued"), s.Issued},
			{text("control.paid"), s.Paid},
			{text("control.credited"), s.Credited},
			{text("control.slips_overdue"), s.Overdue},
			{text("control.difference"), s.Difference},
		}
	}
	var out [][]xlsx.Cell
	put := func(at int, heading string, lines []line) {
		for i := -1; i < len(lines) && len(lines) > 0; i++ {
			if i+1 >= len(out) {
				out = append(out, make([]xlsx.Cell, 6))
			}
			row := out[i+1]
			if i < 0 {
				row[at] = xlsx.Text(heading).WithStyle(xlsx.Strong)
				continue
			}
			row[at], row[at+2] = xlsx.Text(lines[i].label), xlsx.Money2(int64(lines[i].sum))
			if i == len(lines)-1 {
				row[at+2].Style = xlsx.GoodIf(lines[i].sum == 0)
			}
		}
	}
	put(0, text("control.cards_brl"), cards)
	put(3, text("control.slips_brl"), slips)
	return out
}
