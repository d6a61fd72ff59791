package report

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"concilia/export/table"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// SummaryTable has a row per day of the basis, brand, product and band, in order of account, base_date, brand,
// product, band.
var SummaryTable = &table.Table{ID: "summary", Sheet: "Resumo", Layout: 1, Columns: []table.Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: table.TypeText, Digits: true},
	{ID: "base_date", Header: "Data base", HeaderEN: "Base date", Type: table.TypeDate},
	{ID: "brand", Header: "Bandeira", HeaderEN: "Brand", Type: table.TypeText, Null: "no brand sent"},
	{ID: "product", Header: "Produto", HeaderEN: "Product", Type: table.TypeEnum, Labels: ProductLabels},
	{ID: "band", Header: "Faixa de parcelas", HeaderEN: "Installment band", Type: table.TypeText, Null: "product adjustment", Labels: bandLabels},
	{ID: "sales", Header: "Qtd vendas", HeaderEN: "Sales", Type: table.TypeInt, Distinct: true},
	{ID: "installments", Header: "Qtd parcelas", HeaderEN: "Installments", Type: table.TypeInt},
	{ID: "gross", Header: "Valor bruto", HeaderEN: "Gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "mdr", Header: "MDR", HeaderEN: "MDR", Type: table.TypeMoney, Decimals: 2},
	{ID: "mdr_effective_pct", Header: "MDR efetivo %", HeaderEN: "Effective MDR %", Type: table.TypeRate, Decimals: 4, Null: "gross 0", Ratio: true},
	{ID: "transaction_fee", Header: "Tarifa de transação", HeaderEN: "Transaction fee", Type: table.TypeMoney, Decimals: 2},
	{ID: "antifraud_fee", Header: "Tarifa antifraude", HeaderEN: "Antifraud fee", Type: table.TypeMoney, Decimals: 2},
	{ID: "anticipation_cost", Header: "Custo de antecipação", HeaderEN: "Anticipation cost", Type: table.TypeMoney, Decimals: 2},
	{ID: "other_adjustments", Header: "Ajustes de períodos anteriores", HeaderEN: "Adjustments of earlier periods", Type: table.TypeMoney, Decimals: 2},
	{ID: "splits", Header: "Splits", HeaderEN: "Splits", Type: table.TypeMoney, Decimals: 2},
	{ID: "net_expected", Header: "Líquido esperado", HeaderEN: "Expected net", Type: table.TypeMoney, Decimals: 2},
	{ID: "net_kept", Header: "Recebido menos splits", HeaderEN: "Received less splits", Type: table.TypeMoney, Decimals: 2},
	{ID: "net_contract", Header: "Líquido contratual", HeaderEN: "Contract net", Type: table.TypeMoney, Decimals: 2},
	{ID: "received", Header: "Recebido", HeaderEN: "Received", Type: table.TypeMoney, Decimals: 2},
	{ID: "not_due", Header: "A receber no prazo", HeaderEN: "Not due", Type: table.TypeMoney, Decimals: 2},
	{ID: "overdue", Header: "Em atraso", HeaderEN: "Overdue", Type: table.TypeMoney, Decimals: 2},
	{ID: "blocked", Header: "Bloqueado", HeaderEN: "Blocked", Type: table.TypeMoney, Decimals: 2},
	{ID: "short", Header: "Recebido a menor", HeaderEN: "Received short", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true},
	{ID: "over", Header: "Recebido a maior", HeaderEN: "Received over", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true},
	{ID: "overcharge", Header: "Cobrado além do contrato", HeaderEN: "Charged above contract", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Signed: true},
	{ID: "difference", Header: "Diferença", HeaderEN: "Difference", Type: table.TypeMoney, Decimals: 2, HighlightNonZero: true, Signed: true, InParts: true},
	{ID: "cancelled_installments", Header: "Qtd canceladas", HeaderEN: "Cancelled installments", Type: table.TypeInt},
	{ID: "cancelled_gross", Header: "Bruto cancelado", HeaderEN: "Cancelled gross", Type: table.TypeMoney, Decimals: 2},
	{ID: "cancelled_received", Header: "Recebido de canceladas", HeaderEN: "Received on cancelled", Type: table.TypeMoney, Decimals: 2},
	{ID: "exceptions_error", Header: "Exceções: erros", HeaderEN: "Exceptions: errors", Type: table.TypeInt},
	{ID: "exceptions_warning", Header: "Exceções: avisos", HeaderEN: "Exceptions: warnings", Type: table.TypeInt},
	{ID: "splits_received", Header: "Splits dos recebidos", HeaderEN: "Splits of received rows", Type: table.TypeMoney, Decimals: 2, Appended: true},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: table.TypeHash},
}}

// SummaryDefinition is the kind summary.
var SummaryDefinition = &Definition{
	Kind: SummaryKind, Side: CardSide, Tables: []*table.Table{SummaryTable}, BankTables: []*table.Table{SummaryBankTable}, Bases: cardBases, Formats: ExceptEDI,
	FollowsFromRows: true,
	Needs:           []Kind{InstallmentsKind, SplitsKind},
	View: map[string]View{"summary": {
		PageColumns: "account base_date brand product band installments gross net_expected received not_due overdue short over overcharge bank_credited bank_difference",
	}},
	Begin: beginSummary,
}

// Summary adds installments up into lines and a total. Rows come in order of account and sale day, because sales
// are counted day by day: that keeps the memory to a day's sales.
type Summary struct {
	set   *Set
	out   Rows
	lines map[summaryKey]*summaryLine
	// lastKey and lastLine are those of the row added last; lastLine is nil before, and after lines were added as a whole.
	lastKey  summaryKey
	lastLine *summaryLine
	total    summaryLine // until Finish its sales alone: the rest follows from the lines

	bank        *bankLines[summaryKey] // nil: the set says nothing about a bank
	bankTotal   bankFigures
	salesOfDay  map[saleOnLine]struct{}
	lastCounted saleOnLine // of the row counted last
	salesBefore int64      // sales of the days that TakeDay and AddDay had
	account     ledger.Account
	day         ledger.Date
}

type summaryKey struct {
	account ledger.Account
	day     ledger.Date
	brand   string
	product ledger.Product
	band    string
}

// saleOnLine is a sale on one line, or on the total when the line is nil.
type saleOnLine struct {
	line *summaryLine
	sale ledger.SaleKey
}

// summaryLine holds the figures of a line. Cancelled and charged-back rows are only in the cancelled ones.
type summaryLine struct {
	sales, installments int64

	gross, mdr, fee, antifraud, anticipation, splits table.Money
	net, contract                                    table.Money
	adjusted                                         table.Money // by changes of closed periods: what they take from net

	received, notDue, overdue, blocked, short, over table.Money
	splitsReceived                                  table.Money // splits of the rows that received counts
	overcharge, difference                          table.Money

	cancelled               int64
	cancelledGross          table.Money
	cancelledReceived       table.Money
	errorCases, warnedCases int64
}

func beginSummary(_ context.Context, set *Set) (Content, error) {
	t := SummaryTable
	if set.BankColumns {
		t = SummaryBankTable
	}
	out, err := set.Open(t)
	return &Summary{
		set: set, out: out, lines: make(map[summaryKey]*summaryLine), salesOfDay: make(map[saleOnLine]struct{}),
	}, err
}

// Intake takes installments in order of account and sale day.
func (s *Summary) Intake() Intake { return Intake{Card: s.addInstallment} }

// CardSummary is the sums of the rows of one account, without cases and adjustments of closed periods.
type CardSummary struct {
	lines map[summaryKey]*summaryLine
	sales int64 // each counted once
}

// Lines is how many lines it has.
func (c *CardSummary) Lines() int { return len(c.lines) }

// CardSummary returns the sums of the rows read. It must be called after the last row and before Finish.
func (s *Summary) CardSummary() *CardSummary {
	out := &CardSummary{lines: make(map[summaryKey]*summaryLine, len(s.lines)), sales: s.total.sales}
	for k, line := range s.lines {
		copied := *line
		out.lines[k] = &copied
	}
	return out
}

// AddCardSummary adds the rows of an account, or of a sale day, by their sums. It does not change c.
func (s *Summary) AddCardSummary(c *CardSummary) {
	s.lastLine = nil
	for k, line := range c.lines {
		copied := *line
		s.lines[k] = &copied
	}
	s.total.sales += c.sales
}

// Finish adds the cases that fire and the adjustments of closed periods, and writes the lines.
func (s *Summary) Finish(ctx context.Context) error {
	sales := s.total.sales
	for _, line := range s.lines {
		s.total.addLine(line)
	}
	s.total.sales = sales // those on several lines are one
	if err := s.set.Source.Firing(ctx, s.addCases); err != nil {
		return err
	}
	err := s.set.Source.Adjustments(ctx, func(a ledger.Account, day ledger.Date, printed, exact ledger.RestatedSums) error {
		line := &summaryLine{}
		for _, l := range []*summaryLine{line, &s.total} {
			l.addAdjustment(&printed, &exact)
		}
		s.lines[summaryKey{account: a, day: day, product: ledger.Adjustment}] = line
		return nil
	})
	if err != nil {
		return err
	}
	s.bank, err = readBankLines(ctx, s.set, banking.CreditedCards, func(c *banking.Credit) summaryKey {
		return summaryKey{c.Account, c.Day, c.Brand, c.Product, c.Band}
	})
	if err != nil {
		return err
	}
	return s.writeLines()
}

// addCases counts cases in their line and in the total. A line without rows has none: its cases are left to the proof.
func (s *Summary) addCases(c *LineCases) error {
	line := s.lines[summaryKey{c.Account, c.Day, c.Brand, c.Product, c.Band}]
	if line == nil {
		return nil
	}
	for _, l := range []*summaryLine{line, &s.total} {
		l.errorCases += c.Errors
		l.warnedCases += c.Warnings
	}
	return nil
}

// Identities are those of the total.
func (s *Summary) Identities() []Identity { return s.total.totalIdentities(s.set.NetOfSplits) }

// AddTotals sets the totals of cards.
func (s *Summary) AddTotals(t *Totals) { t.Cards = s.total.cardTotals() }

// FillTotals sets the totals that are no sums of lines: averages, and sales that are on several lines.
func (s *Summary) FillTotals(_ *table.Table, row table.Row) bool {
	s.total.fillRow(row[5:], s.set.NetOfSplits)
	if s.bank != nil {
		copy(row[len(row)-len(bankColumns):], s.bankTotal.cells())
	}
	return true
}

// Subtotals are rows of the table that add its lines up: one for each account, then for each brand, then for each product. Of the
// columns that say what a line is about a row has that one. It has no number of sales, since a sale may be on several lines, and
// nothing of banks. It is called after Finish.
func (s *Summary) Subtotals() (out []table.Row) {
	for _, by := range []struct {
		column string
		cell   func(summaryKey) table.Cell
	}{
		{"account", func(k summaryKey) table.Cell { return table.Text(k.account.String()) }},
		{"brand", func(k summaryKey) table.Cell { return table.Text(k.brand) }},
		{"product", func(k summaryKey) table.Cell { return table.Text(string(k.product)) }},
	} {
		sums := map[string]*summaryLine{}
		for k, line := range s.lines {
			name := by.cell(k).S
			if sums[name] == nil {
				sums[name] = &summaryLine{}
			}
			sums[name].addLine(line)
		}
		for _, name := range slices.Sorted(maps.Keys(sums)) {
			row := SummaryTable.NewRow()
			row[SummaryTable.ColumnIndex(by.column)] = table.Text(name)
			sums[name].fillRow(row[5:], s.set.NetOfSplits)
			row[SummaryTable.ColumnIndex("sales")] = table.Cell{}
			out = append(out, row)
		}
	}
	return out
}

// DistinctTotals are the sales, each counted once.
func (s *Summary) DistinctTotals(*table.Table) map[string]int64 {
	return map[string]int64{"sales": s.total.sales}
}

// LedgerSums sets net_kept to received if splits are deducted before, because the ledger's query does not depend on the profile.
func (s *Summary) LedgerSums(_ *table.Table, sums Sums) Sums {
	if s.set.NetOfSplits {
		sums.Columns = maps.Clone(sums.Columns)
		sums.Columns["net_kept"] = sums.Columns["received"]
	}
	return s.bank.lessUnplaced(sums)
}

// addInstallment counts one installment in its line and in the total.
func (s *Summary) addInstallment(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
	if err := s.beginSaleDay(v); err != nil {
		return err
	}
	line := s.findLine(summaryKey{v.Account, s.set.Basis.CardDate(v), e.Brand, e.Product, e.Band})
	line.addInstallment(v, e)
	if e.Class.IsReversal() {
		return nil
	}
	s.countSale(saleOnLine{line, v.SaleKey()})
	return nil
}

// findLine returns the line of a key, new if there is none yet. Most rows are on the line of the row before.
func (s *Summary) findLine(k summaryKey) *summaryLine {
	if s.lastLine != nil && k == s.lastKey {
		return s.lastLine
	}
	line := s.lines[k]
	if line == nil {
		line = &summaryLine{}
		s.lines[k] = line
	}
	s.lastKey, s.lastLine = k, line
	return line
}

// beginSaleDay clears the sales of the previous day when a new day begins, and checks that rows come in report order.
func (s *Summary) beginSaleDay(v *ledger.InstallmentVersion) error {
	day := v.SoldAt.Date()
	if v.Account == s.account && day == s.day {
		return nil
	}
	if v.Account < s.account || v.Account == s.account && day < s.day {
		return fmt.Errorf("installment %s came after one of account %s and %s: rows must come in report order",
			v.Key().Subject(), s.account, s.day)
	}
	s.account, s.day = v.Account, day
	clear(s.salesOfDay)
	return nil
}

// countSale counts the sale of a row, once on its line and once in the total. It must not be called for reversed rows, which are no sales.
func (s *Summary) countSale(of saleOnLine) {
	if of == s.lastCounted {
		return // as of most rows: those of a sale follow each other
	}
	s.lastCounted = of
	if s.isFirst(of) {
		of.line.sales++
	}
	if of.line = nil; s.isFirst(of) {
		s.total.sales++
	}
}

// isFirst reports whether no row of the day was of that sale and on that line before.
func (s *Summary) isFirst(of saleOnLine) bool {
	if _, ok := s.salesOfDay[of]; ok {
		return false
	}
	s.salesOfDay[of] = struct{}{}
	return true
}

func (l *summaryLine) addInstallment(v *ledger.InstallmentVersion, e *ledger.Expectation) {
	gross, received := ledger.FromCents(e.GrossCents), v.Received.Or(0)
	if e.Class.IsReversal() {
		l.cancelled++
		l.cancelledGross.AddRounded(gross, v.Gross)
		l.cancelledReceived.Add(received)
		return
	}
	l.installments++
	l.gross.AddRounded(gross, v.Gross)
	l.mdr.Add(v.MDR.Or(0))
	l.fee.Add(v.Fee.Or(0))
	l.antifraud.Add(v.Antifraud.Or(0))
	l.anticipation.Add(v.Anticipation.Or(0))
	l.splits.AddRounded(SplitCents(v), v.SplitTotal())
	l.net.Add(e.Net)
	l.contract.Add(e.NetContract)

	n, s, r := roundToCents(e.Net), roundToCents(e.NetContract), roundToCents(received)
	open, openExact := n-r, e.Net-received
	l.overcharge.AddRounded(s-n, e.NetContract-e.Net)
	l.difference.AddRounded(s-n, e.NetContract-e.Net)
	switch settlementLine(e) {
	case ledger.LineReceived:
		l.received.AddRounded(r, received)
		l.splitsReceived.AddRounded(SplitCents(v), v.SplitTotal())
		l.short.AddRounded(max(open, 0), max(openExact, 0))
		l.over.AddRounded(max(-open, 0), max(-openExact, 0))
		l.difference.AddRounded(open, openExact)
	case ledger.LineBlocked:
		l.blocked.AddRounded(open, openExact)
	case ledger.LineOverdue:
		l.overdue.AddRounded(open, openExact)
	default:
		l.notDue.AddRounded(open, openExact)
	}
}

// settlementLine returns the line of a row that is not reversed, from its last bracket: blocked, overdue, not due (also without a
// forecast), and received for everything else.
func settlementLine(e *ledger.Expectation) ledger.BridgeLine {
	switch e.Rest {
	case ledger.LineBlocked, ledger.LineOverdue:
		return e.Rest
	case ledger.LineNotDue, ledger.LineNoForecast:
		return ledger.LineNotDue
	}
	return ledger.LineReceived
}

// SplitCents returns the sum of the printed values of an installment's splits.
func SplitCents(v *ledger.InstallmentVersion) ledger.Amount {
	var sum ledger.Amount
	for i := range v.Splits {
		sum += roundToCents(v.Splits[i].Value.Or(0))
	}
	return sum
}

// roundToCents rounds an amount to two decimals.
func roundToCents(a ledger.Amount) ledger.Amount { return a.Rounded(ledger.HalfAwayFromZero) }

// writeLines writes the lines in report order.
func (s *Summary) writeLines() error {
	keys := make([]summaryKey, 0, len(s.lines))
	for k := range s.lines {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b summaryKey) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.day, b.day), cmp.Compare(a.brand, b.brand),
			cmp.Compare(a.product, b.product), cmp.Compare(a.band, b.band))
	})
	row := SummaryTable.NewRow()
	if s.bank != nil {
		row = SummaryBankTable.NewRow()
	}
	for _, k := range keys {
		line := s.lines[k]
		if err := line.checkOverflow(); err != nil {
			return fmt.Errorf("summary of %s %s %s: %w", k.account, k.day, k.brand, err)
		}
		copy(row, table.Row{table.Text(k.account.String()), table.Day(k.day), table.Text(k.brand), table.Text(string(k.product)), table.Text(k.band)})
		line.fillRow(row[5:], s.set.NetOfSplits)
		if err := s.bank.fill(row, k, k.account, k.day, &s.bankTotal); err != nil {
			return fmt.Errorf("summary of %s %s %s: %w", k.account, k.day, k.brand, err)
		}
		if err := s.out.Write(row); err != nil {
			return err
		}
	}
	return cmp.Or(s.total.checkOverflow(), s.bankTotal.err())
}

// fillRow sets the figures, from sales on.
func (l *summaryLine) fillRow(row table.Row, netOfSplit bool) {
	copy(row, table.Row{
		table.Int(l.sales), table.Int(l.installments), l.gross.Cell(), l.mdr.Cell(), percentOf(l.mdr.Printed, l.gross.Printed),
		l.fee.Cell(), l.antifraud.Cell(), l.anticipation.Cell(), l.adjusted.Cell(), l.splits.Cell(),
		l.net.Cell(), l.netKept(netOfSplit).Cell(), l.contract.Cell(),
		l.received.Cell(), l.notDue.Cell(), l.overdue.Cell(), l.blocked.Cell(), l.short.Cell(), l.over.Cell(),
		l.overcharge.Cell(), l.difference.Cell(),
		table.Int(l.cancelled), l.cancelledGross.Cell(), l.cancelledReceived.Cell(), table.Int(l.errorCases), table.Int(l.warnedCases),
		l.splitsReceived.Cell(),
	})
}

// netKept is what stays with the account of what was received: less the splits of those rows, unless they were taken out of
// it before. Splits of rows still to be received will be paid out of what they bring.
func (l *summaryLine) netKept(netOfSplit bool) table.Money {
	if netOfSplit {
		return l.received
	}
	return table.Money{
		Printed: l.received.Printed - l.splitsReceived.Printed, Exact: l.received.Exact - l.splitsReceived.Exact,
	}
}

// allAmounts are the line's amounts.
func (l *summaryLine) allAmounts() []*table.Money {
	return []*table.Money{
		&l.gross, &l.mdr, &l.fee, &l.antifraud, &l.anticipation, &l.splits, &l.adjusted, &l.net, &l.contract, &l.received, &l.notDue,
		&l.splitsReceived, &l.overdue, &l.blocked, &l.short, &l.over, &l.overcharge, &l.difference, &l.cancelledGross, &l.cancelledReceived,
	}
}

// addLine adds another line to this one.
func (l *summaryLine) addLine(other *summaryLine) {
	l.sales += other.sales
	l.installments += other.installments
	l.cancelled += other.cancelled
	l.errorCases += other.errorCases
	l.warnedCases += other.warnedCases
	theirs := other.allAmounts()
	for i, m := range l.allAmounts() {
		m.Merge(theirs[i])
	}
}

func (l *summaryLine) checkOverflow() error {
	for _, m := range l.allAmounts() {
		if err := m.Err(); err != nil {
			return err
		}
	}
	return nil
}

// SummaryStep is a step from gross to net: the gross, each charge, the expected net.
type SummaryStep struct {
	Column string // of the summary
	Amount ledger.Amount
	Total  bool // gross and net, not a charge
}

// GrossToNet are the steps of the whole set as printed.
func (s *Summary) GrossToNet() []SummaryStep {
	t := &s.total
	steps := []SummaryStep{
		{"gross", t.gross.Printed, true},
		{"mdr", t.mdr.Printed, false},
		{"transaction_fee", t.fee.Printed, false},
		{"antifraud_fee", t.antifraud.Printed, false},
		{"anticipation_cost", t.anticipation.Printed, false},
	}
	if s.set.NetOfSplits {
		steps = append(steps, SummaryStep{"splits", t.splits.Printed, false})
	}
	return append(steps, SummaryStep{"net_expected", t.net.Printed, true})
}

// NotDue returns what is not due yet, as printed.
func (s *Summary) NotDue() ledger.Amount { return s.total.notDue.Printed }

// SummaryDay are sums of printed values of one day, over all accounts.
type SummaryDay struct {
	Day                ledger.Date
	Expected, Received ledger.Amount
}

// ByDay are the days of the basis that have lines, in order.
func (s *Summary) ByDay() []SummaryDay {
	days := make(map[ledger.Date]SummaryDay)
	for k, line := range s.lines {
		sum := days[k.day]
		sum.Day, sum.Expected, sum.Received = k.day, sum.Expected+line.net.Printed, sum.Received+line.received.Printed
		days[k.day] = sum
	}
	return slices.SortedFunc(maps.Values(days), func(a, b SummaryDay) int { return cmp.Compare(a.Day, b.Day) })
}

// AccountTotals are the totals of cards of each account, from its lines.
func (s *Summary) AccountTotals() map[ledger.Account]*CardTotals {
	out := make(map[ledger.Account]*CardTotals)
	for k, line := range s.lines {
		if out[k.account] == nil {
			out[k.account] = &CardTotals{}
		}
		sum := Totals{Cards: out[k.account]}
		sum.Add(Totals{Cards: line.cardTotals()})
	}
	return out
}
