package export

import "concilia/store/ledger"

// controlTable is the proof of a set: one row per figure, in order of section, item and measure as listed.
var controlTable = &Table{ID: "control", Kind: ControlKind, Sheet: "Controle", Layout: 1, Columns: []Column{
	{ID: "account", Header: "Conta", HeaderEN: "Account", Type: TypeText},
	{ID: "section", Header: "Seção", HeaderEN: "Section", Type: TypeEnum, Labels: sectionLabels},
	{ID: "item", Header: "Item", HeaderEN: "Item", Type: TypeText},
	{ID: "measure", Header: "Medida", HeaderEN: "Measure", Type: TypeText},
	{ID: "unit", Header: "Unidade", HeaderEN: "Unit", Type: TypeEnum, Labels: unitLabels},
	{ID: "value", Header: "Valor", HeaderEN: "Value", Type: TypeValue, Null: "the three figures stand instead"},
	{ID: "ledger", Header: "Razão", HeaderEN: "Ledger", Type: TypeNumber, Decimals: 4, Null: "not a tied figure"},
	{ID: "writer", Header: "Gravador", HeaderEN: "Writer", Type: TypeNumber, Decimals: 4, Null: "not a tied figure"},
	{ID: "file", Header: "Arquivo relido", HeaderEN: "File read back", Type: TypeNumber, Decimals: 4, Null: "not a tied figure"},
	{ID: "residual", Header: "Resíduo", HeaderEN: "Residual", Type: TypeNumber, Decimals: 4, Null: "nothing to compare"},
	{ID: "note", Header: "Observação", HeaderEN: "Note", Type: TypeText, Null: "none"},
	{ID: "row_hash", Header: "Hash da linha", HeaderEN: "Row hash", Type: TypeHash},
}}

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
	rows    []Row
}

// put adds a row with a value.
func (c *controlWriter) put(item, measure, unit string, value Cell, note string) {
	c.rows = append(c.rows, Row{
		Text(c.account), Text(c.section), Text(item), Text(measure), Text(unit), value, {}, {}, {}, {}, Text(note),
	})
}

func (c *controlWriter) text(item, measure, value string) {
	c.put(item, measure, unitText, Text(value), "")
}

func (c *controlWriter) hash(item, measure, value string) {
	c.put(item, measure, unitHash, Text(value), "")
}

func (c *controlWriter) date(item, measure string, d ledger.Date) {
	c.put(item, measure, unitDate, Day(d), "")
}

func (c *controlWriter) count(item, measure string, n int64) {
	c.put(item, measure, unitCount, Int(n), "")
}

func (c *controlWriter) money(item, measure string, a ledger.Amount, note string) {
	c.put(item, measure, unitBRL, Cell{N: int64(a), Type: TypeMoney, OK: true}, note)
}

// residual adds a row with a value that should leave nothing over.
func (c *controlWriter) residual(item, measure string, a, rest ledger.Amount, note string) {
	c.money(item, measure, a, note)
	c.rows[len(c.rows)-1][9] = Number(int64(rest))
}

// tie adds the three figures of one sum. A figure that is not there stays empty: the ledger gives none of averages,
// and the control part of the workbook is written before the files are read back.
func (c *controlWriter) tie(f Figure) {
	row := Row{
		Text(c.account), Text(c.section), Text(f.File), Text(f.Measure), Text(f.Unit),
		{},
		optNumber(f.Ledger), Number(f.Writer), optNumber(f.Read), Number(f.residual()),
		{},
	}
	c.rows = append(c.rows, row)
}

func optNumber(o ledger.Opt[int64]) Cell {
	if !o.OK {
		return Cell{}
	}
	return Number(o.V)
}
