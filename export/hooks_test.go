package export

import (
	"io"

	"concilia/export/cnab"
	"concilia/store/ledger"
)

// AfterWrite lets a test at the files between writing and reading them back.
func (j *Job) AfterWrite(fn func(dir string)) { j.afterWrite = fn }

// Repeat lets a test write a row of a table more or fewer times than once.
func (j *Job) Repeat(fn func(table string, row int64) int) { j.repeat = fn }

// CardTitle and SlipTitle are the titles of an EDI file.
func CardTitle(v *ledger.InstallmentVersion, e *ledger.Expectation, sigma bool, number string) cnab.Title {
	var l leftOut
	t := cardTitle(v, e, sigma, number)
	l.shares(&t, v)
	return t
}

func SlipTitle(s *ledger.Slip, e *ledger.SlipExpectation, number string, clear bool) (cnab.Title, bool) {
	m, ok := slipMovement(s)
	if !ok {
		return cnab.Title{}, false
	}
	return slipTitle(s, e, m, number, clear), true
}

// The parts of a csv file.
var (
	PayerDocument = payerDocument
	Beneficiary   = beneficiary
	ReadCSV       = func(r io.Reader, table string) (rows int64, err error) {
		sums, err := readCSV(r, tableByID(table), nil)
		return sums.rows, err
	}
)

// WriteCSV writes rows of a table, and ReadRows reads them.
func WriteCSV(w io.Writer, table string, rows []Row) error {
	c, err := newCSVWriter(w, tableByID(table))
	if err != nil {
		return err
	}
	for _, row := range rows {
		if err := c.add(row); err != nil {
			return err
		}
	}
	return c.close()
}

func ReadRows(r io.Reader, table string) (rows []Row, err error) {
	_, err = readCSV(r, tableByID(table), func(row Row) error {
		rows = append(rows, append(Row(nil), row...))
		return nil
	})
	return rows, err
}
