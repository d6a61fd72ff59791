package export

import (
	"context"
	"errors"
	"fmt"

	"concilia/export/edi"
	"concilia/export/table"
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
	if r.chargesAsked() {
		r.audit = newAudit(r.job.Unit, r.job.Agreed)
	}
	for _, t := range []*table.Table{summaryTable, installmentsTable, splitsTable, payableTable} {
		if err := r.open(t); err != nil {
			return err
		}
	}
	if err := r.titleCards(); err != nil {
		return err
	}
	err = r.feed.Installments(ctx, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
		return r.card(v, e, payable)
	})
	if err != nil {
		return err
	}
	if err := r.adjust(ctx); err != nil {
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
	if err := r.fees(); err != nil {
		return err
	}
	if err := r.claims(ctx); err != nil {
		return err
	}
	return r.closeTables()
}

// cardIdentities are those of the summary, and that the installments add up to it.
func (r *rendering) cardIdentities() []Identity {
	total := &r.summary.total
	detail := ledger.FromCents(r.tables[installmentsTable.ID].sums().Sum("gross_cents"))
	rest := detail - total.gross.Printed - total.cancelledGross.Printed
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
	if err := r.causes.passCard(v, e); err != nil {
		return err
	}
	if err := r.titles.card(v, e); err != nil {
		return err
	}
	payable.add(v, e)
	if r.audit != nil {
		if err := r.audit.add(v, e); err != nil {
			return err
		}
	}
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

// cardTitles are the titles that an EDI file of the installments will have.
type cardTitles struct {
	*spool[spooledTitle]
	made  edi.TitleBuilder
	sigma bool // splits are taken out of what is received
}

// card keeps the title of an installment, if it is one. nil keeps none.
func (c *cardTitles) card(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
	if c == nil {
		return nil
	}
	splits := ledger.Amount(0)
	if c.sigma {
		splits = splitCents(v)
	}
	t, ok := c.made.CardTitle(v, e, splits)
	if !ok {
		return nil
	}
	return c.add(&spooledTitle{v.Key().Subject(), t})
}

// titleCards begins to keep the titles of an EDI file of the installments, where one is asked for.
func (r *rendering) titleCards() error {
	if !r.job.edi(InstallmentsKind) {
		return nil
	}
	kept, err := newSpool[spooledTitle](r.path("installments.titles"))
	if err != nil {
		return err
	}
	r.titles = &cardTitles{spool: kept, sigma: r.job.NetOfSplits}
	return nil
}

// numberedAtOnce is how many titles take their numbers together: what is held of them in memory.
const numberedAtOnce = 10_000

// writeCardsEDI numbers the titles and writes them.
func (r *rendering) writeCardsEDI(ctx context.Context) error {
	if r.titles == nil {
		return nil
	}
	file := r.ediName(string(InstallmentsKind))
	nsa, _, err := r.target.Numbers.ReserveEDI(ctx, file, nil, nil)
	if err != nil {
		return err
	}
	out, err := r.openEDI(ctx, InstallmentsKind, nsa)
	if err != nil {
		return err
	}
	out.left = r.titles.made.Omitted
	some := make([]spooledTitle, 0, numberedAtOnce)
	write := func() error {
		subjects := make([]string, len(some))
		for i := range some {
			subjects[i] = some[i].Subject
		}
		_, numbers, err := r.target.Numbers.ReserveEDI(ctx, file, subjects, nil)
		if err != nil {
			return err
		}
		for i := range some {
			some[i].Title.TitleNumber = numbers[some[i].Subject]
			if err := out.title(some[i].Subject, &some[i].Title); err != nil {
				return err
			}
		}
		some = some[:0]
		return nil
	}
	err = r.titles.each(func(t *spooledTitle) error {
		if some = append(some, *t); len(some) < numberedAtOnce {
			return nil
		}
		return write()
	})
	if err == nil {
		err = write()
	}
	return errors.Join(err, r.stageEDI(ctx, InstallmentsKind, out))
}
