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
	t := cardTitle(v, e, sigma)
	t.TitleNumber = number
	l.shares(&t, v)
	return t
}

func SlipTitle(s *ledger.Slip, e *ledger.SlipExpectation, number string, clear bool) (cnab.Title, bool) {
	m, ok := slipMovement(s)
	if !ok {
		return cnab.Title{}, false
	}
	t := slipTitle(s, e, m, clear)
	x := spooledSlip{Title: &t, OurNumber: s.OurNumber, Reference: s.ReferenceCode}
	return *x.numbered(number), true
}

// The parts of a csv file.
var (
	PayerDocument = payerDocument
	Beneficiary   = beneficiary
	ItemWords     = itemWords
	ReadCSV       = func(r io.Reader, table string) (rows int64, err error) {
		sums, err := readCSV(r, tableByID(table), nil)
		return sums.rows, err
	}
)

// add writes a row whose text nothing else needs.
func (c *csvWriter) add(row Row) error {
	text, err := c.encode(row)
	if err != nil {
		return err
	}
	return c.write(text, row)
}

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

// Spell writes rows of a table in a format with a file a table, and ReadSpelled reads such a file.
func Spell(f Format, table string, l Language, rows []Row) ([]byte, error) {
	s, _ := spellingOf(f)
	t := tableByID(table)
	out := s.head(nil, t, l)
	for _, row := range rows {
		csv, err := appendCSVRow(nil, t, row, false)
		if err != nil {
			return nil, err
		}
		out = s.row(out, t, row, csv, l)
	}
	return out, nil
}

func ReadSpelled(f Format, r io.Reader, table string) (Sums, error) {
	s, _ := spellingOf(f)
	c, err := s.read(r, tableByID(table))
	out := Sums{Rows: c.rows, Columns: map[string]int64{}}
	for i := range c.printed {
		out.Columns[c.table.Columns[i].ID] = c.printed[i]
	}
	return out, err
}

// WeightedMean is the average of values by their weights, the least and the greatest.
func WeightedMean(values, weights []int64) [3]int64 {
	var w weighted
	for i := range values {
		if err := w.add(values[i], weights[i]); err != nil {
			panic(err)
		}
	}
	return [3]int64{w.mean(), w.least, w.most}
}

// ValueFor is how csv-br and page spell a text of a value column, and whether a workbook has it as more than a text.
func ValueFor(text string) (br, page string, typed bool) {
	t := exceptionsTable
	c := &t.Columns[t.index("expected")]
	v := c.typed(Text(text))
	return string(appendBRText(nil, c, text, Portuguese)), c.pageText(&v, Portuguese), v.Type != TypeText
}

// BridgeDay is what a page says of the days of a side's bridge.
func (j *Job) BridgeDay(side string) string {
	w := func(pt, en string) string {
		if j.Language == English {
			return en
		}
		return pt
	}
	return j.bridgeDay(w, side, pageFile)
}
