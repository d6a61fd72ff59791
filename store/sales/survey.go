package sales

import (
	"concilia/export/words"
	"concilia/store/ledger"
	"concilia/store/ledger/ownsales"
)

// Limits of what is reported of a file that has much wrong.
const (
	maxFaults   = 20
	maxUnmapped = 20
	// quarantinedShare is the part of the rows, one in so many, over which a file is no export of sales but something else.
	quarantinedShare = 10
)

// survey is what a file shows as a whole: what days it shows and how much of it cannot be read. Nothing is written before it is known.
type survey struct {
	payments, quarantined, voids, numbers int64
	first, last                           ledger.Date // of payments, and of notes
	latest                                ledger.LocalTime
	faults                                []ownsales.Fault
	unmapped                              []ownsales.Unmapped
}

func (s *survey) takeRecord(r *ownsales.Record) {
	switch {
	case r.Payment != nil:
		s.payments++
		s.seeDay(r.Payment.Day())
		s.latest = max(s.latest, r.Payment.SoldAt)
	case r.Void != nil:
		s.voids++
		s.latest = max(s.latest, r.Void.At)
	case r.Numbers != nil:
		s.numbers++
		if r.Numbers.Day != 0 {
			s.seeDay(r.Numbers.Day)
		}
	case r.Fault != nil:
		s.addFault(*r.Fault)
	case r.Unmapped != nil && len(s.unmapped) < maxUnmapped:
		s.unmapped = append(s.unmapped, *r.Unmapped)
	}
}

func (s *survey) seeDay(d ledger.Date) {
	if s.first == 0 || d < s.first {
		s.first = d
	}
	s.last = max(s.last, d)
}

func (s *survey) addFault(f ownsales.Fault) {
	if s.quarantined++; len(s.faults) < maxFaults {
		s.faults = append(s.faults, f)
	}
}

// findRefusal is why the file as a whole is not to be used, nil if it is.
func (s *survey) findRefusal(stated bool) error {
	rows := s.payments + s.quarantined
	switch {
	case s.quarantined*quarantinedShare > rows:
		f := s.faults[0]
		return words.NewRefusal("rows", "refused.bad_rows", "remedy.export_or_map", "bad", s.quarantined, "rows", rows, "where", words.Unpack(f.Where), "why", words.Unpack(f.Reason))
	case rows+s.voids+s.numbers == 0 && !stated:
		return words.NewRefusal("empty", "refused.no_sale", "remedy.say_days")
	}
	return nil
}

// findCover sets which days a file has whole, and when it was made. stated is the period that it is said to cover, the zero Period is
// unknown. Days that are not over when it is taken in are not whole.
func (s *survey) findCover(in *TakeIn, stated ledger.Period) (whole ledger.Period, made ledger.LocalTime) {
	last := in.Today - 1
	switch {
	case stated.From != 0:
		whole = ledger.Period{From: stated.From, To: min(stated.To, last)}
		made = ledger.StartOf(stated.To + 1)
	case in.Notes:
		return whole, s.latest // by their numbers
	case s.last == 0:
		return whole, 0
	default:
		whole = ledger.Period{From: s.first, To: min(s.last-1, last)}
		made = ledger.StartOf(s.last)
	}
	if whole.To < whole.From {
		whole = ledger.Period{}
	}
	return whole, made
}
