package readback

import (
	"bufio"
	"errors"
	"io"
	"os"

	"concilia/export/control"
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// TableFigures returns the figures of a parsed table by measure; absent for a measure that is not a column.
func TableFigures(s *table.Counter) func(string) ledger.Opt[int64] {
	return func(measure string) ledger.Opt[int64] {
		if measure == "count" {
			return ledger.Some(s.Rows * 10_000)
		}
		for i := range s.Printed {
			if c := &s.Table.Columns[i]; c.ID == measure {
				return ledger.Some(report.InTenThousandths(c, s.Printed[i]))
			}
		}
		return ledger.Opt[int64]{}
	}
}

// SumOfFigure converts a figure in ten-thousandths to a sum of the column.
func SumOfFigure(c *table.Column, figure int64) int64 {
	switch c.Type {
	case table.TypeInt:
		return figure / 10_000
	case table.TypeRate:
		return figure * 100
	}
	return figure
}

// WithFile opens a file for reading and closes it after fn.
func WithFile(path string, fn func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(fn(bufio.NewReaderSize(f, 1<<16)), f.Close())
}

// ByMeasure looks up figures by their measure alone, for a file with one table.
func ByMeasure(read func(string) ledger.Opt[int64]) func(control.Figure) ledger.Opt[int64] {
	return func(f control.Figure) ledger.Opt[int64] { return read(f.Measure) }
}
