package export

import (
	"fmt"
	"strconv"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// The head of the control sheet: what finance asks first, before the table that proves it. Label in the first column,
// result in the third, what is left over in the fourth, an explanation to the right of it.

// lead is the head of the control sheet of the set, and the control part of its page.
func (p *proof) lead(r *rendering) [][]xlsx.Cell {
	w := r.words
	lines := [][]xlsx.Cell{
		p.verdictLine(w), p.withheldLine(w), p.sumsLine(w), p.identitiesLine(w),
	}
	for _, s := range p.job.Facts.Sides {
		lines = append(lines, p.bridgeLine(w, s))
	}
	lines = append(lines, p.coverageLine(w), p.blindLine(w), nil)
	return append(lines, amountLines(w, r.result.Totals)...)
}

// words is the one of two texts that the workbook's language asks for.
type words func(pt, en string) string

func leadLine(label, result string, look xlsx.CellStyle, rest xlsx.Cell, detail string) []xlsx.Cell {
	return []xlsx.Cell{
		xlsx.Text(label).WithStyle(xlsx.Strong), {}, xlsx.Text(result).WithStyle(look), rest, xlsx.Text(detail).WithStyle(xlsx.Muted),
	}
}

// goodIf is green when it holds and red when not.
func goodIf(ok bool) xlsx.CellStyle {
	if ok {
		return xlsx.Good
	}
	return xlsx.Bad
}

func (p *proof) verdictLine(w words) []xlsx.Cell {
	look := xlsx.Bad
	switch p.verdict {
	case ledger.Reconciled:
		look = xlsx.Good
	case ledger.ReconciledWithPending, ledger.ReconciledWithWarnings:
		look = xlsx.Strong
	}
	spell := func(v ledger.Verdict) string {
		return w(labelOf(runVerdictLabels, string(v)), strings.ReplaceAll(string(v), "_", " "))
	}
	var accounts []string
	for _, a := range p.accountFacts {
		accounts = append(accounts, a.Account.String()+": "+spell(a.Verdict))
	}
	if len(accounts) == 0 && p.job.Basis == report.ByAsOf {
		accounts = append(accounts, w("da conta, na posição", "of the account, as of")+" "+p.job.AsOf.Brazilian())
	}
	if p.job.Basis != report.ByAsOf {
		accounts = append(accounts, w("hoje, em todos os períodos: ", "today, over all periods: ")+spell(p.job.Facts.Verdict))
	}
	return leadLine(w("Veredito", "Verdict"), spell(p.verdict), look, xlsx.Cell{}, strings.Join(accounts, " · "))
}

func (p *proof) withheldLine(w words) []xlsx.Cell {
	var kinds []string
	for _, h := range p.job.Withheld {
		name := string(h.Kind)
		if t := h.Kind.Tables(); len(t) > 0 && p.job.Language != table.English {
			name = t[0].Sheet
		}
		kinds = append(kinds, name+" ("+h.Code+")")
	}
	for _, a := range p.job.Facts.Accounts {
		for _, h := range a.Withheld {
			kinds = append(kinds, a.Account.String()+" "+h.String())
		}
	}
	result := w("nada retido", "nothing withheld")
	if len(kinds) > 0 {
		result = w("não publicado", "not published")
	}
	return leadLine(w("Publicação", "Publication"), result, goodIf(len(kinds) == 0), xlsx.Cell{}, strings.Join(kinds, ", "))
}

// sumsLine says whether every sum of every file is that of the ledger; the third figure is in the control file alone.
func (p *proof) sumsLine(w words) []xlsx.Cell {
	var worst int64
	differ := 0
	for i := range p.figures {
		if rest := p.figures[i].residual(); rest != 0 {
			worst = max(worst, rest)
			differ++
		}
	}
	j := p.job
	name := "control_" + setName(j.Account, j.Basis, j.Period, j.Filter.Canonical())
	return leadLine(w("Somas", "Sums"),
		fmt.Sprintf(w("%d de %d conferem", "%d of %d tie"), len(p.figures)-differ, len(p.figures)),
		goodIf(differ == 0), xlsx.Money4(worst).WithStyle(goodIf(differ == 0)),
		w("razão = gravador; o terceiro valor, do arquivo relido, está em ", "ledger = writer; the third figure, of the file read back, is in ")+name)
}

func (p *proof) identitiesLine(w words) []xlsx.Cell {
	var worst, printed ledger.Amount
	open := 0
	for _, i := range p.idents {
		if i.Exact != 0 {
			open++
		}
		worst, printed = max(worst, i.Exact.Abs()), max(printed, i.Printed.Abs())
	}
	detail := w("com quatro decimais", "at four decimals")
	if printed != 0 {
		detail += w("; impresso, o arredondamento deixa até R$ ", "; printed, rounding leaves up to R$ ") + p.spell(printed)
	}
	return leadLine(w("Identidades", "Identities"),
		fmt.Sprintf(w("%d de %d fecham", "%d of %d hold"), len(p.idents)-open, len(p.idents)),
		goodIf(open == 0), xlsx.Money4(int64(worst)).WithStyle(goodIf(open == 0)), detail)
}

// bridgeLine says whether the lines of a side's bridge add up to what is expected and was not received.
func (p *proof) bridgeLine(w words, s BridgeSide) []xlsx.Cell {
	rest := s.Difference
	for _, line := range p.job.Facts.Bridge {
		if line.Side == s.Side {
			rest -= line.Amount
		}
	}
	label, day := w("Ponte dos cartões", "Bridge of cards"), p.job.bridgeDay(w, s.Side)
	if s.Side != ledger.Cards.Side() {
		label = w("Ponte dos boletos", "Bridge of slips")
	}
	result := w("fecha", "closes")
	if rest != 0 {
		result = w("não fecha", "does not close")
	}
	return leadLine(label, result, goodIf(rest == 0), xlsx.Money4(int64(rest)).WithStyle(goodIf(rest == 0)),
		day+w(", esperado menos recebido: R$ ", ", expected less received: R$ ")+p.spell(s.Difference))
}

func (p *proof) coverageLine(w words) []xlsx.Cell {
	var missing, partial int64
	var sources []string
	for _, c := range p.job.Facts.Coverage {
		missing, partial = missing+c.Missing, partial+c.Partial
		name := w(labelOf(controlTerms, string(c.Source)), string(c.Source))
		sources = append(sources, fmt.Sprintf("%s %d/%d", name, c.Complete, c.Complete+c.Partial+c.Missing))
	}
	label := w("Cobertura", "Coverage")
	switch {
	case p.job.Account == AllAccounts:
		return leadLine(label, w("de cada conta", "of each account"), xlsx.Plain, xlsx.Cell{}, "")
	case missing+partial == 0:
		return leadLine(label, w("completa", "complete"), xlsx.Good, xlsx.Cell{}, w("dias: ", "days: ")+strings.Join(sources, ", "))
	}
	gaps := w(several(missing, "dia", "dias"), several(missing, "day", "days")) + w(" faltando, ", " missing, ") +
		w(several(partial, "parcial", "parciais"), several(partial, "partial", "partial"))
	return leadLine(label, gaps,
		xlsx.Bad, xlsx.Cell{}, w("dias: ", "days: ")+strings.Join(sources, ", "))
}

// blindLine is what the verdict does not rest on.
func (p *proof) blindLine(w words) []xlsx.Cell {
	label, rules := w("Não avaliado", "Not evaluated"), 0
	if p.job.Account == AllAccounts {
		return leadLine(label, w("de cada conta", "of each account"), xlsx.Plain, xlsx.Cell{}, "")
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
	return leadLine(label, w(several(rules, "regra", "regras"), several(rules, "rule", "rules")), look, xlsx.Cell{},
		fmt.Sprintf(w("linhas em quarentena: %d", "rows in quarantine: %d"), unread))
}

// several is a number of things with their name.
func several[N int | int64](n N, one, many string) string {
	if n == 1 {
		many = one
	}
	return strconv.FormatInt(int64(n), 10) + " " + many
}
