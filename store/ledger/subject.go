package ledger

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// SaleKey identifies a sale: the installments of one account and day that share NSU and authorization. Occurrence
// distinguishes several such sales; it is 1 if there is only one.
type SaleKey struct {
	Account    Account
	Day        Date // the date part of transactionDate
	NSU        string
	Auth       string
	Occurrence int
}

// InstallmentKey identifies an installment. A single installment that the service numbers 0 is number 1 here.
type InstallmentKey struct {
	SaleKey
	Number int
}

// Subject is sale:ACCOUNT:SALE-DATE:NSU:AUTH, with ~m at the end for occurrence m > 1.
func (k SaleKey) Subject() string {
	var room [subjectRoom]byte
	return string(appendOccurrence(k.appendKey(append(room[:0], "sale:"...)), k.Occurrence))
}

// Subject is card:ACCOUNT:SALE-DATE:NSU:AUTH:INSTALLMENT, with ~m at the end for occurrence m > 1.
func (k InstallmentKey) Subject() string {
	var room [subjectRoom]byte
	return string(k.appendKey(append(room[:0], "card:"...)))
}

// subjectRoom is how many bytes most subjects fit in.
const subjectRoom = 128

func (k InstallmentKey) appendKey(b []byte) []byte {
	b = append(k.SaleKey.appendKey(b), ':')
	b = strconv.AppendInt(b, int64(k.Number), 10)
	return appendOccurrence(b, k.Occurrence)
}

func (k SaleKey) appendKey(b []byte) []byte {
	b = strconv.AppendInt(b, int64(k.Account), 10)
	b = append(b, ':')
	if k.Day != 0 {
		b = k.Day.Time().AppendFormat(b, time.DateOnly)
	}
	b = append(b, ':')
	b = appendPart(b, k.NSU)
	b = append(b, ':')
	return appendPart(b, k.Auth)
}

func appendOccurrence(b []byte, occurrence int) []byte {
	if occurrence <= 1 {
		return b
	}
	return strconv.AppendInt(append(b, '~'), int64(occurrence), 10)
}

// SplitSubject is split: + installment key + :BENEFICIARY:TYPE:ORDINAL. The beneficiary is the first 8 hex digits
// of the SHA-256 of its text as sent: subjects are printed, and it may be a person's CPF.
func SplitSubject(k InstallmentKey, beneficiary, splitType string, ordinal int) string {
	sum := sha256.Sum256([]byte(beneficiary))
	var room [subjectRoom]byte
	b := append(k.appendKey(append(room[:0], "split:"...)), ':')
	b = append(hex.AppendEncode(b, sum[:4]), ':')
	b = appendPart(b, splitType)
	b = append(b, ':')
	return string(strconv.AppendInt(b, int64(ordinal), 10))
}

// SlipSubject is slip:ACCOUNT:ID with the id in lower case.
func SlipSubject(a Account, id string) string { return Subject("slip", a, strings.ToLower(id)) }

// Subject joins kind, account and parts by colons; separators within a part are escaped.
func Subject(kind string, a Account, parts ...string) string {
	b := append([]byte(kind), ':')
	b = strconv.AppendInt(b, int64(a), 10)
	for _, p := range parts {
		b = appendPart(append(b, ':'), p)
	}
	return string(b)
}

// appendPart escapes colons, percent signs, tildes and control characters as %XX of each UTF-8 byte.
func appendPart(b []byte, s string) []byte {
	if isPlainPart(s) {
		return append(b, s...)
	}
	for i, r := range s {
		switch {
		case r == ':' || r == '%' || r == '~' || r < 0x20 || (0x7f <= r && r <= 0x9f):
			for _, c := range []byte(s[i : i+runeLen(r)]) {
				b = fmt.Appendf(b, "%%%02X", c)
			}
		default:
			b = append(b, s[i:i+runeBytes(s[i:], r)]...)
		}
	}
	return b
}

// isPlainPart reports whether a part has only ASCII that is not escaped, as nearly every one.
func isPlainPart(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7f || c == ':' || c == '%' || c == '~' {
			return false
		}
	}
	return true
}

func runeLen(r rune) int { return len(string(r)) }

// runeBytes returns the length of the rune at the start of s; an invalid byte counts as one.
func runeBytes(s string, r rune) int {
	if r == '\uFFFD' && !strings.HasPrefix(s, "\uFFFD") {
		return 1
	}
	return runeLen(r)
}

// SaleOfSubject returns the sale of a subject that is a sale, an installment or a split, in its first occurrence: the
// key shared by the rows of one day, NSU and authorization.
func SaleOfSubject(subject string) (SaleKey, bool) {
	kind, rest, _ := strings.Cut(subject, ":")
	parts := strings.Split(rest, ":")
	if kind != "sale" && kind != "card" && kind != "split" || len(parts) < 4 {
		return SaleKey{}, false
	}
	account, err1 := strconv.ParseInt(parts[0], 10, 64)
	day, err2 := ParseDate(parts[1])
	nsu, err3 := url.PathUnescape(parts[2])
	auth, _, _ := strings.Cut(parts[3], "~")
	auth, err4 := url.PathUnescape(auth)
	k := SaleKey{Account: Account(account), Day: day, NSU: nsu, Auth: auth, Occurrence: 1}
	return k, errors.Join(err1, err2, err3, err4) == nil
}

// CaseID is the id of a case, which is one code on one subject of one account: the first 16 hex digits of the SHA-256 of
// the three, joined by line feeds.
func CaseID(a Account, subject, code string) string {
	var room [2 * subjectRoom]byte
	b := append(strconv.AppendInt(room[:0], int64(a), 10), '\n')
	b = append(append(b, subject...), '\n')
	sum := sha256.Sum256(append(b, code...))
	return string(hex.AppendEncode(room[:0], sum[:8]))
}

// ParsedSubject is a subject split into its kind, its account, and its parts without escapes.
type ParsedSubject struct {
	Kind    string
	Account Account
	Parts   []string
	// Occurrence is that of the sale, 1 if the subject has none.
	Occurrence int
}

// ParseSubject splits a subject; ok is false if the text is not one.
func ParseSubject(s string) (p ParsedSubject, ok bool) {
	fields := strings.Split(s, ":")
	if len(fields) < 2 {
		return p, false
	}
	account, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil || account <= 0 {
		return p, false
	}
	p = ParsedSubject{Kind: fields[0], Account: Account(account), Occurrence: 1}
	for _, field := range fields[2:] {
		field, occurrence, found := strings.Cut(field, "~")
		if found {
			if p.Occurrence, err = strconv.Atoi(occurrence); err != nil {
				return p, false
			}
		}
		part, err := url.PathUnescape(field)
		if err != nil {
			return p, false
		}
		p.Parts = append(p.Parts, part)
	}
	return p, true
}

// SaleKey returns the sale of a card, sale or split subject, and the number of its installment, 0 for a sale.
func (p *ParsedSubject) SaleKey() (key SaleKey, number int, ok bool) {
	least := 4
	switch p.Kind {
	case "card", "split":
	case "sale":
		least = 3
	default:
		return key, 0, false
	}
	if len(p.Parts) < least {
		return key, 0, false
	}
	day, err := ParseDate(p.Parts[0])
	if err != nil {
		return key, 0, false
	}
	if p.Kind != "sale" {
		if number, err = strconv.Atoi(p.Parts[3]); err != nil {
			return key, 0, false
		}
	}
	return SaleKey{Account: p.Account, Day: day, NSU: p.Parts[1], Auth: p.Parts[2], Occurrence: p.Occurrence}, number, true
}

// MaxTitleNumber is the greatest number that TitleNumber derives: eleven digits.
const MaxTitleNumber = 99_999_999_999

// TitleNumber derives the number of a title in EDI files from its subject, so that a ledger made anew gives the same numbers:
// 1 + the first 8 bytes of the subject's SHA-256 modulo MaxTitleNumber. Two subjects may have the same one.
func TitleNumber(subject string) int64 {
	sum := sha256.Sum256([]byte(subject))
	return int64(1 + binary.BigEndian.Uint64(sum[:])%MaxTitleNumber)
}
