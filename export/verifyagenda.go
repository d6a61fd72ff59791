package export

import (
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// continuity lists the sums of agenda-roll, where the set has it.
func (p *proof) continuity(c *controlWriter) {
	for _, s := range p.counters {
		if s.Table != report.AgendaRollTable {
			continue
		}
		for i := range s.Printed {
			col, sum := &s.Table.Columns[i], ledger.Amount(s.Printed[i])
			switch {
			case col.ID == "residual":
				c.residual(s.Table.ID, col.ID, sum, sum, note{})
			case col.Type == table.TypeMoney:
				c.money(s.Table.ID, col.ID, sum, note{})
			}
		}
	}
}

// continued holds a row of control's continuity against the table it repeats.
func (v *verifier) continued(path string, r *proofRow, c *contents) {
	t := c.tables[r.item]
	if t == nil {
		return
	}
	if said, err := ledger.ParseAmount(r.value); err != nil || said != ledger.Amount(t.Sum(r.measure)) {
		v.fault(path, "continuity, %s, %s: says %.80s, the file %s", r.item, r.measure, r.value,
			ledger.Amount(t.Sum(r.measure)).Fixed(4))
	}
}

// allContinued misses the rows of continuity that control should have.
func (v *verifier) allContinued(path string, c *contents, proven map[string]bool) {
	t := c.tables[report.AgendaRollTable.ID]
	if t == nil {
		return
	}
	for _, measure := range measuresOf(t) {
		if measure != "count" && !proven[report.AgendaRollTable.ID+" "+measure] {
			v.fault(path, "has no continuity of %s in %s", measure, report.AgendaRollTable.ID)
		}
	}
}
