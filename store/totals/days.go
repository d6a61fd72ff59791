package totals

import (
	"slices"

	"concilia/store/ledger"
)

// DaySumTable is what the installments of a sale day add up to, by measure: report sets add the days of their periods up, and no
// installment is read again for it.
var DaySumTable = Table{
	Name: "day_sum", Keys: []string{"sale_day"}, IsNumber: map[string]bool{"sale_day": true}, Values: measureNames[:],
}

// measure is one of the sums of a sale day.
type measure int

// The measures. Those that begin with all are of all installments, those with live of all but the cancelled and charged back, which are
// gone. Money is as reports print it: rounded to cents for each row, but for what has four decimals.
const (
	allRows measure = iota
	allNumbers
	allCounts // of the installments of their sales
	allSaleTotals
	allGrossSent // four decimals
	allGrossCents
	allMDR
	allMDRRates         // as sent, in millionths of four decimals
	allMDRFractions     // the same a hundred times, where the service sends fractions
	allContractMDRRates // percent
	allFees
	allSaleFees
	allAntifraud
	allSaleAntifraud
	allAnticipation
	allAnticipationRates
	allAnticipationFractions
	allDaysAnticipated
	allSplits
	allNet
	allNetContract
	allReceived
	allDaysLate
	allImpacts
	allVersions
	allDifferences // N* less what was received, of which what was paid before a claw-back is deducted

	summaryLines // of a summary: different brands, products and bands
	liveSales
	liveSalesOfLines // each once a line
	liveRows
	liveGross
	liveMDR
	liveFees
	liveAntifraud
	liveAnticipation
	liveSplits
	liveNet
	liveNetContract
	liveKept // received, less what is passed on
	livePassedOn
	liveReceived
	liveNotDue
	liveOverdue
	liveBlocked
	liveShort
	liveOver
	goneRows
	goneGross
	goneReceived
	datedReceived // of all with the day on which it came
	settledGross  // live, with money and its day
	settledFees   // MDR, transaction fee and antifraud fee
	settledAnticipation
	settledSplits

	measureCount
)

// measureNames are the columns of the measures.
var measureNames = [measureCount]string{
	allRows: "installments", allNumbers: "numbers", allCounts: "counts", allSaleTotals: "sale_totals", allGrossSent: "gross_sent",
	allGrossCents: "gross_cents", allMDR: "mdr", allMDRRates: "mdr_rates", allMDRFractions: "mdr_fractions",
	allContractMDRRates: "contract_mdr_rates", allFees: "fees", allSaleFees: "sale_fees", allAntifraud: "antifraud",
	allSaleAntifraud: "sale_antifraud", allAnticipation: "anticipation", allAnticipationRates: "anticipation_rates",
	allAnticipationFractions: "anticipation_fractions", allDaysAnticipated: "days_anticipated", allSplits: "splits", allNet: "net",
	allNetContract: "net_contract", allReceived: "received", allDaysLate: "days_late", allImpacts: "impacts", allVersions: "versions",
	allDifferences: "differences", summaryLines: "summary_lines", liveSales: "live_sales", liveSalesOfLines: "live_sales_of_lines", liveRows: "live_rows",
	liveGross: "live_gross", liveMDR: "live_mdr", liveFees: "live_fees", liveAntifraud: "live_antifraud",
	liveAnticipation: "live_anticipation", liveSplits: "live_splits", liveNet: "live_net", liveNetContract: "live_net_contract",
	liveKept: "live_kept", livePassedOn: "live_passed_on", liveReceived: "live_received", liveNotDue: "live_not_due",
	liveOverdue: "live_overdue", liveBlocked: "live_blocked", liveShort: "live_short", liveOver: "live_over", goneRows: "gone_rows",
	goneGross: "gone_gross", goneReceived: "gone_received", datedReceived: "dated_received", settledGross: "settled_gross",
	settledFees: "settled_fees", settledAnticipation: "settled_anticipation", settledSplits: "settled_splits",
}

// daySums are the sums of a sale day.
type daySums struct {
	values [measureCount]int64
	lines  []summaryLine
	failed error // the first sum that does not fit
}

// summaryLine is what distinguishes the lines of a summary of one day.
type summaryLine struct{ brand, product, band string }

// saleOnLine is a sale with a live row on a line of its day's summary.
type saleOnLine struct {
	sale int64
	line int
}

func (s *daySums) add(m measure, v int64) {
	if err := addValue(&s.values[m], v); err != nil && s.failed == nil {
		s.failed = err
	}
}

func (s *daySums) addAmount(m measure, a ledger.Amount) { s.add(m, int64(a)) }

// addToDay adds an installment to the sums of its day.
func (c *Cards) addToDay(e *walkedExpectation, v *walkedVersion, printed *cardAmounts) error {
	s := c.dayOf(e.Day)
	s.add(allRows, 1)
	s.add(allNumbers, int64(e.Number))
	s.add(allCounts, max(1, v.count))
	s.addAmount(allSaleTotals, v.saleTotal)
	s.addAmount(allGrossSent, v.gross)
	s.addAmount(allGrossCents, printed.gross)
	s.addAmount(allMDR, printed.mdr)
	s.add(allMDRRates, roundTo4Decimals(v.mdrRate))
	s.add(allMDRFractions, roundTo4Decimals(v.mdrRate*100))
	s.add(allContractMDRRates, roundTo4Decimals(e.contractMDRRate))
	fee, antifraud := roundToCents(v.fee), roundToCents(v.antifraud)
	s.addAmount(allFees, fee)
	s.addAmount(allSaleFees, roundToCents(v.saleFee))
	s.addAmount(allAntifraud, antifraud)
	s.addAmount(allSaleAntifraud, roundToCents(v.saleAntifraud))
	s.addAmount(allAnticipation, printed.anticipation)
	s.add(allAnticipationRates, roundTo4Decimals(v.anticipationRate))
	s.add(allAnticipationFractions, roundTo4Decimals(v.anticipationRate*100))
	s.add(allDaysAnticipated, e.daysAnticipated)
	s.addAmount(allSplits, printed.splits)
	s.addAmount(allNet, printed.net)
	s.addAmount(allNetContract, printed.netContract)
	s.addAmount(allReceived, printed.received)
	s.add(allDaysLate, e.daysLate)
	s.addAmount(allImpacts, roundToCents(e.impact))
	s.add(allVersions, e.version)
	if v.effective != 0 {
		s.addAmount(datedReceived, printed.received)
	}
	line := s.findLine(summaryLine{e.brand, e.product, e.band})
	if e.class.IsReversal() {
		s.add(goneRows, 1)
		s.addAmount(goneGross, printed.gross)
		s.addAmount(goneReceived, printed.received)
		return s.failed
	}
	c.countSale(s, saleOnLine{v.sale, line})
	s.add(liveRows, 1)
	s.addAmount(liveGross, printed.gross)
	s.addAmount(liveMDR, printed.mdr)
	s.addAmount(liveFees, fee)
	s.addAmount(liveAntifraud, antifraud)
	s.addAmount(liveAnticipation, printed.anticipation)
	s.addAmount(liveSplits, printed.splits)
	s.addAmount(liveNet, printed.net)
	s.addAmount(liveNetContract, printed.netContract)
	if v.effective != 0 && printed.received > 0 {
		s.addAmount(settledGross, printed.gross)
		s.addAmount(settledFees, printed.mdr+fee+antifraud)
		s.addAmount(settledAnticipation, printed.anticipation)
		s.addAmount(settledSplits, printed.splits)
	}
	s.addRest(e.rest, printed)
	return s.failed
}

// addRest adds a live installment to what became of what should be received.
func (s *daySums) addRest(rest ledger.BridgeLine, printed *cardAmounts) {
	open := printed.net - printed.received
	switch rest {
	case ledger.LineBlocked:
		s.addAmount(liveBlocked, open)
	case ledger.LineOverdue:
		s.addAmount(liveOverdue, open)
	case ledger.LineNotDue, ledger.LineNoForecast:
		s.addAmount(liveNotDue, open)
	default:
		s.addAmount(liveReceived, printed.received)
		s.addAmount(liveKept, printed.received-printed.splits)
		s.addAmount(livePassedOn, printed.splits)
		s.addAmount(liveShort, max(open, 0))
		s.addAmount(liveOver, max(-open, 0))
	}
}

// findLine returns the number of a line, and counts it the first time.
func (s *daySums) findLine(line summaryLine) int {
	if at := slices.Index(s.lines, line); at >= 0 {
		return at
	}
	s.lines = append(s.lines, line)
	s.add(summaryLines, 1)
	return len(s.lines) - 1
}

// countSale counts the sale of a live row once, and once on each line.
func (c *Cards) countSale(s *daySums, on saleOnLine) {
	if slices.Contains(c.saleLines, on) {
		return
	}
	s.add(liveSalesOfLines, 1)
	if !slices.ContainsFunc(c.saleLines, func(other saleOnLine) bool { return other.sale == on.sale }) {
		s.add(liveSales, 1)
	}
	c.saleLines = append(c.saleLines, on)
}

func (c *Cards) dayOf(day ledger.Date) *daySums {
	if c.lastDay != nil && c.lastDayOf == day {
		return c.lastDay
	}
	s := c.byDay[day]
	if s == nil {
		s = &daySums{}
		if c.byDay == nil {
			c.byDay = make(map[ledger.Date]*daySums)
		}
		c.byDay[day] = s
	}
	c.lastDay, c.lastDayOf = s, day
	return s
}

func roundToCents(a ledger.Amount) ledger.Amount { return a.Rounded(ledger.HalfAwayFromZero) }

// roundTo4Decimals rounds millionths, half away from zero. The step is that of cents in ten-thousandths.
func roundTo4Decimals(millionths int64) int64 { return int64(roundToCents(ledger.Amount(millionths))) }

// ListDaySums returns the sums of the days: rows of DaySumTable.
func (c *Cards) ListDaySums() []Row {
	out := make([]Row, 0, len(c.byDay))
	for day, s := range c.byDay {
		out = append(out, Row{[]any{int64(day)}, s.values[:]})
	}
	return out
}
