package rules

import (
	"slices"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// Stars are the amounts the deductions of an installment should have: by its contract line, or else by the rates of the
// row itself. One that cannot be computed is the row's own value, so that its bracket is zero.
type Stars struct {
	MStar, FStar, AStar, CStar ledger.Amount
	// SplitStar holds one share per split of the row, then one per agreed beneficiary the row lacks.
	SplitStar []ledger.Amount
	// Lacking are the agreed shares without a split, in the order of the contract.
	Lacking []agreements.AgreedSplit
	SStar   ledger.Amount
	NetStar ledger.Amount // N*

	AnticipationDue ledger.Date // Df of the anticipation rules
	DaysEarly       int         // calendar days from De to it, 0 when none or not paid
}

// starsOf works the stars out. A reversal class expects nothing and has no star but its own values.
func starsOf(e *Env, r *Row) Stars {
	s := Stars{MStar: r.M, FStar: r.F, AStar: r.A, CStar: r.C, SStar: r.S}
	if r.Class.IsReversal() {
		return s
	}
	s.AnticipationDue = anticipationDue(e, r)
	if r.Now.Effective != 0 && s.AnticipationDue > r.Now.Effective {
		s.DaysEarly = int(s.AnticipationDue - r.Now.Effective)
	}
	s.MStar = mdrStar(e, r)
	if r.LineState == LineFound {
		s.FStar = feeStar(e, r, "TRN_FEE_MISMATCH", r.Line.TransactionFee, func(r *Row) ledger.Amount { return r.F })
		s.AStar = feeStar(e, r, "ANTIFRAUD_FEE_MISMATCH", r.Line.AntifraudFee, func(r *Row) ledger.Amount { return r.A })
	}
	s.CStar = anticipationStar(e, r, &s)
	splitStars(e, r, &s)
	s.NetStar = r.G - s.MStar - s.FStar - s.AStar - s.CStar
	if e.Profile.NetOfSplits {
		s.NetStar -= s.SStar
	}
	return s
}

func mdrStar(e *Env, r *Row) ledger.Amount {
	m, u := r.Now.MDRRate.V, e.Profile.Unit
	switch {
	case r.LineState == LineFound:
		m, u = r.Line.MDR, ledger.Percent
	case !r.Now.MDRRate.OK:
		return r.M
	}
	star, err := m.ShareOf(r.G, u, ledger.HalfAwayFromZero)
	if err != nil {
		return r.M
	}
	return star
}

// feeStar is the agreed fee of an installment. A line without the fee agreed to none. One agreed for the sale and right
// on the sale is nobody's loss wherever the service puts it: where a row is not what the reading gives it, beyond what
// the rule passes, the rows keep their own, and the first bears what the whole is off.
func feeStar(e *Env, r *Row, code string, fee ledger.Opt[ledger.Amount], own func(*Row) ledger.Amount) ledger.Amount {
	sale := r.Sale
	switch {
	case !fee.OK:
		return 0
	case r.Line.FeeBasis != agreements.PerSale:
		return fee.V
	case !sale.exact() || !sale.Live || !sale.oneLine():
		return own(r) // the rule on the sale does not look at it
	}
	part := func(r *Row) ledger.Amount { return spread(fee.V, sale.N, r.Key.Number, e.Profile.FeeSpread) }
	t, off := e.tolerance(code), sale.sum(own)-fee.V
	elsewhere := slices.ContainsFunc(sale.Rows, func(r *Row) bool { return !t.allows(own(r)-part(r), r.G) })
	switch {
	case !elsewhere || !t.allows(off, sale.Total.V):
		return part(r)
	case r == sale.Rows[0]:
		return own(r) - off
	}
	return own(r)
}

// spread is installment k's part of a fee of the sale: equal cents with the remainder on the lowest numbers, or all
// of it on the first.
func spread(fee ledger.Amount, n, k int, reading agreements.FeeSpread) ledger.Amount {
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

// splitStars are the shares that should have been. With agreed shares a beneficiary nobody agreed to gets nothing
// and one that is missing stands behind the row's own splits.
func splitStars(e *Env, r *Row, s *Stars) {
	agreed := agreedSplits(r)
	if len(r.Now.Splits) == 0 && len(agreed) == 0 {
		return
	}
	base := splitBase(e, r)
	s.SplitStar = make([]ledger.Amount, 0, len(r.Now.Splits)+len(agreed))
	s.SStar = 0
	add := func(pct ledger.Rate, u ledger.Unit, own ledger.Amount) {
		star, err := pct.ShareOf(base, u, ledger.HalfAwayFromZero)
		if err != nil {
			star = own
		}
		s.SplitStar = append(s.SplitStar, star)
		s.SStar += star
	}
	for _, sp := range r.Now.Splits {
		own := sp.Value.Or(0)
		pct, u := sp.Pct.V, e.Profile.Unit
		disagreed := false
		if len(agreed) > 0 {
			want, _ := agreedFor(agreed, sp.Beneficiary)
			disagreed = (pct.Percent(u) - want).Abs() > e.points("SPLIT_CONTRACT_PCT_MISMATCH")
			pct, u = want, ledger.Percent
		}
		if !sp.Pct.OK || !sp.Base.OK && !disagreed {
			s.SplitStar = append(s.SplitStar, own) // no rule could tell what is wrong with it
			s.SStar += own
			continue
		}
		add(pct, u, own)
	}
	for _, a := range agreed {
		if !hasSplit(r, a.Beneficiary) {
			s.Lacking = append(s.Lacking, a)
			add(a.Pct, ledger.Percent, 0)
		}
	}
}

// splitBase is what the splits of an installment are parts of.
func splitBase(e *Env, r *Row) ledger.Amount {
	if e.Profile.Split.Base == agreements.SplitOfGross {
		return r.G
	}
	return r.BeforeSplits
}

func agreedSplits(r *Row) []agreements.AgreedSplit {
	if r.Contract == nil {
		return nil
	}
	return r.Contract.Splits
}

func agreedFor(agreed []agreements.AgreedSplit, beneficiary string) (ledger.Rate, bool) {
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
