package world

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Options describe the world to draw. The zero value is the default world without planted differences.
type Options struct {
	// Seed draws everything; equal options give equal worlds.
	Seed uint64
	// Accounts default to the two of [Shops].
	Accounts []Account
	// AsOf is the date whose morning (06:00) the business clock first shows and the planted differences
	// are chosen for; the day before is the last with sales unless To says otherwise. Default 2026-11-18.
	AsOf Date
	// Days is how many operation days end the day before AsOf; default 60. From, when set, wins.
	Days int
	// From and To bound the days with sales, inclusive; To after AsOf draws sales that show up as the
	// clock moves. Slips fall due from From to 60 days past the end.
	From, To Date
	// Installments is roughly how many card installments to draw over all accounts and days. Default
	// 2000 for two accounts and 60 days, in proportion otherwise; at least one handful (about 17) is
	// drawn for every account and day, so that no day looks empty.
	Installments int
	// Natural draws days as NaturalDay has them, of Installments in even parts, instead of days that are alike.
	Natural bool
	// SlipsPerDay fall due on every day of every account; default 2.
	SlipsPerDay int
	// Plant puts differences into the data; Planted lists them.
	Plant bool
	// Interpretation is the choice of what the interface document leaves open.
	Interpretation Interpretation
	// Bank is how the service pays, and how the bank's statements are spelled.
	Bank BankOptions
}

// Account is a merchant's account at the service.
type Account struct {
	Number int64
	Name   string
	// Splits gives 10 % of every net to the one beneficiary of the contract.
	Splits bool
}

// Shops are the accounts of n shops, 1001 "Loja Centro", 1002 "Loja Norte" and so on; every second one has splits.
// The first ones are the same whatever n is. It panics when n is negative.
func Shops(n int) []Account {
	names := []string{"Centro", "Norte", "Sul", "Leste", "Oeste", "Praia", "Serra", "Porto"}
	shops := make([]Account, n)
	for i := range shops {
		name := fmt.Sprint(i + 1)
		if i < len(names) {
			name = names[i]
		}
		shops[i] = Account{Number: 1001 + int64(i), Name: "Loja " + name, Splits: i%2 == 1}
	}
	return shops
}

// World is the data of the service. Its methods are safe for concurrent use.
type World struct {
	outline
	clock
	sales    map[int64][]*sale // by moment
	slips    map[int64][]*slip // by due date, then as drawn
	slipByID map[int64]map[string]*slip
	ids      eventIDs
}

// outline is what a world is drawn from; it never changes.
type outline struct {
	seed           uint64
	interpretation Interpretation
	accounts       []Account
	natural        bool
	bank           BankOptions
	plants         bool
	asOf           Date
	from, to       Date
}

// New draws a world; the error joins every invalid option.
func New(o Options) (*World, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	w := &World{
		outline: outline{
			seed: o.Seed, interpretation: o.Interpretation, accounts: o.Accounts, natural: o.Natural, bank: o.Bank, plants: o.Plant,
			asOf: o.AsOf, from: o.From, to: o.To,
		},
		sales: map[int64][]*sale{}, slips: map[int64][]*slip{}, slipByID: map[int64]map[string]*slip{},
	}
	morning := o.AsOf.At(6 * 60 * 60)
	w.now.Store(&morning)
	draw := &drawer{&w.outline}
	for i, a := range w.accounts {
		w.sales[a.Number] = draw.drawSales(i, a, o.Installments)
		w.slips[a.Number] = draw.drawSlips(i, a, o.SlipsPerDay)
	}
	if o.Plant {
		plant := &planter{outline: &w.outline, sales: w.sales, slips: w.slips}
		plant.plantCards()
		plant.plantSlips()
		plant.plantCancellations()
	}
	w.ids = newEventIDs(w)
	for _, a := range w.accounts {
		w.slipByID[a.Number] = map[string]*slip{}
		for _, s := range w.slips[a.Number] {
			w.slipByID[a.Number][s.id] = s
		}
	}
	return w, nil
}

// IsPlanted reports whether the world was drawn with differences.
func (o *outline) IsPlanted() bool { return o.plants }

func (o Options) withDefaults() (Options, error) {
	if len(o.Accounts) == 0 {
		o.Accounts = Shops(2)
	}
	if o.AsOf == 0 {
		o.AsOf = NewDate(2026, 11, 18)
		if o.To != 0 {
			o.AsOf = o.To + 1
		}
	}
	if o.Days == 0 {
		o.Days = 60
	}
	if o.To == 0 {
		o.To = o.AsOf - 1
	}
	if o.From == 0 {
		o.From = o.AsOf - Date(o.Days)
	}
	days := int(o.To-o.From) + 1
	if o.Installments == 0 {
		o.Installments = 2000 * days * len(o.Accounts) / (60 * 2)
	}
	if o.SlipsPerDay == 0 {
		o.SlipsPerDay = 2
	}
	var err error
	o.Interpretation, err = o.Interpretation.withDefaults()
	return o, errors.Join(o.validate(days), err)
}

func (o Options) validate(days int) error {
	var errs []error
	if o.Days < 0 || days < 1 || days > 3660 {
		errs = append(errs, fmt.Errorf("%d days from %s to %s: want 1 to 3660", days, o.From, o.To))
	}
	if o.Installments < 0 || o.Installments > 20_000_000 {
		errs = append(errs, fmt.Errorf("%d installments: want 0 to 20000000", o.Installments))
	}
	if o.SlipsPerDay < 0 || o.SlipsPerDay > 1000 {
		errs = append(errs, fmt.Errorf("%d slips a day: want 0 to 1000", o.SlipsPerDay))
	}
	if o.Bank.Grain != "" && !slices.Contains(BankGrains(), o.Bank.Grain) {
		errs = append(errs, fmt.Errorf("bank grain %q: want %s", o.Bank.Grain, strings.Join(BankGrains(), ", ")))
	}
	seen := map[int64]bool{}
	for _, a := range o.Accounts {
		if a.Number <= 0 || seen[a.Number] {
			errs = append(errs, fmt.Errorf("account %d: want distinct positive numbers", a.Number))
		}
		seen[a.Number] = true
	}
	return errors.Join(errs...)
}

// AsOf is the date the world was drawn for.
func (o *outline) AsOf() Date { return o.asOf }

// Days are the first and the last day with sales; those after AsOf show up as the clock moves.
func (o *outline) Days() (from, to Date) { return o.from, o.to }

// Accounts are the accounts of the options or their defaults.
func (o *outline) Accounts() []Account { return append([]Account(nil), o.accounts...) }

// HasAccount reports whether the service has the account.
func (w *World) HasAccount(number int64) bool {
	_, ok := w.sales[number]
	return ok
}

// randomStream is the random stream of one purpose, account and day: days never disturb each other.
func (o *outline) randomStream(purpose uint64, account int64, day Date) *rand.Rand {
	return rand.New(rand.NewPCG(o.seed^purpose<<56, uint64(account)<<24^uint64(day)))
}

// Purposes of streams.
const (
	forSales uint64 = iota + 1
	forSlips
	forAccount
	forPlants
	forCancellations
	forBanks
	forStores
	forTills
)
