package world

import "slices"

// cardPlant is what was done to one sale; all but totalOff and missing touch installment k alone.
type cardPlant struct {
	k           int
	note        string
	receivedOff Money // added to what is received
	lateDays    int   // bank days past the forecast
	neverPaid   bool
	rateOff     Rate  // added to the MDR rate, the amount following
	mdrOff      Money // added to the MDR amount, the rate staying
	splitOff    Money // added to the split's value
	splitAll    bool  // the split's value is its whole base
	totalOff    Money // added to the sale's total on every record
	missing     bool  // the last installment is not listed
	takenBack   bool  // its net is debited when it is cancelled, though it was never received
}

// plantOf is what was done to installment k.
func (s *sale) plantOf(k int) cardPlant {
	if s.plant == nil || s.plant.k != k {
		return cardPlant{}
	}
	return *s.plant
}

// salePlant is what was done to the sale.
func (s *sale) salePlant() cardPlant {
	if s.plant == nil {
		return cardPlant{}
	}
	return *s.plant
}

// cardWish is a plant in search of a sale: any plain sale of the account that fits.
type cardWish struct {
	account int // index
	fits    func(*sale) bool
	plant   cardPlant
	change  func(*sale) // what the plant does to the sale's own history, if anything
}

// plantCards gives every wish a sale of its own. In a short world some find none and are left out.
func (w *World) plantCards() {
	for _, wish := range w.cardWishes() {
		a := w.accountAt(wish.account)
		sales := slices.Clone(w.sales[a.Number])
		w.plantStream(a).Shuffle(len(sales), func(i, j int) { sales[i], sales[j] = sales[j], sales[i] })
		i := slices.IndexFunc(sales, func(s *sale) bool {
			plain := s.plant == nil && s.cancelledOn == 0 && s.blockedOn == 0 && s.anticipated == 0
			return plain && s.day < w.asOf && wish.fits(s)
		})
		if i < 0 {
			continue
		}
		p := wish.plant
		p.k = max(p.k, 1)
		sales[i].plant = &p
		if wish.change != nil {
			wish.change(sales[i])
		}
	}
}

// cardWishes are the planted differences of card sales. Each is made so that few other rules notice.
func (w *World) cardWishes() []cardWish {
	credit := func(s *sale) bool { return !s.debit }
	paid := func(more int) func(*sale) bool { // credit, first installment paid even more bank days late
		return func(s *sale) bool { return credit(s) && s.settlementDay(1).AddBankDays(more+1) <= w.asOf }
	}
	single := func(s *sale) bool { return s.count == 1 && paid(0)(s) }
	// A small brand, so that the month's practised rate does not rest on one sale.
	small := func(s *sale) bool { return single(s) && s.brand != "visa" && s.brand != "mastercard" }
	return []cardWish{
		{
			0, func(s *sale) bool { return s.settlementDay(1) == w.asOf.lastBankDayBefore() },
			cardPlant{neverPaid: true, note: "forecast for the last bank day and not paid"},
			nil,
		},
		{0, small, cardPlant{rateOff: 5600, note: "MDR charged at 0.56 points above the contract"}, nil},
		{0, single, cardPlant{mdrOff: 37 * cent, note: "MDR amount 0.37 above what its own rate gives"}, nil},
		{
			0, func(s *sale) bool { return single(s) && s.settlementDay(1)+3 < w.asOf },
			cardPlant{note: "cancelled after it was received, and nothing taken back"},
			func(s *sale) { s.cancelledOn = s.settlementDay(1) + 3 },
		},
		{0, paid(0), cardPlant{receivedOff: -127 * cent, note: "received 1.27 short"}, nil},
		{0, paid(2), cardPlant{lateDays: 2, note: "received two bank days late"}, nil},
		{
			0, func(s *sale) bool { return credit(s) && s.settlementDay(1).AddBankDays(5) < w.asOf },
			cardPlant{neverPaid: true, note: "forecast long passed and not paid"},
			nil,
		},
		{1, paid(1), cardPlant{lateDays: 1, receivedOff: -250 * cent, note: "received one bank day late and 2.50 short"}, nil},
		{1, paid(0), cardPlant{receivedOff: 200 * cent, note: "received 2.00 over"}, nil},
		// Listed installments, total and fees of the sale agree, so only the count tells.
		{
			0, func(s *sale) bool { return s.count >= 3 && s.count <= 6 },
			cardPlant{missing: true, note: "the last installment is not listed"},
			func(s *sale) { s.listed = s.count - 1 },
		},
		{1, func(s *sale) bool { return s.count >= 5 }, w.wrongTotal(), nil},
		{
			1, func(s *sale) bool { return s.account.Splits && credit(s) && s.count > 1 },
			cardPlant{splitOff: 90 * cent, note: "split 0.90 above its percentage"},
			nil,
		},
		{
			// With splits taken out of it this receipt would be negative: another difference altogether.
			1, func(s *sale) bool { return s.account.Splits && s.debit && !s.interpretation.ReceivedNetOfSplits },
			cardPlant{splitAll: true, splitOff: 500 * cent, note: "split 5.00 above the whole net"},
			nil,
		},
		{
			1, func(s *sale) bool { return credit(s) && s.count == 1 && (s.day+1).BankDayOnOrAfter() < w.asOf },
			cardPlant{takenBack: true, note: "cancelled before it was received, and its net debited"},
			func(s *sale) { s.cancelledOn = (s.day + 1).BankDayOnOrAfter() },
		},
	}
}

// wrongTotal is a total so little off that MDR on it still agrees: within a cent each from five installments
// on, or within one cent where MDR is rounded on the sale.
func (w *World) wrongTotal() cardPlant {
	if w.interpretation.MDRRounding == MDRSale {
		return cardPlant{totalOff: 10 * cent, note: "total 0.10 above the sum of the installments"}
	}
	return cardPlant{totalOff: 50 * cent, note: "total 0.50 above the sum of the installments"}
}

// expectedFindings are the findings the plant gives rise to on a morning.
func (s *sale) expectedFindings(today Date) []Planted {
	p, k := s.plant, s.plant.k
	r := s.installmentAt(k, today)
	var out []Planted
	add := func(code, subject, impact string) {
		out = append(out, Planted{Account: s.account.Number, Code: code, Subject: subject, Impact: impact, Note: p.note})
	}
	card := s.cardSubject(k)
	if p.missing {
		add("TXN_INSTALLMENTS_MISSING", s.saleSubject(), "")
	}
	if p.totalOff != 0 {
		add("TXN_TOTAL_MISMATCH", s.saleSubject(), "")
	}
	if r.Status == statusCanceled {
		switch {
		case r.Received > 0:
			add("CANCELLED_BUT_RECEIVED", card, (-r.Received).Cents())
		case r.Received < 0:
			add("RECEIVED_NEGATIVE", card, (-r.Received).Cents())
		}
		return out
	}
	charged := (r.MDR - feesOf(s.debit, s.count, r.Gross).mdr).Cents()
	if p.rateOff != 0 {
		add("MDR_RATE_MISMATCH", card, charged)
	}
	if p.mdrOff != 0 {
		add("MDR_AMOUNT_MISMATCH", card, charged)
		add("MDR_TXN_TOTAL_MISMATCH", s.saleSubject(), "") // of one installment: the sale's total is off alike
	}
	s.addReceiptFindings(k, r, today, add)
	if len(r.Splits) == 1 && (p.splitOff != 0 || p.splitAll) {
		one := r.Splits[0]
		add("SPLIT_AMOUNT_MISMATCH", s.splitSubject(k, one), (one.Value - percentOf(one.Base, splitPct)).Cents())
		if one.Value > one.Base {
			add("SPLIT_EXCEEDS_NET", card, "")
		}
	}
	return out
}

// addReceiptFindings is what a late, missing or wrong receipt gives rise to.
func (s *sale) addReceiptFindings(k int, r Installment, today Date, add func(code, subject, impact string)) {
	card, promised := s.cardSubject(k), s.settlementDay(k)
	if r.Effective == 0 {
		switch grace := promised.AddBankDays(1); {
		case today > grace:
			add("RECEIVED_OVERDUE", card, r.Expected.Cents())
		case today > promised:
			add("RECEIVED_OVERDUE", card, "0.00") // pending: within one bank day of grace
		}
		return
	}
	if r.Effective > promised {
		add("RECEIVED_LATE", card, "")
	}
	if r.Received != r.Expected {
		add("RECEIVED_VALUE_MISMATCH", card, (r.Expected - r.Received).Cents())
	}
}
