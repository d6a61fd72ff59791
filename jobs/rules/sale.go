package rules

import (
	"slices"

	"concilia/store/ledger"
)

// Sale is the installments of one sale as the rules see them. Rows are in order of number, then occurrence.
type Sale struct {
	Key  ledger.SaleKey
	Rows []*Row
	// Complete: its day has a complete pull and no quarantined row, so what is not here is missing.
	Complete bool
	Count    int   // the highest count its rows state, 0 read as 1
	Missing  []int // numbers of 1..N without a row
	Extra    []int // numbers with more than one row
	// Total is T where the rows that state one agree.
	Total         ledger.Opt[ledger.Amount]
	TotalConflict bool
	Live          bool // every row is
	Unmapped      bool // some row's status is a spelling that is not listed

	rows []Row // what Rows point to
}

// MaxNumbers bounds how many missing numbers are looked for: a count beyond it is a finding of its own.
const MaxNumbers = 999

// NewSale reads a sale. Rows with one key, or one number, that nothing distinguishes belong to it together.
func NewSale(e *Env, key ledger.SaleKey, rows []ledger.InstallmentHistory, complete bool) *Sale {
	s := &Sale{}
	s.Read(e, key, rows, complete)
	return s
}

// Read replaces the sale that was read before and reuses the memory of its rows.
func (s *Sale) Read(e *Env, key ledger.SaleKey, rows []ledger.InstallmentHistory, complete bool) {
	*s = Sale{
		Key: key, Complete: complete, Count: 1, Live: true, Rows: s.Rows[:0], Missing: s.Missing[:0], Extra: s.Extra[:0],
		rows: slices.Grow(s.rows[:0], len(rows))[:len(rows)],
	}
	for i, h := range rows {
		s.rows[i].readInstallment(e, s, h)
		s.Rows = append(s.Rows, &s.rows[i])
	}
	slices.SortStableFunc(s.Rows, func(a, b *Row) int {
		if a.Key.Number != b.Key.Number {
			return a.Key.Number - b.Key.Number
		}
		return a.Key.Occurrence - b.Key.Occurrence
	})
	for i, r := range s.Rows {
		s.Count = max(s.Count, r.Count)
		s.Live = s.Live && r.Live()
		s.Unmapped = s.Unmapped || r.Unmapped
		switch t := r.Now.SaleTotal; {
		case !t.OK:
		case !s.Total.OK:
			s.Total = t
		case s.Total != t:
			s.TotalConflict = true
		}
		if i > 0 && s.Rows[i-1].Key.Number == r.Key.Number {
			r.Duplicate = s.Rows[i-1]
			if len(s.Extra) == 0 || s.Extra[len(s.Extra)-1] != r.Key.Number {
				s.Extra = append(s.Extra, r.Key.Number)
			}
		}
	}
	s.findMissing()
	for _, r := range s.Rows {
		r.ExpectedAmounts = expectAmounts(e, r)
	}
}

func (s *Sale) findMissing() {
	i := 0
	for k := 1; k <= min(s.Count, MaxNumbers); k++ {
		for i < len(s.Rows) && s.Rows[i].Key.Number < k {
			i++
		}
		if i == len(s.Rows) || s.Rows[i].Key.Number != k {
			s.Missing = append(s.Missing, k)
		}
	}
}

// IsWhole reports whether the sale is complete, with each number once.
func (s *Sale) IsWhole() bool { return s.Complete && len(s.Missing) == 0 && len(s.Extra) == 0 }

// IsExact says whether the sale is its N installments and no row besides: only then can a fee of the sale be parted.
func (s *Sale) IsExact() bool { return s.IsWhole() && len(s.Rows) == s.Count }

// Subject names the sale.
func (s *Sale) Subject() string { return s.Key.Subject() }

// HasOneLine says whether one contract line holds for the whole sale.
func (s *Sale) HasOneLine() bool {
	for _, r := range s.Rows {
		if r.LineState != LineFound || r.Line.ID != s.Rows[0].Line.ID {
			return false
		}
	}
	return true
}

// SumRows adds up a member of the rows.
func (s *Sale) SumRows(member func(*Row) ledger.Amount) ledger.Amount {
	var total ledger.Amount
	for _, r := range s.Rows {
		total += member(r)
	}
	return total
}

// MDRRate is the one MDR rate of the sale's rows, where they all state it and agree.
func (s *Sale) MDRRate() (ledger.Rate, bool) {
	for _, r := range s.Rows {
		if !r.Now.MDRRate.OK || r.Now.MDRRate != s.Rows[0].Now.MDRRate {
			return 0, false
		}
	}
	return s.Rows[0].Now.MDRRate.V, len(s.Rows) > 0
}

// ExpectedMDR is what the whole sale's MDR should be, rounded once, and what its rows add up to.
func (s *Sale) ExpectedMDR(u ledger.Unit) (expected, actual ledger.Amount, ok bool) {
	m, one := s.MDRRate()
	if !one || !s.IsWhole() || !s.Total.OK || s.TotalConflict {
		return 0, 0, false
	}
	expected, err := m.ShareOf(s.Total.V, u, ledger.HalfAwayFromZero)
	return expected, s.SumRows(func(r *Row) ledger.Amount { return r.MDR }), err == nil
}

// Fingerprint distinguishes rows with the same key: rows with different fingerprints belong to two sales.
func Fingerprint(v *ledger.Installment) any {
	return fingerprint{v.SoldAt, v.Terminal, v.Card, v.SaleTotal, v.Count}
}

type fingerprint struct {
	at       ledger.LocalTime
	terminal string
	card     string
	total    ledger.Opt[ledger.Amount]
	count    int
}
