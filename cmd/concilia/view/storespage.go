package view

import (
	"concilia/jobs/othersides"
	jobssales "concilia/jobs/sales"
	"concilia/store/ledger"
)

// StoresPage is how stores stand against the service in a period.
type StoresPage struct {
	Stores []StoreStanding
	Rows   []StoreRow // latest first
}

// StoreStanding is how a store stands: what its rows add up to, and what is known of its days.
type StoreStanding struct {
	Store                      string
	Sums                       []BucketSum // of the buckets that have rows, in their order
	Total                      BucketSum
	Days                       []SalesDay
	Complete, Partial, Missing int
}

// BucketSum is the rows of a bucket, and what the store says of them less what the service says.
type BucketSum struct {
	Bucket     jobssales.Bucket
	Rows       int
	Difference ledger.Amount
}

// StoreRow is a row with the name of its page: the subject of the payment, or of the sale that no store knows.
type StoreRow struct {
	SalesRow
	Subject string
}

// IsMatched reports whether both sides say the same.
func (r *StoreRow) IsMatched() bool { return r.Bucket == jobssales.Matched }

// IsSlip reports whether it was paid by slip.
func (r *StoreRow) IsSlip() bool {
	return r.Own != nil && r.Own.Method == ledger.OwnSlip || r.Service != nil && r.Service.Slip != ""
}

// StoreBuckets are the buckets in which rows may be.
func StoreBuckets() (out []string) {
	for _, b := range jobssales.Buckets() {
		out = append(out, string(b))
	}
	return out
}

// StoreRowOf names a row; home is the account under which its store is kept.
func StoreRowOf(home ledger.Account, r *jobssales.Row) StoreRow {
	out := StoreRow{SalesRow: SalesRowsOf([]jobssales.Row{*r})[0]}
	if r.Own != nil {
		out.Subject = r.Own.Subject(home, r.Store)
	} else {
		out.Subject = r.Sale.Subject()
	}
	return out
}

// AddStore adds a store with its days and with those of the rows that are its own.
func (p *StoresPage) AddStore(home ledger.Account, days StoreCoverage, rows []jobssales.Row) {
	s := StoreStanding{Store: days.Store, Days: SalesCoverage{days}.Days()}
	for _, d := range s.Days {
		switch d.State {
		case ledger.OwnComplete:
			s.Complete++
		case ledger.OwnPartial:
			s.Partial++
		case ledger.OwnMissing:
			s.Missing++
		}
	}
	sums := map[jobssales.Bucket]*BucketSum{}
	for i := range rows {
		r := &rows[i]
		if r.Store != s.Store {
			continue
		}
		if sums[r.Bucket] == nil {
			sums[r.Bucket] = &BucketSum{Bucket: r.Bucket}
		}
		for _, sum := range []*BucketSum{sums[r.Bucket], &s.Total} {
			sum.Rows++
			sum.Difference += r.Difference
		}
		p.Rows = append(p.Rows, StoreRowOf(home, r))
	}
	for _, b := range jobssales.Buckets() {
		if sums[b] != nil {
			s.Sums = append(s.Sums, *sums[b])
		}
	}
	p.Stores = append(p.Stores, s)
}

// OpenDays are the days that no file tells whole.
func (s *StoreStanding) OpenDays() (out []SalesDay) {
	for _, d := range s.Days {
		if d.State != ledger.OwnComplete {
			out = append(out, d)
		}
	}
	return out
}

// FormatStores says in a line how the payments by card of all stores stand.
func (l Language) FormatStores(all []othersides.SalesSummary) string {
	var sum othersides.SalesSummary
	for i := range all {
		s := &all[i]
		sum.Sent += s.Sent
		sum.Matched += s.Matched
		sum.Divergent += s.Divergent
		sum.NotAtService += s.NotAtService
		sum.Duplicated += s.Duplicated
		sum.OnlyAtService += s.OnlyAtService
	}
	return l.text("demo.stores", "sent", l.FormatCount(int64(sum.Sent)), "matched", l.FormatCount(int64(sum.Matched)), "divergent", sum.Divergent,
		"not_at_service", sum.NotAtService, "duplicated", sum.Duplicated, "waiting", sum.Sent-sum.Matched-sum.Divergent-sum.NotAtService-sum.Duplicated,
		"only_at_service", sum.OnlyAtService)
}

// StoreSale is a payment of a store, a sale of the service, or both, with what the store's files said of it.
type StoreSale struct {
	Subject, Store string
	Row            *StoreRow    // nil: it is not held against the service
	Day            *SalesDay    // of the store; nil: no file shows it
	Versions       SaleVersions // oldest first
}
