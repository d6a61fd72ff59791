package world

import "slices"

// slipPlant is what was done to one slip.
type slipPlant struct {
	code          string // of the finding
	note          string
	listsDisagree bool // the payment list states another statusIntegration than the due list
	rejected      bool
	uncredited    bool
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
func (w *World) plantSlips() {
	for _, wish := range w.slipWishes() {
		a := w.accountAt(wish.account)
		slips := slices.Clone(w.slips[a.Number])
		w.plantStream(a).Shuffle(len(slips), func(i, j int) { slips[i], slips[j] = slips[j], slips[i] })
		i := slices.IndexFunc(slips, func(s *slip) bool { return s.plant == nil && s.issue < w.asOf && wish.fits(s) })
		if i < 0 {
			continue
		}
		p := wish.plant
		slips[i].plant = &p
		wish.change(slips[i], &p)
	}
}

// cancelReason is what the service says of every cancellation.
const cancelReason = "Cancelado a pedido do beneficiário"

// cancelledEvery is how many due days of an account lie between two slips that are cancelled.
const cancelledEvery = 42

// plantCancellations cancels a slip of each account every six weeks whose payer pays it later all the same, with the
// printed code still in hand. It draws from a random stream of its own and passes slips with another difference over,
// so everything else stays as it is.
func (w *World) plantCancellations() {
	for index, a := range w.accounts {
		last := Date(0)
		for _, s := range w.slips[a.Number] {
			days := int64(s.paid - s.issue - 1) // between issue and payment
			turn := (int(w.asOf-10)-index-int(s.due))%cancelledEvery == 0
			if !turn || s.due == last || days < 1 || s.plant != nil {
				continue
			}
			last = s.due
			s.cancelled = s.issue + 1 + Date(w.randomStream(forCancellations, a.Number, s.due).Int64N(days))
			s.plant = &slipPlant{code: "SLIP_CANCELLED_BUT_PAID", impact: -s.paidValue, note: "paid after it was cancelled"}
		}
	}
}

// slipWishes are the planted differences of slips.
func (w *World) slipWishes() []slipWish {
	onTime := func(s *slip) bool { return s.paid != 0 && s.paid <= s.due.CounterDayOnOrAfter() }
	settled := func(s *slip) bool { return s.credited != 0 && s.credited < w.asOf }
	// Due soon enough for any worker's look ahead, and not about to be paid.
	open := func(s *slip) bool {
		return s.due > w.asOf+7 && s.due <= w.asOf+40 && (s.paid == 0 || s.paid > w.asOf+7)
	}
	return []slipWish{
		// Both lists show it every night of the next month, and the member is in no other view.
		{
			0, func(s *slip) bool { return settled(s) && onTime(s) && s.paid >= w.asOf-9 && s.due >= w.asOf-20 },
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
			1, func(s *slip) bool { return settled(s) && onTime(s) && s.credited.AddBankDays(3) < w.asOf },
			slipPlant{code: "SLIP_CREDIT_OVERDUE", uncredited: true, note: "paid, and never credited"},
			func(s *slip, p *slipPlant) { s.credited, p.impact = 0, s.paidValue },
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
		visible = today > due
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
