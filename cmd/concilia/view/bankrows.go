package view

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"

	"concilia/jobs/bank"
	"concilia/jobs/bank/match"
	"concilia/jobs/calendar"
	"concilia/store/ledger"
)

// BankRow is what the service says it paid held against what came: a match, or a group or line that is left.
type BankRow struct {
	Account     ledger.Account `json:"account"`
	Bank        string         `json:"bank"`
	BankDate    ledger.Date    `json:"bank_date"`   // booking day of the first line, else the group's bank day
	CreditDate  ledger.Date    `json:"credit_date"` // 0 without a group
	Payer       string         `json:"payer"`
	Parts       []string       `json:"parts"`
	Items       int64          `json:"items"`
	Expected    OptionalAmount `json:"expected"`
	Debits      Amount         `json:"debits"`
	Credited    OptionalAmount `json:"credited"`
	Difference  Amount         `json:"difference"`
	Lines       int            `json:"lines"`
	Text        string         `json:"text"`
	ShiftDays   int            `json:"shift_days"` // business days from the group's bank day to the line's
	Status      match.Status   `json:"status"`
	Pass        int            `json:"pass"` // 0: not matched
	Match       string         `json:"match"`
	Explanation string         `json:"explanation"`
	Subjects    []string       `json:"subjects"`
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
		match.Missing, match.Differs, match.Returned, match.Unexpected, match.DebitLine, match.Waiting, match.NoStatement, match.Credited,
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
		Account: c.Home, Bank: c.Account.ID, Payer: r.Payer, Debits: Amount(row.Debits), Difference: Amount(row.Difference()), Lines: len(row.Lines),
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
		out.CreditDate, out.BankDate, out.Expected = g.Day, g.BankDay, OptionalAmount(ledger.Some(row.Expected))
	}
	if len(row.Lines) > 0 {
		l := &r.Lines[row.Lines[0]]
		out.BankDate, out.Credited, out.Text = l.Day, OptionalAmount(ledger.Some(row.Credited)), ledger.MaskPersonDocuments(r.Text(row.Lines[0]))
		if len(row.Groups) > 0 {
			from := r.Groups[row.Groups[len(row.Groups)-1]].BankDay
			out.ShiftDays = c.Calendar.CountBusinessDays(calendar.Settles, from, l.BankDay) - c.Calendar.CountBusinessDays(calendar.Settles, l.BankDay, from)
		}
	}
	slices.Sort(groups)
	slices.Sort(lines)
	out.Subjects = append(append(out.Subjects, groups...), lines...)
	if row.Pass > 0 {
		sum := sha256.Sum256([]byte(strings.Join(append(append([]string{c.Account.ID}, lines...), groups...), "\n")))
		out.Match = hex.EncodeToString(sum[:8])
	}
	out.Explanation = explainBankRow(r, row)
	return out
}

// explainBankRow says where a person should look. It proves nothing.
func explainBankRow(r *bank.PayerResult, row *match.Row) string {
	for _, l := range row.Lines {
		if names := r.Ambiguous[l]; len(names) > 0 {
			return "several fit, and none is guessed: " + strings.Join(names, ", ")
		}
	}
	if row.Status == match.DebitLine && row.Pass == 0 {
		return "nothing declared or known explains it"
	}
	if len(row.DebitsOf) > 0 {
		var names []string
		for _, d := range row.DebitsOf {
			names = append(names, r.Debits[d].Key)
		}
		if row.Status == match.DebitLine {
			return strings.Join(names, ", ")
		}
		return "less " + strings.Join(names, ", ")
	}
	e := r.Explain(row)
	credit := row.Credited
	if e.Credit >= 0 {
		credit = r.Lines[e.Credit].Amount
	}
	switch {
	case e.Group >= 0:
		return "equals what is missing of " + r.Groups[e.Group].Key
	case e.Several:
		return fmt.Sprintf("several sets of its parts come to the credit of %s", FormatReais(credit))
	case len(e.Parts) > 0:
		var names []string
		for _, it := range e.Parts {
			names = append(names, it.Name())
		}
		return fmt.Sprintf("the credit of %s is what these parts come to: %s", FormatReais(credit), strings.Join(names, ", "))
	case e.Credit >= 0:
		return fmt.Sprintf("the nearest credit left of that day is %s", FormatReais(credit))
	}
	return ""
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
func (v BankConciliations) WriteText(w io.Writer) error {
	if rows := v.Rows(); len(rows) > 0 {
		t := newTable(w, 5, 6, 7, 8)
		t.AppendHeader([]any{"bank account", "day", "payer", "status", "expected", "debits", "credited", "difference", "what"})
		for i := range rows {
			r := &rows[i]
			what := r.Explanation
			if what == "" {
				what = r.Text
			}
			t.AppendRow([]any{
				r.Bank, r.BankDate, r.Payer, r.Status, formatOptional(r.Expected), formatNonZero(r.Debits), formatOptional(r.Credited),
				formatNonZero(r.Difference), Escape(what),
			})
		}
		t.Render()
	}
	var b strings.Builder
	for i := range v {
		a := &v[i]
		switch {
		case !a.HasPayer:
			fmt.Fprintf(&b, "%s: no payer is configured: its lines are held against nothing\n", a.Bank)
		case a.Frontier == 0 && a.Since == 0:
			fmt.Fprintf(&b, "%s: no day is settled\n", a.Bank)
		case a.Frontier == 0:
			fmt.Fprintf(&b, "%s: no statement since %s\n", a.Bank, a.Since)
		default:
			fmt.Fprintf(&b, "%s: R$ %s of R$ %s proven at the bank up to %s\n", a.Bank, FormatReais(a.Proven), FormatReais(a.Received), a.Frontier)
		}
		if a.NotTried > 0 {
			fmt.Fprintf(&b, "%s: on %s too much is left for debits to be tried\n", a.Bank, countOf(int64(a.NotTried), "day"))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func formatOptional(a OptionalAmount) string {
	if !a.OK {
		return ""
	}
	return FormatReais(a.V)
}

func formatNonZero(a Amount) string {
	if a == 0 {
		return ""
	}
	return FormatReais(ledger.Amount(a))
}
