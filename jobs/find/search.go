package find

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"concilia/jobs/rules/catalogue"
	"concilia/store"
	"concilia/store/caselog"
	"concilia/store/ledger"
	"concilia/store/lookup"
	"concilia/store/sales"
)

const (
	// DefaultLimit and MaxLimit are how many hits are shown.
	DefaultLimit, MaxLimit = 50, 500
	// maxHits is how many hits a query may have before another word is asked for.
	maxHits = 10_000
	// maxOfWord bounds how much of one account one word may lead to.
	maxOfWord = 100_000
)

// Finder answers from a ledger. Every field but HidesStore is required.
type Finder struct {
	Ledger   *store.Ledger
	Accounts []ledger.Account // that the person who asks may see
	Voice    catalogue.Voice  // of sentences
	// HidesStore reports whether the person who asks may not see a store's sales; nil: no store is hidden.
	HidesStore func(id string) bool
	// FindsPayers: a document finds the slips whose payer has it, which is for who may see payers.
	FindsPayers bool
}

// Request is a query and how far it goes.
type Request struct {
	*Query
	From, To ledger.Date // of the item; zero: without limit
	Limit    int         // hits at most; 0: DefaultLimit
}

// Answer is what was found.
type Answer struct {
	Hits []Hit
	// Total is how many there are; TooMany: so many that another word is needed, and Hits is empty.
	Total   int
	TooMany bool
}

// Find gives what has every word of the query: what an exact id leads to first, then the latest day.
func (f *Finder) Find(ctx context.Context, r Request) (*Answer, error) {
	var all []match
	answer := &Answer{}
	for _, a := range f.Accounts {
		s := search{Finder: f, ctx: ctx, account: a}
		found, err := s.matchAll(r.Query)
		if err != nil {
			return nil, err
		}
		answer.TooMany = answer.TooMany || s.tooMany
		all = append(all, found...)
	}
	all = slices.DeleteFunc(all, func(m match) bool {
		return r.From != 0 && m.day < r.From || r.To != 0 && m.day > r.To
	})
	if answer.Total = len(all); answer.TooMany || len(all) > maxHits {
		return &Answer{Total: len(all), TooMany: true}, nil
	}
	slices.SortFunc(all, func(a, b match) int {
		return cmp.Or(-compareBools(a.exact, b.exact), cmp.Compare(b.day, a.day), cmp.Compare(a.account, b.account),
			strings.Compare(a.caseID, b.caseID), strings.Compare(a.NSU, b.NSU), strings.Compare(a.Auth, b.Auth), strings.Compare(a.Slip, b.Slip), strings.Compare(a.own, b.own))
	})
	limit := min(cmp.Or(r.Limit, DefaultLimit), MaxLimit)
	slips, err := f.readSlips(ctx, all[:min(len(all), limit)])
	if err != nil {
		return nil, err
	}
	for i := range all {
		if len(answer.Hits) >= limit {
			break
		}
		if err := f.describe(ctx, &all[i], slips, &answer.Hits); err != nil {
			return nil, err
		}
	}
	return answer, nil
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// place is a sale, a slip, or a case about anything else.
type place struct {
	lookup.Item        // of a slip without the day
	caseID      string // of a case that is about neither
	own         string // subject of a payment of a store
}

// match is a place with what led to it.
type match struct {
	place
	account ledger.Account
	day     ledger.Date
	exact   bool // an id led to it
	matched []lookup.WordKind
	cases   []*ledger.Finding // that a word names
	payment *sales.Kept       // of a store
}

// search looks in one account.
type search struct {
	*Finder
	ctx     context.Context
	account ledger.Account
	tooMany bool
}

// places are what one word leads to.
type places map[place]*match

func (s *search) matchAll(q *Query) ([]match, error) {
	var found places
	for i := range q.Words {
		one, err := s.matchWord(&q.Words[i])
		if err != nil {
			return nil, err
		}
		if len(one) >= maxOfWord {
			s.tooMany = true
		}
		if i == 0 {
			found = one
			continue
		}
		for at, m := range found {
			other, both := one[at]
			if !both {
				delete(found, at)
				continue
			}
			m.exact = m.exact || other.exact
			m.matched = append(m.matched, other.matched...)
			m.cases = append(m.cases, other.cases...)
		}
	}
	out := make([]match, 0, len(found))
	for _, m := range found {
		slices.Sort(m.matched)
		m.matched = slices.Compact(m.matched)
		out = append(out, *m)
	}
	return out, nil
}

// matchWord gives all places that a word leads to.
func (s *search) matchWord(w *Word) (places, error) {
	found := places{}
	keys := make([]string, 0, len(w.keys))
	for key := range w.keys {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	if len(keys) > 0 {
		err := s.Ledger.ItemsWithWord(s.ctx, s.account, keys, maxOfWord, func(word string, item lookup.Item) {
			for _, kind := range w.keys[word] {
				s.add(found, item, kind)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	if s.FindsPayers && w.document != "" {
		if err := s.Ledger.SlipsOfPayer(s.ctx, s.account, w.document, maxOfWord, func(item lookup.Item) { s.add(found, item, payerWord) }); err != nil {
			return nil, err
		}
	}
	for _, d := range w.dates {
		if err := s.Ledger.ItemsOfDay(s.ctx, s.account, d, maxOfWord, func(item lookup.Item) { s.add(found, item, dateWord) }); err != nil {
			return nil, err
		}
	}
	if w.subject != nil && w.subject.Account == s.account {
		s.add(found, itemOf(w.subject), subjectWord)
	}
	if w.text != "" && digitsOf(w.text) == w.text {
		subject, err := s.Ledger.SubjectOfTitle(s.ctx, s.account, w.text)
		if err != nil {
			return nil, err
		}
		if parsed, ok := subjectOf(subject); ok {
			s.add(found, itemOf(parsed), titleWord)
		}
	}
	if w.text != "" {
		if err := s.matchPayments(w, found); err != nil {
			return nil, err
		}
	}
	return found, s.matchCases(w, found)
}

// matchPayments adds the payments of the sales that stores know by the word, or the one whose subject it is.
func (s *search) matchPayments(w *Word, found places) error {
	sale, only := w.text, ""
	if subject, ok := ledger.ParseSubject(w.text); ok && subject.Kind == "own" && len(subject.Parts) == 3 {
		sale, only = subject.Parts[1], w.text
	}
	return s.Ledger.PaymentsOfSale(s.ctx, s.account, sale, func(store string, k *sales.Kept) error {
		isMeant := only == "" || only == k.Subject(s.account, store)
		if isMeant && (s.HidesStore == nil || !s.HidesStore(store)) {
			s.addPlace(found, place{own: k.Subject(s.account, store)}, k.Day(), ownWord).payment = k
		}
		return nil
	})
}

// matchCases adds the cases whose id or whose reference a word is.
func (s *search) matchCases(w *Word, found places) error {
	if w.caseID != "" {
		ids, err := s.Ledger.CaseIDs(s.ctx, w.caseID, maxOfWord)
		if err != nil || len(ids) == 0 {
			return err
		}
		for some := range slices.Chunk(ids, MaxLimit) {
			err := s.Ledger.Findings(s.ctx, caselog.FindingFilter{Accounts: []ledger.Account{s.account}, Cases: some}, func(f *ledger.Finding) error {
				s.addCase(found, f, caseWord)
				return nil
			})
			if err != nil {
				return err
			}
		}
	}
	if w.text == "" {
		return nil
	}
	return s.Ledger.Findings(s.ctx, caselog.FindingFilter{Accounts: []ledger.Account{s.account}, Referenced: true}, func(f *ledger.Finding) error {
		if strings.EqualFold(f.Reference, w.text) {
			s.addCase(found, f, protocolWord)
		}
		return nil
	})
}

// isID reports whether a kind of words names one thing, unlike an amount or a date.
func isID(kind lookup.WordKind) bool {
	switch kind {
	case lookup.AmountWord, dateWord, lookup.CardWord, lookup.BeneficiaryWord, payerWord:
		return false
	}
	return true
}

func (s *search) add(found places, item lookup.Item, kind lookup.WordKind) *match {
	at, day := place{Item: item}, item.Day
	if item.Slip != "" {
		at.Day = 0
	}
	return s.addPlace(found, at, day, kind)
}

func (s *search) addPlace(found places, at place, day ledger.Date, kind lookup.WordKind) *match {
	m := found[at]
	if m == nil {
		m = &match{place: at, account: s.account}
		found[at] = m
	}
	m.day = max(m.day, day)
	m.exact = m.exact || isID(kind)
	m.matched = append(m.matched, kind)
	return m
}

// addCase adds the place that a case is about; one about neither a sale nor a slip is a place of its own.
func (s *search) addCase(found places, f *ledger.Finding, kind lookup.WordKind) {
	var m *match
	if parsed, ok := subjectOf(f.Subject); ok {
		m = s.add(found, itemOf(parsed), kind)
		m.day = max(m.day, f.Day)
	} else {
		m = s.addPlace(found, place{caseID: f.Case}, f.Day, kind)
	}
	m.cases = append(m.cases, f)
}
