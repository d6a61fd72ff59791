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
