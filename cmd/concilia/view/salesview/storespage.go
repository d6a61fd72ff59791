package salesview

import (
	"slices"

	"concilia/cmd/concilia/view"
	jobssales "concilia/jobs/sales"
	"concilia/jobs/sales/match"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
	"concilia/store/sales"
)

// StoresPage compares stores with the service in a period.
type StoresPage struct {
	Stores []StoreStanding
	Rows   []StoreRow // of those that were asked for, the latest, latest first
	All    int64      // how many were asked for
}

// StoreStanding compares one store with the service: what its rows add up to, and what is known of its days.
type StoreStanding struct {
	Store                      string
	Sums                       []sales.BucketSum // of the buckets that have rows, in their order
	Total                      sales.BucketSum
	Days                       []SalesDay
	Complete, Partial, Missing int
	Unjudged                   int // days whose files changed since the last run evaluated them
}

// StoreRow is a row with the name of its page: the subject of the payment, or of the sale that no store knows.
type StoreRow struct {
	SalesRow
	Subject string
}

// IsSlip reports whether it was paid by slip.
func (r *StoreRow) IsSlip() bool {
	return r.Own != nil && r.Own.Method == ownsales.MethodSlip || r.Service != nil && r.Service.Slip != ""
}

// StoreBuckets are the buckets in which rows may be.
func StoreBuckets() (out []string) {
	for _, b := range jobssales.Buckets() {
		out = append(out, string(b))
	}
	return out
}

// StoreRowOf is a row as the last run left it.
func StoreRowOf(m *ownsales.Match) StoreRow {
	out := StoreRow{Subject: m.Service, SalesRow: SalesRow{
		Store: m.Store, Day: m.Day, Bucket: m.Bucket, Level: m.Level, Weak: m.Level == match.Weak, Reasons: jobssales.ReasonsOf(m), Difference: view.Amount(m.Difference),
	}}
	if m.Service != "" {
		out.Service = &ServiceSale{
			Subject: m.Service, NSU: m.NSU, Auth: m.Auth, SoldAt: m.SaleAt.String(), Total: view.Amount(m.SaleTotal.V), Installments: m.Installments, Brand: m.Brand,
			Product: ledger.Product(m.Product), Live: m.Live,
		}
		if subject, ok := ledger.ParseSubject(m.Service); ok && subject.Kind == "slip" {
			out.Service.Slip, out.Service.SoldAt = subject.Parts[0], m.SaleAt.Date().String()
		}
	}
	if m.Sale != "" {
		p := ownsales.Payment{
			Sale: m.Sale, Number: m.Number, SoldAt: m.OwnAt, Timed: true, Amount: m.OwnAmount.V, Method: ownsales.Method(m.OwnMethod),
			Status: ownsales.Status(m.OwnStatus), Installments: m.OwnInstallments, Brand: m.OwnBrand, Terminal: m.Terminal,
		}
		if m.Service == "" {
			p.NSU, p.Auth = m.NSU, m.Auth
		}
		own := OwnSaleOf(m.Store, &sales.Kept{Payment: p})
		out.Own, out.Subject = &own, p.Subject(m.Account, m.Store)
	}
	return out
}

// AddStore adds a store with its days, what its rows add up to, and those of its days whose files say something else than the last run found
// them.
func (p *StoresPage) AddStore(days StoreCoverage, sums []sales.BucketSum, judged map[ledger.Date]ownsales.SeenDay) {
	s := StoreStanding{Store: days.Store, Days: SalesCoverage{days}.Days(), Sums: sums}
	for _, d := range s.Days {
		switch d.State {
		case ownsales.DayComplete:
			s.Complete++
		case ownsales.DayPartial:
			s.Partial++
		case ownsales.DayMissing:
			s.Missing++
		}
	}
	for i := range sums {
		s.Total.Rows += sums[i].Rows
		s.Total.Difference += sums[i].Difference
	}
	var first ledger.Date // that is evaluated
	for day := range judged {
		if first == 0 || day < first {
			first = day
		}
	}
	for i := range days.Shown {
		d := &days.Shown[i]
		switch seen, known := judged[d.Day]; {
		case known && (seen.State != d.State || seen.Versions != d.Versions), !known && d.State == ownsales.DayComplete && d.Day >= first:
			s.Unjudged++
		}
	}
	p.Stores = append(p.Stores, s)
}

// IsCut reports whether there are more rows than the page has.
func (p *StoresPage) IsCut() bool { return int64(len(p.Rows)) < p.All }

// KeepLatest leaves the latest rows, as many as limit says, latest first.
func (p *StoresPage) KeepLatest(limit int) {
	slices.SortStableFunc(p.Rows, func(a, b StoreRow) int { return int(b.Day - a.Day) })
	p.Rows = p.Rows[:min(len(p.Rows), limit)]
}

// OpenDays are the days that no file has completely.
func (s *StoreStanding) OpenDays() (out []SalesDay) {
	for _, d := range s.Days {
		if d.State != ownsales.DayComplete {
			out = append(out, d)
		}
	}
	return out
}

// StoreSale is a payment of a store, a sale of the service, or both, with what the store's files said of it.
type StoreSale struct {
	Subject, Store string
	Row            *StoreRow    // nil: it is not held against the service
	Day            *SalesDay    // of the store; nil: no file shows it
	Versions       SaleVersions // oldest first
}
