package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// PayerSeal proves a row whose payer was forgotten: a random salt, and the beginning of a hash of the salt and of what is left.
// Its text is kept with the row; the zero value is that of a row as it was sent.
type PayerSeal string

const sealSize = 2 * len(Hash{})

// ForgetPayer blanks the payer of a view that is kept under a hash; of the document what reports show of one stays, so that what
// they show does not change. It returns the hash to keep the view under instead, which proves the first one with the seal and does
// not give it away.
func (v *SlipView) ForgetPayer(content, salt Hash) (Hash, PayerSeal) {
	v.PayerDocument = MaskPayerDocument(v.PayerDocument)
	v.PayerName, v.PayerStreet, v.PayerZip, v.PayerCity, v.PayerState, v.PayerDistrict, v.PayerPhone = "", "", "", "", "", "", ""
	kept := saltedHash(salt, content[:])
	left := v.ContentHash()
	return kept, sealOf(salt, kept[:], left[:])
}

// IsForgotten reports whether the payer of the view was forgotten.
func (v *SlipView) IsForgotten() bool { return strings.Contains(v.PayerDocument, "*") }

// KeptHash is the hash that a view with this seal is kept under if the service showed content with the hash.
func (s PayerSeal) KeptHash(content Hash) Hash {
	salt, ok := s.salt()
	if !ok {
		return content
	}
	return saltedHash(salt, content[:])
}

// Proves reports whether a view is what the seal was made of, and for a view without one whether it has the hash.
func (s PayerSeal) Proves(v *SlipView, kept Hash) bool {
	left := v.ContentHash()
	if s == "" {
		return left == kept
	}
	salt, ok := s.salt()
	return ok && s == sealOf(salt, kept[:], left[:])
}

// ProvesText reports whether a row that could not be parsed is what the seal was made of.
func (s PayerSeal) ProvesText(hash string, text []byte) bool {
	salt, ok := s.salt()
	return ok && s == SealText(hash, text, salt)
}

// SealText is the seal of a row that could not be parsed, which is kept under a hash and of which the text is left.
func SealText(hash string, text []byte, salt Hash) PayerSeal { return sealOf(salt, []byte(hash), text) }

func sealOf(salt Hash, kept, left []byte) PayerSeal {
	proof := saltedHash(salt, kept, left)
	return PayerSeal(hex.EncodeToString(append(salt[:], proof[:]...)))
}

func (s PayerSeal) salt() (salt Hash, ok bool) {
	b, err := hex.DecodeString(string(s))
	if err != nil || len(b) != sealSize {
		return salt, false
	}
	copy(salt[:], b)
	return salt, true
}

func saltedHash(salt Hash, parts ...[]byte) Hash {
	h := sha256.New()
	h.Write(salt[:])
	for _, p := range parts {
		h.Write(p)
	}
	return Hash(h.Sum(nil)[:len(Hash{})])
}

// MaskPayerDocument is a payer's document, with or without punctuation, as reports may show it: see Document.Masked. What is
// masked stays as it is.
func MaskPayerDocument(s string) string {
	return Document(strings.Map(func(r rune) rune {
		if strings.ContainsRune(". /-", r) {
			return -1
		}
		return r
	}, s)).Masked()
}
