package export

import (
	"concilia/export/report"
	"concilia/export/table"
	"concilia/store/ledger"
)

// listContinuity lists the sums of agenda-roll, where the set has it.
func (p *setProof) listContinuity(c *controlWriter) {
	for _, s := range p.counters {
		if s.Table != report.AgendaRollTable {
			continue
		}
		for i := range s.Printed {
			col, sum := &s.Table.Columns[i], ledger.Amount(s.Printed[i])
			switch {
			case col.ID == "residual":
				c.addResidual(s.Table.ID, col.ID, sum, sum, note{})
			case col.Type == table.TypeMoney:
				c.addMoney(s.Table.ID, col.ID, sum, note{})
			}
		}
	}
}

// checkContinuityRow holds a row of control's continuity against the table it repeats.
func (v *verifier) checkContinuityRow(path string, r *parsedControlRow, c *setContents) {
	t := c.tables[r.item]
	if t == nil {
		return
	}
	if said, err := ledger.ParseAmount(r.value); err != nil || said != ledger.Amount(t.Sum(r.measure)) {
		v.addFault(path, "continuity, %s, %s: says %.80s, the file %s", r.item, r.measure, r.value,
			ledger.Amount(t.Sum(r.measure)).Fixed(4))
	}
}

// checkContinuityComplete misses the rows of continuity that control should have.
func (v *verifier) checkContinuityComplete(path string, c *setContents, proven map[string]bool) {
	t := c.tables[report.AgendaRollTable.ID]
	if t == nil {
		return
	}
	for _, measure := range measuresOf(t) {
		if measure != "count" && !proven[report.AgendaRollTable.ID+" "+measure] {
			v.addFault(path, "has no continuity of %s in %s", measure, report.AgendaRollTable.ID)
		}
	}
}
