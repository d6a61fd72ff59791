package find

import (
	"cmp"
	"context"
	"slices"

	"concilia/store/caselog"
	"concilia/store/ledger"
)

// Hit is a sale, a slip or a case that has every word.
type Hit struct {
	Kind     string         `json:"kind"` // case, sale, slip, or own: a payment of a store
	Subject  string         `json:"subject"`
	Case     string         `json:"case"` // of a sale or a slip: that of its largest impact that is not over, empty without one
	Account  ledger.Account `json:"account"`
	Date     ledger.Date    `json:"date"`   // of the sale, due date, or day of the case
	Amount   string         `json:"amount"` // total of the sale, value of the slip, impact of the case; exact
	Matched  []string       `json:"matched"`
	State    string         `json:"state"`    // of the case; without one the class of the sale or slip
	Sentence string         `json:"sentence"` // of the case; empty without one
}

// The kinds of hits.
const (
	CaseHit = "case"
	SaleHit = "sale"
	SlipHit = "slip"
	OwnHit  = "own"
)

// describe adds the hits of a match: each case that a word names, else the sales of the key, or the slip.
func (f *Finder) describe(ctx context.Context, m *match, slips foundSlips, hits *[]Hit) error {
	matched := make([]string, len(m.matched))
	for i, kind := range m.matched {
		matched[i] = string(kind)
	}
	if len(m.cases) > 0 {
		seen := map[string]bool{}
		for _, c := range m.cases {
			if seen[c.Case] {
				continue
			}
			seen[c.Case] = true
			*hits = append(*hits, Hit{
				Kind: CaseHit, Subject: c.Subject, Case: c.Case, Account: c.Account, Date: c.Day, Amount: amountText(c.Impact), Matched: matched,
				State: string(c.State), Sentence: f.Voice.Explain(*c),
			})
		}
		return nil
	}
	if m.payment != nil {
		*hits = append(*hits, Hit{
			Kind: OwnHit, Subject: m.own, Account: m.account, Date: m.day, Amount: m.payment.Amount.String(), Matched: matched, State: string(m.payment.Status),
		})
		return nil
	}
	if m.Slip != "" {
		return f.describeSlip(ctx, m, slips, matched, hits)
	}
	return f.describeSales(ctx, m, matched, hits)
}

func amountText(o ledger.Opt[ledger.Amount]) string {
	if !o.OK {
		return ""
	}
	return o.V.String()
}

// foundSlips are the slips of an account by id.
type foundSlips map[ledger.Account]map[string]*ledger.Slip

// readSlips reads the slips of some matches, those of an account at once.
func (f *Finder) readSlips(ctx context.Context, some []match) (foundSlips, error) {
	ids := map[ledger.Account][]string{}
	for i := range some {
		if m := &some[i]; m.Slip != "" && len(m.cases) == 0 {
			ids[m.account] = append(ids[m.account], m.Slip)
		}
	}
	out := foundSlips{}
	for a, of := range ids {
		out[a] = map[string]*ledger.Slip{}
		slices.Sort(of)
		err := f.Ledger.SlipsInScope(ctx, a, &ledger.Scope{Slips: slices.Compact(of)}, func(s *ledger.Slip) error {
			out[a][s.ID] = s
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// describeSlip adds a slip, unless no list shows it any more. Of a match beyond those that were read first it is read by itself.
func (f *Finder) describeSlip(ctx context.Context, m *match, slips foundSlips, matched []string, hits *[]Hit) error {
	s, read := slips[m.account][m.Slip]
	if !read {
		alone, err := f.readSlips(ctx, []match{*m})
		if err != nil {
			return err
		}
		s = alone[m.account][m.Slip]
	}
	if s == nil {
		return nil
	}
	h := Hit{
		Kind: SlipHit, Subject: s.Subject(), Account: m.account, Date: s.Due, Amount: s.Value.String(), Matched: matched,
	}
	if s.Stored != nil {
		h.State = string(s.Stored.Class)
	}
	err := f.addStandingCase(ctx, &h, caselog.FindingFilter{Accounts: []ledger.Account{m.account}, Slip: m.Slip}, nil)
	*hits = append(*hits, h)
	return err
}

// describeSales adds the sales of a day, NSU and authorization: several only when the service repeats a key.
func (f *Finder) describeSales(ctx context.Context, m *match, matched []string, hits *[]Hit) error {
	type sale struct {
		key     ledger.SaleKey
		total   ledger.Amount
		gross   ledger.Amount
		classes []ledger.Class
	}
	var sales []*sale
	key := ledger.SaleKey{Account: m.account, Day: m.Day, NSU: m.NSU, Auth: m.Auth, Occurrence: 1}
	err := f.Ledger.SaleRows(ctx, key, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		k := v.SaleKey()
		i := slices.IndexFunc(sales, func(s *sale) bool { return s.key == k })
		if i < 0 {
			sales, i = append(sales, &sale{key: k}), len(sales)
		}
		s := sales[i]
		s.total, s.gross = max(s.total, v.SaleTotal.Or(0)), s.gross+v.Gross
		if e != nil {
			s.classes = append(s.classes, e.Class)
		}
		return nil
	})
	for _, s := range sales {
		h := Hit{
			Kind: SaleHit, Subject: s.key.Subject(), Account: m.account, Date: s.key.Day, Amount: cmp.Or(s.total, s.gross).String(),
			Matched: matched, State: classOf(s.classes),
		}
		err = cmp.Or(err, f.addStandingCase(ctx, &h, caselog.FindingFilter{Accounts: []ledger.Account{m.account}, Sale: s.key}, &s.key))
		*hits = append(*hits, h)
	}
	return err
}

// classOf is the class of a sale: the one of its installments that has most to come.
func classOf(classes []ledger.Class) string {
	for _, c := range []ledger.Class{ledger.Open, ledger.Blocked, ledger.Chargeback, ledger.Received, ledger.Cancelled} {
		if slices.Contains(classes, c) {
			return string(c)
		}
	}
	return ""
}

// addStandingCase adds the unresolved root case with the largest impact, of the sale of the key or of the slip.
func (f *Finder) addStandingCase(ctx context.Context, h *Hit, filter caselog.FindingFilter, key *ledger.SaleKey) error {
	filter.States = []ledger.State{ledger.Opened, ledger.Reopened, ledger.Acknowledged, ledger.Disputed, ledger.Waived, ledger.Pending}
	filter.Order = caselog.ByImpact
	return f.Ledger.Findings(ctx, filter, func(c *ledger.Finding) error {
		if h.Case != "" || c.ExplainedBy != "" {
			return nil
		}
		if s, ok := ledger.ParseSubject(c.Subject); key != nil && ok && s.Kind == "sale" && s.Occurrence != key.Occurrence {
			return nil // of another sale of the same key
		}
		h.Case, h.State, h.Sentence = c.Case, string(c.State), f.Voice.Explain(*c)
		return nil
	})
}
