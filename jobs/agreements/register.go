package agreements

import (
	"bytes"
	"strings"

	"concilia/store/ledger"
)

// Register is the beneficiaries of splits that the merchant knows. It is immutable.
type Register struct {
	all        []Beneficiary // in order of document and validity
	byDocument map[string][]Beneficiary
	text       []byte
	hash       string
}

// Beneficiary is one line of the register.
type Beneficiary struct {
	Document string // CPF or CNPJ without punctuation, letters upper case
	Name     string // never printed: it may be a person's
	// ValidFrom and ValidTo are sale dates, both included; none is without a beginning, or an end.
	ValidFrom, ValidTo ledger.Date
}

// Knows reports whether a beneficiary, with or without punctuation, is in the register for sales of a day.
func (r *Register) Knows(beneficiary string, saleDate ledger.Date) bool {
	for _, b := range r.byDocument[bareDocument(beneficiary)] {
		if b.ValidFrom <= saleDate && (b.ValidTo == 0 || saleDate <= b.ValidTo) {
			return true
		}
	}
	return false
}

// All returns the beneficiaries by document and validity. The caller must not change them.
func (r *Register) All() []Beneficiary { return r.all }

// Text is the canonical form of the file, which reads as the same register.
func (r *Register) Text() []byte { return bytes.Clone(r.text) }

// Hash is the SHA-256 of Text, in lower-case hex.
func (r *Register) Hash() string { return r.hash }

// bareDocument is a CPF or CNPJ without the signs people write between its digits.
func bareDocument(s string) string {
	if !strings.ContainsAny(s, ".-/ abcdefghijklmnopqrstuvwxyz") {
		return s
	}
	return strings.ToUpper(strings.NewReplacer(".", "", "-", "", "/", "", " ", "").Replace(s))
}
