package export

import (
	"context"
	"errors"
	"fmt"

	"concilia/export/cnab"
	"concilia/export/report"
	"concilia/store/ledger"
)

// statementRemark says in the file header what the file is, and so what it is not.
const statementRemark = "MOVIMENTO SERVICO"

// writeStatement writes the statement and puts it among the set's files.
func (r *rendering) writeStatement(ctx context.Context) error {
	if r.statement == nil {
		return nil
	}
	parts := &statementParts{r: r, opening: cnab.Opening{Day: r.job.Period.From - 1, Balance: r.job.Statement.Opening}}
	if err := r.fillStatement(ctx, parts); err != nil {
		return fmt.Errorf("edi of %s: %w", report.StatementKind, errors.Join(err, parts.closeOpenFile()))
	}
	sql, err := r.source.Sums(ctx, r.job.Statement.Table())
	if err != nil {
		return fmt.Errorf("sums of %s: %w", report.StatementKind, err)
	}
	parts.stageParts(sql)
	return nil
}

// fillStatement writes the entries in order of date, cards before slips. The entries of the slips of the period are in
// memory; those of cards are not.
func (r *rendering) fillStatement(ctx context.Context, w *statementParts) error {
	j := r.job
	if err := w.openPart(ctx); err != nil {
		return err
	}
	var slips []cnab.Entry
	err := r.forEachSlipEntry(ctx, j.Period, func(e cnab.Entry) error {
		slips = append(slips, e)
		return nil
	})
	if err != nil {
		return err
	}
	// before writes the slips of the days before that one.
	before := func(d ledger.Date) error {
		for len(slips) > 0 && slips[0].Booked < d {
			if err := w.writeEntry(ctx, slips[0]); err != nil {
				return err
			}
			slips = slips[1:]
		}
		return nil
	}
	err = r.forEachCardEntry(ctx, j.Period, func(e cnab.Entry) error {
		if err := before(e.Booked); err != nil {
			return err
		}
		return w.writeEntry(ctx, e)
	})
	if err == nil {
		err = before(j.Period.To + 1)
	}
	if err != nil {
		return err
	}
	return w.closePart(func(s *cnab.StatementWriter) error { return s.Close(j.Period.To) })
}

// statementReader answers for what writer or reader of a statement kept.
func statementReader(t cnab.Totals, opening, closing ledger.Amount) func(string) ledger.Opt[int64] {
	values := map[string]int64{
		"count": int64(t.Entries) * 10_000, "credits": int64(t.Credits), "debits": int64(t.Debits),
		"opening": int64(opening), "closing": int64(closing),
	}
	return func(measure string) ledger.Opt[int64] {
		v, ok := values[measure]
		return ledger.Opt[int64]{V: v, OK: ok}
	}
}

// statementSums are the sums of the file as the manifest spells them.
func statementSums(t cnab.Totals, opening, closing ledger.Amount) map[string]string {
	return map[string]string{
		"credits": t.Credits.Fixed(2), "debits": t.Debits.Fixed(2), "opening": opening.Fixed(2), "closing": closing.Fixed(2),
	}
}

// ediFileReader answers for a file that was read, titles or statement.
func ediFileReader(f *cnab.File) func(string) ledger.Opt[int64] {
	if !f.IsStatement() {
		return ediReader(f.Totals)
	}
	opening, closing := f.Balances()
	return statementReader(f.Totals, opening, closing)
}

// ediFileSums are its rows and sums as a manifest has them.
func ediFileSums(f *cnab.File) (int64, map[string]string) {
	if !f.IsStatement() {
		return int64(f.Totals.Titles), ediSums(f.Totals)
	}
	opening, closing := f.Balances()
	return int64(f.Totals.Entries), statementSums(f.Totals, opening, closing)
}

// hasAnyEDI says whether the set has an EDI file at all.
func (j *Job) hasAnyEDI() bool {
	for _, k := range j.Kinds {
		if j.hasEDI(k) {
			return true
		}
	}
	return false
}
