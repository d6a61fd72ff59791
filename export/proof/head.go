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
	h := headWriter{p, p.job.Text}
	lines := [][]xlsx.Cell{h.summarizeVerdict(), h.summarizeWithheld(), h.summarizeSums(), h.summarizeIdentities()}
	for _, s := range sides {
		lines = append(lines, h.summarizeBridge(s))
	}
	lines = append(lines, h.summarizeCoverage(), h.summarizeNotEvaluated(), nil)
	return append(lines, listAmounts(h.text, p.result.Totals)...)
}

// headWriter writes the lines of the head, each by what it summarizes.
type headWriter struct {
	*Proof
	text textFunc
}

// textFunc is words.Text in the language of the set.
type textFunc func(id string, values ...any) string

func newHeadLine(label, result string, look xlsx.CellStyle, rest xlsx.Cell, detail string) []xlsx.Cell {
	return []xlsx.Cell{
		xlsx.Text(label).WithStyle(xlsx.Strong), {}, xlsx.Text(result).WithStyle(look), rest, xlsx.Text(detail).WithStyle(xlsx.Muted),
	}
}

func (h *headWriter) summarizeVerdict() []xlsx.Cell {
	look := xlsx.Bad
	switch h.verdict {
	case ledger.Reconciled:
		look = xlsx.Good
	case ledger.ReconciledWithPending, ledger.ReconciledWithWarnings:
		look = xlsx.Strong
	}
	spell := func(v ledger.Verdict) string { return h.job.Captions().VerdictWords(v) }
	var accounts []string
	for _, a := range h.accountFacts {
		accounts = append(accounts, a.Account.String()+": "+spell(a.Verdict))
	}
	if len(accounts) == 0 && h.job.Basis == report.ByAsOf {
		accounts = append(accounts, h.text("control.account_as_of", "date", h.job.AsOf.Brazilian()))
	}
	if h.job.Basis != report.ByAsOf {
		accounts = append(accounts, h.text("control.verdict_today", "verdict", spell(h.job.Facts.Verdict)))
	}
	return newHeadLine(h.text("control.verdict"), spell(h.verdict), look, xlsx.Cell{}, strings.Join(accounts, " · "))
}

func (h *headWriter) summarizeWithheld() []xlsx.Cell {
	var kinds []string
	for _, w := range h.job.Withheld {
		name := string(w.Kind)
		if t := kindlist.TablesOf(w.Kind); len(t) > 0 && h.job.Language != table.English {
			name = t[0].Sheet
		}
		kinds = append(kinds, name+" ("+w.Code+")")
	}
	for _, a := range h.job.Facts.Accounts {
		for _, w := range a.Withheld {
			kinds = append(kinds, a.Account.String()+" "+w.String())
		}
	}
	result := h.text("control.nothing_withheld")
	if len(kinds) > 0 {
		result = h.text("control.not_published")
	}
	return newHeadLine(h.text("control.publication"), result, xlsx.GoodIf(len(kinds) == 0), xlsx.Cell{}, strings.Join(kinds, ", "))
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
func (h *headWriter) summarizeSums() []xlsx.Cell {
	var worst int64
	differ := h.CountDifferences()
	for i := range h.Figures {
		worst = max(worst, h.Figures[i].Residual())
	}
	j := h.job
	name := "control_" + manifest.SetName(j.Account, j.Basis, j.Period, j.Filter.Canonical())
	return newHeadLine(h.text("control.sums"),
		h.text("control.sums_tie", "tie", len(h.Figures)-differ, "of", len(h.Figures)),
		xlsx.GoodIf(differ == 0), xlsx.Money4(worst).WithStyle(xlsx.GoodIf(differ == 0)),
		h.text("control.third_figure", "file", name))
}

func (h *headWriter) summarizeIdentities() []xlsx.Cell {
	var worst, printed ledger.Amount
	open := 0
	for _, i := range h.identityResults {
		if i.Exact != 0 {
			open++
		}
		worst, printed = max(worst, i.Exact.Abs()), max(printed, i.Printed.Abs())
	}
	detail := h.text("control.four_decimals")
	if printed != 0 {
		detail = h.text("control.four_decimals_rounding", "amount", h.formatAmount(printed))
	}
	return newHeadLine(h.text("control.identities"),
		h.text("control.identities_hold", "hold", len(h.identityResults)-open, "of", len(h.identityResults)),
		xlsx.GoodIf(open == 0), xlsx.Money4(int64(worst)).WithStyle(xlsx.GoodIf(open == 0)), detail)
}

// summarizeBridge reports whether the lines of a side's bridge add up to what was expected and not received.
func (h *headWriter) summarizeBridge(s export.BridgeSide) []xlsx.Cell {
	rest := s.Difference
	for _, line := range h.job.Facts.Bridge {
		if line.Side == s.Side {
			rest -= line.Amount
		}
	}
	label, day := h.text("control.bridge_of_cards"), h.job.Captions().BridgeDay(s.Side)
	if s.Side != ledger.Cards.Side() {
		label = h.text("control.bridge_of_slips")
	}
	result := h.text("control.closes")
	if rest != 0 {
		result = h.text("control.does_not_close")
	}
	return newHeadLine(label, result, xlsx.GoodIf(rest == 0), xlsx.Money4(int64(rest)).WithStyle(xlsx.GoodIf(rest == 0)),
		h.text("control.expected_less_received", "day", day, "amount", h.formatAmount(s.Difference)))
}

func (h *headWriter) summarizeCoverage() []xlsx.Cell {
	var missing, partial int64
	var sources []string
	for _, c := range h.job.Facts.Coverage {
		missing, partial = missing+c.Missing, partial+c.Partial
		name := words.Label(h.job.Language, "control", string(c.Source))
		sources = append(sources, fmt.Sprintf("%s %d/%d", name, c.Complete, c.Complete+c.Partial+c.Missing))
	}
	label := h.text("control.coverage")
	switch {
	case h.job.Account == manifest.AllAccounts:
		return newHeadLine(label, h.text("control.of_each_account"), xlsx.Plain, xlsx.Cell{}, "")
	case missing+partial == 0:
		return newHeadLine(label, h.text("control.complete"), xlsx.Good, xlsx.Cell{}, h.text("control.days", "days", strings.Join(sources, ", ")))
	}
	gaps := h.text("control.days_missing", "n", missing) + ", " + h.text("control.days_partial", "n", partial)
	return newHeadLine(label, gaps,
		xlsx.Bad, xlsx.Cell{}, h.text("control.days", "days", strings.Join(sources, ", ")))
}

// summarizeNotEvaluated counts the rules that evaluated no row, and the rows that could not be read.
func (h *headWriter) summarizeNotEvaluated() []xlsx.Cell {
	label, rules := h.text("control.not_evaluated"), 0
	if h.job.Account == manifest.AllAccounts {
		return newHeadLine(label, h.text("control.of_each_account"), xlsx.Plain, xlsx.Cell{}, "")
	}
	for _, t := range h.job.Facts.Tallies {
		if t.Eligible > 0 && t.Evaluated == 0 {
			rules++
		}
	}
	unread := len(h.job.Facts.Quarantine)
	look := xlsx.Plain
	if rules+unread > 0 {
		look = xlsx.Strong
	}
	return newHeadLine(label, h.text("control.rules", "n", rules), look, xlsx.Cell{},
		h.text("control.quarantine", "n", unread))
}

// formatAmount returns an amount with the separators of the workbook's language.
func (h *headWriter) formatAmount(a ledger.Amount) string {
	whole, decimals, _ := strings.Cut(a.Abs().String(), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "." + whole[i:]
	}
	s := whole + "," + decimals
	if h.job.Language == table.English {
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
