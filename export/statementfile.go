package export

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// statementRemark says in the file header what the file is, and so what it is not.
const statementRemark = "MOVIMENTO SERVICO"

// writeStatement writes the statement and puts it among the set's files.
func (r *rendering) writeStatement(ctx context.Context) error {
	if r.statement == nil {
		return nil
	}
	nsa, _, err := r.target.Numbers.ReserveEDI(ctx, r.ediName(string(StatementKind)), nil, nil)
	if err != nil {
		return err
	}
	path := r.path("statement.ret")
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(f, 1<<16)
	w, err := r.fillStatement(ctx, buf, nsa)
	if err = errors.Join(err, buf.Flush(), f.Close()); err != nil {
		return fmt.Errorf("edi of %s: %w", StatementKind, err)
	}
	sql, err := r.feed.Sums(ctx, r.job.Statement.Table())
	if err != nil {
		return fmt.Errorf("sums of %s: %w", StatementKind, err)
	}
	opening, name, totals := r.job.Statement.Opening, "statement.ret", w.Totals()
	credits, debits := ledger.Amount(sql.Columns["credits"]), ledger.Amount(sql.Columns["debits"])
	figs := []Figure{
		{Measure: "count", Unit: unitCount, Ledger: ledger.Some(sql.Rows * 10_000)},
		{Measure: "credits", Unit: unitBRL, Ledger: ledger.Some(int64(credits))},
		{Measure: "debits", Unit: unitBRL, Ledger: ledger.Some(int64(debits))},
		{Measure: "opening", Unit: unitBRL, Ledger: ledger.Some(int64(opening))},
		{Measure: "closing", Unit: unitBRL, Ledger: ledger.Some(int64(opening + credits - debits))},
	}
	written := statementReader(totals, opening, w.Balance())
	for i := range figs {
		figs[i].File, figs[i].Writer = name, written(figs[i].Measure).V
	}
	r.staged = append(r.staged, &stagedFile{
		local: path, what: string(StatementKind), ext: EDI.extension(), figures: figs,
		read: func(path string) (func(Figure) ledger.Opt[int64], error) {
			var f cnab.File
			err := withFile(path, func(in io.Reader) (err error) {
				f, err = readEDI(in)
				return err
			})
			return byMeasure(ediFileReader(&f)), err
		},
		file: File{
			Kind: StatementKind, Format: EDI, LayoutVersion: 1, Rows: int64(totals.Entries),
			Sums: statementSums(totals, opening, w.Balance()), NSA: &nsa,
		},
	})
	return nil
}

// fillStatement writes the entries in order of date, cards before slips. The entries of the slips of the period are in
// memory; those of cards are not.
func (r *rendering) fillStatement(ctx context.Context, out io.Writer, nsa int) (*cnab.Statement, error) {
	j := r.job
	w, err := cnab.NewStatement(out, cnab.Header{
		Account: j.Block.CNAB(), Profile: j.EDIProfile, AsOf: j.AsOf, NSA: nsa, Remark: statementRemark,
	}, cnab.Opening{Day: j.Period.From - 1, Balance: j.Statement.Opening})
	if err != nil {
		return nil, err
	}
	var slips []cnab.Entry
	err = r.slipEntries(ctx, j.Period, func(e cnab.Entry) error {
		slips = append(slips, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	// before writes the slips of the days before that one.
	before := func(d ledger.Date) error {
		for len(slips) > 0 && slips[0].Booked < d {
			if err := w.Entry(slips[0]); err != nil {
				return err
			}
			slips = slips[1:]
		}
		return nil
	}
	err = r.cardEntries(ctx, j.Period, func(e cnab.Entry) error {
		if err := before(e.Booked); err != nil {
			return err
		}
		return w.Entry(e)
	})
	if err == nil {
		err = before(j.Period.To + 1)
	}
	if err != nil {
		return nil, err
	}
	return w, w.Close(j.Period.To)
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
	if !f.Statement() {
		return ediReader(f.Totals)
	}
	opening, closing := f.Balances()
	return statementReader(f.Totals, opening, closing)
}

// ediFileSums are its rows and sums as a manifest has them.
func ediFileSums(f *cnab.File) (int64, map[string]string) {
	if !f.Statement() {
		return int64(f.Totals.Titles), ediSums(f.Totals)
	}
	opening, closing := f.Balances()
	return int64(f.Totals.Entries), statementSums(f.Totals, opening, closing)
}

// anyEDI says whether the set has an EDI file at all.
func (j *Job) anyEDI() bool {
	for _, k := range j.Kinds {
		if j.edi(k) {
			return true
		}
	}
	return false
}
