package bank

import (
	"context"
	"fmt"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// fileSums are what the rows of a statement come to.
type fileSums struct {
	rows, scheduled int64
	credits, debits ledger.Amount
	mostOfDay       int // rows of the day that has most
}

// fileDayWriter keeps what a file says of each day of its rows and of each day it is whole for: the rows of one day are in memory, and a few
// packed days that are written together.
type fileDayWriter struct {
	*merge
	rows   []banking.Row // of one day
	packed []packedDay
	size   int           // of what is packed, in bytes
	period ledger.Period // of all days
	next   ledger.Date   // the first day that the file is whole for and that is not packed
	fileSums
}

type packedDay struct {
	day  ledger.Date
	body []byte
}

// packedSize is how many bytes of packed days are written together, about.
const packedSize = 256 << 10

// writeFileDays keeps what the file says of each day, and returns the period of all of them.
func (m *merge) writeFileDays(ctx context.Context) (ledger.Period, fileSums, error) {
	st := m.in.Statement
	w := &fileDayWriter{merge: m, next: st.Whole.From}
	err := st.Rows.Each(func(r *banking.Row) error { return w.addRow(ctx, r) })
	if err == nil {
		err = w.endDay(ctx)
	}
	if err == nil && st.Whole.From != 0 {
		w.packQuietDays(st.Whole.To + 1)
	}
	if err == nil {
		err = w.write(ctx)
	}
	return w.period, w.fileSums, err
}

func (w *fileDayWriter) addRow(ctx context.Context, r *banking.Row) error {
	if n := len(w.rows); n > 0 && w.rows[0].Day != r.Day {
		if r.Day < w.rows[0].Day {
			return fmt.Errorf("a row of %s comes after one of %s", r.Day, w.rows[0].Day)
		}
		if err := w.endDay(ctx); err != nil {
			return err
		}
	}
	w.rows = append(w.rows, *r)
	w.fileSums.rows++
	w.scheduled += int64(boolInt(r.Scheduled))
	w.credits, w.debits = w.credits+max(0, r.Amount), w.debits-min(0, r.Amount)
	return nil
}

// endDay packs the rows of a day, and writes what is packed where it is enough.
func (w *fileDayWriter) endDay(ctx context.Context) error {
	if len(w.rows) == 0 {
		return nil
	}
	day := w.rows[0].Day
	if w.next != 0 {
		w.packQuietDays(day)
	}
	w.packDay(day, packRows(w.rows))
	w.next = max(w.next, day+1)
	w.mostOfDay, w.rows = max(w.mostOfDay, len(w.rows)), w.rows[:0]
	if w.size < packedSize {
		return nil
	}
	return w.write(ctx)
}

// packQuietDays packs the days before another that the file is whole for and has no row of.
func (w *fileDayWriter) packQuietDays(before ledger.Date) {
	for whole := w.in.Statement.Whole; w.next < before && w.next <= whole.To; w.next++ {
		w.packDay(w.next, nil)
	}
}

func (w *fileDayWriter) packDay(day ledger.Date, body []byte) {
	w.packed, w.size = append(w.packed, packedDay{day, body}), w.size+len(body)
	if w.period.From == 0 {
		w.period.From = day
	}
	w.period.To = day
}

func (w *fileDayWriter) write(ctx context.Context) error {
	all, whole := w.packed, w.in.Statement.Whole
	w.packed, w.size = w.packed[:0], 0
	return w.LoadRows(ctx, "bank_file_day", []string{"account", "bank", "day", "file", "whole", "body"}, len(all), func(i int, r sqldb.Row) error {
		r.Int(int64(w.at.Home))
		r.Text(w.at.ID)
		r.Int(int64(all[i].day))
		r.Bytes(w.file[:])
		r.Int(sqldb.BoolArg(whole.Contains(all[i].day)))
		r.Bytes(all[i].body)
		return nil
	})
}
