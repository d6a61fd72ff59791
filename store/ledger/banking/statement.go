package banking

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"concilia/store/ledger"
)

// Statement is what one file says of one account at a bank: its rows, the balances it states, and for which days it
// is whole.
type Statement struct {
	// Bank, Branch and Account name the account as the file does. Bank and Branch may be empty.
	Bank, Branch, Account string
	// Format is ofx, cnab240, csv or jsonl.
	Format string
	// Window is the period stated; where Stated is false, the one from the first to the last row.
	Window ledger.Period
	Stated bool
	// Whole are the days of which the file has every line. It is empty (From after To) when there is none.
	Whole ledger.Period
	// Made is when the bank made the file, in its own civil time; statements are merged in this order.
	Made ledger.LocalTime
	// AsOf is the day the statement is of: rows after it are scheduled.
	AsOf ledger.Date
	Rows Rows
	// Balances are the closings of days that the file states. Those with one Choice are readings of a single stated balance,
	// the likeliest first; at most one of them is true.
	Balances []Balance
	// BalanceRows and Blocked count rows that are no movement: balances written as rows, and rows of blocked money.
	BalanceRows, Blocked int
	// Notes are the ids of remarks on a file that is taken in all the same.
	Notes []string
}

// Rows are the rows of a statement. They may be many, and need not be in memory.
type Rows interface {
	// Len is how many rows were read; some may be none that Each tells.
	Len() int
	// Each calls fn for every row, in order of day, and ends with its first error. The row is fn's until it returns. It may be called again.
	Each(fn func(*Row) error) error
	// Close lets go of the rows.
	Close() error
}

// RowList are rows in memory, in order of day.
type RowList []Row

// Len is how many rows there are.
func (l RowList) Len() int { return len(l) }

// Close does nothing.
func (RowList) Close() error { return nil }

// Each calls fn with a copy of every row.
func (l RowList) Each(fn func(*Row) error) error {
	for _, row := range l {
		if err := fn(&row); err != nil {
			return err
		}
	}
	return nil
}

// Row is one row of a statement.
type Row struct {
	Day ledger.Date
	// Amount is whole cents: positive credits, negative debits.
	Amount ledger.Amount
	// Text is normalized by NormalizeText.
	Text string
	// Document and Category are the bank's, empty where it states none.
	Document, Category string
	// Scheduled rows are dated after the statement's day: announced, not booked.
	Scheduled bool
	// Original is the SHA-256 of the text as read, 32 bytes, where a payer was forgotten in it; empty: Text is as read.
	Original string
}

// TextHash is the SHA-256 of the text as read: what a line is known by, also once a payer was forgotten in it.
func (r *Row) TextHash() ledger.FileHash {
	if len(r.Original) == len(ledger.FileHash{}) {
		return ledger.FileHash([]byte(r.Original))
	}
	return sha256.Sum256([]byte(r.Text))
}

// LineSubject names a line of a bank account without its text, which may name a person.
func LineSubject(home ledger.Account, bank string, r *Row) string {
	sum := r.TextHash()
	return ledger.Subject("bank", home, bank, r.Day.String(), r.Amount.Fixed(2), hex.EncodeToString(sum[:8]))
}

// Balance is a stated closing balance of a day.
type Balance struct {
	Day    ledger.Date
	Amount ledger.Amount
	// Choice numbers the balances of a statement from 0.
	Choice int
}

// maxText is the length in bytes at which the text of a row is cut.
const maxText = 400

// NormalizeText makes texts comparable that a bank spells differently from download to download: upper case, accents
// folded, control characters out, runs of blanks one blank, trimmed, cut at 400 bytes between two characters. Doing it
// again changes nothing.
func NormalizeText(s string) string {
	if isNormalText(s) {
		return s
	}
	var b strings.Builder
	blank := false
	for _, r := range norm.NFD.String(strings.ToUpper(s)) {
		if !unicode.Is(unicode.Mn, r) {
			r = unicode.ToUpper(r) // some letters with an accent have no upper case, and are lower case without it
		}
		switch {
		case unicode.IsSpace(r):
			blank = b.Len() > 0
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Mn, r), unicode.Is(unicode.Cf, r):
		default:
			size := utf8.RuneLen(r)
			if blank {
				size++
			}
			if b.Len()+size > maxText {
				return b.String()
			}
			if blank {
				b.WriteByte(' ')
			}
			blank = false
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isNormalText reports whether a text is seen at once to be normalized: ASCII without lower case, control characters and needless
// blanks.
func isNormalText(s string) bool {
	if len(s) > maxText {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c >= 'a' && c <= 'z', c > '~':
			return false
		case c == ' ' && (i == 0 || i == len(s)-1 || s[i-1] == ' '):
			return false
		}
	}
	return true
}

// IsBalanceText reports whether a normalized text names a balance, so that its row is no movement. Where it is the
// closing of the row's own day, closing is true.
func IsBalanceText(text string) (balance, closing bool) {
	rest, found := strings.CutPrefix(text, "SALDO ")
	if !found {
		return false, false
	}
	for _, kind := range []struct {
		words   string
		closing bool
	}{{"DO DIA", true}, {"DIA", true}, {"FINAL", true}, {"ANTERIOR", false}, {"EM CONTA", false}, {"TOTAL", false}, {"INICIAL", false}, {"BLOQUEADO", false}} {
		if after, ok := strings.CutPrefix(rest, kind.words); ok && (after == "" || !isWordByte(after[0])) {
			return true, kind.closing
		}
	}
	return false, false
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

// maxDigits is how many integer digits an amount of a statement may have.
const maxDigits = 12

// ParseAmount reads an amount as banks spell it in downloads: the sign in front or behind; the last
// point or comma is the decimal mark when one or two digits follow it, other marks are of thousands and have three digits
// after them. marked reports whether there was a decimal mark.
func ParseAmount(s string) (a ledger.Amount, marked bool, err error) {
	unreadable := fmt.Errorf("amount %.40q", s)
	t := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "R$"))
	negative := false
	switch {
	case strings.HasPrefix(t, "-"), strings.HasPrefix(t, "+"):
		negative, t = t[0] == '-', t[1:]
	case strings.HasSuffix(t, "-"), strings.HasSuffix(t, "+"):
		negative, t = t[len(t)-1] == '-', t[:len(t)-1]
	}
	t = strings.TrimSpace(t)
	whole, fraction := t, ""
	if at := strings.LastIndexAny(t, ".,"); at >= 0 && len(t)-at-1 <= 2 && len(t)-at-1 >= 1 {
		whole, fraction, marked = t[:at], t[at+1:], true
	}
	groups := strings.FieldsFunc(whole, func(r rune) bool { return r == '.' || r == ',' })
	if len(groups) == 0 && fraction == "" || strings.Count(whole, ".")+strings.Count(whole, ",") != max(0, len(groups)-1) {
		return 0, false, unreadable
	}
	for i, g := range groups {
		if i > 0 && len(g) != 3 {
			return 0, false, unreadable
		}
	}
	digits := strings.Join(groups, "") + (fraction + "00")[:2]
	if strings.Trim(digits+fraction, "0123456789") != "" || len(strings.TrimLeft(strings.Join(groups, ""), "0")) > maxDigits {
		return 0, false, unreadable
	}
	cents, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, false, unreadable
	}
	if negative {
		cents = -cents
	}
	return ledger.FromCents(cents), marked, nil
}
