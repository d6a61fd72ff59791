package bank

import (
	"slices"

	"concilia/store/ledger"
)

// completeStatement separates movements from balance rows, marks what is announced, and works out for which days the
// statement is whole and which balances it states.
func completeStatement(st *ledger.BankStatement, ignoreBalance bool) {
	if ignoreBalance {
		st.Balances = nil
	}
	removeBalanceRows(st, ignoreBalance)
	for i := range st.Rows {
		st.Rows[i].Scheduled = st.Rows[i].Scheduled || st.AsOf != 0 && st.Rows[i].Day > st.AsOf
	}
	made := st.AsOf
	if st.Made != 0 {
		made = st.Made.Date()
	}
	st.Whole = wholeDays(st, made)
	if st.Stated && slices.ContainsFunc(st.Rows, func(r ledger.BankRow) bool { return !r.Scheduled && !st.Window.Contains(r.Day) }) {
		st.Notes = append(st.Notes, "outside_window")
	}
	bringBack(st, made)
}

// removeBalanceRows takes rows that name a balance out of the movements. The closing of a day that is stated alike by all
// its rows is that day's balance.
func removeBalanceRows(st *ledger.BankStatement, ignoreBalance bool) {
	closings := map[ledger.Date][]ledger.Amount{}
	var days []ledger.Date
	st.Rows = slices.DeleteFunc(st.Rows, func(r ledger.BankRow) bool {
		balance, closing := ledger.IsBankBalanceText(r.Text)
		if balance {
			st.BalanceRows++
		}
		if closing && r.Amount != 0 && r.Day <= st.AsOf {
			if len(closings[r.Day]) == 0 {
				days = append(days, r.Day)
			}
			closings[r.Day] = append(closings[r.Day], r.Amount)
		}
		return balance
	})
	if ignoreBalance {
		return
	}
	choice := 0
	for _, b := range st.Balances {
		choice = max(choice, b.Choice+1)
	}
	slices.Sort(days)
	for _, d := range days {
		if len(slices.Compact(closings[d])) == 1 {
			st.Balances = append(st.Balances, ledger.BankBalance{Day: d, Amount: closings[d][0], Choice: choice})
			choice++
		}
	}
}

// wholeDays are the days of which the statement has every line. made is the day the file was made.
func wholeDays(st *ledger.BankStatement, made ledger.Date) ledger.Period {
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
// by the file's own rows of that day.
func bringBack(st *ledger.BankStatement, made ledger.Date) {
	if st.Format == formatCNAB {
		return // its closing balance is of its closing date, whatever day it was made
	}
	var moved ledger.Amount
	for i := range st.Rows {
		if st.Rows[i].Day == made {
			moved += st.Rows[i].Amount
		}
	}
	for i := range st.Balances {
		if b := &st.Balances[i]; b.Day == made {
			b.Day, b.Amount = made-1, b.Amount-moved
		}
	}
	slices.SortStableFunc(st.Balances, func(a, b ledger.BankBalance) int { return a.Choice - b.Choice })
	st.Balances = slices.CompactFunc(st.Balances, func(a, b ledger.BankBalance) bool { return a == b })
}

// formatCNAB is the Format of statements in CNAB 240.
const formatCNAB = "cnab240"
