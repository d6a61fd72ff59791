package agreements

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// Any is every brand or every product in a rate line.
const Any = "*"

// FeeBasis is what the transaction and antifraud fees of a contract are charged for: each installment or each sale.
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

// Contract is what was agreed for the sales of one account within its validity.
type Contract struct {
	Account ledger.Account
	// ValidFrom and ValidTo are sale dates, both included; no ValidTo is without end.
	ValidFrom, ValidTo ledger.Date
	// FeeBasis defaults to PerInstallment.
	FeeBasis   FeeBasis
	Lines      []RateLine // in the order of the file: the first match wins
	Settlement Settlement
	Slip       SlipTerms
	Splits     []AgreedSplit
	// Rental is in reais for a terminal and calendar month.
	Rental ledger.Opt[ledger.Amount]
	// CDIYearPct, percent a year, is used to price lateness. It is informational.
	CDIYearPct ledger.Opt[ledger.Rate]
}

// RateLine is one line of the rates of a contract. Rates are percent, fees reais; an absent fee or rate was not agreed.
type RateLine struct {
	ID             string         // such as 1001/2024-01-01/visa/credit/2-6, unique in the file
	Brand          string         // canonical, or Any
	Product        ledger.Product // or Any
	Band           string         // 1, 2-6, or * for any number of installments
	MDR            ledger.Rate
	TransactionFee ledger.Opt[ledger.Amount]
	AntifraudFee   ledger.Opt[ledger.Amount]
	Anticipation   ledger.Opt[ledger.Rate] // percent a month
	FeeBasis       FeeBasis                // of the contract
	installments   installmentRange
}

// Settlement is when card money is due, by product. An absent term was not agreed.
type Settlement struct{ Credit, Debit, Voucher ledger.Opt[Term] }

// TermOf returns the term of a product.
func (s Settlement) TermOf(p ledger.Product) (Term, bool) {
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

// SlipTerms is what was agreed about bank slips.
type SlipTerms struct {
	Tariff   ledger.Opt[ledger.Amount] // reais a slip
	Credit   Term                      // from payment to credit; defaults to D+1 bd
	Discount Discount
}

// Discount is what a payer may deduct when paying UntilDays or more before the due date. The zero Discount is none.
type Discount struct {
	Pct       ledger.Rate
	UntilDays int
}

// AgreedSplit is a beneficiary's agreed share, in percent.
type AgreedSplit struct {
	Beneficiary string // CPF or CNPJ without punctuation
	Pct         ledger.Rate
}

// defaultSlipTerms are the terms for an account without a contract: credit on the next business day, nothing else agreed.
func defaultSlipTerms() SlipTerms { return SlipTerms{Credit: Term{Days: 1, Business: true}} }

// All returns the contracts by account and validity. The caller must not change them.
func (c *Contracts) All() []Contract { return c.all }

// FindContract returns the contract of an account on a sale date.
func (c *Contracts) FindContract(account ledger.Account, saleDate ledger.Date) (*Contract, bool) {
	if saleDate == 0 {
		return nil, false
	}
	for _, contract := range c.byAccount[account] {
		if contract.isValidOn(saleDate) {
			return contract, true
		}
	}
	return nil, false
}

// FindRateLine returns the rate line of a sale: the first that matches its brand (canonical, as from Mapping.Brand), product
// and number of installments. A number below 1 counts as 1.
func (c *Contracts) FindRateLine(account ledger.Account, brand string, product ledger.Product, count int, saleDate ledger.Date) (RateLine, bool) {
	l, found, _ := c.MatchRateLine(account, brand, product, KnownMembers{Brand: true, Product: true}, count, saleDate)
	return l, found
}

// KnownMembers are the members of a sale that are mapped when its rate line is looked up; an unmapped brand or product may
// be any.
type KnownMembers struct{ Brand, Product bool }

// MatchRateLine is FindRateLine for a sale whose brand or product may be unknown. decided is false if a line for one
// particular brand or product might be the first match, so that the result depends on the unknown value.
func (c *Contracts) MatchRateLine(
	account ledger.Account, brand string, product ledger.Product, known KnownMembers, count int, saleDate ledger.Date,
) (line RateLine, found, decided bool) {
	contract, ok := c.FindContract(account, saleDate)
	if !ok {
		return RateLine{}, false, true
	}
	count = max(count, 1)
	for i := range contract.Lines {
		l := &contract.Lines[i]
		maybe := l.Brand != Any && !known.Brand || l.Product != Any && !known.Product
		switch {
		case l.Brand != brand && l.Brand != Any && known.Brand, l.Product != product && l.Product != Any && known.Product,
			!l.installments.includesCount(count):
		case maybe:
			return RateLine{}, false, false
		default:
			return *l, true, true
		}
	}
	return RateLine{}, false, true
}

// FindSlipTerms returns the terms for a slip of an account on a day: those of its contract, or else credit on the next
// business day and nothing else.
func (c *Contracts) FindSlipTerms(account ledger.Account, day ledger.Date) SlipTerms {
	if contract, ok := c.FindContract(account, day); ok {
		return contract.Slip
	}
	return defaultSlipTerms()
}

// CoversProduct reports whether any contract of the account, whatever its validity, covers a product: in a line of its own, in a
// line for all products, or in the settlement.
func (c *Contracts) CoversProduct(account ledger.Account, p ledger.Product) bool {
	for _, contract := range c.byAccount[account] {
		if _, ok := contract.Settlement.TermOf(p); ok {
			return true
		}
		for i := range contract.Lines {
			if contract.Lines[i].Product == p || contract.Lines[i].Product == Any {
				return true
			}
		}
	}
	return false
}

// IsEmpty reports whether no contract is configured.
func (c *Contracts) IsEmpty() bool { return len(c.all) == 0 }

// Text is the canonical form of the file, which reads as the same contracts.
func (c *Contracts) Text() []byte { return bytes.Clone(c.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (c *Contracts) Hash() string { return c.hash }

func (contract *Contract) isValidOn(d ledger.Date) bool {
	return contract.ValidFrom <= d && (contract.ValidTo == 0 || d <= contract.ValidTo)
}

// contractText is the canonical form of a contract file: defaults written out, absent values left out.
func contractText(all []Contract) []byte {
	var b bytes.Buffer
	if len(all) == 0 {
		return []byte("contracts: []\n")
	}
	b.WriteString("contracts:\n")
	for i := range all {
		contract := &all[i]
		fmt.Fprintf(&b, "  - account: %s\n    valid_from: %s\n", contract.Account, contract.ValidFrom)
		if contract.ValidTo != 0 {
			fmt.Fprintf(&b, "    valid_to: %s\n", contract.ValidTo)
		}
		fmt.Fprintf(&b, "    fee_basis: %s\n", contract.FeeBasis)
		writeLines(&b, contract.Lines)
		writeSettlement(&b, contract.Settlement)
		writeSlip(&b, contract.Slip)
		if len(contract.Splits) > 0 {
			b.WriteString("    splits:\n")
			for _, s := range contract.Splits {
				fmt.Fprintf(&b, "      - {beneficiary: %q, pct: %s}\n", s.Beneficiary, s.Pct)
			}
		}
		if contract.Rental.OK {
			fmt.Fprintf(&b, "    rental: %s\n", contract.Rental.V)
		}
		if contract.CDIYearPct.OK {
			fmt.Fprintf(&b, "    cdi_year_pct: %s\n", contract.CDIYearPct.V)
		}
	}
	return b.Bytes()
}

func writeLines(b *bytes.Buffer, lines []RateLine) {
	if len(lines) == 0 {
		return
	}
	b.WriteString("    rates:\n")
	for i := range lines {
		l := &lines[i]
		fmt.Fprintf(b, "      - {brand: %q, product: %q, installments: %q, mdr: %s", l.Brand, l.Product, l.Band, l.MDR)
		writeFee(b, "transaction_fee", l.TransactionFee)
		writeFee(b, "antifraud_fee", l.AntifraudFee)
		if l.Anticipation.OK {
			fmt.Fprintf(b, ", anticipation: %s", l.Anticipation.V)
		}
		b.WriteString("}\n")
	}
}

func writeFee(b *bytes.Buffer, key string, fee ledger.Opt[ledger.Amount]) {
	if fee.OK {
		fmt.Fprintf(b, ", %s: %s", key, fee.V)
	}
}

func writeSettlement(b *bytes.Buffer, s Settlement) {
	if s == (Settlement{}) {
		return
	}
	b.WriteString("    settlement:\n")
	for _, p := range []ledger.Product{ledger.Credit, ledger.Debit, ledger.Voucher} {
		if t, ok := s.TermOf(p); ok {
			fmt.Fprintf(b, "      %s: %s\n", p, t)
		}
	}
}

func writeSlip(b *bytes.Buffer, s SlipTerms) {
	b.WriteString("    slip:\n")
	if s.Tariff.OK {
		fmt.Fprintf(b, "      tariff: %s\n", s.Tariff.V)
	}
	fmt.Fprintf(b, "      credit: %s\n", s.Credit)
	if s.Discount != (Discount{}) {
		fmt.Fprintf(b, "      discount: {pct: %s, until_days: %d}\n", s.Discount.Pct, s.Discount.UntilDays)
	}
}

func hashText(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Term is after how many days a sale or payment is due: business days, or else calendar days and the next business day from
// there. Installment k is due after k times the days.
type Term struct {
	Days     int
	Business bool
}

// maxTermDays bounds a term: a year and a month.
const maxTermDays = 400

// ParseTerm reads D+n or D+n bd.
func ParseTerm(s string) (Term, error) {
	number, ok := strings.CutPrefix(s, "D+")
	number, business := strings.CutSuffix(number, "bd")
	if business {
		number = strings.TrimRight(number, " ")
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil || n > maxTermDays {
		return Term{}, fmt.Errorf("%.40q: want D+30 or D+1 bd", s)
	}
	return Term{Days: int(n), Business: business}, nil
}

// String is D+30 or D+1 bd.
func (t Term) String() string {
	if t.Business {
		return fmt.Sprintf("D+%d bd", t.Days)
	}
	return fmt.Sprintf("D+%d", t.Days)
}

// installmentRange is a range of numbers of installments. The zero range includes every number.
type installmentRange struct{ from, to int }

// maxInstallments bounds an installmentRange.
const maxInstallments = 99

func parseInstallmentRange(s string) (installmentRange, bool) {
	if s == "*" {
		return installmentRange{}, true
	}
	low, high, ranged := strings.Cut(s, "-")
	if !ranged {
		high = low
	}
	from, err1 := strconv.ParseUint(low, 10, 8)
	to, err2 := strconv.ParseUint(high, 10, 8)
	ok := err1 == nil && err2 == nil && 1 <= from && from <= to && to <= maxInstallments
	return installmentRange{int(from), int(to)}, ok
}

func (b installmentRange) String() string {
	switch {
	case b == installmentRange{}:
		return "*"
	case b.from == b.to:
		return strconv.Itoa(b.from)
	}
	return fmt.Sprintf("%d-%d", b.from, b.to)
}

func (b installmentRange) includesCount(n int) bool {
	return b == installmentRange{} || b.from <= n && n <= b.to
}

// includesRange reports whether b includes every number of other.
func (b installmentRange) includesRange(other installmentRange) bool {
	return b == installmentRange{} || other != installmentRange{} && b.from <= other.from && other.to <= b.to
}
