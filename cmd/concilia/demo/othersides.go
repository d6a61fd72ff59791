package demo

import (
	"context"
	"os"
	"path/filepath"

	"concilia/cmd/sandbox/world"
	"concilia/jobs"
	"concilia/jobs/othersides"
	"concilia/store/ledger"
)

// WriteStatements lays out what a person would have downloaded by the morning of a day: for one bank account files in OFX, for the
// next one in CNAB 240. Downloads overlap.
func (d *Demo) WriteStatements(morning world.Date) error {
	first, _ := d.World.Days()
	last := morning - 1
	made := func(d world.Date) world.StatementPeriod {
		return world.StatementPeriod{From: first, To: d, Made: (d + 1).At(5 * 60 * 60)}
	}
	for i, b := range d.Banks {
		files := map[string][]byte{}
		newest := made(last)
		switch half := last - (last-first)/3; {
		case morning > d.World.AsOf():
			newest.From = max(first, last-2)
		case i%2 == 0:
			files["extrato-"+half.String()+".ofx"] = d.World.StatementOFX(b, made(half), true)
			newest.From = max(first, half-10)
		}
		if i%2 == 0 {
			files["extrato-"+last.String()+".ofx"] = d.World.StatementOFX(b, newest, true)
		} else {
			files["extrato-"+last.String()+".ret"] = d.World.StatementCNAB(b, newest, true)
		}
		folder := d.filePath(filepath.Join("extratos", b.ID))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for name, file := range files {
			path := filepath.Join(folder, name)
			if err := os.WriteFile(path, file, 0o644); err != nil {
				return err
			}
			// It was there before the night began, so that the run does not wait whether it still grows.
			if err := os.Chtimes(path, newest.Made, newest.Made); err != nil {
				return err
			}
		}
	}
	return nil
}

// exportedAgain is how many days the stores' files of a later morning have.
const exportedAgain = 8

// takeInSales writes what the stores' systems have exported by a morning below vendas, and takes it in as sales import does.
func (d *Demo) takeInSales(ctx context.Context, w *jobs.Worker) error {
	morning := world.DateOf(d.Moment)
	from, _ := d.World.Days()
	if morning > d.World.AsOf() {
		from = max(from, morning-exportedAgain)
	}
	for i, s := range d.Stores {
		folder := d.filePath(filepath.Join("vendas", s.ID))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		for _, f := range d.World.StoreFiles(s, from, morning-1, true) {
			path := filepath.Join(folder, f.Name)
			if err := os.WriteFile(path, f.Bytes, 0o644); err != nil {
				return err
			}
			days, err := daysOf(f)
			if err != nil {
				return err
			}
			in := &othersides.SalesFile{Path: path, Store: &w.Stores[i], Period: days, Today: w.Today(), Actor: User, At: d.Wall()}
			if _, _, err := othersides.TakeInSales(ctx, w.Ledger, in); err != nil {
				return err
			}
		}
	}
	return nil
}

// daysOf are the days that a store's file has whole; none for notes, whose numbers say it.
func daysOf(f world.StoreFile) (p ledger.Period, err error) {
	if f.From == 0 {
		return p, nil
	}
	if p.From, err = ledger.ParseDate(f.From.String()); err == nil {
		p.To, err = ledger.ParseDate(f.To.String())
	}
	return p, err
}
