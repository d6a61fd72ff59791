package results

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"concilia/store/ledger"
	"concilia/store/sqldb"
	"concilia/store/totals"
)

// MovedMonths are the months of each basis of which a reconcile may have changed what reports of periods show: months with a row whose
// expectation it made or ended, or with a row whose case got an event. Months count by their first days. In addition to the bases it has the sale
// days of the installments whose expectations were made or ended: see TouchSaleDay.
type MovedMonths map[string]map[ledger.Date]bool

// The keys that mean every basis, and every month of one.
const (
	everyBasis             = ""
	everyMonth ledger.Date = 0
)

// cardBases are the bases of rows of cards. A change of theirs counts in its months, a change of a slip in every month.
var cardBases = [...]string{totals.OperationBasis, forecastBasis, totals.CreditBasis}

const forecastBasis = "forecast"

// saleDays is the key of the sale days, next to those of the bases.
const saleDays = "sale days"

// Touch reports whether a period of a basis has one of the months.
func (m MovedMonths) Touch(basis string, p ledger.Period) bool {
	if len(m[everyBasis]) > 0 || m[basis][everyMonth] {
		return true
	}
	for month := range m[basis] {
		if month <= p.To && month.MonthEnd() >= p.From {
			return true
		}
	}
	return false
}

// TouchSaleDay reports whether the reconcile made or ended the expectation of an installment that was sold on a day. Events of cases
// are left out: no row of an installment shows them.
func (m MovedMonths) TouchSaleDay(d ledger.Date) bool { return m[saleDays][d] }

// SaleDays are the days of sale of the installments whose expectations the reconcile made or ended.
func (m MovedMonths) SaleDays() []ledger.Date { return slices.Collect(maps.Keys(m[saleDays])) }

func (m MovedMonths) add(basis string, month ledger.Date) {
	if m[basis] == nil {
		m[basis] = make(map[ledger.Date]bool)
	}
	m[basis][month] = true
}

// addEverything adds every month of every basis.
func (m MovedMonths) addEverything() { m.add(everyBasis, everyMonth) }

// addSale adds the months that the rows of a sale are in, or were in by an earlier version.
func (m MovedMonths) addSale(s *ledger.Sale) {
	for _, row := range s.Rows {
		for i := range row {
			m.addDay(totals.OperationBasis, row[i].Key().Day)
			m.addDay(forecastBasis, row[i].Forecast)
			m.addDay(totals.CreditBasis, row[i].Effective)
		}
	}
}

// addDay adds the month of a day; a row without the date of a basis is in no set of it.
func (m MovedMonths) addDay(basis string, day ledger.Date) {
	if day != 0 {
		m.add(basis, day.MonthStart())
	}
}

// addCase adds the months that a case may count in. The months of receipt of a sale are not in its subject.
func (m MovedMonths) addCase(subject string) {
	parsed, _ := ledger.ParseSubject(subject)
	key, _, isSale := parsed.SaleKey()
	if !isSale {
		m.addEverything()
		return
	}
	for _, basis := range cardBases {
		if basis == totals.OperationBasis {
			m.addDay(basis, key.Day)
		} else {
			m.add(basis, everyMonth)
		}
	}
}

// encode is a JSON object of the months by basis, as numbers of days.
func (m MovedMonths) encode() (string, error) {
	days := make(map[string][]int64, len(m))
	for basis, months := range m {
		for _, month := range slices.Sorted(maps.Keys(months)) {
			days[basis] = append(days[basis], int64(month))
		}
	}
	return sqldb.MarshalText(days)
}

// DecodeMovedMonths reads the column moved of the table reconciled.
func DecodeMovedMonths(text string) (MovedMonths, error) {
	var days map[string][]int64
	if err := json.Unmarshal([]byte(text), &days); err != nil {
		return nil, fmt.Errorf("months that a reconcile moved: %w", err)
	}
	m := make(MovedMonths, len(days))
	for basis, months := range days {
		for _, month := range months {
			m.add(basis, ledger.Date(month))
		}
	}
	return m, nil
}
