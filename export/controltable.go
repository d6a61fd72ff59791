package export

import (
	"concilia/export/table"
	"concilia/store/ledger"
)

// The units of control.
const (
	unitCount = "count"
	unitBRL   = "brl"
	unitPct   = "pct"
	unitDays  = "days"
	unitDate  = "date"
	unitText  = "text"
	unitHash  = "sha256"
)

// controlWriter lists figures. The methods set one row each; order is the order of the calls.
type controlWriter struct {
	account string
	section string
	rows    []table.Row
}

// put adds a row with a value.
func (c *controlWriter) put(item, measure, unit string, value table.Cell, note string) {
	c.rows = append(c.rows, table.Row{
		table.Text(c.account), table.Text(c.section), table.Text(item), table.Text(measure), table.Text(unit), value, {}, {}, {}, {}, table.Text(note),
	})
}

func (c *controlWriter) text(item, measure, value string) {
	c.put(item, measure, unitText, table.Text(value), "")
}

func (c *controlWriter) hash(item, measure, value string) {
	c.put(item, measure, unitHash, table.Text(value), "")
}

func (c *controlWriter) date(item, measure string, d ledger.Date) {
	c.put(item, measure, unitDate, table.Day(d), "")
}

func (c *controlWriter) count(item, measure string, n int64) {
	c.put(item, measure, unitCount, table.Int(n), "")
}

func (c *controlWriter) money(item, measure string, a ledger.Amount, note string) {
	c.put(item, measure, unitBRL, table.Cell{N: int64(a), Type: table.TypeMoney, OK: true}, note)
}

// residual adds a row with a value that should leave nothing over.
func (c *controlWriter) residual(item, measure string, a, rest ledger.Amount, note string) {
	c.money(item, measure, a, note)
	c.rows[len(c.rows)-1][9] = table.Number(int64(rest))
}

// tie adds the three figures of one sum. The file's stays empty in the control part of workbook and page, which are written
// before the files are read back.
func (c *controlWriter) tie(f Figure) {
	row := table.Row{
		table.Text(c.account), table.Text(c.section), table.Text(f.File), table.Text(f.Measure), table.Text(f.Unit),
		{},
		optNumber(f.Ledger), table.Number(f.Writer), optNumber(f.Read), table.Number(f.residual()),
		table.Text(f.Note),
	}
	c.rows = append(c.rows, row)
}

func optNumber(o ledger.Opt[int64]) table.Cell {
	if !o.OK {
		return table.Cell{}
	}
	return table.Number(o.V)
}
