package agreements

import (
	"fmt"
	"strconv"
	"strings"
)

// Term is how many days after a sale or payment money is due. Days are business days, or else calendar days with
// the next business day following. Installment k takes k times the days.
type Term struct {
	Days     int
	Business bool
}

// maxTermDays bounds a term: a year and a month.
const maxTermDays = 400

const termWant = "D+30 (calendar days) or D+1 bd (business days), 0 to 400 days"

// ParseTerm reads D+n or D+n bd.
func ParseTerm(s string) (Term, error) {
	number, ok := strings.CutPrefix(s, "D+")
	number, business := strings.CutSuffix(number, "bd")
	if business {
		number = strings.TrimRight(number, " ")
	}
	n, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil || n > maxTermDays {
		return Term{}, fmt.Errorf("%.40q: want %s", s, termWant)
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

// band is a range of numbers of installments. The zero band holds every number.
type band struct{ from, to int }

// maxInstallments bounds a band.
const maxInstallments = 99

const bandWant = `a number of installments or a range of them, such as 1 or 2-6, 1 to 99`

func parseBand(s string) (band, bool) {
	if s == "*" {
		return band{}, true
	}
	low, high, ranged := strings.Cut(s, "-")
	if !ranged {
		high = low
	}
	from, err1 := strconv.ParseUint(low, 10, 8)
	to, err2 := strconv.ParseUint(high, 10, 8)
	ok := err1 == nil && err2 == nil && 1 <= from && from <= to && to <= maxInstallments
	return band{int(from), int(to)}, ok
}

func (b band) String() string {
	switch {
	case b == band{}:
		return "*"
	case b.from == b.to:
		return strconv.Itoa(b.from)
	}
	return fmt.Sprintf("%d-%d", b.from, b.to)
}

func (b band) holds(n int) bool { return b == band{} || b.from <= n && n <= b.to }

// covers says whether every number other holds is held by b too.
func (b band) covers(other band) bool {
	return b == band{} || other != band{} && b.from <= other.from && other.to <= b.to
}
