package sales

import (
	"cmp"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

// Conclude makes what a run keeps of each store: how the rows of a period were matched, which of its days were complete, and its months.
// totals are what the payments of a store come to by day, of all days of these months.
func (c *Conciliation) Conclude(rows []Row, period ledger.Period, asOf ledger.Date, totals func(store string) []ledger.OwnTotal) []ledger.OwnConclusion {
	var out []ledger.OwnConclusion
	for i := range c.Sides {
		side := &c.Sides[i]
		one := ledger.OwnConclusion{Home: side.Home, Store: side.Store.ID, Period: period}
		for n := range rows {
			if r := &rows[n]; r.Store == side.Store.ID && period.Contains(r.Day) {
				one.Matches = append(one.Matches, r.newMatch())
			}
		}
		one.Days = side.listSeenDays(period, asOf)
		one.Months = side.listMonths(period, asOf, totals(side.Store.ID))
		out = append(out, one)
	}
	return out
}

// newMatch is a row as it is kept.
func (r *Row) newMatch() ledger.OwnMatch {
	m := ledger.OwnMatch{Day: r.Day, Level: r.Level, Bucket: r.Bucket, Difference: r.Difference}
	if p := r.Own; p != nil {
		m.Sale, m.Number, m.Terminal, m.OwnAt, m.OwnAmount = p.Sale, p.Number, p.Terminal, p.SoldAt, ledger.Some(p.Amount)
		m.OwnInstallments, m.OwnBrand, m.OwnMethod, m.OwnStatus, m.NSU, m.Auth = p.Installments, p.Brand, string(p.Method), string(p.Status), p.NSU, p.Auth
	}
	if s := r.Sale; s != nil {
		m.Service, m.SaleAt, m.SaleTotal, m.Installments = s.Subject(), s.SoldAt, ledger.Some(s.Total), s.Installments
		m.Brand, m.Product, m.Live = s.Brand, string(s.Product), s.Live
		m.NSU, m.Auth, m.Terminal = s.Key.NSU, s.Key.Auth, cmp.Or(m.Terminal, s.Terminal)
	}
	var codes []string
	for i := range r.Found {
		if r.Found[i].Status == rules.Fires {
			codes = append(codes, r.Found[i].Code)
		}
	}
	slices.Sort(codes)
	m.Codes = strings.Join(codes, "|")
	return m
}

// forEachEvaluated calls fn for the evaluated days up to the eve of a day, those that no file shows too.
func (s *Side) forEachEvaluated(asOf ledger.Date, fn func(ledger.OwnDay)) {
	first := s.firstEvaluated()
	if first == 0 {
		return
	}
	byDay := make(map[ledger.Date]ledger.OwnDay, len(s.Days))
	for _, d := range s.Days {
		byDay[d.Day] = d
	}
	for d := first; d < asOf; d++ {
		day, shown := byDay[d]
		if !shown {
			day = ledger.OwnDay{Day: d, State: ledger.OwnMissing}
		}
		fn(day)
	}
}

func (s *Side) listSeenDays(period ledger.Period, asOf ledger.Date) (out []ledger.SeenOwnDay) {
	s.forEachEvaluated(asOf, func(d ledger.OwnDay) {
		if period.Contains(d.Day) {
			out = append(out, ledger.SeenOwnDay{Day: d.Day, State: d.State, Versions: d.Versions})
		}
	})
	return out
}

// listMonths are the months that have days of a period: a line for the service, and one for each other institution that payments name.
func (s *Side) listMonths(period ledger.Period, asOf ledger.Date, totals []ledger.OwnTotal) (out []ledger.OwnMonth) {
	first := s.firstEvaluated()
	if first == 0 {
		return nil
	}
	for month := max(period.From, first).MonthStart(); month <= period.To; month = month.MonthEnd() + 1 {
		missing := 0
		s.forEachEvaluated(asOf, func(d ledger.OwnDay) {
			if d.Day.MonthStart() == month && d.State != ledger.OwnComplete {
				missing++
			}
		})
		lines := map[string]ledger.Amount{s.Store.findServiceInstitution().CNPJ: 0}
		for _, t := range totals {
			if id, counts := s.Store.institutionOf(t); counts && t.Day.MonthStart() == month {
				lines[id] += t.Amount
			}
		}
		for id, sum := range lines {
			out = append(out, s.newMonth(month, id, sum, missing))
		}
	}
	return out
}

// findServiceInstitution is the institution that the service is.
func (s *Store) findServiceInstitution() Institution {
	if len(s.Institutions) == 0 {
		return Institution{}
	}
	return s.Institutions[0]
}

// institutionOf is the institution that a payment went through. A payment by card or slip that names none is the service's, and so is
// every one of a store without declared institutions; another payment counts only if it names one.
func (s *Store) institutionOf(t ledger.OwnTotal) (id string, counts bool) {
	switch isOfService := t.Method.IsCard() || t.Method == ledger.OwnSlip; {
	case t.Institution != "" && (len(s.Institutions) > 0 || !isOfService):
		return t.Institution, true
	case isOfService:
		return s.findServiceInstitution().CNPJ, true
	case t.Method == ledger.OwnPix:
		return ledger.UnknownInstitution, true
	}
	return "", false
}

func (s *Side) newMonth(month ledger.Date, id string, sum ledger.Amount, missing int) ledger.OwnMonth {
	m := ledger.OwnMonth{Month: month, Institution: id, OwnTotal: sum, DaysMissing: missing}
	if i := slices.IndexFunc(s.Store.Institutions, func(x Institution) bool { return x.CNPJ == id }); i >= 0 {
		m.Participant = s.Store.Institutions[i].Participant
	}
	if m.OfService = id == s.Store.findServiceInstitution().CNPJ; m.OfService {
		names := make([]string, len(s.Store.ServiceAccounts))
		for i, a := range s.Store.ServiceAccounts {
			names[i] = a.String()
		}
		m.ServiceAccounts = strings.Join(names, "|")
	}
	return m
}

// FindStale is the first day before a day that was concluded from other records than the store has now, 0: none was.
func (s *Side) FindStale(before ledger.Date, seen []ledger.SeenOwnDay, months []ledger.OwnMonth) ledger.Date {
	known := make(map[ledger.Date]ledger.SeenOwnDay, len(seen))
	for _, d := range seen {
		known[d.Day] = d
	}
	var stale ledger.Date
	s.forEachEvaluated(before, func(d ledger.OwnDay) {
		if was := known[d.Day]; stale == 0 && (was.State != d.State || was.Versions != d.Versions) {
			stale = d.Day
		}
	})
	for i := range months {
		m := &months[i]
		now := s.newMonth(m.Month, m.Institution, m.OwnTotal, m.DaysMissing)
		if declared := m.Participant == now.Participant && m.OfService == now.OfService && m.ServiceAccounts == now.ServiceAccounts; !declared && m.Month < before && (stale == 0 || m.Month < stale) {
			stale = m.Month
		}
	}
	return stale
}
