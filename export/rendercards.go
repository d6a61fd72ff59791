package export

import (
	"context"
	"errors"
	"fmt"

	"concilia/store/ledger"
)

// cards makes every table of cards in one pass: rows as they come, sums when they have all come.
func (r *rendering) cards(ctx context.Context) error {
	if !r.sideAsked("cards") {
		return nil
	}
	cases, err := firing(ctx, r.feed)
	if err != nil {
		return err
	}
	r.summary = newSummary(r.job.Basis, r.job.NetOfSplits, cases)
	payable := newPayables()
	for _, t := range []*Table{summaryTable, installmentsTable, splitsTable, payableTable} {
		if err := r.open(t); err != nil {
			return err
		}
	}
	err = r.feed.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		return r.card(v, e, payable)
	})
	if err != nil {
		return err
	}
	if err := r.summary.rows(r.tables[summaryTable.ID].add); err != nil {
		return err
	}
	if err := payable.rows(r.job.clear(SplitsKind), r.tables[payableTable.ID].add); err != nil {
		return err
	}
	r.result.Totals.Cards = r.summary.total.totals()
	r.idents = append(r.idents, r.cardIdentities()...)
	return r.closeTables()
}

// cardIdentities are those of the summary, and that the installments add up to it.
func (r *rendering) cardIdentities() []Identity {
	total := &r.summary.total
	detail := ledger.FromCents(r.tables[installmentsTable.ID].sums().sum("gross_cents"))
	rest := detail - total.gross.printed - total.cancelledGross.printed
	return append(total.identities(r.job.NetOfSplits), Identity{
		Name: "detail", Formula: "installments.gross_cents = gross + cancelled_gross", Printed: rest, Exact: rest,
	})
}

// card carries one installment into every table that has a part of it.
func (r *rendering) card(v *ledger.InstallmentVersion, e *ledger.Expectation, payable *payables) error {
	if e == nil {
		return fmt.Errorf("%s: no run has reconciled it yet: reconcile the account first", v.Key().Subject())
	}
	if err := r.summary.add(v, e); err != nil {
		return err
	}
	payable.add(v, e)
	t := r.tables[installmentsTable.ID]
	installmentRow(t.row, v, e, r.job.Unit)
	if err := t.add(t.row); err != nil {
		return fmt.Errorf("%s: %w", v.Key().Subject(), err)
	}
	t = r.tables[splitsTable.ID]
	for i := range v.Splits {
		splitRow(t.row, v, e, i, r.job.Unit, r.job.clear(SplitsKind))
		if err := t.add(t.row); err != nil {
			return fmt.Errorf("%s: %w", v.Key().Subject(), err)
		}
	}
	return nil
}

// writeCardsEDI passes over the installments again, for the titles.
func (r *rendering) writeCardsEDI(ctx context.Context) error {
	if !r.job.edi(InstallmentsKind) {
		return nil
	}
	var subjects []string
	err := r.feed.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		if e.GrossCents >= 0 {
			subjects = append(subjects, v.Key().Subject())
		}
		return nil
	})
	if err != nil {
		return err
	}
	nsa, numbers, err := r.target.Numbers.ReserveEDI(ctx, r.ediName(InstallmentsKind), subjects, nil)
	if err != nil {
		return err
	}
	edi, err := newEDIFile(r.path("installments.ret"), r.job, nsa)
	if err != nil {
		return err
	}
	edi.nsa = nsa
	err = r.feed.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		return edi.addCard(v, e, r.job.NetOfSplits, numbers)
	})
	return errors.Join(err, r.stageEDI(ctx, InstallmentsKind, edi))
}
