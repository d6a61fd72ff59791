package export

import (
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// formatAmount is an amount in the decimals and marks of the workbook's language.
func (p *setProof) formatAmount(a ledger.Amount) string {
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

// amountLines are the totals of the set, cards and slips side by side.
func amountLines(text textFunc, t report.Totals) [][]xlsx.Cell {
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
				row[at+2].Style = goodIf(lines[i].sum == 0)
			}
		}
	}
	put(0, text("control.cards_brl"), cards)
	put(3, text("control.slips_brl"), slips)
	return out
}
