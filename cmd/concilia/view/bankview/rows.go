package bankview

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"concilia/cmd/concilia/view"
	"concilia/export/words"
	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// BankRow is what the service says it paid held against what came: a match, or a group or line that is left.
type BankRow struct {
	Account     ledger.Account      `json:"account"`
	Bank        string              `json:"bank"`
	BankDate    ledger.Date         `json:"bank_date"`   // booking day of the first line, else the group's bank day
	CreditDate  ledger.Date         `json:"credit_date"` // 0 without a group
	Payer       string              `json:"payer"`
	Parts       []string            `json:"parts"`
	Items       int64               `json:"items"`
	Expected    view.OptionalAmount `json:"expected"`
	Debits      view.Amount         `json:"debits"`
	Credited    view.OptionalAmount `json:"credited"`
	Difference  view.Amount         `json:"difference"`
	Lines       int                 `json:"lines"`
	Text        string              `json:"text"`
	ShiftDays   int                 `json:"shift_days"` // business days from the group's bank day to the line's
	Status      match.Status        `json:"status"`
	Pass        int                 `json:"pass"`  // 0: by a person, or not matched
	Match       string              `json:"match"` // empty: not matched
	Explanation string              `json:"explanation"`
	Subjects    []string            `json:"subjects"`

	reason bankReason // of which Explanation is the English
}

// Name is by what the row is found: its match, or the subject of the group or line that is left.
func (r *BankRow) Name() string {
	if r.Match != "" || len(r.Subjects) == 0 {
		return r.Match
	}
	return r.Subjects[0]
}

// IsCredited reports whether it came as the service said.
func (r *BankRow) IsCredited() bool { return r.Status == match.Credited }

// BankStatuses are what may become of a row, what needs a look first.
func BankStatuses() []string {
	var out []string
	for _, s := range []match.Status{
		match.Missing, match.Differs, match.Returned, match.Unexpected, match.DebitLine, match.Waiting, match.NoStatement, match.Accepted, match.Credited,
	} {
		out = append(out, string(s))
	}
	return out
}

// BankConciliation is both sides of a bank account.
type BankConciliation struct {
	Bank     string
	Frontier ledger.Date
	Since    ledger.Date
	HasPayer bool
	// Proven of Received is what came to the cent up to the frontier.
	Received, Proven ledger.Amount
	// NotTried counts the bank days on which too much is left for debits to be tried.
	NotTried int
	rows     []BankRow
}

// BankConciliationOf describes what became of both sides.
func BankConciliationOf(c *bank.Conciliation, results []bank.PayerResult) BankConciliation {
	out := BankConciliation{
		Bank: c.Account.ID, Frontier: ledger.BankFrontier(c.Days, c.Account.Since), Since: c.Period().From, HasPayer: len(c.Account.Payers) > 0,
	}
	for i := range results {
		r := &results[i]
		proven, of := r.Proven(out.Frontier, r.Rows)
		out.Proven += proven
		out.Received += of
		out.NotTried += len(r.NotTried)
		for n := range r.Rows {
			out.rows = append(out.rows, BankRowOf(c, r, &r.Rows[n]))
		}
	}
	slices.SortStableFunc(out.rows, func(a, b BankRow) int {
		return cmp.Or(cmp.Compare(a.BankDate, b.BankDate), cmp.Compare(a.Payer, b.Payer), cmp.Compare(a.CreditDate, b.CreditDate),
			cmp.Compare(a.Match, b.Match), slices.Compare(a.Subjects, b.Subjects))
	})
	return out
}

// BankRowOf describes one row of a payer.
func BankRowOf(c *bank.Conciliation, r *bank.PayerResult, row *match.Row) BankRow {
	out := BankRow{
		Account: c.Home, Bank: c.Account.ID, Payer: r.Payer, Debits: view.Amount(row.Debits), Difference: view.Amount(row.Difference()), Lines: len(row.Lines),
		Status: row.Status, Pass: row.Pass, Parts: []string{}, Subjects: []string{},
	}
	var groups, lines []string
	for _, i := range row.Groups {
		g := &r.Groups[i]
		groups = append(groups, c.GroupSubject(r.Payer, g))
		out.Items += g.Count
		for _, it := range g.Items {
			part := it.Name()
			if !slices.Contains(out.Parts, part) {
				out.Parts = append(out.Parts, part)
			}
		}
	}
	for _, i := range row.Lines {
		lines = append(lines, r.Lines[i].Key)
	}
	if len(row.Groups) > 0 {
		g := &r.Groups[row.Groups[0]]
		out.CreditDate, out.BankDate, out.Expected = g.Day, g.BankDay, view.OptionalAmount(ledger.Some(row.Expected))
	}
	if len(row.Lines) > 0 {
		l := &r.Lines[row.Lines[0]]
		out.BankDate, out.Credited, out.Text = l.Day, view.OptionalAmount(ledger.Some(row.Credited)), ledger.MaskPersonDocuments(r.Text(row.Lines[0]))
		if len(row.Groups) > 0 {
			from := r.Groups[row.Groups[len(row.Groups)-1]].BankDay
			out.ShiftDays = c.Calendar.CountBusinessDays(calendar.Settles, from, l.BankDay) - c.Calendar.CountBusinessDays(calendar.Settles, l.BankDay, from)
		}
	}
	slices.Sort(groups)
	slices.Sort(lines)
	out.Subjects = append(append(out.Subjects, groups...), lines...)
	if row.Matched {
		out.Match = bank.NameMatch(c.Account.ID, groups, lines)
	}
	out.reason = findBankReason(r, row)
	out.Explanation = out.reason.describeReason(view.English)
	return out
}

// BankConciliations are bank accounts in the order of the configuration.
type BankConciliations []BankConciliation

// Keep drops the rows outside a period, of other payers where one is named, and of other statuses where some are. The
// figures stay those of all.
func (v BankConciliations) Keep(p ledger.Period, payer string, statuses []string) {
	for i := range v {
		v[i].rows = slices.DeleteFunc(v[i].rows, func(r BankRow) bool {
			return !p.Contains(r.BankDate) || payer != "" && r.Payer != payer || len(statuses) > 0 && !slices.Contains(statuses, string(r.Status))
		})
	}
}

// Rows are all rows, bank account by bank account.
func (v BankConciliations) Rows() (all []BankRow) {
	for i := range v {
		all = append(all, v[i].rows...)
	}
	return all
}

// WriteText writes a table of all rows, and below it a line for each bank account.
func (v BankConciliations) WriteText(w io.Writer, l view.Language) error {
	if rows := v.Rows(); len(rows) > 0 {
		t := view.NewTable(w, 5, 6, 7, 8)
		t.AppendHeader(l.HeadRow("bank_text.bank_account", "bank_text.day", "bank_text.payer", "bank_text.status", "bank_text.expected", "bank_text.debits", "bank_text.credited", "bank_text.difference", "bank_text.what"))
		for i := range rows {
			r := &rows[i]
			what := r.reason.describeReason(l)
			if what == "" {
				what = r.Text
			}
			t.AppendRow([]any{
				r.Bank, l.FormatDay(r.BankDate), r.Payer, words.Label(l, "bank_status", string(r.Status)), formatOptional(l, r.Expected), formatNonZero(l, r.Debits), formatOptional(l, r.Credited),
				formatNonZero(l, r.Difference), view.Escape(what),
			})
		}
		t.Render()
	}
	var b strings.Builder
	for i := range v {
		a := &v[i]
		b.WriteString(a.Bank + ": ")
		switch {
		case !a.HasPayer:
			b.WriteString(words.Text(l, "bank_text.no_payer"))
		case a.Frontier == 0 && a.Since == 0:
			b.WriteString(words.Text(l, "bank_text.no_day_settled"))
		case a.Frontier == 0:
			b.WriteString(words.Text(l, "bank_text.no_statement_since", "day", l.FormatDay(a.Since)))
		default:
			b.WriteString(words.Text(l, "bank_text.proven", "proven", l.FormatReais(a.Proven), "received", l.FormatReais(a.Received), "day", l.FormatDay(a.Frontier)))
		}
		b.WriteByte('\n')
		if a.NotTried > 0 {
			b.WriteString(a.Bank + ": " + words.Text(l, "bank_text.not_tried", "days", l.Count(int64(a.NotTried), "day")) + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// bankReason is where a person should look. It proves nothing.
type bankReason struct {
	id     string // of the text; empty: there is nothing to say
	names  []string
	amount ledger.Amount
}

// describeReason is the reason in a language.
func (r bankReason) describeReason(l view.Language) string {
	names := strings.Join(r.names, ", ")
	switch r.id {
	case "":
		return ""
	case "bank_text.names":
		return names
	case "bank_text.unexplained":
		return words.Text(l, r.id)
	case "bank_text.several_fit", "bank_text.less", "bank_text.equals_missing":
		return words.Text(l, r.id, "names", names)
	case "bank_text.parts":
		return words.Text(l, r.id, "amount", l.FormatReais(r.amount), "names", names)
	}
	return words.Text(l, r.id, "amount", l.FormatReais(r.amount))
}

// findBankReason finds where a person should look.
func findBankReason(r *bank.PayerResult, row *match.Row) bankReason {
	for _, line := range row.Lines {
		if names := r.Ambiguous[line]; len(names) > 0 {
			return bankReason{id: "bank_text.several_fit", names: names}
		}
	}
	if row.Status == match.DebitLine && !row.Matched {
		return bankReason{id: "bank_text.unexplained"}
	}
	if len(row.DebitsOf) > 0 {
		var names []string
		for _, d := range row.DebitsOf {
			names = append(names, r.Debits[d].Key)
		}
		if row.Status == match.DebitLine {
			return bankReason{id: "bank_text.names", names: names}
		}
		return bankReason{id: "bank_text.less", names: names}
	}
	e := r.Explain(row)
	credit := row.Credited
	if e.Credit >= 0 {
		credit = r.Lines[e.Credit].Amount
	}
	switch {
	case e.Group >= 0:
		return bankReason{id: "bank_text.equals_missing", names: []string{r.Groups[e.Group].Key}}
	case e.Several:
		return bankReason{id: "bank_text.several_sets", amount: credit}
	case len(e.Parts) > 0:
		var names []string
		for _, it := range e.Parts {
			names = append(names, it.Name())
		}
		return bankReason{id: "bank_text.parts", names: names, amount: credit}
	case e.Credit >= 0:
		return bankReason{id: "bank_text.nearest", amount: credit}
	}
	return bankReason{}
}

func formatOptional(l view.Language, a view.OptionalAmount) string {
	if !a.OK {
		return ""
	}
	return l.FormatReais(a.V)
}

func formatNonZero(l view.Language, a view.Amount) string {
	if a == 0 {
		return ""
	}
	return l.FormatReais(ledger.Amount(a))
}
