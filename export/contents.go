package export

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// contents are the files of one revision as they were read again.
type contents struct {
	manifest *Manifest
	tables   map[string]*counter // of the csv files, by table
	paidFace ledger.Amount       // face value of the paid slips
	proof    []proofRow          // of control
}

// proofRow is a row of control that can be checked again.
type proofRow struct {
	section, item, measure, note string
	value                        string
	three                        [3]ledger.Opt[int64] // ledger, writer, file
	residual                     ledger.Opt[int64]
}

// read parses a file by its format and returns its rows and sums as a manifest has them.
func (c *contents) read(path string, name fileName, f *File) (int64, map[string]string, error) {
	switch f.Format {
	case CSV:
		return c.readTable(path, name)
	case XLSX:
		return readSettlement(path, f)
	case EDI:
		var rows int64
		var sums map[string]string
		err := withFile(path, func(in io.Reader) error {
			file, err := readEDI(in)
			rows, sums = int64(file.Totals.Titles), ediSums(file.Totals)
			if err == nil && (f.NSA == nil || *f.NSA != file.Header.NSA) {
				err = fmt.Errorf("its header says NSA %d, not what its manifest says", file.Header.NSA)
			}
			return err
		})
		return rows, sums, err
	}
	return 0, nil, fmt.Errorf("format %q is not known to this version", f.Format)
}

func (c *contents) readTable(path string, name fileName) (int64, map[string]string, error) {
	t := tableByID(name.what)
	if t == nil {
		return 0, nil, fmt.Errorf("table %q is not known to this version", name.what)
	}
	var sums counter
	class, value := t.index("class"), t.index("value")
	err := withFile(path, func(in io.Reader) (err error) {
		sums, err = readCSV(in, t, func(row Row) error {
			switch {
			case t == controlTable:
				c.proof = append(c.proof, proofRowOf(row))
			case t == slipsTable && row[class].S == string(ledger.Paid):
				c.paidFace += ledger.Amount(row[value].N)
			}
			return nil
		})
		return err
	})
	c.tables[t.ID] = &sums
	if t == controlTable {
		return sums.rows, nil, err
	}
	return sums.rows, sums.spelled(), err
}

// index is the place of a column, -1 for one the table does not have.
func (t *Table) index(id string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.ID == id })
}

func proofRowOf(row Row) proofRow {
	number := func(i int) ledger.Opt[int64] { return ledger.Opt[int64]{V: row[i].N, OK: row[i].OK} }
	return proofRow{
		section: row[1].S, item: row[2].S, measure: row[3].S, value: row[5].S,
		three: [3]ledger.Opt[int64]{number(6), number(7), number(8)}, residual: number(9), note: row[10].S,
	}
}

// readSettlement reads the sheets that the sums of the manifest name, in whichever language they are.
func readSettlement(path string, f *File) (int64, map[string]string, error) {
	var tables []*Table
	for _, t := range Tables() {
		for id := range f.Sums {
			if strings.HasPrefix(id, t.ID+".") {
				tables = append(tables, t)
				break
			}
		}
	}
	var read func(Figure) ledger.Opt[int64]
	var err error
	for _, l := range []Language{Portuguese, English} {
		if read, err = readWorkbook(path, tables, l); err == nil {
			break
		}
	}
	if err != nil {
		return 0, nil, err
	}
	var rows int64
	sums := make(map[string]string)
	for _, t := range tables {
		rows += read(Figure{File: sheetFigure(t), Measure: "count"}).V / 10_000
		for i := range t.Columns[:t.width()] {
			if c := &t.Columns[i]; c.Type.Numeric() {
				sum := c.sumOf(read(Figure{File: sheetFigure(t), Measure: c.ID}).V)
				sums[t.ID+"."+c.ID] = string(c.appendSum(nil, sum))
			}
		}
	}
	return rows, sums, nil
}

// sumOf is the sum of the column that figure shows in ten-thousandths.
func (c *Column) sumOf(figure int64) int64 {
	switch c.Type {
	case TypeInt:
		return figure / 10_000
	case TypeRate:
		return figure * 100
	}
	return figure
}

// control holds the proof against the files it is of.
func (v *verifier) control(dir string, c *contents) {
	m := c.manifest
	path := filepath.Join(dir, Name(controlTable.ID, m.Account, m.Basis, m.Period(), m.Filter, m.Revision, CSV.extension()))
	if c.tables[controlTable.ID] == nil {
		if !slices.ContainsFunc(m.Files, func(f File) bool { return f.Kind == ControlKind }) {
			v.fault(path, "missing: no set is without its control")
		}
		return
	}
	proven := make(map[string]bool)
	for _, r := range c.proof {
		switch r.section {
		case "sums":
			proven[r.item+" "+r.measure] = true
			v.tied(path, &r, c)
		case "identities":
			if r.measure == "printed" {
				v.identity(path, &r, c)
			}
			if r.measure == "at four decimals" && r.residual.V != 0 {
				v.fault(path, "identity %s leaves %s at four decimals, should leave nothing", r.item, spellFigure(r.residual))
			}
		}
	}
	for id, sums := range c.tables {
		for _, measure := range sums.measures() {
			if id != controlTable.ID && !proven[id+".csv "+measure] {
				v.fault(path, "has no figures of %s in %s.csv", measure, id)
			}
		}
	}
}

// measures are the count and the numeric columns of a table.
func (s *counter) measures() []string {
	out := []string{"count"}
	for i := range s.printed {
		if s.table.Columns[i].Type.Numeric() {
			out = append(out, s.table.Columns[i].ID)
		}
	}
	return out
}

// tied checks one row of the sums: its three figures are one, and the one that the file says now.
func (v *verifier) tied(path string, r *proofRow, c *contents) {
	f := Figure{Ledger: r.three[0], Writer: r.three[1].V, Read: r.three[2]}
	if f.residual() != 0 || r.residual.V != 0 {
		v.fault(path, "%s, %s: ledger %s, writer %s, file %s, should be one figure", r.item, r.measure,
			spellFigure(r.three[0]), spellFigure(r.three[1]), spellFigure(r.three[2]))
	}
	sums := c.tables[strings.TrimSuffix(r.item, ".csv")]
	if sums == nil {
		return
	}
	if now := sums.reader()(r.measure); now != r.three[2] {
		v.fault(path, "%s, %s: the file says %s, control %s", r.item, r.measure, spellFigure(now), spellFigure(r.three[2]))
	}
}

// identity works an identity out again from the published tables, where they are.
func (v *verifier) identity(path string, r *proofRow, c *contents) {
	rest, ok := c.evaluate(r.note)
	if ok && int64(rest) != r.residual.V {
		v.fault(path, "identity %s (%s) leaves %s by the files, control says %s", r.item, r.note, rest.Fixed(4),
			spellFigure(r.residual))
	}
}

// evaluate is left less right of a formula such as "paid = credited + not_credited", over the totals of the set's
// csv files. false: a table that it needs is not there.
func (c *contents) evaluate(formula string) (ledger.Amount, bool) {
	words := strings.Fields(formula)
	home := c.home(words)
	var sum ledger.Amount
	sign, side := ledger.Amount(1), ledger.Amount(1)
	for _, word := range words {
		switch word {
		case "+":
			sign = 1
		case "-":
			sign = -1
		case "=":
			sign, side = 1, -1
		default:
			v, ok := c.term(word, home)
			if !ok {
				return 0, false
			}
			sum += side * sign * v
		}
	}
	return sum, true
}

// paidFace is the one term of a formula that is no column: the face value of the slips that were paid.
const paidFace = "paid_face"

// home is the summary that has every column a formula names without its table; names repeat between the two.
func (c *contents) home(words []string) *counter {
	for _, id := range []string{summaryTable.ID, slipDaysTable.ID} {
		s := c.tables[id]
		if s != nil && !slices.ContainsFunc(words, func(w string) bool {
			return !strings.Contains("+-=", w) && !strings.Contains(w, ".") && w != paidFace && s.table.index(w) < 0
		}) {
			return s
		}
	}
	return nil
}

// term is a total: a column of the formula's own summary, table.column, or paid_face.
func (c *contents) term(word string, home *counter) (ledger.Amount, bool) {
	if word == paidFace {
		return c.paidFace, c.tables[slipsTable.ID] != nil
	}
	if table, column, ok := strings.Cut(word, "."); ok {
		home, word = c.tables[table], column
	}
	switch {
	case home == nil || home.table.index(word) < 0:
		return 0, false
	case word == "gross_cents":
		return ledger.FromCents(home.sum(word)), true
	}
	return ledger.Amount(home.sum(word)), true
}
