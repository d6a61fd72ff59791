package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"concilia/export/table"
	"concilia/store/ledger"
)

// DayContent is a Content whose state follows from what each sale day left in it. A set whose contents of cards are all of this kind, on
// basis operation, need not read the rows of a day that did not move again: what they left is taken from the revision before. Rows that
// a content writes as it takes them are copied by the renderer.
type DayContent interface {
	Content
	// TakeDay returns what the rows of a sale day left, after the last of them and before the first of the next day; nil: nothing but
	// the rows that were written.
	TakeDay(d ledger.Date) (json.RawMessage, error)
	// AddDay takes what TakeDay returned in place of the rows of that day.
	AddDay(d ledger.Date, left json.RawMessage) error
}

// DayContents returns the contents that take cards, by kind. ok is false if one of them does not keep what a day left.
func (s *Set) DayContents() (contents map[Kind]DayContent, ok bool) {
	contents = make(map[Kind]DayContent)
	for i := range s.contents {
		if s.contents[i].intake.Card == nil {
			continue
		}
		c, ok := s.contents[i].content.(DayContent)
		if !ok {
			return nil, false
		}
		contents[s.contents[i].definition.Kind] = c
	}
	return contents, true
}

// TakeDay returns nothing: all that a day leaves are rows.
func (c *installments) TakeDay(ledger.Date) (json.RawMessage, error) { return nil, nil }

// AddDay takes nothing; see TakeDay.
func (c *installments) AddDay(ledger.Date, json.RawMessage) error { return nil }

// summaryDay is what a sale day left in a summary on basis operation, whose lines are of one day each.
type summaryDay struct {
	Sales int64 // each counted once
	Lines []summaryDayLine
}

type summaryDayLine struct {
	Account ledger.Account
	Brand   string
	Product ledger.Product
	Band    string
	Counts  [3]int64 // sales, installments, cancelled
	// Amounts are allAmounts of the line, each as printed and exactly.
	Amounts [][2]ledger.Amount
}

// TakeDay returns the lines of a day.
func (s *Summary) TakeDay(d ledger.Date) (json.RawMessage, error) {
	if s.set.Basis != ByOperation {
		return nil, errors.New("summary: lines of one sale day on another basis")
	}
	left := summaryDay{Sales: s.total.sales - s.salesBefore}
	s.salesBefore = s.total.sales
	for k, line := range s.lines {
		if k.day != d {
			continue
		}
		if err := line.checkOverflow(); err != nil {
			return nil, fmt.Errorf("summary of %s %s %s: %w", k.account, k.day, k.brand, err)
		}
		of := summaryDayLine{
			Account: k.account, Brand: k.brand, Product: k.product, Band: k.band, Counts: [3]int64{line.sales, line.installments, line.cancelled},
		}
		for _, m := range line.allAmounts() {
			of.Amounts = append(of.Amounts, [2]ledger.Amount{m.Printed, m.Exact})
		}
		left.Lines = append(left.Lines, of)
	}
	return json.Marshal(left)
}

// AddDay adds the lines of a day.
func (s *Summary) AddDay(d ledger.Date, left json.RawMessage) error {
	var day summaryDay
	if err := json.Unmarshal(left, &day); err != nil {
		return fmt.Errorf("summary of %s as it was kept: %w", d, err)
	}
	sum := &CardSummary{lines: make(map[summaryKey]*summaryLine, len(day.Lines))}
	for i := range day.Lines {
		of := &day.Lines[i]
		line := &summaryLine{sales: of.Counts[0], installments: of.Counts[1], cancelled: of.Counts[2]}
		amounts := line.allAmounts()
		if len(amounts) != len(of.Amounts) {
			return fmt.Errorf("summary of %s as it was kept: a line has %d amounts, should have %d", d, len(of.Amounts), len(amounts))
		}
		for j, m := range amounts {
			*m = table.Money{Printed: of.Amounts[j][0], Exact: of.Amounts[j][1]}
		}
		sum.lines[summaryKey{of.Account, d, of.Brand, of.Product, of.Band}] = line
	}
	sum.sales = day.Sales
	s.AddCardSummary(sum)
	s.salesBefore = s.total.sales
	return nil
}

// payableDay is what the splits of a sale day add to what a beneficiary is to get on a day.
type payableDay struct {
	Account     ledger.Account
	Credited    ledger.Date
	Beneficiary string
	Splits      int64
	Value       [2]ledger.Amount // as printed and exactly
}

// TakeDay returns what the beneficiaries are to get of the splits of a day.
func (c *splits) TakeDay(ledger.Date) (json.RawMessage, error) {
	if len(c.day.lines) == 0 {
		return nil, nil
	}
	left := make([]payableDay, 0, len(c.day.lines))
	for k, line := range c.day.lines {
		if err := line.value.Err(); err != nil {
			return nil, err
		}
		left = append(left, payableDay{k.account, k.credited, k.beneficiary, line.splits, [2]ledger.Amount{line.value.Printed, line.value.Exact}})
	}
	c.endDay()
	return json.Marshal(left)
}

// AddDay adds what the beneficiaries are to get of the splits of a day.
func (c *splits) AddDay(d ledger.Date, left json.RawMessage) error {
	if left == nil {
		return nil
	}
	var lines []payableDay
	if err := json.Unmarshal(left, &lines); err != nil {
		return fmt.Errorf("splits of %s as they were kept: %w", d, err)
	}
	for i := range lines {
		of := &lines[i]
		c.payables.addLine(payableKey{of.Account, of.Credited, of.Beneficiary},
			&payableLine{of.Splits, table.Money{Printed: of.Value[0], Exact: of.Value[1]}})
	}
	return nil
}

// endDay adds the day at hand to the days before.
func (c *splits) endDay() {
	for k, line := range c.day.lines {
		c.payables.addLine(k, line)
	}
	clear(c.day.lines)
}

// addLine adds to what a beneficiary is to get.
func (p *payables) addLine(k payableKey, add *payableLine) {
	line := p.lines[k]
	if line == nil {
		line = &payableLine{}
		p.lines[k] = line
	}
	line.splits += add.splits
	line.value.Merge(&add.value)
}

// feeDay is what a sale day adds to a line of the fees.
type feeDay struct {
	Account         ledger.Account
	Fee, Brand      string
	Product         ledger.Product
	Band, Line      string
	Rows, Deviating int64
	First, Last     ledger.Date
	Amounts         [][2]ledger.Amount // allAmounts of the line, each as printed and exactly
	Practised       practisedDay
}

// practisedDay is a weightedMean.
type practisedDay struct {
	Hi, Lo                  uint64
	Weight, Least, Greatest int64
}

// TakeDay returns what a day adds to the fees.
func (a *feeAudit) TakeDay(ledger.Date) (json.RawMessage, error) {
	left := make([]feeDay, 0, len(a.day))
	for k, l := range a.day {
		if err := l.checkOverflow(); err != nil {
			return nil, fmt.Errorf("fees of %s %s %s: %w", k.account, k.fee, k.brand, err)
		}
		of := feeDay{
			Account: k.account, Fee: k.fee, Brand: k.brand, Product: k.product, Band: k.band, Line: k.line, Rows: l.rows, Deviating: l.deviating,
			First: l.first, Last: l.last,
			Practised: practisedDay{l.practised.hi, l.practised.lo, l.practised.weight, l.practised.least, l.practised.greatest},
		}
		for _, m := range l.allAmounts() {
			of.Amounts = append(of.Amounts, [2]ledger.Amount{m.Printed, m.Exact})
		}
		left = append(left, of)
	}
	if err := a.endDay(); err != nil || len(left) == 0 {
		return nil, err
	}
	return json.Marshal(left)
}

// AddDay adds what a day adds to the fees.
func (a *feeAudit) AddDay(d ledger.Date, left json.RawMessage) error {
	if left == nil {
		return nil
	}
	var lines []feeDay
	if err := json.Unmarshal(left, &lines); err != nil {
		return fmt.Errorf("fees of %s as they were kept: %w", d, err)
	}
	for i := range lines {
		of := &lines[i]
		at, agreed := slices.IndexFunc(feeList, func(f fee) bool { return f.id == of.Fee }), a.agreed[of.Line]
		l := &feeLine{}
		if at < 0 || len(of.Amounts) != len(l.allAmounts()) || of.Line != "" && agreed == nil {
			return fmt.Errorf("fees of %s as they were kept: a line of fee %q and contract line %q is not known", d, of.Fee, of.Line)
		}
		l = newFeeLine(&feeList[at], agreed)
		l.rows, l.deviating, l.first, l.last = of.Rows, of.Deviating, of.First, of.Last
		p := &of.Practised
		l.practised = weightedMean{p.Hi, p.Lo, p.Weight, p.Least, p.Greatest}
		for j, m := range l.allAmounts() {
			*m = table.Money{Printed: of.Amounts[j][0], Exact: of.Amounts[j][1]}
		}
		a.day[feeKey{of.Account, of.Fee, of.Brand, of.Product, of.Band, of.Line}] = l
	}
	return a.endDay()
}

// endDay adds the day at hand to the days before.
func (a *feeAudit) endDay() error {
	for k, day := range a.day {
		l := a.lines[k]
		if l == nil {
			a.lines[k] = day
			continue
		}
		l.rows, l.deviating = l.rows+day.rows, l.deviating+day.deviating
		if l.first == 0 || day.first != 0 && day.first < l.first {
			l.first = day.first
		}
		l.last = max(l.last, day.last)
		theirs := day.allAmounts()
		for i, m := range l.allAmounts() {
			m.Merge(theirs[i])
		}
		if err := l.practised.merge(&day.practised); err != nil {
			return err
		}
	}
	clear(a.day)
	return nil
}
