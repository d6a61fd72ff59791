package export

import (
	"fmt"

	"concilia/export/table"
	"concilia/store/ledger"
)

// agendaReader holds the rows of the agenda's tables against what each of them must come to, as they are read again.
type agendaReader struct {
	account string
	sum     ledger.Amount
}

// follow takes a row of agenda or agenda-roll.
func (a *agendaReader) follow(t *table.Table, row table.Row) error {
	amount := func(id string) ledger.Amount { return ledger.Amount(row[t.ColumnIndex(id)].N) }
	switch t.ID {
	case agendaTable.ID:
		if account := row[0].S; account != a.account {
			a.account, a.sum = account, 0
		}
		if a.sum += amount("net"); a.sum != amount("cumulative") {
			return fmt.Errorf("cumulative says %s, the rows up to it come to %s", amount("cumulative"), a.sum)
		}
	case agendaRollTable.ID:
		rest := amount("opening") - amount("closing")
		for _, m := range rollMoves {
			rest += amount(m.id)
		}
		if rest != 0 || amount("residual") != 0 {
			return fmt.Errorf("%s leaves %s, residual says %s", rollFormula, rest.Fixed(4), amount("residual").Fixed(4))
		}
	}
	return nil
}

// continuity lists the sums of agenda-roll, where the set has it.
func (p *proof) continuity(c *controlWriter) {
	for _, s := range p.counters {
		if s.Table != agendaRollTable {
			continue
		}
		for i := range s.Printed {
			col, sum := &s.Table.Columns[i], ledger.Amount(s.Printed[i])
			switch {
			case col.ID == "residual":
				c.residual(s.Table.ID, col.ID, sum, sum, "")
			case col.Type == table.TypeMoney:
				c.money(s.Table.ID, col.ID, sum, "")
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
	t := c.tables[agendaRollTable.ID]
	if t == nil {
		return
	}
	for _, measure := range measuresOf(t) {
		if measure != "count" && !proven[agendaRollTable.ID+" "+measure] {
			v.fault(path, "has no continuity of %s in %s", measure, agendaRollTable.ID)
		}
	}
}
