package sales

import (
	"cmp"
	"slices"
	"strings"

	"concilia/jobs/rules"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// Conclude makes what a run keeps of each store: how the rows of a period were matched, which of its days were complete, and its months.
// totals are what the payments of a store come to by day, of all days of these months.
func (c *Conciliation) Conclude(rows []Row, period ledger.Period, asOf ledger.Date, totals func(store string) []ownsales.Total) []ownsales.Conclusion {
	var out []ownsales.Conclusion
	for i := range c.Sides {
		side := &c.Sides[i]
		one := ownsales.Conclusion{Home: side.Home, Store: side.Store.ID, Period: period}
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
func (r *Row) newMatch() ownsales.Match {
	m := ownsales.Match{Day: r.Day, Level: r.Level, Bucket: r.Bucket, Difference: r.Difference}
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
func (s *Side) forEachEvaluated(asOf ledger.Date, fn func(ownsales.Day)) {
	first := s.firstEvaluated()
	if first == 0 {
		return
	}
	byDay := make(map[ledger.Date]ownsales.Day, len(s.Days))
	for _, d := range s.Days {
		byDay[d.Day] = d
	}
	for d := first; d < asOf; d++ {
		day, shown := byDay[d]
		if !shown {
			day = ownsales.Day{Day: d, State: ownsales.DayMissing}
		}
		fn(day)
	}
}

func (s *Side) listSeenDays(period ledger.Period, asOf ledger.Date) (out []ownsales.SeenDay) {
	s.forEachEvaluated(asOf, func(d ownsales.Day) {
		if period.Contains(d.Day) {
			out = append(out, ownsales.SeenDay{Day: d.Day, State: d.State, Versions: d.Versions})
		}
	})
	return out
}

// listMonths are the months that have days of a period: a line for the service, and one for each other institution that payments name.
func (s *Side) listMonths(period ledger.Period, asOf ledger.Date, totals []ownsales.Total) (out []ownsales.MonthTotal) {
	first := s.firstEvaluated()
	if first == 0 {
		return nil
	}
	for month := max(period.From, first).MonthStart(); month <= period.To; month = month.MonthEnd() + 1 {
		missing := 0
		s.forEachEvaluated(asOf, func(d ownsales.Day) {
			if d.Day.MonthStart() == month && d.State != ownsales.DayComplete {
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
func (s *Store) institutionOf(t ownsales.Total) (id string, counts bool) {
	switch isOfService := t.Method.IsCard() || t.Method == ownsales.MethodSlip; {
	case t.Institution != "" && (len(s.Institutions) > 0 || !isOfService):
		return t.Institution, true
	case isOfService:
		return s.findServiceInstitution().CNPJ, true
	case t.Method == ownsales.MethodPix:
		return ownsales.UnknownInstitution, true
	}
	return "", false
}

func (s *Side) newMonth(month ledger.Date, id string, sum ledger.Amount, missing int) ownsales.MonthTotal {
	m := ownsales.MonthTotal{Month: month, Institution: id, OwnTotal: sum, DaysMissing: missing}
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
func (s *Side) FindStale(before ledger.Date, seen []ownsales.SeenDay, months []ownsales.MonthTotal) ledger.Date {
	known := make(map[ledger.Date]ownsales.SeenDay, len(seen))
	for _, d := range seen {
		known[d.Day] = d
	}
	var stale ledger.Date
	s.forEachEvaluated(before, func(d ownsales.Day) {
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
