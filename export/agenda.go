package export

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/export/table"
	"concilia/store/ledger"
)

// agendaTable has a row per forecast date, brand and product of what is still to come, in order of account,
// forecast_date, brand, product; rows without date last (reports D.7). Its rows are the open installments that are not
// overdue, and the blocked ones.
//
// installments, gross and deductions count both; net and cumulative leave blocked out, so that gross - deductions =
// net + blocked. week and month are those of the business day, when the money is to come; cumulative begins anew with
// each account.
var agendaTable = &table.Table{ID: agendaID, Sheet: "Agenda", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "forecast_date", Header: "Data prevista", HeaderEN: "Forecast date", Type: table.TypeDate, Null: "no date sent"},
	{ID: "adjusted_date", Header: "Data útil", HeaderEN: "Business day", Type: table.TypeDate, Null: "no date sent"},
	{ID: "week", Header: "Semana", HeaderEN: "Week", Type: table.TypeText, Null: "no date sent"},
	{ID: "month", Header: "Mês", HeaderEN: "Month", Type: table.TypeText, Null: "no date sent"},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not sent", Labels: productLabels},
	{ID: "installments", Header: "Qtd parcelas", HeaderEN: "Installments", Type: table.TypeInt},
	{ID: "gross", Header: "Bruto", HeaderEN: "Gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "deductions", Header: "Descontos", HeaderEN: "Deductions", Type: table.TypeMoney, Decimals: 2},
	{ID: "net", Header: "Líquido", HeaderEN: "Net", Type: table.TypeMoney, Decimals: 2},
	{ID: "anticipated", Header: "Em antecipação", HeaderEN: "Being anticipated", Type: table.TypeMoney, Decimals: 2},
	{ID: "blocked", Header: "Bloqueado", HeaderEN: "Blocked", Type: table.TypeMoney, Decimals: 2},
	{ID: "cumulative", Header: "Acumulado", HeaderEN: "Cumulative", Type: table.TypeMoney, Decimals: 2, NoTotal: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// AgendaRow is one installment that is still to come, with what the ledger does not know of it.
type AgendaRow struct {
	ledger.AgendaItem
	Account     ledger.Account
	Adjusted    ledger.Date // the business day of the forecast; none: no date sent
	Anticipated bool        // its received type says so, or it has a cost of anticipation
}

// agenda adds up what is to come; it grows with dates, brands and products, not with installments.
type agenda struct {
	lines map[agendaKey]*agendaLine
	total agendaLine
}

type agendaKey struct {
	account  ledger.Account
	forecast ledger.Date
	brand    string
	product  ledger.Product
}

// agendaLine is what a day, a week or a month brings.
type agendaLine struct {
	adjusted                                     ledger.Date
	rows                                         int64
	gross, deductions, net, anticipated, blocked table.Money
}

func newAgenda() *agenda { return &agenda{lines: make(map[agendaKey]*agendaLine)} }

// add counts one installment.
func (a *agenda) add(i *AgendaRow) error {
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
	return a.total.err()
}

func (l *agendaLine) err() error {
	return errors.Join(l.gross.Err(), l.deductions.Err(), l.net.Err(), l.anticipated.Err(), l.blocked.Err())
}

// merge adds another line, for a week or a month.
func (l *agendaLine) merge(o *agendaLine) {
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

// keys are in report order.
func (a *agenda) keys() []agendaKey {
	return slices.SortedFunc(maps.Keys(a.lines), func(x, y agendaKey) int {
		return cmp.Or(cmp.Compare(x.account, y.account), compareLast(x.forecast, y.forecast), cmp.Compare(x.brand, y.brand),
			cmp.Compare(x.product, y.product))
	})
}

// rows hands out the lines in report order.
func (a *agenda) rows(fn func(table.Row) error) error {
	row := agendaTable.NewRow()
	var sum table.Money
	var of ledger.Account
	for _, k := range a.keys() {
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
		if err := fn(row); err != nil {
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

// agendaNet are the identities of the agenda: that it adds up, and that its net is what the summaries of all periods say is
// not due.
func (r *rendering) agendaNet(notDue table.Money) []Identity {
	t := &r.agenda.total
	out := []Identity{
		identity("agenda_net", "gross - deductions = net + blocked", t.gross, neg(t.deductions), neg(t.net), neg(t.blocked)),
	}
	if !r.job.Filter.showsOpen() {
		return out
	}
	return append(out, identity("agenda_not_due", "agenda.net = summary.not_due", t.net, neg(notDue)))
}

// showsOpen says whether the filter lets open installments through: without them there is no net.
func (f Filter) showsOpen() bool {
	return len(f.Classes) == 0 || slices.Contains(f.Classes, ledger.Open)
}

// stateAgenda makes both tables of the agenda, where the set has them.
func (r *rendering) stateAgenda(ctx context.Context) error {
	if !r.job.has(AgendaKind) {
		return nil
	}
	for _, t := range []*table.Table{agendaTable, agendaRollTable} {
		if err := r.open(t); err != nil {
			return err
		}
	}
	r.agenda = newAgenda()
	if err := r.feed.Agenda(ctx, r.agenda.add); err != nil {
		return err
	}
	if err := r.agenda.rows(r.tables[agendaID].add); err != nil {
		return err
	}
	var notDue table.Money
	err := r.feed.NotDue(ctx, func(n *NotDue) error {
		if n.Kind == CardOverdue {
			notDue.AddRounded(n.Printed, n.Exact)
		}
		return notDue.Err()
	})
	if err != nil {
		return err
	}
	roll := newAgendaRoll()
	if err := r.feed.AgendaRoll(ctx, roll.add); err != nil {
		return err
	}
	if err := roll.rows(r.tables[agendaRollTable.ID].add); err != nil {
		return err
	}
	r.idents = append(append(r.idents, r.agendaNet(notDue)...), roll.identity())
	return nil
}

// agendaIdentities are those of one of the two tables.
func (r *rendering) agendaIdentities(t *table.Table) []Identity {
	var out []Identity
	for _, i := range r.idents {
		if strings.HasPrefix(i.Name, "agenda_") && (i.Name == "agenda_roll") == (t == agendaRollTable) {
			out = append(out, i)
		}
	}
	return out
}
