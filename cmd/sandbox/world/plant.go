package world

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Planted is one difference a correct worker must hold a case for, open or pending.
type Planted struct {
	Account int64  `json:"account"`
	Code    string `json:"code"`    // the code of the rule that finds it
	Subject string `json:"subject"` // card:, sale:, split: or slip: and the key
	// Impact is in reais with two decimals, positive when the merchant lost; empty when the rule has no
	// impact, "0.00" while the case is pending.
	Impact string `json:"impact"`
	Note   string `json:"note"` // what was done to the data
}

// Planted lists every difference as of the business clock, sorted by account, subject and code. It is
// complete: every finding the planted rows give rise to is in it, companions included, and the rest of the
// world gives rise to none. A difference not visible yet is left out. Differences a worker can only see
// by comparing two nights are not planted.
func (w *World) Planted() []Planted {
	now := w.Now()
	today := DateOf(now)
	all := []Planted{}
	for _, a := range w.accounts {
		for _, s := range w.sales[a.Number] {
			if s.plant != nil && !s.soldAt().After(now) {
				all = append(all, s.expectedFindings(today)...)
			}
		}
		for _, s := range w.slips[a.Number] {
			if s.plant != nil && s.issue <= today {
				all = append(all, s.expectedFindings(today)...)
			}
		}
	}
	slices.SortFunc(all, func(x, y Planted) int {
		return cmp.Or(cmp.Compare(x.Account, y.Account), cmp.Compare(x.Subject, y.Subject), cmp.Compare(x.Code, y.Code))
	})
	return all
}

// accountAt is the i-th account, counted round, so that a world of one account still gets every plant.
func (w *World) accountAt(i int) Account { return w.accounts[i%len(w.accounts)] }

// plantStream draws the order in which an account's histories are tried for plants.
func (w *World) plantStream(a Account) *rand.Rand { return w.randomStream(forPlants, a.Number, w.asOf) }

// Subjects, as the finding rules spell them. No part here ever needs escaping.

func (s *sale) saleSubject() string {
	return fmt.Sprintf("sale:%d:%s:%s:%s", s.account.Number, s.day, s.nsu, s.auth)
}

func (s *sale) cardSubject(k int) string {
	return fmt.Sprintf("card:%d:%s:%s:%s:%d", s.account.Number, s.day, s.nsu, s.auth, k)
}

func (s *sale) splitSubject(k int, p Split) string {
	sum := sha256.Sum256([]byte(p.Beneficiary))
	return fmt.Sprintf("split:%d:%s:%s:%s:%d:%x:%s:1", s.account.Number, s.day, s.nsu, s.auth, k, sum[:4], p.Kind)
}

func (s *slip) slipSubject() string { return fmt.Sprintf("slip:%d:%s", s.account, s.id) }
