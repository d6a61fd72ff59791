package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"concilia/export/table"
	"concilia/store/ledger"
)

// SlipDaysTable has a row per day of the basis, in order of account and day.
var SlipDaysTable = &table.Table{ID: "slips-summary", Sheet: "Boletos por dia", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "base_date", Header: "Data base", HeaderEN: "Base date", Type: table.TypeDate},
	{ID: "issued_qty", Header: "Qtd emitidos", HeaderEN: "Issued, number", Type: table.TypeInt},
	{ID: "issued", Header: "Emitidos", HeaderEN: "Issued", Type: table.TypeMoney, Decimals: 2},
	{ID: "open_qty", Header: "Qtd a vencer", HeaderEN: "Not due, number", Type: table.TypeInt},
	{ID: "open", Header: "A vencer", HeaderEN: "Not due", Type: table.TypeMoney, Decimals: 2},
	{ID: "overdue_qty", Header: "Qtd vencidos", HeaderEN: "Overdue, number", Type: table.TypeInt},
	{ID: "overdue", Header: "Vencidos", HeaderEN: "Overdue", Type: table.TypeMoney, Decimals: 2},
	{ID: "paid_qty", Header: "Qtd pagos", HeaderEN: "Paid, number", Type: table.TypeInt},
	{ID: "paid", Header: "Pagos", HeaderEN: "Paid", Type: table.TypeMoney, Decimals: 2},
	{ID: "credited_qty", Header: "Qtd creditados", HeaderEN: "Credited, number", Type: table.TypeInt},
	{ID: "credited", Header: "Creditados", HeaderEN: "Credited", Type: table.TypeMoney, Decimals: 2},
	{ID: "not_credited", Header: "A creditar no prazo", HeaderEN: "To be credited, in time", Type: table.TypeMoney, Decimals: 2},
	{ID: "credit_overdue", Header: "Crédito em atraso", HeaderEN: "Credit overdue", Type: table.TypeMoney, Decimals: 2},
	{ID: "cancelled_qty", Header: "Qtd cancelados", HeaderEN: "Cancelled, number", Type: table.TypeInt},
	{ID: "cancelled", Header: "Cancelados", HeaderEN: "Cancelled", Type: table.TypeMoney, Decimals: 2},
	{ID: "failed_qty", Header: "Qtd recusados", HeaderEN: "Rejected or failed, number", Type: table.TypeInt},
	{ID: "failed", Header: "Recusados", HeaderEN: "Rejected or failed", Type: table.TypeMoney, Decimals: 2},
	{ID: "tariff", Header: "Tarifas", HeaderEN: "Tariffs", Type: table.TypeMoney, Decimals: 2},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Signed: true, InParts: true},
	{ID: "float_days", Header: "Prazo médio até o crédito (d.u.)", HeaderEN: "Average float, business days", Type: table.TypeNumber, Decimals: 2, Null: "none credited", Ratio: true},
	{ID: "delinquency_pct", Header: "Inadimplência %", HeaderEN: "Delinquency %", Type: table.TypeRate, Decimals: 4, Null: "none fell due", Ratio: true},
	{ID: "charges_to_confirm", Header: "Encargos a confirmar", HeaderEN: "Charges to confirm", Type: table.TypeMoney, Decimals: 2, Appended: true},
	{ID: "short", Header: "Pago a menor", HeaderEN: "Paid short", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Appended: true},
	{ID: "over", Header: "Pago a maior", HeaderEN: "Paid over", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Appended: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// SlipDays adds slips up by day of the basis, and in total.
type SlipDays struct {
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

	issued, open, overdue, paid, credited table.Money
	notCredited, creditOverdue            table.Money
	cancelled, failed, tariff, difference table.Money
	short, over                           table.Money // of difference, what was paid less and what more than was due
	toConfirm                             table.Money // paid above the face value, of slips whose late charges no list shows yet
	paidFace                              table.Money // face of the paid: the identity of issued needs it
	floatDays, floats                     int64
}

// NewSlipDays begins an empty one; asOf decides what is overdue.
func NewSlipDays(basis Basis, asOf ledger.Date) SlipDays {
	return SlipDays{basis: basis, asOf: asOf, lines: make(map[slipDay]*slipLine)}
}

// Add counts one slip on its day and in the total.
func (d *SlipDays) Add(s *ledger.Slip, e *ledger.SlipExpectation) {
	k := slipDay{s.Account, d.basis.SlipDate(s)}
	line := d.lines[k]
	if line == nil {
		line = &slipLine{}
		d.lines[k] = line
	}
	line.addSlip(s, e, d.asOf)
	d.total.addSlip(s, e, d.asOf)
}

func (l *slipLine) addSlip(s *ledger.Slip, e *ledger.SlipExpectation, asOf ledger.Date) {
	l.issuedQty++
	l.issued.Add(s.Value)
	l.tariff.Add(e.Tariff.Or(0))
	switch standing := StandingOf(s, e, asOf); standing {
	case StandsCancelled:
		l.cancelledQty++
		l.cancelled.Add(s.Value)
	case StandsFailed:
		l.failedQty++
		l.failed.Add(s.Value)
	case StandsOverdue:
		l.overdueQty++
		l.overdue.Add(s.Value)
	case StandsOpen:
		l.openQty++
		l.open.Add(s.Value)
	default:
		l.addPaid(s, e, standing)
	}
}

// SlipStanding is which column of a day a slip counts in.
type SlipStanding string

// The standings of slips are named like the columns.
const (
	StandsOpen          SlipStanding = "open"           // not past due
	StandsOverdue       SlipStanding = "overdue"        // not paid
	StandsNotCredited   SlipStanding = "not_credited"   // paid, its credit is not late
	StandsCreditOverdue SlipStanding = "credit_overdue" // paid
	StandsCredited      SlipStanding = "credited"
	StandsCancelled     SlipStanding = "cancelled"
	StandsFailed        SlipStanding = "failed"
)

// StandingOf is the state of a slip at an as-of.
func StandingOf(s *ledger.Slip, e *ledger.SlipExpectation, asOf ledger.Date) SlipStanding {
	switch {
	case e.Class == ledger.Paid && s.CreditedOn != 0:
		return StandsCredited
	case e.Class == ledger.Paid && e.Rest == ledger.LineCreditOverdue:
		return StandsCreditOverdue
	case e.Class == ledger.Paid:
		return StandsNotCredited
	case e.Class == ledger.Cancelled:
		return StandsCancelled
	case e.Class == ledger.Failed:
		return StandsFailed
	case e.DueAdjusted != 0 && e.DueAdjusted < asOf:
		// The due date's business day is on the counter's calendar; a slip without one is not past it.
		return StandsOverdue
	}
	return StandsOpen
}

func (l *slipLine) addPaid(s *ledger.Slip, e *ledger.SlipExpectation, standing SlipStanding) {
	paid := s.PaidValue.Or(0)
	l.paidQty++
	l.paid.Add(paid)
	l.paidFace.Add(s.Value)
	if chargesUnknown(e) {
		l.toConfirm.AddRounded(roundToCents(paid)-roundToCents(s.Value), paid-s.Value)
	} else {
		short, exact := roundToCents(e.Face)-roundToCents(paid), e.Face-paid
		l.difference.AddRounded(short, exact)
		l.short.AddRounded(max(short, 0), max(exact, 0))
		l.over.AddRounded(max(-short, 0), max(-exact, 0))
	}
	switch standing {
	case StandsCredited:
		l.creditedQty++
		l.credited.Add(paid)
		if e.FloatDays.OK {
			l.floats++
			l.floatDays += e.FloatDays.V
		}
	case StandsCreditOverdue:
		l.creditOverdue.Add(paid)
	default:
		l.notCredited.Add(paid)
	}
}

// chargesUnknown reports whether a slip was paid late and no list shows yet which part of the payment are charges: what was
// paid above its value is no difference until one does.
func chargesUnknown(e *ledger.SlipExpectation) bool {
	return slices.ContainsFunc(e.Brackets, func(b ledger.Bracket) bool { return b.Line == ledger.LineLateNotShown })
}

// writeRows writes the days in report order, and what came to the bank of them; bank is nil where the set says nothing about it.
func (d *SlipDays) writeRows(out Rows, bank *bankLines[slipDay], bankTotal *bankFigures) error {
	keys := make([]slipDay, 0, len(d.lines))
	for k := range d.lines {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b slipDay) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.day, b.day))
	})
	row := SlipDaysTable.NewRow()
	if bank != nil {
		row = SlipDaysBankTable.NewRow()
	}
	for _, k := range keys {
		line := d.lines[k]
		if err := line.checkOverflow(); err != nil {
			return fmt.Errorf("slips of %s on %s: %w", k.account, k.day, err)
		}
		copy(row, table.Row{table.Text(k.account.String()), table.Day(k.day)})
		line.fillRow(row[2:])
		if err := bank.fill(row, k, k.account, k.day, bankTotal); err != nil {
			return fmt.Errorf("slips of %s on %s: %w", k.account, k.day, err)
		}
		if err := out.Write(row); err != nil {
			return err
		}
	}
	return d.total.checkOverflow()
}

// fillRow sets the figures, from issued_qty on.
func (l *slipLine) fillRow(row table.Row) {
	float := table.Cell{}
	if l.floats > 0 {
		float = table.Number(divideRounded(l.floatDays, 100, l.floats) * 100)
	}
	copy(row, table.Row{
		table.Int(l.issuedQty), l.issued.Cell(), table.Int(l.openQty), l.open.Cell(), table.Int(l.overdueQty), l.overdue.Cell(),
		table.Int(l.paidQty), l.paid.Cell(), table.Int(l.creditedQty), l.credited.Cell(),
		l.notCredited.Cell(), l.creditOverdue.Cell(), table.Int(l.cancelledQty), l.cancelled.Cell(),
		table.Int(l.failedQty), l.failed.Cell(), l.tariff.Cell(), l.difference.Cell(),
		float, percentOf(l.overdue.Printed, l.fellDue()), l.toConfirm.Cell(), l.short.Cell(), l.over.Cell(),
	})
}

// fellDue is the face value of what fell due or was paid: issued less open, cancelled and failed.
func (l *slipLine) fellDue() ledger.Amount {
	return l.issued.Printed - l.open.Printed - l.cancelled.Printed - l.failed.Printed
}

func (l *slipLine) checkOverflow() error {
	for _, m := range []*table.Money{
		&l.issued, &l.open, &l.overdue, &l.paid, &l.credited, &l.notCredited, &l.creditOverdue, &l.cancelled, &l.failed,
		&l.tariff, &l.difference, &l.short, &l.over, &l.toConfirm, &l.paidFace,
	} {
		if err := m.Err(); err != nil {
			return err
		}
	}
	return nil
}

// SlipDayAmounts are sums of printed values of one day, over all accounts.
type SlipDayAmounts struct {
	Day                    ledger.Date
	Issued, Paid, Credited ledger.Amount
}

// ByDay are the days of the basis that have slips, in order.
func (d *SlipDays) ByDay() []SlipDayAmounts {
	days := make(map[ledger.Date]SlipDayAmounts)
	for k, line := range d.lines {
		sum := days[k.day]
		sum.Day = k.day
		sum.Issued, sum.Paid, sum.Credited = sum.Issued+line.issued.Printed, sum.Paid+line.paid.Printed, sum.Credited+line.credited.Printed
		days[k.day] = sum
	}
	return slices.SortedFunc(maps.Values(days), func(a, b SlipDayAmounts) int { return cmp.Compare(a.Day, b.Day) })
}
