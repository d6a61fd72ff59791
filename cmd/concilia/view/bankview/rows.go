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
	"concilia/jobs/othersides"
	storebank "concilia/store/bank"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
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

	reason banking.DepositReason // of which Explanation is the English
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

// BankConciliationOf describes what became of both sides as they are held against each other now.
func BankConciliationOf(m *bank.Matched) BankConciliation {
	out := KeptBankConciliation(othersides.BankRowsOf(m))
	out.Since = m.Period().From
	for i := range m.Results {
		out.NotTried += len(m.Results[i].NotTried)
	}
	return out
}

// KeptBankConciliation describes what became of both sides, without the first day and the days on which debits were not tried.
func KeptBankConciliation(b *othersides.BankRows) BankConciliation {
	out := BankConciliation{Bank: b.Account.ID, Frontier: b.Frontier, HasPayer: len(b.Account.Payers) > 0}
	out.Proven, out.Received = b.Proven()
	for i := range b.Rows {
		out.rows = append(out.rows, BankRowOf(&b.Rows[i]))
	}
	slices.SortStableFunc(out.rows, func(a, b BankRow) int {
		return cmp.Or(cmp.Compare(a.BankDate, b.BankDate), cmp.Compare(a.Payer, b.Payer), cmp.Compare(a.CreditDate, b.CreditDate),
			cmp.Compare(a.Match, b.Match), slices.Compare(a.Subjects, b.Subjects))
	})
	return out
}

// BankRowOf describes a deposit.
func BankRowOf(d *storebank.StandingDeposit) BankRow {
	out := BankRow{
		Account: d.Account, Bank: d.Bank, BankDate: d.Day, CreditDate: d.CreditDay, Payer: d.Payer,
		Parts: strings.FieldsFunc(d.Deposit.Parts, func(r rune) bool { return r == '|' }), Items: d.Items, Expected: view.OptionalAmount(d.Expected),
		Debits: view.Amount(d.Debits), Credited: view.OptionalAmount(d.Credited), Difference: view.Amount(d.Difference()), Lines: int(d.Lines), Text: d.Text,
		ShiftDays: int(d.Shift.V), Status: match.Status(d.Status), Pass: int(d.Pass.V), Match: d.Match, Subjects: []string{}, reason: d.Reason,
	}
	for _, kind := range []banking.DepositPartKind{banking.GroupPart, banking.LinePart} {
		var of []string
		for _, p := range d.Parts {
			if p.Kind == kind {
				of = append(of, p.Part)
			}
		}
		slices.Sort(of)
		out.Subjects = append(out.Subjects, of...)
	}
	out.Explanation = describeReason(view.English, out.reason)
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
			what := describeReason(l, r.reason)
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

// describeReason is where a person should look, in a language.
func describeReason(l view.Language, r banking.DepositReason) string {
	if r.ID == "" {
		return ""
	}
	return words.Text(l, "deposit_reasons."+r.ID, "names", r.Names, "amount", l.FormatReais(r.Amount))
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
