package asof

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// AgendaTable has a row per forecast date, brand and product of what is still to come, in order of account,
// forecast_date, brand, product; rows without date last (reports D.7). Its rows are the open installments that are not
// overdue, and the blocked ones.
//
// installments, gross and deductions count both; net and cumulative leave blocked out, so that gross - deductions =
// net + blocked. week and month are those of the business day, when the money is to come; cumulative begins anew with
// each account.
var AgendaTable = &table.Table{ID: "agenda", Sheet: "Agenda", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "forecast_date", Header: "Data prevista", HeaderEN: "Forecast date", Type: table.TypeDate, Null: "no date sent"},
	{ID: "adjusted_date", Header: "Data útil", HeaderEN: "Business day", Type: table.TypeDate, Null: "no date sent"},
	{ID: "week", Header: "Semana", HeaderEN: "Week", Type: table.TypeText, Null: "no date sent"},
	{ID: "month", Header: "Mês", HeaderEN: "Month", Type: table.TypeText, Null: "no date sent"},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not sent", Labels: report.ProductLabels},
	{ID: "installments", Header: "Qtd parcelas", HeaderEN: "Installments", Type: table.TypeInt},
	{ID: "gross", Header: "Bruto", HeaderEN: "Gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "deductions", Header: "Descontos", HeaderEN: "Deductions", Type: table.TypeMoney, Decimals: 2},
	{ID: "net", Header: "Líquido", HeaderEN: "Net", Type: table.TypeMoney, Decimals: 2},
	{ID: "anticipated", Header: "Em antecipação", HeaderEN: "Being anticipated", Type: table.TypeMoney, Decimals: 2},
	{ID: "blocked", Header: "Bloqueado", HeaderEN: "Blocked", Type: table.TypeMoney, Decimals: 2},
	{ID: "cumulative", Header: "Acumulado", HeaderEN: "Cumulative", Type: table.TypeMoney, Decimals: 2, NoTotal: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// AgendaBankTable is the table of accounts whose cards are paid into a bank account.
var AgendaBankTable = AgendaTable.With(table.Column{
	ID: "bank", Header: "Conta bancária", HeaderEN: "Bank account", Type: table.TypeText, Null: "cards of the account are paid into none",
})

// AgendaDefinition is the kind agenda.
var AgendaDefinition = &report.Definition{
	Kind: report.AgendaKind, Side: report.CardSide, Tables: []*table.Table{AgendaTable, AgendaRollTable}, BankTables: []*table.Table{AgendaBankTable}, Bases: asOfBasis, Formats: report.ExceptEDI,
	FollowsFromRows: true,
	View: map[string]report.View{
		"agenda":      {PageColumns: "account adjusted_date week brand product installments net anticipated blocked cumulative bank"},
		"agenda-roll": {PageColumns: "account brand product opening new received cancelled closing residual", FrozenColumns: 3},
	},
	Begin:     beginAgenda,
	NewReader: func(ledger.Date) report.RowReader { return &agendaReader{} },
}

// Agenda adds up what is to be received. Its memory grows with dates, brands and products, not with installments.
type Agenda struct {
	report.ColumnTotals
	set    *report.Set
	out    report.Rows
	lines  map[agendaKey]*agendaLine
	total  agendaLine
	notDue table.Money // of cards, over all periods
	roll   *agendaRoll
}

func beginAgenda(_ context.Context, set *report.Set) (report.Content, error) {
	t := AgendaTable
	if set.BankColumns {
		t = AgendaBankTable
	}
	out, err := set.Open(t)
	if err != nil {
		return nil, err
	}
	rollOut, err := set.Open(AgendaRollTable)
	return &Agenda{set: set, out: out, lines: make(map[agendaKey]*agendaLine), roll: &agendaRoll{out: rollOut}}, err
}

// Intake takes what is to be received and its movements.
func (a *Agenda) Intake() report.Intake {
	return report.Intake{AgendaRow: a.addRow, AgendaMovement: a.roll.addMovement, NotDue: func(n *report.NotDue) error {
		if n.Kind == CardOverdue {
			a.notDue.AddRounded(n.Printed, n.Exact)
		}
		return a.notDue.Err()
	}}
}

// Finish writes both tables.
func (a *Agenda) Finish(ctx context.Context) (err error) {
	var banks map[ledger.Account]report.BankAccount
	if a.set.BankColumns {
		if banks, err = a.set.Source.BankAccounts(ctx, banking.CreditedCards); err != nil {
			return err
		}
	}
	if err := a.writeLines(banks); err != nil {
		return err
	}
	return a.roll.writeRows()
}

// Identities are that the agenda adds up, that its net equals what is not due in the summaries of all periods, and that the
// movements explain the change of the balance.
func (a *Agenda) Identities() []report.Identity {
	t := &a.total
	out := []report.Identity{
		report.NewIdentity("agenda_net", "gross - deductions = net + blocked", t.gross, report.NegateMoney(t.deductions), report.NegateMoney(t.net), report.NegateMoney(t.blocked)),
	}
	if a.set.Filter.ShowsOpen() { // without open installments there is no net
		out = append(out, report.NewIdentity("agenda_not_due", "agenda.net = summary.not_due", t.net, report.NegateMoney(a.notDue)))
	}
	return append(report.PlaceUnderTable(AgendaTable, out), a.roll.movementIdentity())
}

type agendaKey struct {
	account  ledger.Account
	forecast ledger.Date
	brand    string
	product  ledger.Product
}

// agendaLine is what is to be received in a day, a week or a month.
type agendaLine struct {
	adjusted                                     ledger.Date
	rows                                         int64
	gross, deductions, net, anticipated, blocked table.Money
}

// addRow adds one installment to its line and to the total.
func (a *Agenda) addRow(i *report.AgendaRow) error {
	k := agendaKey{i.Account, i.Forecast, i.Brand, i.Product}
	l := a.lines[k]
	if l == nil {
		l = &agendaLine{adjusted: i.Adjusted}
		a.lines[k] = l
	}
	for _, l := range []*agendaLine{l, &a.total} {
		l.rows++
		l.gross.AddRounded(ledger.FromCents(i.GrossCents), i.Gross)
		l.deductions.AddRounded(i.ChargedCents, i.Charged)
		switch {
		case i.Blocked:
			l.blocked.Add(i.Net)
			continue
		case i.Anticipated:
			l.anticipated.Add(i.Net)
		}
		l.net.Add(i.Net)
	}
	return a.total.checkOverflow()
}

func (l *agendaLine) checkOverflow() error {
	return errors.Join(l.gross.Err(), l.deductions.Err(), l.net.Err(), l.anticipated.Err(), l.blocked.Err())
}

// addLine adds another line, for a week or a month.
func (l *agendaLine) addLine(o *agendaLine) {
	l.rows += o.rows
	for _, m := range []struct{ to, from *table.Money }{
		{&l.gross, &o.gross},
		{&l.deductions, &o.deductions},
		{&l.net, &o.net},
		{&l.anticipated, &o.anticipated},
		{&l.blocked, &o.blocked},
	} {
		m.to.AddRounded(m.from.Printed, m.from.Exact)
	}
}

// sortedKeys are in report order.
func (a *Agenda) sortedKeys() []agendaKey {
	return slices.SortedFunc(maps.Keys(a.lines), func(x, y agendaKey) int {
		return cmp.Or(cmp.Compare(x.account, y.account), report.CompareUndatedLast(x.forecast, y.forecast), cmp.Compare(x.brand, y.brand),
			cmp.Compare(x.product, y.product))
	})
}

// writeLines writes the lines in report order, with the bank account into which each account's cards are paid, if the set knows it.
func (a *Agenda) writeLines(banks map[ledger.Account]report.BankAccount) error {
	row := AgendaTable.NewRow()
	if a.set.BankColumns {
		row = AgendaBankTable.NewRow()
	}
	var sum table.Money
	var of ledger.Account
	for _, k := range a.sortedKeys() {
		l := a.lines[k]
		if k.account != of {
			of, sum = k.account, table.Money{}
		}
		sum.AddRounded(l.net.Printed, l.net.Exact)
		clear(row)
		copy(row, table.Row{
			table.Text(k.account.String()), table.Day(k.forecast), table.Day(l.adjusted), table.Text(weekOf(l.adjusted)),
			table.Text(monthOf(l.adjusted)), table.Text(k.brand), table.Text(string(k.product)), table.Int(l.rows),
			l.gross.Cell(), l.deductions.Cell(), l.net.Cell(), l.anticipated.Cell(), l.blocked.Cell(), sum.Cell(),
		})
		if a.set.BankColumns {
			row[len(row)-1] = table.Text(banks[k.account].ID)
		}
		if err := a.out.Write(row); err != nil {
			return fmt.Errorf("agenda of %s: %w", k.forecast, err)
		}
	}
	return sum.Err()
}

// weekOf is the ISO week of a day, 2026-W47; no day has none.
func weekOf(d ledger.Date) string {
	if d == 0 {
		return ""
	}
	year, week := d.Time().ISOWeek()
	return fmt.Sprintf("%04d-W%02d", year, week)
}

// monthOf is 2026-11; no day has none.
func monthOf(d ledger.Date) string {
	if d == 0 {
		return ""
	}
	return d.String()[:len("2026-11")]
}

// AgendaSpan is what is to be received in a week or a month, by the business days of the forecasts: amounts as printed.
type AgendaSpan struct {
	Label        string      // 2026-W47 or 2026-11; empty: no date sent
	First        ledger.Date // the Monday of a week, the first of a month; none: no date sent
	Installments int64
	Gross        ledger.Amount // as Deductions, of the blocked ones too
	Deductions   ledger.Amount
	Net          ledger.Amount
	Anticipated  ledger.Amount // of Net
	Blocked      ledger.Amount // not of Net
}

// Weeks returns the agenda by week over all accounts, in order; forecasts without a date come last.
func (a *Agenda) Weeks() []AgendaSpan {
	return a.groupBySpan(weekOf, func(d ledger.Date) ledger.Date { return d - ledger.Date((d.Weekday()+6)%7) })
}

// Months returns the agenda by month over all accounts, in order; forecasts without a date come last.
func (a *Agenda) Months() []AgendaSpan { return a.groupBySpan(monthOf, ledger.Date.MonthStart) }

func (a *Agenda) groupBySpan(label func(ledger.Date) string, first func(ledger.Date) ledger.Date) []AgendaSpan {
	lines := make(map[ledger.Date]*agendaLine) // by first day
	labels := make(map[ledger.Date]string)
	for _, l := range a.lines {
		var day ledger.Date
		if l.adjusted != 0 {
			day = first(l.adjusted)
		}
		if lines[day] == nil {
			lines[day], labels[day] = &agendaLine{}, label(l.adjusted)
		}
		lines[day].addLine(l)
	}
	var out []AgendaSpan
	for day, l := range lines {
		out = append(out, AgendaSpan{
			Label: labels[day], First: day, Installments: l.rows, Gross: l.gross.Printed, Deductions: l.deductions.Printed,
			Net: l.net.Printed, Anticipated: l.anticipated.Printed, Blocked: l.blocked.Printed,
		})
	}
	slices.SortFunc(out, func(a, b AgendaSpan) int { return report.CompareUndatedLast(a.First, b.First) })
	return out
}

// agendaReader checks the rows of the agenda's tables: the running total of an account, and that the movements of a group
// explain the change of its balance.
type agendaReader struct {
	account      string
	sum, undated ledger.Amount // undated: the net without a date
}

func (r *agendaReader) ReadRow(t *table.Table, row table.Row) error {
	amount := func(id string) ledger.Amount { return ledger.Amount(row[t.ColumnIndex(id)].N) }
	switch t.ID {
	case AgendaTable.ID:
		if !row[t.ColumnIndex("adjusted_date")].OK {
			r.undated += amount("net")
		}
		if account := row[0].S; account != r.account {
			r.account, r.sum = account, 0
		}
		if r.sum += amount("net"); r.sum != amount("cumulative") {
			return fmt.Errorf("cumulative says %s, the rows up to it come to %s", amount("cumulative"), r.sum)
		}
	case AgendaRollTable.ID:
		rest := amount("opening") - amount("closing")
		for _, m := range rollMovements {
			rest += amount(m.id)
		}
		if rest != 0 || amount("residual") != 0 {
			return fmt.Errorf("%s leaves %s, residual says %s", rollFormula, rest.Fixed(4), amount("residual").Fixed(4))
		}
	}
	return nil
}

func (r *agendaReader) Terms() map[string]ledger.Amount {
	return map[string]ledger.Amount{"agenda.undated.net": r.undated}
}
