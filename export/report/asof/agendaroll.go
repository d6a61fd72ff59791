package asof

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// AgendaRollTable has a row per brand and product whose open installments are or were there, in order of account, brand,
// product: what moved their gross since the state set before (reports D.7, rules C.0). It counts every open installment,
// the overdue ones too, which the agenda itself leaves out.
var AgendaRollTable = &table.Table{ID: "agenda-roll", Sheet: "Movimento da agenda", Layout: 1, Columns: rollColumns()}

// rollMovements are the columns of the movements, in report order. A movement is signed as it moves the balance.
var rollMovements = [...]struct {
	id, pt, en string
	of         ledger.Movement
}{
	{"start", "Início", "Start", ledger.Started},
	{"new", "Vendas novas", "New", ledger.Added},
	{"received", "Recebido", "Received", ledger.ReceivedNormally},
	{"anticipated", "Antecipado", "Anticipated", ledger.ReceivedEarly},
	{"cancelled", "Cancelado", "Cancelled", ledger.WasCancelled},
	{"charged_back", "Contestado", "Charged back", ledger.ChargedBack},
	{"blocked", "Bloqueado", "Blocked", ledger.WasBlocked},
	{"unblocked", "Desbloqueado", "Unblocked", ledger.Unblocked},
	{"reversed", "Estornado", "Reversed", ledger.Undone},
	{"vanished", "Sumiu", "Vanished", ledger.HasVanished},
	{"reappeared", "Reapareceu", "Reappeared", ledger.Reappeared},
	{"restated", "Alterado", "Restated", ledger.Restated},
	{"reclassified", "Reclassificado", "Reclassified", ledger.Reclassified},
}

func rollColumns() []table.Column {
	exact := func(id, pt, en string) table.Column {
		return table.Column{ID: id, Header: pt, HeaderEN: en, Type: table.TypeMoney, Decimals: 4}
	}
	out := []table.Column{
		{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
		{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "not sent"},
		{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Null: "not sent", Labels: report.ProductLabels},
		{ID: "since", Header: "Desde", HeaderEN: "Since", Type: table.TypeDate, Null: "first run of the account"},
		exact("opening", "Saldo inicial", "Opening"),
	}
	for _, m := range rollMovements {
		out = append(out, exact(m.id, m.pt, m.en))
	}
	rest := exact("residual", "Diferença", "Residual")
	rest.HighlightNonZero = true
	return append(out, exact("closing", "Saldo final", "Closing"), rest,
		table.Column{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash})
}

// agendaRoll keeps the movements, one for each brand and product, until they are sorted and written.
type agendaRoll struct {
	out               report.Rows
	movements         []report.AgendaMovement
	residual          ledger.Amount // sum of the residuals of the rows
	residualMagnitude ledger.Amount // sum of their magnitudes, so that two faults don't cancel out
}

func (r *agendaRoll) addMovement(m *report.AgendaMovement) error {
	rest, err := m.Residual()
	if err == nil {
		r.residual, err = r.residual.Add(rest)
	}
	if err == nil {
		r.residualMagnitude, err = r.residualMagnitude.Add(rest.Abs())
	}
	if err != nil {
		return fmt.Errorf("movement of the agenda, %s %s: %w", m.Brand, m.Product, err)
	}
	r.movements = append(r.movements, *m)
	return nil
}

// writeRows writes the rows in report order.
func (r *agendaRoll) writeRows() error {
	slices.SortFunc(r.movements, func(a, b report.AgendaMovement) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Brand, b.Brand), cmp.Compare(a.Product, b.Product))
	})
	for i := range r.movements {
		m := &r.movements[i]
		rest, err := m.Residual()
		if err != nil {
			return err
		}
		row := table.Row{
			table.Text(m.Account.String()), table.Text(m.Brand), table.Text(string(m.Product)), table.Day(m.Since), table.Exact(m.Opening),
		}
		for _, c := range rollMovements {
			row = append(row, table.Exact(m.Changes[c.of]))
		}
		if err := r.out.Write(append(row, table.Exact(m.Closing), table.Exact(rest))); err != nil {
			return err
		}
	}
	return nil
}

// rollFormula is the identity of every row, and of their sums.
var rollFormula = func() string {
	var b strings.Builder
	b.WriteString("opening")
	for _, m := range rollMovements {
		b.WriteString(" + " + m.id)
	}
	return b.String() + " = closing"
}()

// movementIdentity is that the movements are all there is: none is got by subtraction, so it may fail.
func (r *agendaRoll) movementIdentity() report.Identity {
	return report.Identity{Name: "agenda_roll", Formula: rollFormula, Table: AgendaRollTable.ID, Printed: r.residual, Exact: r.residualMagnitude}
}
