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

// planter puts differences into histories that are drawn.
type planter struct {
	*outline
	sales map[int64][]*sale
	slips map[int64][]*slip
}

// accountAt is the i-th account, counted round, so that a world of one account still gets every plant.
func (p *planter) accountAt(i int) Account { return p.accounts[i%len(p.accounts)] }

// plantStream draws the order in which an account's histories are tried for plants.
func (p *planter) plantStream(a Account) *rand.Rand {
	return p.randomStream(forPlants, a.Number, p.asOf)
}

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

// cardPlant is what was done to one sale; all but totalOff and missing touch installment k alone.
type cardPlant struct {
	k           int
	note        string
	receivedOff Money // added to what is received
	lateDays    int   // bank days past the forecast
	neverPaid   bool
	debt        *debt // of one that is never paid
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
func (p *planter) plantCards() {
	for _, wish := range p.cardWishes() {
		a := p.accountAt(wish.account)
		sales := slices.Clone(p.sales[a.Number])
		// Those still to come are left out, so that a longer world has the differences of a shorter one.
		sales = slices.DeleteFunc(sales, func(s *sale) bool { return s.day >= p.asOf })
		p.plantStream(a).Shuffle(len(sales), func(i, j int) { sales[i], sales[j] = sales[j], sales[i] })
		i := slices.IndexFunc(sales, func(s *sale) bool {
			plain := s.plant == nil && s.cancelledOn == 0 && s.blockedOn == 0 && s.anticipated == 0
			return plain && wish.fits(s)
		})
		if i < 0 {
			continue
		}
		p := wish.plant
		p.k = max(p.k, 1)
		if p.neverPaid {
			p.debt = &debt{}
		}
		sales[i].plant = &p
		if wish.change != nil {
			wish.change(sales[i])
		}
	}
}

// cardWishes are the planted differences of card sales. Each is made so that few other rules notice.
func (p *planter) cardWishes() []cardWish {
	credit := func(s *sale) bool { return !s.debit }
	paid := func(more int) func(*sale) bool { // credit, first installment paid even more bank days late
		return func(s *sale) bool { return credit(s) && s.settlementDay(1).AddBankDays(more+1) <= p.asOf }
	}
	single := func(s *sale) bool { return s.count == 1 && paid(0)(s) }
	// A small brand, so that the month's practised rate does not rest on one sale.
	small := func(s *sale) bool { return single(s) && s.brand != "visa" && s.brand != "mastercard" }
	return []cardWish{
		{
			0, func(s *sale) bool { return s.settlementDay(1) == p.asOf.lastBankDayBefore() },
			cardPlant{neverPaid: true, note: "forecast for the last bank day and not paid"},
			nil,
		},
		{0, small, cardPlant{rateOff: 5600, note: "MDR charged at 0.56 points above the contract"}, nil},
		{0, single, cardPlant{mdrOff: 37 * cent, note: "MDR amount 0.37 above what its own rate gives"}, nil},
		{
			0, func(s *sale) bool { return single(s) && s.settlementDay(1)+3 < p.asOf },
			cardPlant{note: "cancelled after it was received, and nothing taken back"},
			func(s *sale) { s.cancelledOn = s.settlementDay(1) + 3 },
		},
		{0, paid(0), cardPlant{receivedOff: -127 * cent, note: "received 1.27 short"}, nil},
		{0, paid(2), cardPlant{lateDays: 2, note: "received two bank days late"}, nil},
		{
			0, func(s *sale) bool { return credit(s) && s.settlementDay(1).AddBankDays(5) < p.asOf },
			cardPlant{neverPaid: true, note: "forecast long passed and not paid"},
			nil,
		},
		{1, paid(1), cardPlant{lateDays: 1, receivedOff: -250 * cent, note: "received one bank day late and 2.50 short"}, nil},
		{1, paid(0), cardPlant{receivedOff: 200 * cent, note: "received 2.00 over"}, nil},
		// Listed installments, total and fees of the sale agree, so only the count shows the difference.
		{
			0, func(s *sale) bool { return s.count >= 3 && s.count <= 6 },
			cardPlant{missing: true, note: "the last installment is not listed"},
			func(s *sale) { s.listed = s.count - 1 },
		},
		{1, func(s *sale) bool { return s.count >= 5 }, p.wrongTotal(), nil},
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
			1, func(s *sale) bool { return credit(s) && s.count == 1 && (s.day+1).BankDayOnOrAfter() < p.asOf },
			cardPlant{takenBack: true, note: "cancelled before it was received, and its net debited"},
			func(s *sale) { s.cancelledOn = (s.day + 1).BankDayOnOrAfter() },
		},
	}
}

// wrongTotal is a total so little off that MDR on it still agrees: within a cent each from five installments
// on, or within one cent where MDR is rounded on the sale.
func (p *planter) wrongTotal() cardPlant {
	if p.interpretation.MDRRounding == MDRSale {
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

// slipPlant is what was done to one slip.
type slipPlant struct {
	code          string // of the finding
	note          string
	listsDisagree bool // the payment list states another statusIntegration than the due list
	rejected      bool
	uncredited    bool
	debt          *debt // of one that is never credited
	impact        Money // positive when the merchant lost
	noImpact      bool  // the finding has none
}

// slipWish is a plant in search of a slip.
type slipWish struct {
	account int
	fits    func(*slip) bool
	plant   slipPlant
	change  func(*slip, *slipPlant)
}

// plantSlips gives every wish a slip of its own; in a short world some find none.
func (p *planter) plantSlips() {
	for _, wish := range p.slipWishes() {
		a := p.accountAt(wish.account)
		slips := slices.Clone(p.slips[a.Number])
		slips = slices.DeleteFunc(slips, func(s *slip) bool { return s.due > p.asOf+60 })
		p.plantStream(a).Shuffle(len(slips), func(i, j int) { slips[i], slips[j] = slips[j], slips[i] })
		i := slices.IndexFunc(slips, func(s *slip) bool { return s.plant == nil && s.issue < p.asOf && wish.fits(s) })
		if i < 0 {
			continue
		}
		p := wish.plant
		slips[i].plant = &p
		wish.change(slips[i], &p)
	}
}

// cancelReason is the reason of every cancellation.
const cancelReason = "Cancelado a pedido do beneficiário"

// cancelledEvery is how many due days of an account lie between two slips that are cancelled.
const cancelledEvery = 42

// plantCancellations cancels a slip of each account every six weeks whose payer nevertheless pays it later, with the
// printed code still in hand. It draws from a random stream of its own and passes slips with another difference over,
// so everything else stays as it is.
func (p *planter) plantCancellations() {
	for index, a := range p.accounts {
		last := Date(0)
		for _, s := range p.slips[a.Number] {
			days := int64(s.paid - s.issue - 1) // between issue and payment
			turn := (int(p.asOf-10)-index-int(s.due))%cancelledEvery == 0
			if !turn || s.due == last || days < 1 || s.plant != nil {
				continue
			}
			last = s.due
			s.cancelled = s.issue + 1 + Date(p.randomStream(forCancellations, a.Number, s.due).Int64N(days))
			s.plant = &slipPlant{code: "SLIP_CANCELLED_BUT_PAID", impact: -s.paidValue, note: "paid after it was cancelled"}
		}
	}
}

// slipWishes are the planted differences of slips.
func (p *planter) slipWishes() []slipWish {
	onTime := func(s *slip) bool { return s.paid != 0 && s.paid <= s.due.CounterDayOnOrAfter() }
	settled := func(s *slip) bool { return s.credited != 0 && s.credited < p.asOf }
	// Due soon enough for any worker's look ahead, and not about to be paid.
	open := func(s *slip) bool {
		return s.due > p.asOf+7 && s.due <= p.asOf+40 && (s.paid == 0 || s.paid > p.asOf+7)
	}
	return []slipWish{
		// Both lists show it every night of the next month, and the member is in no other view.
		{
			0, func(s *slip) bool { return settled(s) && onTime(s) && s.paid >= p.asOf-9 && s.due >= p.asOf-20 },
			slipPlant{
				code: "SLIP_LIST_FIELD_CONFLICT", noImpact: true, listsDisagree: true,
				note: "statusIntegration is 2 in the list by due date and 1 in the list by payment date",
			},
			func(*slip, *slipPlant) {},
		},
		{
			0, func(s *slip) bool { return settled(s) && onTime(s) },
			slipPlant{code: "SLIP_SHORT_PAID", note: "paid a fifth short"},
			func(s *slip, p *slipPlant) {
				p.impact = percentOf(s.value, 20_0000)
				s.paidValue -= p.impact
			},
		},
		{
			1, func(s *slip) bool { return settled(s) && onTime(s) },
			slipPlant{code: "SLIP_OVERPAID", impact: -1000 * cent, note: "paid 10.00 over"},
			func(s *slip, _ *slipPlant) { s.paidValue += 1000 * cent },
		},
		{
			1, func(s *slip) bool { return settled(s) && onTime(s) && s.credited.AddBankDays(3) < p.asOf },
			slipPlant{code: "SLIP_CREDIT_OVERDUE", uncredited: true, note: "paid, and never credited"},
			func(s *slip, p *slipPlant) { s.credited, p.impact, p.debt = 0, s.paidValue, &debt{} },
		},
		{
			0, func(s *slip) bool { return settled(s) && !onTime(s) },
			slipPlant{code: "SLIP_LATE_PENALTY_MISMATCH", impact: 100 * cent, note: "penalty 1.00 below the agreed 2 %"},
			func(s *slip, _ *slipPlant) { s.penalty, s.paidValue = s.penalty-100*cent, s.paidValue-100*cent },
		},
		{
			1, open,
			slipPlant{code: "SLIP_CODE_AMOUNT_MISMATCH", noImpact: true, note: "codes carry 10.00 more than the value"},
			func(s *slip, _ *slipPlant) { s.issueCodes(s.value + 1000*cent) },
		},
		{
			0, open,
			slipPlant{code: "SLIP_CODE_INVALID", noImpact: true, note: "first check digit of the digitable line is wrong"},
			func(s *slip, _ *slipPlant) { s.line = s.line[:9] + nextDigit(s.line[9]) + s.line[10:] },
		},
		{
			1, open,
			slipPlant{code: "SLIP_DOCUMENT_INVALID", noImpact: true, note: "last digit of the payer's document is wrong"},
			func(s *slip, _ *slipPlant) {
				last := len(s.payer.document) - 1
				s.payer.document = s.payer.document[:last] + nextDigit(s.payer.document[last])
			},
		},
		{
			1, open,
			slipPlant{code: "SLIP_INTEGRATION_FAILED", rejected: true, note: "rejected when it was registered"},
			func(s *slip, p *slipPlant) { s.paid, s.credited, p.impact = 0, 0, s.value },
		},
	}
}

// nextDigit is the digit after d, 0 after 9.
func nextDigit(d byte) string { return string('0' + (d-'0'+1)%10) }

// expectedFindings are the findings the plant gives rise to on a morning.
func (s *slip) expectedFindings(today Date) []Planted {
	v, p := s.viewOn(today), s.plant
	impact := p.impact.Cents()
	visible := true
	switch p.code {
	case "SLIP_SHORT_PAID", "SLIP_OVERPAID", "SLIP_LIST_FIELD_CONFLICT":
		visible = v.PaidOn != 0
	case "SLIP_LATE_PENALTY_MISMATCH", "SLIP_CANCELLED_BUT_PAID":
		visible = v.CreditedOn != 0 // only the credit list shows what was charged, and cancellations
	case "SLIP_CREDIT_OVERDUE":
		due := s.paid.BankDayOnOrAfter().AddBankDays(slipCreditDay)
		visible = today > due && v.CreditedOn == 0
		if today <= due.AddBankDays(1) {
			impact = "0.00" // pending
		}
	case "SLIP_CODE_AMOUNT_MISMATCH", "SLIP_CODE_INVALID":
		visible = v.BarCode != ""
	case "SLIP_INTEGRATION_FAILED":
		visible = v.Status == Failed
	}
	if !visible {
		return nil
	}
	if p.noImpact {
		impact = ""
	}
	return []Planted{{Account: s.account, Code: p.code, Subject: s.slipSubject(), Impact: impact, Note: p.note}}
}
