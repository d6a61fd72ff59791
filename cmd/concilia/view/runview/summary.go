package runview

import (
	"fmt"
	"io"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/export/report"
	"concilia/export/words"
	"concilia/jobs"
	"concilia/jobs/othersides"
	"concilia/store/ledger"
)

// Summary is what a run came to: in JSON the summary as it is, in text a few lines, the last of which says all of it.
type Summary struct {
	*jobs.Summary
	OneLine bool `json:"-"` // in text that line alone
}

// WriteText writes the lines.
func (v Summary) WriteText(w io.Writer, l view.Language) error {
	if !v.OneLine || v.Record == nil {
		if err := writeSummary(w, v.Summary, l); err != nil || v.Record == nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, SummaryLine(v.Summary, l))
	return err
}

// writeSummary writes a run on a few lines.
func writeSummary(w io.Writer, s *jobs.Summary, l view.Language) error {
	line := words.Text(l, "summary.run", "run", s.Run, "day", l.FormatDay(s.AsOf))
	if s.Verdict != "" {
		line += ": " + l.FormatVerdict(s.Verdict)
	}
	fmt.Fprintln(w, line)
	page := view.NewScreen(l, 9)
	if p := s.Pulled; p != nil {
		page.AddText("summary.pulled", "summary.pulled_rows", "requests", l.Count(p.Requests, "request"), "rows", l.Count(p.Rows, "row"),
			"new", p.New, "changed", p.Changed, "same", p.Same, "vanished", p.Vanished, "quarantined", p.Quarantined)
	}
	if s.Left > 0 {
		page.AddText("summary.left", "summary.left_days", "n", l.FormatCount(int64(s.Left)))
	}
	for _, a := range s.Accounts {
		withheld := ""
		if len(a.Withheld) > 0 {
			withheld = words.Text(l, "summary.withheld", "kinds", fmt.Sprint(a.Withheld))
		}
		page.AddLine("summary.account", fmt.Sprintf("%s: %s%s", a.Account, l.FormatVerdict(a.Verdict), withheld))
	}
	for i := range s.Banks {
		page.AddLine("summary.bank", formatBankProof(l, &s.Banks[i]))
	}
	writeTotals(page, s.Totals)
	if s.Findings != nil {
		page.AddLine("summary.findings", countCases(l, s.Findings, s.NewFindings))
	}
	if s.Files != nil {
		inserted := countNewFiles(s)
		page.AddLine("summary.files", l.Count(inserted, "new_file")+", "+l.Count(int64(len(s.Files))-inserted, "standing_file"))
	}
	if n := len(s.Retired); n > 0 {
		page.AddLine("summary.retention", l.Count(int64(n), "retired_file"))
	}
	return page.Print(w)
}

// writeTotals writes the totals of cards and of slips.
func writeTotals(page *view.Screen, t *report.Totals) {
	l := page.Language
	if t != nil && t.Cards != nil {
		c := t.Cards
		page.AddText("summary.cards", "summary.card_totals", "owed", l.FormatReais(c.NetContract), "received", l.FormatReais(c.Received), "not_due", l.FormatReais(c.NotDue),
			"overdue", l.FormatReais(c.Overdue), "blocked", l.FormatReais(c.Blocked), "difference", l.FormatReais(c.Difference))
	}
	if t != nil && t.Slips != nil {
		b := t.Slips
		confirm := ""
		if b.ChargesToConfirm != 0 {
			confirm = ", " + words.Text(l, "summary.charges_to_confirm", "amount", l.FormatReais(b.ChargesToConfirm))
		}
		page.AddLine("summary.slips", words.Text(l, "summary.slip_totals", "issued", l.FormatReais(b.Issued), "paid", l.FormatReais(b.Paid),
			"credited", l.FormatReais(b.Credited), "overdue", l.FormatReais(b.Overdue), "difference", l.FormatReais(b.Difference))+confirm)
	}
}

// countNewFiles is how many files a run made.
func countNewFiles(s *jobs.Summary) (n int64) {
	for i := range s.Files {
		if s.Files[i].New {
			n++
		}
	}
	return n
}

// formatBankProof says how much of what the service says it credited came to a bank account to the cent.
func formatBankProof(l view.Language, b *othersides.BankSummary) string {
	if b.SettledTo == 0 {
		return b.Bank + ": " + words.Text(l, "bank_text.no_day_settled_by_statement")
	}
	return b.Bank + ": " + words.Text(l, "bank_text.proven", "proven", l.FormatReais(ledger.Amount(b.Proven)), "received", l.FormatReais(ledger.Amount(b.Received)),
		"day", l.FormatDay(b.SettledTo))
}

// FormatBanksProof is how much of what the service says it credited came to all bank accounts, up to the first day at which the
// statements of one end.
func FormatBanksProof(l view.Language, all []othersides.BankSummary) string {
	to := all[0].SettledTo
	var proven, received ledger.Amount
	for i := range all {
		b := &all[i]
		to = min(to, b.SettledTo)
		proven += ledger.Amount(b.Proven)
		received += ledger.Amount(b.Received)
	}
	if to == 0 {
		return words.Text(l, "bank_text.not_every_account_settled")
	}
	return words.Text(l, "bank_text.proven", "proven", l.FormatReais(proven), "received", l.FormatReais(received), "day", l.FormatDay(to))
}

// countCases is the number of cases, of those first seen tonight, and of codes.
func countCases(l view.Language, all, first map[string]int) string {
	sum := func(m map[string]int) (n int64) {
		for _, v := range m {
			n += int64(v)
		}
		return n
	}
	if len(all) == 0 {
		return words.Text(l, "summary.no_case")
	}
	return words.Text(l, "summary.cases", "cases", l.Count(sum(all), "case"), "codes", l.Count(int64(len(all)), "code"), "first", l.Count(sum(first), "first_seen"))
}

// SummaryLine is a run on one line, fit for the mail of cron: what is not there is left out.
func SummaryLine(s *jobs.Summary, l view.Language) string {
	r := s.Record
	var parts []string
	add := func(text string) { parts = append(parts, text) }
	if s.Verdict != "" {
		add(l.FormatVerdict(s.Verdict))
	}
	add(l.Count(int64(len(r.Accounts)), "account"))
	if r.Asked.Windows > 0 {
		add(l.Count(r.Asked.Windows, "window") + listParts(l, view.Part{N: r.Asked.Failed, What: "failed"}))
	}
	if p := s.Pulled; p != nil {
		add(l.Count(p.Rows, "row") +
			listParts(l, view.Part{N: p.New, What: "new_row"}, view.Part{N: p.Changed, What: "changed_row"}, view.Part{N: p.Vanished, What: "vanished_row"}, view.Part{N: p.Quarantined, What: "unreadable_row"}))
	}
	if s.Figures != nil {
		add(l.FormatFigures(r.Figures) + ", " + l.Count(r.Cases.Unresolved(), "case") +
			listParts(l, view.Part{N: r.Cases.New, What: "new_case"}, view.Part{N: r.Cases.Resolved, What: "resolved_case"}))
	}
	if s.Files != nil {
		add(l.Count(int64(len(s.Files)), "file") + listParts(l, view.Part{N: countNewFiles(s), What: "new_file"}))
	}
	if s.Away > 0 {
		add(l.Count(int64(s.Away), "away_set"))
	}
	if n := len(s.Unpublished); n > 0 {
		add(l.Count(int64(n), "unpublished"))
	}
	add(l.FormatDuration(r.Took()))
	add(words.Text(l, "summary.of_run", "run", r.ID))
	kind := ""
	if r.Kind != ledger.Nightly {
		kind = " " + words.Label(l, "run_kind", string(r.Kind))
	}
	return fmt.Sprintf("concilia %s%s: %s", l.FormatDay(s.AsOf), kind, strings.Join(parts, ", "))
}

// FormatStores says in one line how many payments by card of all stores match the service.
func FormatStores(l view.Language, all []othersides.SalesSummary) string {
	var sum othersides.SalesSummary
	for i := range all {
		s := &all[i]
		sum.Sent += s.Sent
		sum.Matched += s.Matched
		sum.Divergent += s.Divergent
		sum.NotAtService += s.NotAtService
		sum.Duplicated += s.Duplicated
		sum.OnlyAtService += s.OnlyAtService
	}
	return words.Text(l, "demo.stores", "sent", l.FormatCount(int64(sum.Sent)), "matched", l.FormatCount(int64(sum.Matched)), "divergent", sum.Divergent,
		"not_at_service", sum.NotAtService, "duplicated", sum.Duplicated, "waiting", sum.Sent-sum.Matched-sum.Divergent-sum.NotAtService-sum.Duplicated,
		"only_at_service", sum.OnlyAtService)
}
