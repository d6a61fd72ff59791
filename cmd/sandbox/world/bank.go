package world

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// BankOptions are how the service pays, and how the bank's statements are spelled.
type BankOptions struct {
	// Grain is what one credit is of: one of BankGrains. Empty: of every second account the day, of the others the brand.
	Grain string
	// Together has all accounts paid into one bank account, a credit for all of them.
	Together bool
	// Quirks has statements spelled in the odd ways of banks.
	Quirks bool
}

// The grains.
const (
	grainDay          = "day"
	grainBrand        = "brand" // and one for slips
	grainBrandProduct = "brand_product"
	grainSlip         = "slip" // each slip alone, cards by day
)

// BankGrains are what one credit may be of.
func BankGrains() []string { return []string{grainDay, grainBrand, grainBrandProduct, grainSlip} }

// BankAccount is an account at a bank into which the service pays one account, or all of them.
type BankAccount struct {
	ID, Bank, Branch, Number string
	Accounts                 []int64
	Account                  int64  // the first of them
	Grain                    string // one of BankGrains
	// Debit is what the service keeps from one credit of each month.
	Debit Money
}

// serviceText is how the bank's statements name the service.
const serviceText = "SERVICO PAGAMENTOS"

// Banks are the bank accounts, one for each account unless all are paid together.
func (o *outline) Banks() []BankAccount {
	banks := []struct{ id, code string }{{"bb", "001"}, {"bradesco", "237"}, {"santander", "033"}, {"itau", "341"}}
	all := make([]BankAccount, len(o.accounts))
	for i, a := range o.accounts {
		b := banks[i%len(banks)]
		all[i] = BankAccount{
			ID: fmt.Sprintf("%s-%d", b.id, a.Number), Bank: b.code, Branch: "1234", Number: fmt.Sprintf("%d-%d", 56000+a.Number, i%10),
			Accounts: []int64{a.Number}, Account: a.Number, Grain: []string{grainDay, grainBrand}[i%2], Debit: 1290 * cent,
		}
		if o.bank.Grain != "" {
			all[i].Grain = o.bank.Grain
		}
	}
	if o.bank.Together {
		for i := 1; i < len(all); i++ {
			all[0].Accounts = append(all[0].Accounts, all[i].Account)
		}
		all = all[:1]
	}
	return all
}

// bankLine is one line of a statement. Those of no payer have another text than the service's.
type bankLine struct {
	day    Date
	amount Money
	text   string
}

// deposit is what the service says it credited and the bank shows as one credit.
type deposit struct {
	day    Date
	of     string // what it is of, as subjects name it: a brand, BRAND:PRODUCT or slip:ID; empty: all of the day
	amount Money
	slips  int
	visa   Money // of the cards of one brand
}

// slipsBrand is what slips have in place of a brand.
const slipsBrand = "slips"

// deposits are those of a bank account up to yesterday, in order.
func (m *bankMonth) deposits() []deposit {
	b, w := m.bank, m.world
	type key struct {
		day Date
		of  string
	}
	sums := map[key]*deposit{}
	add := func(day Date, of string, amount Money) *deposit {
		d := sums[key{day, of}]
		if d == nil {
			d = &deposit{day: day, of: of}
			sums[key{day, of}] = d
		}
		d.amount += amount
		return d
	}
	for _, account := range b.Accounts {
		for r := range w.Installments(account, w.from, w.to) {
			if r.Effective != 0 && r.Received > 0 {
				amount := cent * Money(divHalfAway(int64(r.Received), int64(cent)))
				if d := add(r.Effective, b.creditOfCard(&r), amount); r.CardName == "visa" {
					d.visa += amount
				}
			}
		}
		for s := range w.Slips(account, ByCredit, w.from, w.to) {
			add(s.CreditedOn, b.creditOfSlip(&s), s.PaidValue-slipTariff).slips++
		}
	}
	today := DateOf(w.Now())
	var all []deposit
	for _, d := range sums {
		if d.day.BankDayOnOrAfter() < today {
			all = append(all, *d)
		}
	}
	slices.SortFunc(all, func(x, y deposit) int { return cmp.Or(cmp.Compare(x.day, y.day), cmp.Compare(x.of, y.of)) })
	return all
}

// creditOfCard is what the credit of an installment is of.
func (b *BankAccount) creditOfCard(r *Installment) string {
	switch b.Grain {
	case grainBrand:
		return r.CardName
	case grainBrandProduct:
		return r.CardName + ":" + strings.ToLower(r.CardType)
	}
	return ""
}

// creditOfSlip is what the credit of a slip is of.
func (b *BankAccount) creditOfSlip(s *Slip) string {
	switch b.Grain {
	case grainBrand, grainBrandProduct:
		return slipsBrand
	case grainSlip:
		return "slip:" + s.ID
	}
	return ""
}

// bankMonth is what a bank account shows: its lines, and the differences planted in them.
type bankMonth struct {
	world   *World
	bank    *BankAccount
	lines   []bankLine
	planted []Planted
}

func (m *bankMonth) add(day Date, amount Money, text string) {
	m.lines = append(m.lines, bankLine{day, amount, text})
}

// plant notes a difference on a deposit, or on a line when d is nil.
func (m *bankMonth) plant(code, subject string, impact string, note string) {
	m.planted = append(m.planted, Planted{Account: m.bank.Account, Code: code, Subject: subject, Impact: impact, Note: note})
}

func (m *bankMonth) subject(d *deposit) string {
	s := fmt.Sprintf("group:%d:%s:%s:service", m.bank.Account, m.bank.ID, d.day)
	if d.of != "" {
		s += ":" + d.of
	}
	return s
}

// What may happen to a deposit, by its place from the last: in a short world some find none.
const (
	plantSplit      = 3
	plantMissing    = 5
	plantUnexpected = 7
	plantShort      = 9
	plantDebit      = 11
	plantLate       = 13
	plantSubset     = 16
	plantLater      = 20
	plantReturned   = 24
	plantResent     = 28
	plantNetted     = 32
)

// newBankMonth is what a bank account shows up to yesterday, with differences if they are to be planted.
func newBankMonth(w *World, b *BankAccount, plant bool) *bankMonth {
	m := &bankMonth{world: w, bank: b}
	all := m.deposits()
	// Later days move no place.
	known := slices.IndexFunc(all, func(d deposit) bool { return d.day.BankDayOnOrAfter() >= w.asOf })
	if known < 0 {
		known = len(all)
	}
	slipAt := -1
	for i := range all {
		if (all[i].of == slipsBrand || b.Grain == grainSlip && all[i].slips > 0) && i < known-12 {
			slipAt = i
		}
	}
	for i := range all {
		d := &all[i]
		place := known - 1 - i
		switch {
		case !plant:
			m.add(d.day.BankDayOnOrAfter(), d.amount, serviceText)
		case i == slipAt:
			m.overchargeSlips(d)
		case b.Grain != grainDay:
			m.add(d.day.BankDayOnOrAfter(), d.amount, serviceText)
		default:
			m.addPlanted(d, place)
		}
	}
	m.addForeign()
	slices.SortStableFunc(m.lines, func(x, y bankLine) int {
		return cmp.Or(cmp.Compare(x.day, y.day), cmp.Compare(x.amount, y.amount), cmp.Compare(x.text, y.text))
	})
	return m
}

// overchargeSlips credits slips less a tariff that is 0.40 too high.
func (m *bankMonth) overchargeSlips(d *deposit) {
	off := Money(d.slips) * 40 * cent
	day := d.day.BankDayOnOrAfter()
	m.add(day, d.amount-off, serviceText)
	note := "slip tariff 0.40 above the contract"
	m.plant("SLIP_BANK_AMOUNT_MISMATCH", m.subject(d), "0.00", note)
	m.plant("SLIP_TARIFF_MISMATCH", fmt.Sprintf("month:%d:%s:bank.%s:service", m.bank.Account, day.String()[:7], m.bank.ID), off.Cents(), note)
}

// addPlanted adds the line of a deposit with what is planted at its place.
func (m *bankMonth) addPlanted(d *deposit, place int) {
	day := d.day.BankDayOnOrAfter()
	came, amount := day, d.amount
	switch place {
	case plantMissing:
		m.plant("BANK_CREDIT_MISSING", m.subject(d), d.amount.Cents(), "not in the bank")
		return
	case plantShort:
		amount -= 3720 * cent
		m.plant("BANK_AMOUNT_MISMATCH", m.subject(d), "37.20", "37.20 short at the bank")
	case plantLate, plantLater:
		days := 1
		if place == plantLater {
			days = 3
		}
		came = day.AddBankDays(days)
		m.plant("BANK_DATE_SHIFT", m.subject(d), "", fmt.Sprintf("%d bank days late at the bank", days))
	case plantReturned:
		m.add(day.AddBankDays(1), -d.amount, serviceText+" DEVOLVIDO")
		m.plant("BANK_CREDIT_RETURNED", m.subject(d), d.amount.Cents(), "taken back by the bank")
	case plantResent:
		m.add(day.AddBankDays(1), -d.amount, serviceText+" DEVOLVIDO")
		m.add(day.AddBankDays(3), d.amount, serviceText)
	case plantSplit:
		half := d.amount / 2 / cent * cent
		m.add(day, half, serviceText+" 1/2")
		m.add(day, d.amount-half, serviceText+" 2/2")
		return
	case plantNetted:
		amount -= m.bank.Debit
	case plantUnexpected:
		m.addUnexpected(day, 12345*cent, "a credit that the service knows nothing of")
	case plantSubset:
		if d.visa > 0 && d.visa < d.amount {
			m.addUnexpected(day, d.visa, "a credit that equals a part of another")
		}
	case plantDebit:
		m.add(day, -1234*cent, serviceText+" AJUSTE")
		m.plant("BANK_DEBIT_UNEXPLAINED", m.lineSubject(day, -1234*cent, serviceText+" AJUSTE"), "12.34", "a debit that nothing explains")
	}
	m.add(came, amount, serviceText)
}

func (m *bankMonth) addUnexpected(day Date, amount Money, note string) {
	text := serviceText + " AVULSO"
	m.add(day, amount, text)
	m.plant("BANK_CREDIT_UNEXPECTED", m.lineSubject(day, amount, text), (-amount).Cents(), note)
}

// addForeign adds lines of others: they have nothing to do with the service.
func (m *bankMonth) addForeign() {
	w := m.world
	today := DateOf(w.Now())
	month := ""
	for day := w.from.BankDayOnOrAfter(); day < today; day = day.AddBankDays(1) {
		r := w.randomStream(forBanks, m.bank.Account, day)
		m.add(day, Money(500+r.IntN(90_000))*cent, "PIX RECEBIDO CLIENTE "+fmt.Sprint(r.IntN(90)+10))
		if r.IntN(3) == 0 {
			m.add(day, -Money(1_000+r.IntN(50_000))*cent, "PAGAMENTO FORNECEDOR")
		}
		if now := day.String()[:7]; now != month {
			month = now
			m.add(day, -4990*cent, "TARIFA PACOTE DE SERVICOS")
			m.add(day, -Money(250_000+r.IntN(50_000))*cent, "FOLHA DE PAGAMENTO")
		}
	}
}

// PlantedAtBanks lists the differences of the banks' statements as of the business clock, as Planted lists those of the
// service.
func (w *World) PlantedAtBanks() []Planted {
	all := []Planted{}
	banks := w.Banks()
	for i := range banks {
		all = append(all, newBankMonth(w, &banks[i], true).planted...)
	}
	return all
}
