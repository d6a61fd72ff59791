package agreements

import (
	"bytes"

	"concilia/store/ledger"
)

// Any stands for every brand or every product in a contract line.
const Any = "*"

// FeeBasis is whether the transaction and antifraud fees of a contract are per installment or per sale.
type FeeBasis string

// The two bases of fees.
const (
	PerInstallment FeeBasis = "installment"
	PerSale        FeeBasis = "sale"
)

// Contracts is a contract file: what was agreed with each account. It is immutable.
type Contracts struct {
	all       []Contract // in order of account and validity
	byAccount map[ledger.Account][]*Contract
	text      []byte
	hash      string
}

// Contract is the terms for the sales of one account within its validity.
type Contract struct {
	Account ledger.Account
	// ValidFrom and ValidTo are sale dates, both included; no ValidTo is without end.
	ValidFrom, ValidTo ledger.Date
	// FeeBasis is PerInstallment unless the file says otherwise.
	FeeBasis   FeeBasis
	Lines      []Line // in the order of the file: the first match wins
	Settlement Settlement
	Slip       Slip
	Splits     []Split
	// CDIYearPct, percent a year, is used to price lateness. It is informational.
	CDIYearPct ledger.Opt[ledger.Rate]
}

// Line is one line of rates. Rates are percent, fees reais; an absent fee or rate was not agreed.
type Line struct {
	ID             string         // such as 1001/2024-01-01/visa/credit/2-6, unique in the file
	Brand          string         // canonical, or Any
	Product        ledger.Product // or Any
	Band           string         // 1, 2-6, or * for any number of installments
	MDR            ledger.Rate
	TransactionFee ledger.Opt[ledger.Amount]
	AntifraudFee   ledger.Opt[ledger.Amount]
	Anticipation   ledger.Opt[ledger.Rate] // percent a month
	FeeBasis       FeeBasis                // of the contract
	band           band
}

// Settlement is when card money is due, by product. An absent term was not agreed.
type Settlement struct{ Credit, Debit, Voucher ledger.Opt[Term] }

// Of returns the term of a product.
func (s Settlement) Of(p ledger.Product) (Term, bool) {
	var t ledger.Opt[Term]
	switch p {
	case ledger.Credit:
		t = s.Credit
	case ledger.Debit:
		t = s.Debit
	case ledger.Voucher:
		t = s.Voucher
	}
	return t.V, t.OK
}

// Slip is what was agreed about bank slips.
type Slip struct {
	Tariff   ledger.Opt[ledger.Amount] // reais a slip
	Credit   Term                      // from payment to credit; D+1 bd unless the file says otherwise
	Discount Discount
}

// Discount is what a payer may deduct when paying UntilDays or more before the due date. The zero Discount is none.
type Discount struct {
	Pct       ledger.Rate
	UntilDays int
}

// Split is a beneficiary's agreed share, in percent.
type Split struct {
	Beneficiary string // CPF or CNPJ without punctuation
	Pct         ledger.Rate
}

// defaultSlip is the terms for an account without a contract: credit on the next business day, nothing else agreed.
func defaultSlip() Slip { return Slip{Credit: Term{Days: 1, Business: true}} }

// All returns the contracts by account and validity. The caller must not change them.
func (c *Contracts) All() []Contract { return c.all }

// At returns the contract of an account on a sale date.
func (c *Contracts) At(account ledger.Account, saleDate ledger.Date) (*Contract, bool) {
	if saleDate == 0 {
		return nil, false
	}
	for _, k := range c.byAccount[account] {
		if k.holds(saleDate) {
			return k, true
		}
	}
	return nil, false
}

// Line returns the contract line of a sale: the first that matches its brand (canonical, as from Mapping.Brand), product
// and number of installments. A number below 1 counts as 1.
func (c *Contracts) Line(account ledger.Account, brand string, product ledger.Product, count int, saleDate ledger.Date) (Line, bool) {
	l, found, _ := c.LineOf(account, brand, product, Known{Brand: true, Product: true}, count, saleDate)
	return l, found
}

// Known is what is known about a sale when its contract line is looked up: an unmapped brand or product may be any.
type Known struct{ Brand, Product bool }

// LineOf is Line for a sale whose brand or product may be unknown. decided is false if a line for one particular brand
// or product might be the first match, so that the answer depends on the unknown value.
func (c *Contracts) LineOf(
	account ledger.Account, brand string, product ledger.Product, known Known, count int, saleDate ledger.Date,
) (line Line, found, decided bool) {
	k, ok := c.At(account, saleDate)
	if !ok {
		return Line{}, false, true
	}
	count = max(count, 1)
	for i := range k.Lines {
		l := &k.Lines[i]
		maybe := l.Brand != Any && !known.Brand || l.Product != Any && !known.Product
		switch {
		case l.Brand != brand && l.Brand != Any && known.Brand, l.Product != product && l.Product != Any && known.Product,
			!l.band.holds(count):
		case maybe:
			return Line{}, false, false
		default:
			return *l, true, true
		}
	}
	return Line{}, false, true
}

// SlipTerms returns the terms for a slip of an account on a day: those of its contract, or else credit on the next business day and nothing else.
func (c *Contracts) SlipTerms(account ledger.Account, day ledger.Date) Slip {
	if k, ok := c.At(account, day); ok {
		return k.Slip
	}
	return defaultSlip()
}

// Names reports whether any contract of the account, whatever its validity, covers a product: in a line of its own, in a
// line for all products, or in the settlement.
func (c *Contracts) Names(account ledger.Account, p ledger.Product) bool {
	for _, k := range c.byAccount[account] {
		if _, ok := k.Settlement.Of(p); ok {
			return true
		}
		for i := range k.Lines {
			if k.Lines[i].Product == p || k.Lines[i].Product == Any {
				return true
			}
		}
	}
	return false
}

// Empty reports whether no contract is configured.
func (c *Contracts) Empty() bool { return len(c.all) == 0 }

// Text is the canonical form of the file, which reads as the same contracts.
func (c *Contracts) Text() []byte { return bytes.Clone(c.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (c *Contracts) Hash() string { return c.hash }

func (k *Contract) holds(d ledger.Date) bool {
	return k.ValidFrom <= d && (k.ValidTo == 0 || d <= k.ValidTo)
}
