package reports

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/sqldb"
)

// SplitsOutside adds up what the cases of these rules cost on the splits of the rows that the query chooses, on basis asof of
// all rows: what stands outside the bridge where splits are not taken out of what is received. It is 0 on a basis that cards
// do not have.
func (l *Store) SplitsOutside(ctx context.Context, q Query, codes []string) (ledger.Amount, error) {
	if _, err := q.cardDate(); err != nil && q.Basis != asOfBasis {
		return 0, nil
	}
	s := sumQuery{l: l, q: &q}
	filter := results.UnresolvedCases(q.AsOfRun, q.Account)
	filter.Codes = codes
	cases, err := s.sumCases(ctx, filter)
	return cases.Impact, l.db.WrapError(fmt.Sprintf("sum the cases of splits of account %s, %s %s", q.Account, q.Basis, q.Period), err)
}

// caseSum counts cases of severity error and warning, and adds up the impacts of all.
type caseSum struct {
	Errors   int64         `json:"errors"`
	Warnings int64         `json:"warnings"`
	Impact   ledger.Amount `json:"impact"`
}

func (s *caseSum) addCase(f *ledger.Finding) error {
	switch f.Severity {
	case ledger.Error:
		s.Errors++
	case ledger.Warning:
		s.Warnings++
	}
	sum, err := s.Impact.Add(f.Impact.Or(0))
	s.Impact = sum
	return err
}

// subjectCases are the cases on one installment, with its splits, or on one sale.
type subjectCases struct {
	Day        int64  `json:"day"`
	NSU        string `json:"nsu"`
	Auth       string `json:"auth"`
	Number     int    `json:"number"` // 0: the sale
	Occurrence int    `json:"occurrence"`
	caseSum
}

// subjectsAtOnce is how many subjects one query looks for.
const subjectsAtOnce = 2000

// sumCases adds up the cases that the filter selects on chosen rows, on their splits and on their sales, each once; on basis
// asof whatever rows they are on. A case of a day, a month or a value is on no row.
func (s *sumQuery) sumCases(ctx context.Context, filter results.FindingFilter) (caseSum, error) {
	type key struct {
		sale   ledger.SaleKey
		number int
	}
	var out caseSum
	bySubject := map[key]*subjectCases{}
	err := results.ReadFindings(ctx, s.l.db.Read, filter, func(f *ledger.Finding) error {
		if s.q.Basis == asOfBasis {
			return out.addCase(f)
		}
		subject, _ := ledger.ParseSubject(f.Subject)
		sale, number, ok := subject.SaleKey()
		if !ok {
			return nil
		}
		of := bySubject[key{sale, number}]
		if of == nil {
			of = &subjectCases{Day: int64(sale.Day), NSU: sale.NSU, Auth: sale.Auth, Number: number, Occurrence: sale.Occurrence}
			bySubject[key{sale, number}] = of
		}
		return of.addCase(f)
	})
	for batch := range slices.Chunk(slices.Collect(maps.Values(bySubject)), subjectsAtOnce) {
		if err != nil {
			return out, err
		}
		err = s.sumSubjects(ctx, batch, &out)
	}
	return out, err
}

// sumSubjects adds the cases of those subjects that are a chosen row, or the sale of one.
func (s *sumQuery) sumSubjects(ctx context.Context, subjects []*subjectCases, out *caseSum) error {
	text, err := sqldb.MarshalText(subjects)
	if err != nil {
		return err
	}
	rows, args, err := s.cardRows("", "i.sale_day = c.day", "i.nsu = c.nsu", "i.auth = c.auth",
		"((c.number = 0 AND i.sale = c.occurrence) OR (i.number = c.number AND i.occurrence = c.occurrence))", "e.class IS NOT NULL")
	if err != nil {
		return err
	}
	d := s.l.db.Dialect
	args = append(args, text)
	sums, err := s.sumColumns(ctx, []sumColumn{{"errors", "c.errors"}, {"warnings", "c.warnings"}, {"impact", "c.impact"}}, "", "COUNT(*)", `(
			SELECT
				`+d.IntMember("x", "day")+` AS day,
				`+d.TextMember("x", "nsu")+` AS nsu,
				`+d.TextMember("x", "auth")+` AS auth,
				`+d.IntMember("x", "number")+` AS number,
				`+d.IntMember("x", "occurrence")+` AS occurrence,
				`+d.IntMember("x", "errors")+` AS errors,
				`+d.IntMember("x", "warnings")+` AS warnings,
				`+d.IntMember("x", "impact")+` AS impact
			FROM `+d.UnnestJSON("$"+strconv.Itoa(len(args)), "x")+`) AS c
		WHERE EXISTS (
			SELECT 1
			FROM `+rows+`)`, args)
	if err != nil {
		return err
	}
	out.Errors += sums.Columns["errors"]
	out.Warnings += sums.Columns["warnings"]
	out.Impact, err = out.Impact.Add(ledger.Amount(sums.Columns["impact"]))
	return err
}
