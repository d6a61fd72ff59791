package bank

import (
	"maps"
	"slices"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// completeStatement separates movements from balance rows, marks what is announced, and works out for which days the
// statement is whole and which balances it states.
func completeStatement(st *banking.Statement, ignoreBalance bool) error {
	if ignoreBalance {
		st.Balances = nil
	}
	made := st.AsOf
	if st.Made != 0 {
		made = st.Made.Date()
	}
	all := st.Rows
	st.Rows = &movements{Rows: all, asOf: st.AsOf}
	s := &survey{statement: st, made: made}
	if err := all.Each(s.add); err != nil {
		return err
	}
	if !ignoreBalance {
		s.addClosings()
	}
	st.Whole = wholeDays(st, made)
	if s.outside {
		st.Notes = append(st.Notes, "outside_window")
	}
	bringBack(st, made, s.moved)
	return nil
}

// movements are the rows of a statement that are movements, announced ones marked.
type movements struct {
	banking.Rows
	asOf ledger.Date // 0: unknown
}

// Each calls fn for every movement, in order.
func (m *movements) Each(fn func(*banking.Row) error) error {
	return m.Rows.Each(func(row *banking.Row) error {
		if balance, _ := banking.IsBalanceText(row.Text); balance {
			return nil
		}
		row.Scheduled = isScheduled(row, m.asOf)
		return fn(row)
	})
}

// isScheduled reports whether a row is announced: said so, or dated after the day the statement is of.
func isScheduled(row *banking.Row, asOf ledger.Date) bool {
	return row.Scheduled || asOf != 0 && row.Day > asOf
}

// survey is what the rows of a statement say together.
type survey struct {
	statement *banking.Statement
	made      ledger.Date
	moved     ledger.Amount // on the day the file was made
	outside   bool          // a movement lies outside the window
	// closings are what the rows of each day state as its balance, without those that repeat the one before.
	closings map[ledger.Date][]ledger.Amount
}

// add takes a row.
func (s *survey) add(row *banking.Row) error {
	balance, closing := banking.IsBalanceText(row.Text)
	if !balance {
		s.addMovement(row)
		return nil
	}
	s.statement.BalanceRows++
	if closing && row.Amount != 0 && row.Day <= s.statement.AsOf {
		if s.closings == nil {
			s.closings = map[ledger.Date][]ledger.Amount{}
		}
		if same := s.closings[row.Day]; len(same) == 0 || same[len(same)-1] != row.Amount {
			s.closings[row.Day] = append(same, row.Amount)
		}
	}
	return nil
}

func (s *survey) addMovement(row *banking.Row) {
	st := s.statement
	s.outside = s.outside || st.Stated && !isScheduled(row, st.AsOf) && !st.Window.Contains(row.Day)
	if row.Day == s.made {
		s.moved += row.Amount
	}
}

// addClosings makes the closing of a day that is stated alike by all its rows that day's balance.
func (s *survey) addClosings() {
	st, choice := s.statement, 0
	for _, b := range st.Balances {
		choice = max(choice, b.Choice+1)
	}
	for _, d := range slices.Sorted(maps.Keys(s.closings)) {
		if len(s.closings[d]) == 1 {
			st.Balances = append(st.Balances, banking.Balance{Day: d, Amount: s.closings[d][0], Choice: choice})
			choice++
		}
	}
}

// wholeDays are the days of which the statement has every line. made is the day the file was made.
func wholeDays(st *banking.Statement, made ledger.Date) ledger.Period {
	none := ledger.Period{From: 1}
	p := st.Window
	switch {
	case st.Format == formatCNAB:
		if st.Whole.From == 0 {
			return none
		}
		return st.Whole
	case st.Stated:
		p.To = min(p.To, made-1)
	default:
		p = ledger.Period{From: p.From + 1, To: p.To - 1}
	}
	if p.From == 0 || p.To < p.From {
		return none
	}
	return p
}

// bringBack turns a balance stated for the day the file was made, which is not over, into the closing of the day before,
// by what the file's own rows moved that day.
func bringBack(st *banking.Statement, made ledger.Date, moved ledger.Amount) {
	if st.Format == formatCNAB {
		return // its closing balance is of its closing date, whatever day it was made
	}
	for i := range st.Balances {
		if b := &st.Balances[i]; b.Day == made {
			b.Day, b.Amount = made-1, b.Amount-moved
		}
	}
	slices.SortStableFunc(st.Balances, func(a, b banking.Balance) int { return a.Choice - b.Choice })
	st.Balances = slices.CompactFunc(st.Balances, func(a, b banking.Balance) bool { return a == b })
}

// formatCNAB is the Format of statements in CNAB 240.
const formatCNAB = "cnab240"
