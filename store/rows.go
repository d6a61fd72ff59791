package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"

	"concilia/store/ledger"
)

// Query chooses the rows of a report: those whose date of the basis lies in the period. Empty Brands and Classes choose
// all; both are as the last expectation has them, so they leave out rows no run has judged.
type Query struct {
	Account ledger.Account
	Basis   string // operation, forecast or credit; slips also payment
	Period  ledger.Period
	Brands  []string
	Classes []ledger.Class
}

// cardDate is the column of the query's basis, of an installment i.
func (q *Query) cardDate() (string, error) {
	switch q.Basis {
	case "operation":
		return "i.sale_day", nil
	case "forecast":
		return "i.forecast", nil
	case "credit":
		return "i.effective", nil
	}
	return "", fmt.Errorf("cards have no basis %q", q.Basis)
}

// slipDate is the column of the query's basis, of a merged slip m.
func (q *Query) slipDate() (string, error) {
	switch q.Basis {
	case "operation":
		return "m.issued", nil
	case "forecast":
		return "m.due", nil
	case "payment":
		return "m.paid_on", nil
	case "credit":
		return "m.credited_on", nil
	}
	return "", fmt.Errorf("slips have no basis %q", q.Basis)
}

// cards gives the conditions on installment i and its expectation e.
func (q *Query) cards(date string) *where {
	w := &where{}
	w.add("i.account = " + w.arg(int64(q.Account)))
	w.add("i.ended_pull IS NULL")
	w.add(date + " BETWEEN " + w.arg(int64(q.Period.From)) + " AND " + w.arg(int64(q.Period.To)))
	q.narrow(w)
	return w
}

// narrow adds the filters, on an expectation e.
func (q *Query) narrow(w *where) {
	whereIn(w, "e.brand", q.Brands, func(s string) any { return s })
	whereIn(w, "e.class", q.Classes, func(c ledger.Class) any { return string(c) })
}

// Installments hands fn the current version of every installment that the query chooses, with what the last run that
// judged this version believes of it, or nil, in order of sale instant, NSU, authorization, number and occurrence.
// Memory does not grow with them.
func (l *Ledger) Installments(ctx context.Context, q Query,
	fn func(*ledger.InstallmentVersion, *ledger.Expectation) error,
) error {
	doing := fmt.Sprintf("read the installments of account %s, %s %s", q.Account, q.Basis, q.Period)
	date, err := q.cardDate()
	if err != nil {
		return l.fault(doing, err)
	}
	seen, err := loadSightings(ctx, l.db.Read, q.Account, ledger.Cards, always)
	if err != nil {
		return l.fault(doing, err)
	}
	w := q.cards(date)
	// The sale day leads the order because the key's index has it: the rows of a day are sorted, not all of them.
	err = each(ctx, l.db.Read, func(rows *sql.Rows) error {
		v, b := &version{}, &belief{}
		if err := rows.Scan(append(v.targets(), b.targets()...)...); err != nil {
			return err
		}
		if err := v.finish(q.Account, seen); err != nil {
			return err
		}
		e, err := b.finish(v.Key())
		if err != nil {
			return err
		}
		return fn(&v.InstallmentVersion, e)
	}, `
		SELECT `+installmentColumns+`,`+expectationColumns+`
		FROM installment AS i
		LEFT JOIN expectation AS e ON `+expectationOf+w.text()+`
		ORDER BY i.sale_day, i.sold_at, i.nsu, i.auth, i.number, i.occurrence`, w.args...)
	return l.fault(doing, err)
}

// SlipRows hands fn every slip that the query chooses, merged as Slips does, with what the last run believes of it, or
// nil, in order of the basis' date and id. Brands choose no slip. It keeps the ids of the period in memory, not the
// slips.
func (l *Ledger) SlipRows(ctx context.Context, q Query, fn func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	doing := fmt.Sprintf("read the slips of account %s, %s %s", q.Account, q.Basis, q.Period)
	if _, err := q.slipDate(); err != nil {
		return l.fault(doing, err)
	}
	if len(q.Brands) > 0 {
		return nil
	}
	type dated struct {
		day ledger.Date
		id  string
	}
	var chosen []dated
	err := l.Slips(ctx, q.Account, func(s *ledger.Slip) error {
		if d := basisDate(s, q.Basis); q.Period.Contains(d) {
			chosen = append(chosen, dated{d, s.ID})
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(chosen, func(a, b dated) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.id, b.id)) })
	sights, err := l.loadSlipSights(ctx, l.db.Read, q.Account)
	if err != nil {
		return l.fault(doing, err)
	}
	for _, c := range chosen {
		s, e, err := l.slipWith(ctx, sights, c.id)
		switch {
		case err != nil:
			return l.fault(doing, err)
		case s == nil || len(q.Classes) > 0 && (e == nil || !slices.Contains(q.Classes, e.Class)):
			continue
		}
		if err := fn(s, e); err != nil {
			return err
		}
	}
	return nil
}

func basisDate(s *ledger.Slip, basis string) ledger.Date {
	switch basis {
	case "operation":
		return s.Issued
	case "forecast":
		return s.Due
	case "payment":
		return s.PaidOn
	case "credit":
		return s.CreditedOn
	}
	return 0
}

// slipWith reads one slip and what is believed of it.
func (l *Ledger) slipWith(ctx context.Context, sights *slipSights, id string,
) (*ledger.Slip, *ledger.SlipExpectation, error) {
	var views []*view
	var b *slipBelief
	err := each(ctx, l.db.Read, func(rows *sql.Rows) error {
		v := &view{}
		b = &slipBelief{}
		if err := rows.Scan(append(v.targets(), b.targets()...)...); err != nil {
			return err
		}
		sights.finish(v)
		views = append(views, v)
		return nil
	}, `
		SELECT `+slipColumns+`,`+slipExpectationColumns+`
		FROM slip AS v
		LEFT JOIN slip_expectation AS e ON e.account = v.account AND e.id = v.id AND e.ended_run IS NULL
		WHERE v.account = $1 AND v.id = $2
		ORDER BY v.list, v.version`, int64(sights.account), id)
	if err != nil || len(views) == 0 {
		return nil, nil, err
	}
	e, err := b.finish(sights.account, id)
	return slipOf(views), e, err
}
