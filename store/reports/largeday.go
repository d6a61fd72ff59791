package reports

import (
	"encoding/binary"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/results"
	"concilia/store/spool"
	"concilia/store/sqldb"
)

// packedRowSize is about how many bytes a packed row takes, a third of what it takes otherwise.
const packedRowSize = 512

// largeDay brings the rows of a sale day that has very many into the order of the report. They are packed, and beyond some megabytes in a
// temporary file: any number of them takes as much memory, and is read from the database once.
type largeDay struct {
	account     ledger.Account
	rows        *spool.Spool // by time of sale
	key         []byte
	packed      sqldb.PackedRow
	expectation results.ExpectationRow
}

// newLargeDay has about so many packed rows in memory.
func newLargeDay(a ledger.Account, rows int) *largeDay {
	return &largeDay{account: a, rows: spool.New(rows * packedRowSize)}
}

// addRow keeps a copy of a row, which need not be complete. Rows sold at the same time keep their order.
func (d *largeDay) addRow(v *facts.InstallmentRow, e *ledger.Expectation) error {
	p := &d.packed
	p.Reset()
	v.PutReportedColumns(p)
	sqldb.PutDate(p, v.ClassSince)
	sqldb.PutDate(p, v.TakenBackSince)
	p.Int(sqldb.BoolArg(e != nil))
	if e != nil {
		if err := d.expectation.PutReportedColumns(p, e); err != nil {
			return err
		}
	}
	d.key = binary.BigEndian.AppendUint64(d.key[:0], uint64(v.SoldAt))
	return d.rows.Add(d.key, p.Packed())
}

// passRows calls fn for the rows in their order, as dayRows.passRows does.
func (d *largeDay) passRows(fn func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	var v facts.InstallmentRow
	read := sqldb.ReadEachRow(func(f *sqldb.RowReader) error {
		v = facts.InstallmentRow{}
		v.ReadReportedColumns(f)
		v.ClassSince, v.TakenBackSince = f.NextDate(), f.NextDate()
		if err := v.Complete(d.account, nil); err != nil {
			return err
		}
		var e *ledger.Expectation
		if f.NextBool() {
			d.expectation.ReadReportedColumns(f, &ledger.Expectation{})
			var err error
			if e, err = d.expectation.Complete(v.Key()); err != nil {
				return err
			}
		}
		if err := f.Err(); err != nil {
			return err
		}
		return fn(&v.InstallmentVersion, e)
	})
	fields := &sqldb.PackedFields{}
	return d.rows.Read(func(_, row []byte) error {
		if err := fields.Open(row); err != nil {
			return err
		}
		return read(fields)
	})
}
