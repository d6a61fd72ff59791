package world

import (
	"cmp"
	"fmt"
	"slices"
)

// Store is a shop with a system of its own, which records what it sold.
type Store struct {
	ID      string
	Account int64
	// Notes says that it exports notes (NFC-e), by number; else it exports tables.
	Notes bool
	// Document is the CNPJ that issues its notes.
	Document string
}

// Stores are the shops, one for each account: every second one exports notes.
func (o *outline) Stores() []Store {
	all := make([]Store, len(o.accounts))
	for i, a := range o.accounts {
		base := fmt.Sprintf("11222333%04d", (a.Number-1000)%10_000)
		all[i] = Store{ID: fmt.Sprintf("loja-%d", a.Number), Account: a.Number, Notes: i%2 == 1, Document: base + cnpjCheck(base)}
	}
	return all
}

// How a payment was made, as the tables spell it.
const (
	byCredit = "credit"
	byDebit  = "debit"
	byPix    = "pix"
	bySlip   = "slip"
	byCash   = "other"
)

// ownSale is a sale as the store's system has it.
type ownSale struct {
	id               string // in tables
	number           int    // of the note
	day              Date
	second           int
	amount           Money
	method           string
	count            int // installments; 0: unknown
	brand, nsu, auth string
	reference, webID string
	last4, terminal  string
	interest         Money // that the buyer pays besides; 0: none
	cancelledOn      Date  // zero: never
	slipID, slipNo   string
	change           Money // of cash, that went back
	planted          int   // what is wrong with it: one of the places, or plantNothing
}

// storeBook is what a store's system knows, and the differences planted in it.
type storeBook struct {
	world   *World
	store   *Store
	sales   []ownSale // in order of time
	silent  Date      // the day of which nothing is exported; zero: none
	planted []Planted
}

// What may be planted in a book. Each of the first ones takes the first sale that fits.
const (
	plantNothing = iota
	plantFinanced
	plantCount
	plantBrand
	plantTwice
	plantUntold
	plantTakenBack
	plantNowhere
	plantForeignAuth
	plantSlipShort
)

// Days before AsOf between which sales are changed: late enough for a short world, and long enough ago that no rule waits for more.
const (
	storePlantsFrom = 30
	storePlantsTo   = 5
	silentBefore    = 10 // the silent day, or the next bank day
)

// newStoreBook is what a store knows up to yesterday, with differences if they are to be planted.
func newStoreBook(w *World, store *Store, plant bool) *storeBook {
	b := &storeBook{world: w, store: store}
	today := DateOf(w.Now())
	var changed map[*sale]int
	if plant {
		changed = b.chooseSales()
	}
	for _, s := range w.sales[store.Account] {
		if s.day < today {
			b.addSale(s, changed[s], today)
		}
	}
	b.addSlipSales(plant, today)
	b.addOtherMeans(today)
	if plant && !store.Notes {
		b.addStrays()
	}
	slices.SortStableFunc(b.sales, func(x, y ownSale) int {
		return cmp.Or(cmp.Compare(x.day, y.day), cmp.Compare(x.second, y.second), cmp.Compare(x.id, y.id))
	})
	b.numberNotes()
	for i := range b.sales {
		b.notePlant(&b.sales[i])
	}
	return b
}

// chooseSales gives each difference of a store a sale of its own, and sets the silent day. In a short world some find none.
func (b *storeBook) chooseSales() map[*sale]int {
	account := b.store.Account
	if day := (b.world.asOf - silentBefore).BankDayOnOrAfter(); !b.store.Notes && day > b.world.from+2 {
		b.silent = day
		b.plantDifference("SALE_FILE_MISSING", fmt.Sprintf("day:%d:own.%s:%s", account, b.store.ID, day), "", "no file of the store has this day")
	}
	sales := slices.DeleteFunc(slices.Clone(b.world.sales[account]), func(s *sale) bool {
		plain := s.plant == nil && s.cancelledOn == 0 && s.blockedOn == 0 && s.anticipated == 0 && s.reference == ""
		near := b.silent != 0 && s.day >= b.silent-1 && s.day <= b.silent+1
		return !plain || near || s.day <= b.world.from || s.day < b.world.asOf-storePlantsFrom || s.day > b.world.asOf-storePlantsTo
	})
	r := b.world.randomStream(forStores, account, b.world.asOf)
	r.Shuffle(len(sales), func(i, j int) { sales[i], sales[j] = sales[j], sales[i] })
	wishes := map[int]func(*sale) bool{
		plantFinanced: func(s *sale) bool { return s.count > 1 && s.gross > 100*100*cent },
		plantCount:    func(s *sale) bool { return s.count > 1 },
		plantBrand:    func(s *sale) bool { return s.brand == "visa" },
		plantTwice:    func(*sale) bool { return true },
	}
	if b.store.Notes {
		whatever := wishes[plantTwice]
		wishes = map[int]func(*sale) bool{plantUntold: whatever, plantTakenBack: whatever}
	}
	chosen := map[*sale]int{}
	for place := plantFinanced; place <= plantTakenBack; place++ {
		fits := wishes[place]
		if fits == nil {
			continue
		}
		i := slices.IndexFunc(sales, func(s *sale) bool { _, taken := chosen[s]; return !taken && fits(s) })
		if i >= 0 {
			chosen[sales[i]] = place
		}
	}
	return chosen
}

// plantDifference notes a difference.
func (b *storeBook) plantDifference(code, subject, impact, note string) {
	b.planted = append(b.planted, Planted{Account: b.store.Account, Code: code, Subject: subject, Impact: impact, Note: note})
}

// financedInterest is what the buyer of a financed sale pays besides its price.
const financedInterest = 1234 * cent

// addSale adds a card sale as the store has it, with what is planted in it.
func (b *storeBook) addSale(s *sale, planted int, today Date) {
	o := s.asOwn(today)
	o.planted = planted
	switch planted {
	case plantUntold:
		b.plantDifference("SALE_NOT_IN_ERP", s.saleSubject(), (-o.amount).Cents(), "sold, and no note was issued")
		return
	case plantFinanced:
		o.amount, o.interest = o.amount-financedInterest, financedInterest
	case plantCount:
		o.count++
	case plantBrand:
		o.brand = "elo"
	case plantTwice:
		first := o
		first.planted = plantNothing
		b.sales = append(b.sales, first)
		o.id += "B"
	case plantTakenBack:
		o.cancelledOn = s.day
	}
	b.sales = append(b.sales, o)
}

// notePlant notes what is wrong with a sale.
func (b *storeBook) notePlant(o *ownSale) {
	id := o.id
	if b.store.Notes {
		id = b.noteKey(o)
	}
	subject := fmt.Sprintf("own:%d:%s:%s:1", b.store.Account, b.store.ID, id)
	switch o.planted {
	case plantFinanced:
		b.plantDifference("SALE_AMOUNT_MISMATCH", subject, (-financedInterest).Cents(), "financed: the store has the price without the interest")
	case plantCount:
		b.plantDifference("SALE_INSTALLMENTS_MISMATCH", subject, "", "one installment more at the store")
	case plantBrand:
		b.plantDifference("SALE_BRAND_MISMATCH", subject, "", "another brand at the store")
	case plantTwice:
		b.plantDifference("SALE_DUPLICATE_IN_ERP", subject, o.amount.Cents(), "twice in the store's system")
	case plantTakenBack:
		b.plantDifference("SALE_CANCELLED_ONE_SIDE", subject, (-o.amount).Cents(), "the note is void, and the card was charged")
	case plantNowhere:
		b.plantDifference("SALE_NOT_AT_ACQUIRER", subject, o.amount.Cents(), "never arrived at the service")
	case plantSlipShort:
		b.plantDifference("SALE_AMOUNT_MISMATCH", subject, (-slipShortBy).Cents(), "paid by slip: the store has another amount")
	case plantForeignAuth:
		b.plantDifference("SALE_AUTH_UNKNOWN", subject, o.amount.Cents(), "an authorization that nobody gave")
	}
}

// asOwn is a card sale as a store has it that makes no mistake: with the total that the service states.
func (s *sale) asOwn(today Date) ownSale {
	o := ownSale{
		id: "VD" + s.nsu, day: s.day, second: s.second, amount: s.gross + s.salePlant().totalOff, method: byCredit, count: s.count, brand: s.brand,
		last4: s.card[len(s.card)-4:], terminal: s.terminal, nsu: s.nsu, auth: s.auth,
	}
	if s.debit {
		o.method = byDebit
	}
	if s.reference != "" { // sold on the web, where no terminal prints numbers
		o.id, o.reference = s.reference, s.reference
		if s.day%2 == 0 {
			o.webID = s.paymentID
		}
		o.nsu = ""
	}
	if s.cancelledOn != 0 && s.cancelledOn < today {
		o.cancelledOn = s.cancelledOn
	}
	return o
}

// slipShortBy is how much less a store took for a slip than the amount on the slip.
const slipShortBy = 321 * cent

// addSlipSales adds what a store that exports tables sold against slips, with what is planted: one of another amount, and one that the store
// does not know.
func (b *storeBook) addSlipSales(plant bool, today Date) {
	if b.store.Notes {
		return
	}
	var short, untold *slip
	if plant {
		short, untold = b.chooseSlips()
	}
	for _, s := range b.world.slips[b.store.Account] {
		if s.issue < b.world.from || s.issue >= today {
			continue
		}
		if s == untold {
			b.plantDifference("SALE_NOT_IN_ERP", s.slipSubject(), (-s.value).Cents(), "a slip was issued, and the store does not know it")
			continue
		}
		o := ownSale{id: s.reference, day: s.issue, second: 9 * 60 * 60, amount: s.value, method: bySlip, reference: s.reference}
		if namesID(s) {
			o.slipID = s.id
		} else {
			o.slipNo = s.ourNumber
		}
		if s == short {
			o.amount, o.planted = o.amount-slipShortBy, plantSlipShort
		}
		switch {
		case s.cancelled != 0 && s.cancelled < today:
			o.cancelledOn = s.cancelled
		case s.plant != nil && s.plant.rejected && s.issue+1 < today:
			o.cancelledOn = s.issue + 1 // it never came to be, and the store sold otherwise
		}
		b.sales = append(b.sales, o)
	}
}

// namesID reports whether a store knows a slip by its id; else by its number at the bank.
func namesID(s *slip) bool { return s.due%2 == 0 }

// chooseSlips chooses two slips of a store, the first ones that nothing else is wrong with, far from the silent day. In a short world there may
// be none.
func (b *storeBook) chooseSlips() (short, untold *slip) {
	for _, s := range b.world.slips[b.store.Account] {
		near := b.silent != 0 && s.issue >= b.silent-1 && s.issue <= b.silent+1
		usual := s.plant == nil && s.cancelled == 0 && namesID(s) && s.value > 2*slipShortBy
		if !usual || near || s.issue <= b.world.from || s.issue < b.world.asOf-storePlantsFrom || s.issue > b.world.asOf-storePlantsTo {
			continue
		}
		if short == nil {
			short = s
			continue
		}
		return short, s
	}
	return nil, nil
}

// addOtherMeans adds sales that the service has nothing to do with: by Pix elsewhere, and in cash.
func (b *storeBook) addOtherMeans(today Date) {
	for day := b.world.from; day < today; day++ {
		r := b.world.randomStream(forTills, b.store.Account, day)
		for i := range 1 + r.IntN(3) {
			o := ownSale{id: fmt.Sprintf("CX%04d%02d", int(day)%10_000, i), day: day, second: 9*60*60 + r.IntN(10*60*60), amount: Money(500+r.IntN(20_000)) * cent, method: byPix}
			if r.IntN(2) == 0 {
				o.method = byCash
				o.change = (500*cent - o.amount%(500*cent)) % (500 * cent) // paid in notes of five
			}
			b.sales = append(b.sales, o)
		}
	}
}

// addStrays adds two sales by card that the service never saw: one of which nothing was noted, one with an authorization that no sale has.
func (b *storeBook) addStrays() {
	day := b.world.asOf - storePlantsTo - 1
	if day <= b.world.from+1 {
		return
	}
	for i, auth := range []string{"", "IOIOI1"} { // no code of the world has I or O
		o := ownSale{
			id: fmt.Sprintf("VD%04d9%04d", int(day)%10_000, i+1), day: day, second: (12 + i) * 60 * 60, amount: Money(7777+1111*i) * cent, method: byCredit,
			count: 1, brand: "visa", auth: auth, planted: plantNowhere + i,
		}
		for slices.ContainsFunc(b.world.sales[b.store.Account], func(s *sale) bool { return s.gross == o.amount }) {
			o.amount += cent
		}
		b.sales = append(b.sales, o)
	}
}

// PlantedInStores lists the differences of the stores' exports as of the business clock, as Planted lists those of the service.
func (w *World) PlantedInStores() []Planted {
	all := []Planted{}
	stores := w.Stores()
	for i := range stores {
		all = append(all, newStoreBook(w, &stores[i], true).planted...)
	}
	return all
}
