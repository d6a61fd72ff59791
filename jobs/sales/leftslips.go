package sales

import (
	"slices"

	"concilia/jobs/sales/match"
	"concilia/store/ledger"
)

// leftSlips are the slips that no payment was found for, and the payments by slip that none was found for. The service tells the number and the
// reference of a slip only when it was credited: until then a payment and a slip of one amount may be each other's.
type leftSlips struct {
	namedIn map[ledger.Account]bool // a store of the account says by which slips it was paid
	issued  map[ledger.Account]bool // the account has slips
	unseen  map[slipAmount]bool     // slips that are not shown yet
	unnamed map[slipAmount]bool     // payments that name no slip
	named   map[slipAmount]bool     // payments that name it by what the service has not shown yet
}

type slipAmount struct {
	account ledger.Account
	amount  ledger.Amount
}

func newLeftSlips(own []match.Own, sales []match.Sale, r *match.Result) *leftSlips {
	l := &leftSlips{namedIn: map[ledger.Account]bool{}, issued: map[ledger.Account]bool{}, unseen: map[slipAmount]bool{}, unnamed: map[slipAmount]bool{}, named: map[slipAmount]bool{}}
	for i := range own {
		if o := &own[i]; o.IsSlip() && o.NamesSlip() {
			for _, a := range o.Accounts {
				l.namedIn[a] = true
			}
		}
	}
	for i := range sales {
		if sales[i].IsSlip() {
			l.issued[sales[i].Key.Account] = true
		}
	}
	for _, i := range r.LeftOwn {
		o := &own[i]
		if !o.IsSlip() || o.SlipID != "" {
			continue
		}
		seen := l.unnamed
		if o.NamesSlip() {
			seen = l.named
		}
		for _, a := range o.Accounts {
			seen[slipAmount{a, o.Amount}] = true
		}
	}
	for _, i := range r.LeftSales {
		if s := &sales[i]; s.IsSlip() && s.Untold {
			l.unseen[slipAmount{s.Key.Account, s.Total}] = true
		}
	}
	return l
}

// isNamed reports whether a payment by slip says which it is. An order's reference says it only where slips are issued: a store may have them from
// elsewhere.
func (l *leftSlips) isNamed(o *match.Own) bool {
	return o.SlipID != "" || o.OurNumber != "" || o.Reference != "" && slices.ContainsFunc(o.Accounts, func(a ledger.Account) bool { return l.issued[a] })
}

// mayBeTold reports whether a payment may be by a slip that the service will show later.
func (l *leftSlips) mayBeTold(o *match.Own) bool {
	return o.IsSlip() && o.SlipID == "" && slices.ContainsFunc(o.Accounts, func(a ledger.Account) bool { return l.unseen[slipAmount{a, o.Amount}] })
}

// mayBeNamed reports whether a slip may be that of a payment that names none, or that names it by what the service has not shown yet.
func (l *leftSlips) mayBeNamed(s *match.Sale) bool {
	k := slipAmount{s.Key.Account, s.Total}
	return l.unnamed[k] || s.Untold && l.named[k]
}
