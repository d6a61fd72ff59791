package ledger

// MonthAmount is an amount of a MonthLine.
type MonthAmount int

// The amounts of a line of a month. Those of cards are defined as in the report summary; of slips, see MonthLine.
const (
	MonthGross MonthAmount = iota
	MonthMDR
	MonthFees // transaction and antifraud
	MonthAnticipation
	MonthNetExpected
	MonthSplits
	MonthReceived
	MonthNotDue
	MonthOverdue
	MonthBlocked
	MonthShort
	MonthOver
	MonthDifference
	MonthCancelledGross
	MonthCancelledReceived
	MonthAmountCount // the number of amounts
)

// MonthLine is a month of an account as a reconcile kept it: of a brand of cards, or of all slips.
//
// Of slips, Sales are those paid, gross what they should have brought, fees the tariffs, net expected what was paid and is
// missing less the tariffs: charges that no list has shown yet are in it. Received, not due and overdue are credits less the tariffs.
type MonthLine struct {
	Account      Account
	Basis        string // operation or credit
	Month        Date   // its first day
	Side         string // cards or slips
	Brand        string // of cards; empty: none sent
	Sales        int64
	Installments int64
	Printed      [MonthAmountCount]Amount // sums of amounts rounded to cents
	Exact        [MonthAmountCount]Amount
}

// Add adds another line's figures.
func (l *MonthLine) Add(o *MonthLine) {
	l.Sales += o.Sales
	l.Installments += o.Installments
	for i := range l.Printed {
		l.Printed[i] += o.Printed[i]
		l.Exact[i] += o.Exact[i]
	}
}
