package export

import (
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// kind is what the column's cells are in a workbook.
func (c *Column) kind() xlsx.Kind {
	switch c.Type {
	case TypeInt:
		return xlsx.KindInt
	case TypeMoney, TypeNumber:
		switch {
		case c.Decimals == 4:
			return xlsx.KindMoney4
		case c.Type == TypeNumber:
			return xlsx.KindNumber2
		}
		return xlsx.KindMoney2
	case TypeRate:
		return xlsx.KindRate4
	case TypeDate:
		return xlsx.KindDate
	case TypeDateTime:
		return xlsx.KindDateTime
	case TypeValue:
		return xlsx.KindAny
	}
	return xlsx.KindText
}

// look is how the texts of a column stand in their cells, and the width that goes with it; 0 is what they need.
func (c *Column) look() (look xlsx.Look, width int) {
	switch c.ID {
	case "explanation":
		return xlsx.Wrapped, 60
	case "comment":
		return xlsx.Wrapped, 0
	case "calendar": // a digest
		return xlsx.Clipped, 14
	}
	return xlsx.Plain, 0
}

// frozen is how many columns stay in sight and on every printed page: those that say which row it is.
func (t *Table) frozen() int {
	switch t.ID {
	case exceptionsTable.ID, agingTable.ID, agendaRollTable.ID:
		return 3
	}
	return 1
}

// ticksPerDay and ticksPerSecond take a ledger.LocalTime apart.
const (
	ticksPerSecond = 10_000_000
	ticksPerDay    = 86_400 * ticksPerSecond
)

// cell is the cell as a workbook holds it.
func (c *Column) cell(v *Cell, l Language) xlsx.Cell {
	if !v.OK {
		return xlsx.Cell{}
	}
	switch v.Type {
	case TypeInt:
		return xlsx.Int(v.N)
	case TypeMoney, TypeNumber:
		switch {
		case c.Decimals == 4, c.Type == TypeValue && ledger.Amount(v.N)%ledger.Cent != 0:
			return xlsx.Money4(v.N)
		case v.Type == TypeNumber:
			return xlsx.Number2(v.N)
		}
		return xlsx.Money2(v.N)
	case TypeRate:
		return xlsx.Rate4(v.N)
	case TypeDate:
		return xlsx.Date(v.N)
	case TypeDateTime:
		return xlsx.DateTime(v.N/ticksPerDay+1, v.N%ticksPerDay/ticksPerSecond)
	}
	return xlsx.Text(c.label(l, v.S))
}
