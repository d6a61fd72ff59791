package report

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"concilia/export/table"
	"concilia/export/words"
	"concilia/store/ledger"
)

// SlipLine is the line of a month that has the slips; every other line is a brand of cards.
const SlipLine = "slips"

// MonthTable has a row per account and line of a calendar month, in order of account and brand, slips last. Cards are those of the
// summary.
var MonthTable = &table.Table{ID: "month", Sheet: "Mês", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "month", Header: "Mês", HeaderEN: "Month", Type: table.TypeText},
	{ID: "line", Header: "Linha", HeaderEN: "Line", Type: table.TypeText, Null: "no brand sent, and adjustments", Labels: words.Labels("month_line")},
	{ID: "sales", Header: "Qtd vendas", HeaderEN: "Sales", Type: table.TypeInt},
	{ID: "installments", Header: "Qtd parcelas", HeaderEN: "Installments", Type: table.TypeInt},
	{ID: "gross", Header: "Valor bruto", HeaderEN: "Gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "mdr", Header: "MDR", HeaderEN: "MDR", Type: table.TypeMoney, Decimals: 2},
	{ID: "fees", Header: "Tarifas", HeaderEN: "Fees", Type: table.TypeMoney, Decimals: 2},
	{ID: "anticipation", Header: "Antecipação", HeaderEN: "Anticipation", Type: table.TypeMoney, Decimals: 2},
	{ID: "adjustments", Header: "Ajustes de períodos anteriores", HeaderEN: "Adjustments of earlier periods", Type: table.TypeMoney, Decimals: 2},
	{ID: "net_expected", Header: "Líquido esperado", HeaderEN: "Expected net", Type: table.TypeMoney, Decimals: 2},
	{ID: "splits", Header: "Splits", HeaderEN: "Splits", Type: table.TypeMoney, Decimals: 2},
	{ID: "received", Header: "Recebido", HeaderEN: "Received", Type: table.TypeMoney, Decimals: 2},
	{ID: "not_due", Header: "A receber no prazo", HeaderEN: "Not due", Type: table.TypeMoney, Decimals: 2},
	{ID: "overdue", Header: "Em atraso", HeaderEN: "Overdue", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true},
	{ID: "blocked", Header: "Bloqueado", HeaderEN: "Blocked", Type: table.TypeMoney, Decimals: 2},
	{ID: "short", Header: "Recebido a menor", HeaderEN: "Received short", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true},
	{ID: "over", Header: "Recebido a maior", HeaderEN: "Received over", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Signed: true, InParts: true},
	{ID: "cancelled_gross", Header: "Bruto cancelado", HeaderEN: "Cancelled gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "verdict", Header: "Conferência", HeaderEN: "Verdict", Type: table.TypeEnum, Labels: words.Labels("period_verdict")},
	{ID: "last_gross", Header: "Bruto, mês anterior", HeaderEN: "Gross, month before", Type: table.TypeMoney, Decimals: 2, Null: notAllCovered},
	{ID: "last_net_expected", Header: "Líquido esperado, mês anterior", HeaderEN: "Expected net, month before", Type: table.TypeMoney, Decimals: 2, Null: notAllCovered},
	{ID: "last_received", Header: "Recebido, mês anterior", HeaderEN: "Received, month before", Type: table.TypeMoney, Decimals: 2, Null: notAllCovered},
	{ID: "last_difference", Header: "Diferença, mês anterior", HeaderEN: "Difference, month before", Type: table.TypeMoney, Decimals: 2, Null: notAllCovered, HighlightNonZero: true, Signed: true, InParts: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

const notAllCovered = "a day of the month before is not covered"

// MonthDefinition is the kind month.
var MonthDefinition = &Definition{
	Kind: MonthKind, Tables: []*table.Table{MonthTable}, Bases: []Basis{ByOperation, ByCredit}, Formats: ExceptEDI,
	FollowsFromRows: true,
	Unfiltered:      true, WholeMonth: true,
	View: map[string]View{"month": {
		PageColumns: "account line sales gross net_expected received not_due overdue difference verdict last_gross last_received", FrozenColumns: 3,
	}},
	Begin:     beginMonth,
	NewReader: func(ledger.Date) RowReader { return &monthReader{terms: make(map[string]ledger.Amount)} },
}

// MonthItem is what a line of a month is of: a brand of cards, or all slips.
type MonthItem struct{ Side, Brand string }

// line is the line's id.
func (i MonthItem) line() string {
	if i.Side == SlipSide {
		return SlipLine
	}
	return i.Brand
}

// AccountMonth is a month of an account as the reconcile of the run kept it, and the month before it.
type AccountMonth struct {
	Account     ledger.Account
	Now, Before []ledger.MonthLine
	// Adjusted are the changes of closed periods that were first seen in the month, and AdjustedBefore those seen in the one before.
	Adjusted, AdjustedBefore []MonthAdjustment
	Verdicts                 MonthVerdicts
}

// MonthAdjustment is what the changes of a day come to, as printed and exactly.
type MonthAdjustment struct{ Printed, Exact ledger.RestatedSums }

// MonthVerdicts are the worst verdicts that cases and rows leave: to the lines that they are of, and to all lines of a side where
// they are of none in particular, such as a case of a whole day.
type MonthVerdicts struct {
	Items map[MonthItem]ledger.Verdict
	Sides map[string]ledger.Verdict
}

// MonthDays is what is known of the days of one side of an account.
type MonthDays struct {
	Incomplete bool // a day of the month was not answered completely, or a critical case is open
	Compared   bool // every day of the month before was answered completely
}

// MonthSides are both sides of an account.
type MonthSides struct{ Cards, Slips MonthDays }

// Of returns the days of a side.
func (s MonthSides) Of(side string) MonthDays {
	if side == SlipSide {
		return s.Slips
	}
	return s.Cards
}

// monthLine is a line of the report.
type monthLine struct {
	sales, installments int64
	amounts             [ledger.MonthAmountCount]table.Money
	adjusted            table.Money
	last                [len(lastAmounts)]table.Money
	verdict             ledger.Verdict
}

// lastAmounts are shown of the month before, too.
var lastAmounts = [...]ledger.MonthAmount{ledger.MonthGross, ledger.MonthNetExpected, ledger.MonthReceived, ledger.MonthDifference}

// Month writes the lines of each account.
type Month struct {
	ColumnTotals
	set          *Set
	out          Rows
	cards, slips monthLine // of all accounts
	verdicts     map[ledger.Account]ledger.Verdict
}

// monthLines are the lines of an account.
type monthLines map[MonthItem]*monthLine

// find returns the line of an item, a new one when there is none yet.
func (m monthLines) find(side, brand string) *monthLine {
	item := MonthItem{side, brand}
	if m[item] == nil {
		m[item] = &monthLine{}
	}
	return m[item]
}

func beginMonth(_ context.Context, set *Set) (Content, error) {
	out, err := set.Open(MonthTable)
	return &Month{set: set, out: out, verdicts: make(map[ledger.Account]ledger.Verdict)}, err
}

// Intake takes the month of each account, in their order.
func (m *Month) Intake() Intake { return Intake{Month: m.addAccount} }

// Verdicts are the worst verdict of the lines of each account.
func (m *Month) Verdicts() map[ledger.Account]ledger.Verdict { return m.verdicts }

// addAccount writes the lines of an account. Adjustments have no brand.
func (m *Month) addAccount(a *AccountMonth) error {
	lines, days := make(monthLines), m.set.Months[a.Account]
	for i := range a.Now {
		if l := &a.Now[i]; hasMonthRow(l) {
			lines.find(l.Side, l.Brand).add(l)
		}
	}
	for i := range a.Adjusted {
		lines.find(CardSide, "").addAdjustment(&a.Adjusted[i])
	}
	for i := range a.Before {
		if l := &a.Before[i]; hasMonthRow(l) && days.Of(l.Side).Compared {
			lines.find(l.Side, l.Brand).addLast(l)
		}
	}
	for i := range a.AdjustedBefore {
		if days.Cards.Compared {
			lines.find(CardSide, "").addLastAdjustment(&a.AdjustedBefore[i])
		}
	}
	lines.decideVerdicts(&a.Verdicts, days)
	return m.writeLines(a.Account, lines)
}

// hasMonthRow reports whether a line of a month is in the report: one of slips that were not paid, or of nothing but reversed rows
// without gross, is not.
func hasMonthRow(l *ledger.MonthLine) bool {
	return l.Sales != 0 || l.Installments != 0 || l.Printed[ledger.MonthCancelledGross] != 0 || l.Exact[ledger.MonthCancelledGross] != 0
}

// writeLines writes the lines of an account in report order, and adds them up.
func (m *Month) writeLines(a ledger.Account, lines monthLines) error {
	row := MonthTable.NewRow()
	for _, item := range slices.SortedFunc(maps.Keys(lines), func(x, y MonthItem) int {
		return cmp.Or(cmp.Compare(x.Side, y.Side), cmp.Compare(x.Brand, y.Brand))
	}) {
		line := lines[item]
		if item.Side == SlipSide {
			m.slips.merge(line)
		} else {
			m.cards.merge(line)
		}
		m.verdicts[a] = m.verdicts[a].Worse(line.verdict)
		clear(row)
		copy(row, table.Row{table.Text(a.String()), table.Text(ledger.MonthText(m.set.Period.From)), table.Text(item.line())})
		line.fillRow(row[3:], m.set.Months[a].Of(item.Side).Compared)
		if err := errors.Join(line.checkOverflow(), m.out.Write(row)); err != nil {
			return fmt.Errorf("month of account %s, %s: %w", a, item.line(), err)
		}
	}
	return errors.Join(m.cards.checkOverflow(), m.slips.checkOverflow())
}

// decideVerdicts sets the verdict of each line: incomplete with its side, else the worst of its own cases and rows and of those that
// are of no line in particular.
func (m monthLines) decideVerdicts(verdicts *MonthVerdicts, days MonthSides) {
	whole := make(map[string]ledger.Verdict)
	maps.Copy(whole, verdicts.Sides)
	for item, v := range verdicts.Items {
		if m[item] == nil { // of a row that vanished, say
			whole[item.Side] = whole[item.Side].Worse(v)
		}
	}
	for item, line := range m {
		line.verdict = ledger.Reconciled.Worse(verdicts.Items[item]).Worse(whole[item.Side])
		if days.Of(item.Side).Incomplete {
			line.verdict = ledger.Incomplete
		}
	}
}

func (l *monthLine) add(o *ledger.MonthLine) {
	l.sales += o.Sales
	l.installments += o.Installments
	for i := range l.amounts {
		l.amounts[i].AddRounded(o.Printed[i], o.Exact[i])
	}
}

func (l *monthLine) addLast(o *ledger.MonthLine) {
	for i, amount := range lastAmounts {
		l.last[i].AddRounded(o.Printed[amount], o.Exact[amount])
	}
}

// addAdjustment adds changes of closed periods as the summary does.
func (l *monthLine) addAdjustment(a *MonthAdjustment) {
	var s summaryLine
	s.addAdjustment(&a.Printed, &a.Exact)
	l.adjusted.Merge(&s.adjusted)
	for amount, m := range s.monthAmounts() {
		l.amounts[amount].Merge(&m)
	}
}

// addLastAdjustment adds changes of closed periods to the month before.
func (l *monthLine) addLastAdjustment(a *MonthAdjustment) {
	var s summaryLine
	s.addAdjustment(&a.Printed, &a.Exact)
	amounts := s.monthAmounts()
	for i, amount := range lastAmounts {
		l.last[i].Merge(&amounts[amount])
	}
}

// monthAmounts are the amounts of a line of the summary as a month has them.
func (l *summaryLine) monthAmounts() [ledger.MonthAmountCount]table.Money {
	return [ledger.MonthAmountCount]table.Money{
		ledger.MonthGross: l.gross, ledger.MonthMDR: l.mdr, ledger.MonthFees: SumMoney(l.fee, l.antifraud), ledger.MonthAnticipation: l.anticipation,
		ledger.MonthNetExpected: l.net, ledger.MonthSplits: l.splits, ledger.MonthReceived: l.received, ledger.MonthNotDue: l.notDue,
		ledger.MonthOverdue: l.overdue, ledger.MonthBlocked: l.blocked, ledger.MonthShort: l.short, ledger.MonthOver: l.over,
		ledger.MonthDifference: l.difference, ledger.MonthCancelledGross: l.cancelledGross,
		ledger.MonthCancelledReceived: l.cancelledReceived,
	}
}

// allAmounts are the line's amounts.
func (l *monthLine) allAmounts() []*table.Money {
	out := []*table.Money{&l.adjusted}
	for i := range l.amounts {
		out = append(out, &l.amounts[i])
	}
	for i := range l.last {
		out = append(out, &l.last[i])
	}
	return out
}

func (l *monthLine) merge(o *monthLine) {
	l.sales += o.sales
	l.installments += o.installments
	theirs := o.allAmounts()
	for i, m := range l.allAmounts() {
		m.Merge(theirs[i])
	}
}

func (l *monthLine) checkOverflow() (err error) {
	for _, m := range l.allAmounts() {
		err = cmp.Or(err, m.Err())
	}
	return err
}

// fillRow sets the cells from sales on; compared says whether the month before is shown.
func (l *monthLine) fillRow(row table.Row, compared bool) {
	of := func(a ledger.MonthAmount) table.Cell { return l.amounts[a].Cell() }
	copy(row, table.Row{
		table.Int(l.sales), table.Int(l.installments), of(ledger.MonthGross), of(ledger.MonthMDR), of(ledger.MonthFees), of(ledger.MonthAnticipation),
		l.adjusted.Cell(), of(ledger.MonthNetExpected), of(ledger.MonthSplits), of(ledger.MonthReceived), of(ledger.MonthNotDue),
		of(ledger.MonthOverdue), of(ledger.MonthBlocked), of(ledger.MonthShort), of(ledger.MonthOver), of(ledger.MonthDifference),
		of(ledger.MonthCancelledGross), table.Text(string(l.verdict)),
	})
	if !compared {
		return
	}
	last := MonthTable.ColumnIndex("last_gross") - MonthTable.ColumnIndex("sales")
	for i := range l.last {
		row[last+i] = l.last[i].Cell()
	}
}

// monthColumns are the columns of a month's amounts that the summary has too: its columns add up to them.
var monthColumns = []struct {
	amount  ledger.MonthAmount
	column  string
	summary string
}{
	{ledger.MonthGross, "gross", "summary.gross"},
	{ledger.MonthMDR, "mdr", "summary.mdr"},
	{ledger.MonthFees, "fees", "summary.transaction_fee + summary.antifraud_fee"},
	{ledger.MonthAnticipation, "anticipation", "summary.anticipation_cost"},
	{ledger.MonthNetExpected, "net_expected", "summary.net_expected"},
	{ledger.MonthSplits, "splits", "summary.splits"},
	{ledger.MonthReceived, "received", "summary.received"},
	{ledger.MonthNotDue, "not_due", "summary.not_due"},
	{ledger.MonthOverdue, "overdue", "summary.overdue"},
	{ledger.MonthBlocked, "blocked", "summary.blocked"},
	{ledger.MonthShort, "short", "summary.short"},
	{ledger.MonthOver, "over", "summary.over"},
	{ledger.MonthDifference, "difference", "summary.difference"},
	{ledger.MonthCancelledGross, "cancelled_gross", "summary.cancelled_gross"},
}

// Identities are that net is what was received and what is still to come, and that cards are those of the summary, column by column.
// A set over all accounts whose summary has accounts that the month leaves out has the first alone.
func (m *Month) Identities() []Identity {
	all := sumMonthLines(&m.cards, &m.slips)
	of := func(a ledger.MonthAmount) table.Money { return all.amounts[a] }
	out := []Identity{NewIdentity(
		"month_by_standing", "month.net_expected = month.received + month.not_due + month.overdue + month.blocked + month.short - month.over",
		of(ledger.MonthNetExpected), NegateMoney(of(ledger.MonthReceived)), NegateMoney(of(ledger.MonthNotDue)), NegateMoney(of(ledger.MonthOverdue)),
		NegateMoney(of(ledger.MonthBlocked)), NegateMoney(of(ledger.MonthShort)), of(ledger.MonthOver),
	)}
	summary := ContentOf[*Summary](m.set, SummaryKind)
	if summary == nil || m.leavesOut(summary) {
		return PlaceUnderTable(MonthTable, out)
	}
	theirs := summary.total.monthAmounts()
	for _, c := range monthColumns {
		out = append(out, NewIdentity("month_"+c.column, "month.cards."+c.column+" = "+c.summary, m.cards.amounts[c.amount], NegateMoney(theirs[c.amount])))
	}
	out = append(out, NewIdentity("month_adjustments", "month.cards.adjustments = summary.other_adjustments", m.cards.adjusted, NegateMoney(summary.total.adjusted)))
	return PlaceUnderTable(MonthTable, out)
}

func sumMonthLines(lines ...*monthLine) (sum monthLine) {
	for _, l := range lines {
		sum.merge(l)
	}
	return sum
}

// leavesOut reports whether the summary has an account that the month has not.
func (m *Month) leavesOut(summary *Summary) bool {
	for k := range summary.lines {
		if _, has := m.set.Months[k.account]; !has {
			return true
		}
	}
	return false
}

// monthReader checks that each row's net is what was received and what is still to come, and adds up the cards.
type monthReader struct{ terms map[string]ledger.Amount }

func (r *monthReader) ReadRow(t *table.Table, row table.Row) error {
	amount := func(id string) ledger.Amount { return ledger.Amount(row[t.ColumnIndex(id)].N) }
	should := amount("received") + amount("not_due") + amount("overdue") + amount("blocked") + amount("short") - amount("over")
	if is := amount("net_expected"); is != should {
		return fmt.Errorf("net_expected says %s, its parts come to %s", is, should)
	}
	isSlips := row[t.ColumnIndex("line")].S == SlipLine && amount("installments") == 0
	for _, c := range append([]string{"adjustments"}, monthColumnIDs()...) {
		r.terms["month.cards."+c] += 0
		if !isSlips {
			r.terms["month.cards."+c] += amount(c)
		}
	}
	return nil
}

func monthColumnIDs() []string {
	out := make([]string, 0, len(monthColumns))
	for _, c := range monthColumns {
		out = append(out, c.column)
	}
	return out
}

func (r *monthReader) Terms() map[string]ledger.Amount { return r.terms }
