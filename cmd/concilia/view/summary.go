package view

import (
	"fmt"
	"io"
	"strings"

	"concilia/jobs"
	"concilia/store/ledger"
)

// Summary is what a run came to: in JSON the summary as it is, in text a few lines, the last of which says all of it.
type Summary struct {
	*jobs.Summary
	OneLine bool `json:"-"` // in text that line alone
}

// WriteText writes the lines.
func (v Summary) WriteText(w io.Writer) error {
	if !v.OneLine || v.Record == nil {
		if err := writeSummary(w, v.Summary); err != nil || v.Record == nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, SummaryLine(v.Summary))
	return err
}

// writeSummary writes a run on a few lines.
func writeSummary(w io.Writer, s *jobs.Summary) error {
	line := fmt.Sprintf("run %s as of %s", s.Run, s.AsOf)
	if s.Verdict != "" {
		line += ": " + string(s.Verdict)
	}
	fmt.Fprintln(w, line)
	if p := s.Pulled; p != nil {
		fmt.Fprintf(w, "pulled    %s, %s: %d new, %d changed, %d same, %d vanished, %d quarantined\n",
			Plural(int(p.Requests), "request", "requests"), Plural(int(p.Rows), "row", "rows"), p.New, p.Changed, p.Same, p.Vanished, p.Quarantined)
	}
	if s.Left > 0 {
		fmt.Fprintf(w, "left      %s planned for another time\n", Plural(s.Left, "day is", "days are"))
	}
	for _, a := range s.Accounts {
		withheld := ""
		if len(a.Withheld) > 0 {
			withheld = fmt.Sprintf("; withheld: %v", a.Withheld)
		}
		fmt.Fprintf(w, "account   %s: %s%s\n", a.Account, a.Verdict, withheld)
	}
	for i := range s.Banks {
		fmt.Fprintf(w, "bank      %s\n", formatBankProof(&s.Banks[i]))
	}
	if t := s.Totals; t != nil && t.Cards != nil {
		c := t.Cards
		fmt.Fprintf(w, "cards     owed R$ %s, received R$ %s, not due R$ %s, overdue R$ %s, blocked R$ %s, difference R$ %s\n",
			FormatReais(c.NetContract), FormatReais(c.Received), FormatReais(c.NotDue), FormatReais(c.Overdue), FormatReais(c.Blocked), FormatReais(c.Difference))
	}
	if t := s.Totals; t != nil && t.Slips != nil {
		b := t.Slips
		confirm := ""
		if b.ChargesToConfirm != 0 {
			confirm = ", charges to confirm R$ " + FormatReais(b.ChargesToConfirm)
		}
		fmt.Fprintf(w, "slips     issued R$ %s, paid R$ %s, credited R$ %s, overdue R$ %s, difference R$ %s%s\n",
			FormatReais(b.Issued), FormatReais(b.Paid), FormatReais(b.Credited), FormatReais(b.Overdue), FormatReais(b.Difference), confirm)
	}
	if s.Findings != nil {
		fmt.Fprintf(w, "findings  %s\n", countCases(s.Findings, s.NewFindings))
	}
	if s.Files != nil {
		fresh := 0
		for _, f := range s.Files {
			if f.New {
				fresh++
			}
		}
		fmt.Fprintf(w, "files     %d new, %s\n", fresh, Plural(len(s.Files)-fresh, "stands as it was", "stand as they were"))
	}
	if n := len(s.Retired); n > 0 {
		fmt.Fprintf(w, "retention %s away\n", Plural(n, "file past its days is taken", "files past their days are taken"))
	}
	return nil
}

// formatBankProof says how much of what the service says it credited came to a bank account to the cent.
func formatBankProof(b *jobs.BankSummary) string {
	if b.SettledTo == 0 {
		return b.Bank + ": no day is settled by a statement"
	}
	return fmt.Sprintf("%s: R$ %s of R$ %s proven at the bank up to %s", b.Bank, FormatReais(ledger.Amount(b.Proven)), FormatReais(ledger.Amount(b.Received)), b.SettledTo)
}

// FormatBanksProof is how much of what the service says it credited came to all bank accounts, up to the first day at which the
// statements of one end.
func FormatBanksProof(all []jobs.BankSummary) string {
	to := all[0].SettledTo
	var proven, received ledger.Amount
	for i := range all {
		b := &all[i]
		to = min(to, b.SettledTo)
		proven += ledger.Amount(b.Proven)
		received += ledger.Amount(b.Received)
	}
	if to == 0 {
		return "Not every bank account has a day that a statement settles"
	}
	return fmt.Sprintf("R$ %s of R$ %s proven at the bank up to %s", FormatReais(proven), FormatReais(received), to)
}

// countCases is the number of cases, of those first seen tonight, and of codes.
func countCases(all, first map[string]int) string {
	sum := func(m map[string]int) (n int) {
		for _, v := range m {
			n += v
		}
		return n
	}
	if len(all) == 0 {
		return "none"
	}
	return fmt.Sprintf("%s of %s, %d first seen now", Plural(sum(all), "case", "cases"), Plural(len(all), "code", "codes"), sum(first))
}

// SummaryLine is a run on one line, fit for the mail of cron: what is not there is left out.
func SummaryLine(s *jobs.Summary) string {
	r := s.Record
	parts := []string{}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if s.Verdict != "" {
		add("%s", s.Verdict)
	}
	add("%s", countOf(int64(len(r.Accounts)), "account"))
	if r.Asked.Windows > 0 {
		add("%s%s", countOf(r.Asked.Windows, "window"), listParts(part{r.Asked.Failed, "failed"}))
	}
	if s.Pulled != nil {
		p := s.Pulled
		add("%s%s", countOf(p.Rows, "row"), listParts(part{p.New, "new"}, part{p.Changed, "changed"}, part{p.Vanished, "vanished"}, part{p.Quarantined, "unreadable"}))
	}
	if s.Figures != nil {
		add("%s", FormatFigures(r.Figures)+", "+countOf(r.Cases.Unresolved(), "case")+
			listParts(part{r.Cases.New, "new"}, part{r.Cases.Resolved, "resolved"}))
	}
	if s.Files != nil {
		var fresh int64
		for _, f := range s.Files {
			if f.New {
				fresh++
			}
		}
		add("%s%s", countOf(int64(len(s.Files)), "file"), listParts(part{fresh, "new"}))
	}
	if s.Away > 0 {
		add("%s no longer at reports.out", countOf(int64(s.Away), "set"))
	}
	if n := len(s.Unpublished); n > 0 {
		add("%d not published", n)
	}
	add("%s", FormatDuration(r.Took()))
	add("run %s", r.ID)
	kind := ""
	if r.Kind != ledger.Nightly {
		kind = " " + string(r.Kind)
	}
	return fmt.Sprintf("concilia %s%s: %s", s.AsOf, kind, strings.Join(parts, ", "))
}
