package view

import (
	"cmp"
	"io"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// SlipStandings are the states of an open slip, what is to be collected first.
func SlipStandings() []string {
	var out []string
	for _, s := range openStandings {
		out = append(out, string(s))
	}
	return out
}

var openStandings = [...]report.SlipStanding{
	report.StandsOverdue, report.StandsCreditOverdue, report.StandsNotCredited, report.StandsOpen,
}

// SlipRow is a slip that is not paid, or paid and not credited.
type SlipRow struct {
	Account   ledger.Account
	Subject   string
	ID        string
	OurNumber string
	Reference string
	Standing  string
	Due       ledger.Date
	Days      int // since its due date's business day; 0: not past it, or paid
	PaidOn    ledger.Date
	CreditOn  ledger.Date // when it should be credited, an open one if it is paid when due; 0: no credit is to be expected
	Amount    ledger.Amount
	Value     ledger.Amount // what it was issued for
}

// SlipSum is how many slips are in one state and what they come to: their value, or what was paid.
type SlipSum struct {
	Standing string
	Slips    int
	Amount   ledger.Amount
}

// SlipList is a part of the open slips that a filter selects.
type SlipList struct {
	Rows  []SlipRow
	Total SlipSum   // of all that the filter selects
	Sums  []SlipSum // by state, in the order of SlipStandings
	Next  string    // the subject after which the next part begins; empty: this is the last
}

// SlipRowOf is an open slip at an as-of.
func SlipRowOf(s *ledger.Slip, e *ledger.SlipExpectation, asOf ledger.Date) SlipRow {
	row := SlipRow{
		Account: s.Account, Subject: s.Subject(), ID: s.ID, OurNumber: s.OurNumber, Reference: s.ReferenceCode, Due: s.Due, PaidOn: s.PaidOn,
		CreditOn: e.CreditOn, Amount: s.Value.Rounded(ledger.HalfAwayFromZero), Value: s.Value,
	}
	standing := report.StandingOf(s, e, asOf)
	row.Standing = string(standing)
	switch standing {
	case report.StandsOverdue:
		row.Days = int(asOf - e.DueAdjusted)
	case report.StandsNotCredited, report.StandsCreditOverdue:
		row.Amount = s.PaidValue.Or(0).Rounded(ledger.HalfAwayFromZero)
	}
	return row
}

// SlipListOf is the part of so many slips after one, of those in one state or of all, in order of due date and id.
func SlipListOf(rows []SlipRow, standings []string, after string, limit int) *SlipList {
	out := &SlipList{}
	for _, standing := range SlipStandings() {
		sum := SlipSum{Standing: standing}
		for i := range rows {
			if rows[i].Standing == standing {
				sum.Slips++
				sum.Amount += rows[i].Amount
			}
		}
		out.Sums = append(out.Sums, sum)
		if len(standings) == 0 || slices.Contains(standings, standing) {
			out.Total.Slips += sum.Slips
			out.Total.Amount += sum.Amount
		}
	}
	if len(standings) > 0 {
		rows = slices.DeleteFunc(rows, func(r SlipRow) bool { return !slices.Contains(standings, r.Standing) })
	}
	SortSlips(rows)
	if i := slices.IndexFunc(rows, func(r SlipRow) bool { return r.Subject == after }); after != "" {
		rows = rows[i+1:]
	}
	out.Rows = rows[:min(limit, len(rows))]
	if len(rows) > limit {
		out.Next = rows[limit-1].Subject
	}
	return out
}

// SortSlips sorts slips by due date, account and id.
func SortSlips(rows []SlipRow) {
	slices.SortFunc(rows, func(a, b SlipRow) int {
		return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.Account, b.Account), cmp.Compare(a.ID, b.ID))
	})
}

// slipTable is a list of open slips as a file, in the order of its columns on the page.
func slipTable() *table.Table {
	return &table.Table{ID: "open-slips", Sheet: "Boletos em aberto", Layout: 1, Columns: []table.Column{
		{ID: "reference_code", Header: "Referência", HeaderEN: "Reference", Type: table.TypeText},
		{ID: "our_number", Header: "Nosso número", HeaderEN: "Our number", Type: table.TypeText, Digits: true},
		{ID: "due_date", Header: "Vencimento", HeaderEN: "Due", Type: table.TypeDate},
		{ID: "days", Header: "Dias de atraso", HeaderEN: "Days late", Type: table.TypeInt},
		{ID: "amount", Header: "Valor", HeaderEN: "Amount", Type: table.TypeMoney, Decimals: 2},
		{ID: "standing", Header: "Situação", HeaderEN: "State", Type: table.TypeText},
		{ID: "payment_date", Header: "Pagamento", HeaderEN: "Paid on", Type: table.TypeDate},
		{ID: "credit_on", Header: "Crédito previsto", HeaderEN: "Credit expected", Type: table.TypeDate},
		{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
		{ID: "slip_id", Header: "Id do boleto", HeaderEN: "Slip id", Type: table.TypeText},
		{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
	}}
}

// WriteSlipsCSV writes slips as the csv-br of the reports: what a spreadsheet would take for a formula is kept from being one.
func WriteSlipsCSV(w io.Writer, rows []SlipRow, lang string) error {
	t, format, language := slipTable(), table.BrazilianCSV(), table.Language(lang)
	b := format.AppendHeader(nil, t, language)
	for i := range rows {
		r := &rows[i]
		days := table.Cell{}
		if r.Days > 0 {
			days = table.Int(int64(r.Days))
		}
		b = format.AppendRow(b, t, table.Row{
			table.Text(r.Reference), table.Text(r.OurNumber), table.Day(r.Due), days, table.Cents(r.Amount),
			table.Text(words.Text(lang, "desk.slip_is_"+r.Standing)), table.Day(r.PaidOn), table.Day(r.CreditOn), table.Text(r.Account.String()), table.Text(r.ID),
		}, nil, language)
	}
	_, err := w.Write(b)
	return err
}
