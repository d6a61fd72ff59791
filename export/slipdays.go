package export

import (
	"cmp"
	"fmt"
	"slices"

	"concilia/store/ledger"
)

// slipDaysTable has a row per day of the basis, in order of account and day.
var slipDaysTable = &Table{ID: "slips-summary", Kind: SlipsKind, Sheet: "Boletos por dia", Layout: 1, Columns: []Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: TypeText},
	{ID: "base_date", Header: "Data base", HeaderEN: "Base date", Type: TypeDate},
	{ID: "issued_qty", Header: "Qtd emitidos", HeaderEN: "Issued, number", Type: TypeInt},
	{ID: "issued", Header: "Emitidos", HeaderEN: "Issued", Type: TypeMoney, Decimals: 2},
	{ID: "open_qty", Header: "Qtd a vencer", HeaderEN: "Not due, number", Type: TypeInt},
	{ID: "open", Header: "A vencer", HeaderEN: "Not due", Type: TypeMoney, Decimals: 2},
	{ID: "overdue_qty", Header: "Qtd vencidos", HeaderEN: "Overdue, number", Type: TypeInt},
	{ID: "overdue", Header: "Vencidos", HeaderEN: "Overdue", Type: TypeMoney, Decimals: 2},
	{ID: "paid_qty", Header: "Qtd pagos", HeaderEN: "Paid, number", Type: TypeInt},
	{ID: "paid", Header: "Pagos", HeaderEN: "Paid", Type: TypeMoney, Decimals: 2},
	{ID: "credited_qty", Header: "Qtd creditados", HeaderEN: "Credited, number", Type: TypeInt},
	{ID: "credited", Header: "Creditados", HeaderEN: "Credited", Type: TypeMoney, Decimals: 2},
	{ID: "not_credited", Header: "A creditar no prazo", HeaderEN: "To be credited, in time", Type: TypeMoney, Decimals: 2},
	{ID: "credit_overdue", Header: "Crédito em atraso", HeaderEN: "Credit overdue", Type: TypeMoney, Decimals: 2},
	{ID: "cancelled_qty", Header: "Qtd cancelados", HeaderEN: "Cancelled, number", Type: TypeInt},
	{ID: "cancelled", Header: "Cancelados", HeaderEN: "Cancelled", Type: TypeMoney, Decimals: 2},
	{ID: "failed_qty", Header: "Qtd recusados", HeaderEN: "Rejected or failed, number", Type: TypeInt},
	{ID: "failed", Header: "Recusados", HeaderEN: "Rejected or failed", Type: TypeMoney, Decimals: 2},
	{ID: "tariff", Header: "Tarifas", HeaderEN: "Tariffs", Type: TypeMoney, Decimals: 2},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: TypeMoney, Decimals: 2, Mark: true},
	{ID: "float_days", Header: "Float médio em dias úteis", HeaderEN: "Average float, business days", Type: TypeNumber, Decimals: 2, Null: "none credited", Ratio: true},
	{ID: "delinquency_pct", Header: "Inadimplência %", HeaderEN: "Delinquency %", Type: TypeRate, Decimals: 4, Null: "none fell due", Ratio: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: TypeHash},
}}

// slipDays adds slips up by day of the basis, and in total.
type slipDays struct {
	basis Basis
	asOf  ledger.Date
	lines map[slipDay]*slipLine
	total slipLine
}

type slipDay struct {
	account ledger.Account
	day     ledger.Date
}

// slipLine holds the figures of a day. Issued, open, overdue, cancelled and failed are face values, the others paid
// values of class paid.
type slipLine struct {
	issuedQty, openQty, overdueQty, paidQty, creditedQty, cancelledQty, failedQty int64

	issued, open, overdue, paid, credited money
	notCredited, creditOverdue            money
	cancelled, failed, tariff, difference money
	paidFace                              money // face of the paid: the identity of issued needs it
	floatDays, floats                     int64
}

func newSlipDays(basis Basis, asOf ledger.Date) *slipDays {
	return &slipDays{basis: basis, asOf: asOf, lines: make(map[slipDay]*slipLine)}
}

func (d *slipDays) add(s *ledger.Slip, e *ledger.SlipExpectation) {
	k := slipDay{s.Account, d.basis.slipDate(s)}
	line := d.lines[k]
	if line == nil {
		line = &slipLine{}
		d.lines[k] = line
	}
	line.add(s, e, d.asOf)
	d.total.add(s, e, d.asOf)
}

func (l *slipLine) add(s *ledger.Slip, e *ledger.SlipExpectation, asOf ledger.Date) {
	l.issuedQty++
	l.issued.add(s.Value)
	l.tariff.add(e.Tariff.Or(0))
	switch e.Class {
	case ledger.Paid:
		l.addPaid(s, e)
	case ledger.Cancelled:
		l.cancelledQty++
		l.cancelled.add(s.Value)
	case ledger.Failed:
		l.failedQty++
		l.failed.add(s.Value)
	default:
		// The due date's business day is on the counter's calendar; a slip without one is not past it.
		if e.DueAdjusted != 0 && e.DueAdjusted < asOf {
			l.overdueQty++
			l.overdue.add(s.Value)
		} else {
			l.openQty++
			l.open.add(s.Value)
		}
	}
}

func (l *slipLine) addPaid(s *ledger.Slip, e *ledger.SlipExpectation) {
	paid := s.PaidValue.Or(0)
	l.paidQty++
	l.paid.add(paid)
	l.paidFace.add(s.Value)
	l.difference.addBoth(cents(e.Face)-cents(paid), e.Face-paid)
	switch {
	case s.CreditedOn != 0:
		l.creditedQty++
		l.credited.add(paid)
		if e.FloatDays.OK {
			l.floats++
			l.floatDays += e.FloatDays.V
		}
	case e.Rest == ledger.LineCreditOverdue:
		l.creditOverdue.add(paid)
	default:
		l.notCredited.add(paid)
	}
}

// rows hands out the days in report order.
func (d *slipDays) rows(fn func(Row) error) error {
	keys := make([]slipDay, 0, len(d.lines))
	for k := range d.lines {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b slipDay) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.day, b.day))
	})
	row := slipDaysTable.newRow()
	for _, k := range keys {
		line := d.lines[k]
		if err := line.err(); err != nil {
			return fmt.Errorf("slips of %s on %s: %w", k.account, k.day, err)
		}
		copy(row, Row{Text(k.account.String()), Day(k.day)})
		line.fill(row[2:])
		if err := fn(row); err != nil {
			return err
		}
	}
	return d.total.err()
}

// fill sets the figures, from issued_qty on.
func (l *slipLine) fill(row Row) {
	float := Cell{}
	if l.floats > 0 {
		float = Number(divide(l.floatDays, 100, l.floats) * 100)
	}
	copy(row, Row{
		Int(l.issuedQty), l.issued.cell(), Int(l.openQty), l.open.cell(), Int(l.overdueQty), l.overdue.cell(),
		Int(l.paidQty), l.paid.cell(), Int(l.creditedQty), l.credited.cell(),
		l.notCredited.cell(), l.creditOverdue.cell(), Int(l.cancelledQty), l.cancelled.cell(),
		Int(l.failedQty), l.failed.cell(), l.tariff.cell(), l.difference.cell(),
		float, percentOf(l.overdue.printed, l.fellDue()),
	})
}

// fellDue is the face value of what fell due or was paid: issued less open, cancelled and failed.
func (l *slipLine) fellDue() ledger.Amount {
	return l.issued.printed - l.open.printed - l.cancelled.printed - l.failed.printed
}

func (l *slipLine) err() error {
	for _, m := range []*money{
		&l.issued, &l.open, &l.overdue, &l.paid, &l.credited, &l.notCredited, &l.creditOverdue, &l.cancelled, &l.failed,
		&l.tariff, &l.difference, &l.paidFace,
	} {
		if err := m.err(); err != nil {
			return err
		}
	}
	return nil
}
