package rules

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// UnexpectedFees reports which fees of a row are not in the contract line.
func (r *Row) UnexpectedFees() (transaction, antifraud bool) {
	if !r.Live() || r.LineState != LineFound {
		return false, false
	}
	return r.Fee != 0 && !r.Line.TransactionFee.OK, r.Antifraud != 0 && !r.Line.AntifraudFee.OK
}

// SplitCount is the number of splits that the rules evaluate: those of the row, then the agreed ones it lacks.
func (r *Row) SplitCount() int { return len(r.Now.Splits) + len(r.MissingSplits) }

// SplitSubject is the subject of split n of SplitCount. A split that the row lacks has no type.
func (r *Row) SplitSubject(n int) string {
	splits := r.Now.Splits
	if n >= len(splits) {
		return ledger.SplitSubject(r.Key, r.MissingSplits[n-len(splits)].Beneficiary, "", 1)
	}
	ordinal := 1
	for i := range n {
		if splits[i].Beneficiary == splits[n].Beneficiary && splits[i].Type == splits[n].Type {
			ordinal++
		}
	}
	return ledger.SplitSubject(r.Key, splits[n].Beneficiary, splits[n].Type, ordinal)
}

// SplitBracket is the excess of split n over its expected value; a row that was taken back has no expected value.
func (r *Row) SplitBracket(n int) ledger.Amount {
	if !r.Live() {
		return 0
	}
	if n >= len(r.Now.Splits) {
		return -r.ExpectedSplits[n]
	}
	return r.Now.Splits[n].Value.Or(0) - r.ExpectedSplits[n]
}

// ExpectedAmounts are the amounts the deductions of an installment should have: by its contract line, or else by the rates of the
// row itself. One that cannot be computed is the row's own value, so that its bracket is zero.
type ExpectedAmounts struct {
	ExpectedMDR, ExpectedFee, ExpectedAntifraud, ExpectedAnticipation ledger.Amount
	// ExpectedSplits holds one share per split of the row, then one per agreed beneficiary the row lacks.
	ExpectedSplits []ledger.Amount
	// MissingSplits are the agreed shares without a split, in the order of the contract.
	MissingSplits      []agreements.AgreedSplit
	ExpectedSplitTotal ledger.Amount
	ExpectedNet        ledger.Amount // N*

	AnticipationDue ledger.Date // Df of the anticipation rules
	DaysEarly       int         // calendar days from De to it, 0 when none or not paid
}

// expectAmounts works the stars out. A reversal class expects nothing and has no star but its own values.
func expectAmounts(e *Env, r *Row) ExpectedAmounts {
	s := ExpectedAmounts{ExpectedMDR: r.MDR, ExpectedFee: r.Fee, ExpectedAntifraud: r.Antifraud, ExpectedAnticipation: r.Anticipation, ExpectedSplitTotal: r.SplitTotal}
	if r.Class.IsReversal() {
		return s
	}
	s.AnticipationDue = findAnticipationDue(e, r)
	if r.Now.Effective != 0 && s.AnticipationDue > r.Now.Effective {
		s.DaysEarly = int(s.AnticipationDue - r.Now.Effective)
	}
	s.ExpectedMDR = expectMDR(e, r)
	if r.LineState == LineFound {
		s.ExpectedFee = expectFee(e, r, "TRN_FEE_MISMATCH", r.Line.TransactionFee, func(r *Row) ledger.Amount { return r.Fee })
		s.ExpectedAntifraud = expectFee(e, r, "ANTIFRAUD_FEE_MISMATCH", r.Line.AntifraudFee, func(r *Row) ledger.Amount { return r.Antifraud })
	}
	s.ExpectedAnticipation = expectAnticipation(e, r, &s)
	expectSplits(e, r, &s)
	s.ExpectedNet = r.Gross - s.ExpectedMDR - s.ExpectedFee - s.ExpectedAntifraud - s.ExpectedAnticipation
	if e.Profile.NetOfSplits {
		s.ExpectedNet -= s.ExpectedSplitTotal
	}
	return s
}

func expectMDR(e *Env, r *Row) ledger.Amount {
	m, u := r.Now.MDRRate.V, e.Profile.Unit
	switch {
	case r.LineState == LineFound:
		m, u = r.Line.MDR, ledger.Percent
	case !r.Now.MDRRate.OK:
		return r.MDR
	}
	star, err := m.ShareOf(r.Gross, u, ledger.HalfAwayFromZero)
	if err != nil {
		return r.MDR
	}
	return star
}

// expectFee is the agreed fee of an installment. A line without the fee agreed to none. One agreed for the sale and right
// on the sale costs the merchant nothing, whichever row the service charges it on: where a row differs from what the interpretation
// gives it by more than the tolerance, each row is expected as charged, and the first one has the difference of the whole sale.
func expectFee(e *Env, r *Row, code string, fee ledger.Opt[ledger.Amount], own func(*Row) ledger.Amount) ledger.Amount {
	sale := r.Sale
	switch {
	case !fee.OK:
		return 0
	case r.Line.FeeBasis != agreements.PerSale:
		return fee.V
	case !sale.IsExact() || !sale.Live || !sale.HasOneLine():
		return own(r) // the rule on the sale does not look at it
	}
	part := func(r *Row) ledger.Amount { return SpreadFee(fee.V, sale.Count, r.Key.Number, e.Profile.FeeSpread) }
	t, off := e.Tolerance(code), sale.SumRows(own)-fee.V
	elsewhere := slices.ContainsFunc(sale.Rows, func(r *Row) bool { return !t.Allows(own(r)-part(r), r.Gross) })
	switch {
	case !elsewhere || !t.Allows(off, sale.Total.V):
		return part(r)
	case r == sale.Rows[0]:
		return own(r) - off
	}
	return own(r)
}

// SpreadFee is installment k's part of a fee of the sale: equal cents with the remainder on the lowest numbers, or all
// of it on the first.
func SpreadFee(fee ledger.Amount, n, k int, reading agreements.FeeSpread) ledger.Amount {
	if reading == agreements.FeesOnFirst {
		if k == 1 {
			return fee
		}
		return 0
	}
	cents := fee.Cents(ledger.HalfAwayFromZero)
	part, rest := cents/int64(n), cents%int64(n)
	if int64(k) <= rest {
		part++
	}
	return ledger.FromCents(part)
}

// expectSplits are the shares that should have been. With agreed shares a beneficiary that is not among them gets nothing,
// and one that the row lacks comes after the row's own splits.
func expectSplits(e *Env, r *Row, s *ExpectedAmounts) {
	agreed := AgreedSplits(r)
	if len(r.Now.Splits) == 0 && len(agreed) == 0 {
		return
	}
	base := SplitBase(e, r)
	s.ExpectedSplits = make([]ledger.Amount, 0, len(r.Now.Splits)+len(agreed))
	s.ExpectedSplitTotal = 0
	add := func(pct ledger.Rate, u ledger.Unit, own ledger.Amount) {
		star, err := pct.ShareOf(base, u, ledger.HalfAwayFromZero)
		if err != nil {
			star = own
		}
		s.ExpectedSplits = append(s.ExpectedSplits, star)
		s.ExpectedSplitTotal += star
	}
	for _, sp := range r.Now.Splits {
		own := sp.Value.Or(0)
		pct, u := sp.Pct.V, e.Profile.Unit
		disagreed := false
		if len(agreed) > 0 {
			want, _ := FindAgreedShare(agreed, sp.Beneficiary)
			disagreed = (pct.Percent(u) - want).Abs() > e.Tolerance("SPLIT_CONTRACT_PCT_MISMATCH").Points
			pct, u = want, ledger.Percent
		}
		if !sp.Pct.OK || !sp.Base.OK && !disagreed {
			s.ExpectedSplits = append(s.ExpectedSplits, own) // no rule could say what is wrong with it
			s.ExpectedSplitTotal += own
			continue
		}
		add(pct, u, own)
	}
	for _, a := range agreed {
		if !hasSplit(r, a.Beneficiary) {
			s.MissingSplits = append(s.MissingSplits, a)
			add(a.Pct, ledger.Percent, 0)
		}
	}
}

// SplitBase is what the splits of an installment are parts of.
func SplitBase(e *Env, r *Row) ledger.Amount {
	if e.Profile.Split.Base == agreements.SplitOfGross {
		return r.Gross
	}
	return r.BeforeSplits
}

// AgreedSplits are the shares that the contract of the row has; nil without a contract.
func AgreedSplits(r *Row) []agreements.AgreedSplit {
	if r.Contract == nil {
		return nil
	}
	return r.Contract.Splits
}

// FindAgreedShare returns the share of a beneficiary in percent; false if there is none agreed.
func FindAgreedShare(agreed []agreements.AgreedSplit, beneficiary string) (ledger.Rate, bool) {
	for _, a := range agreed {
		if a.Beneficiary == beneficiary {
			return a.Pct, true
		}
	}
	return 0, false
}

func hasSplit(r *Row, beneficiary string) bool {
	for _, sp := range r.Now.Splits {
		if sp.Beneficiary == beneficiary {
			return true
		}
	}
	return false
}
