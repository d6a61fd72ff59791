package report

import (
	"context"
	"strings"

	"concilia/store/ledger"
)

// caseCount is how many cases fire on a subject.
type caseCount struct{ errors, warnings int64 }

// readFiring reads the cases of the set by the subject whose row counts them: those of a split count with its
// installment. Cases of days, months and values belong to no line.
func readFiring(ctx context.Context, feed Feed) (map[string]caseCount, error) {
	cases := make(map[string]caseCount)
	err := feed.Firing(ctx, func(subject string, severity ledger.Severity) error {
		if body, ok := strings.CutPrefix(subject, "split:"); ok {
			subject = "card:" + CutParts(body, 3)
		}
		c := cases[subject]
		switch severity {
		case ledger.Error:
			c.errors++
		case ledger.Warning:
			c.warnings++
		}
		cases[subject] = c
		return nil
	})
	return cases, err
}

// CutParts leaves the last n colon-separated parts out.
func CutParts(s string, n int) string {
	for range n {
		if i := strings.LastIndexByte(s, ':'); i >= 0 {
			s = s[:i]
		}
	}
	return s
}

// casesOf takes the cases of the row, and those of its sale with the first row that passes, so that each counts
// once.
func (s *Summary) casesOf(v *ledger.InstallmentVersion) caseCount {
	if len(s.cases) == 0 {
		return caseCount{}
	}
	var sum caseCount
	for _, subject := range []string{v.Key().Subject(), v.SaleKey().Subject()} {
		if c, ok := s.cases[subject]; ok {
			sum.errors += c.errors
			sum.warnings += c.warnings
			delete(s.cases, subject)
		}
	}
	return sum
}
