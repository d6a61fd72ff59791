package export

import (
	"concilia/export/table"
	"concilia/export/xlsx"
	"concilia/store/ledger"
)

// sheetKind is what the column's cells are in a workbook.
func sheetKind(c *table.Column) xlsx.Kind {
	switch c.Type {
	case table.TypeInt:
		return xlsx.KindInt
	case table.TypeMoney, table.TypeNumber:
		switch {
		case c.Decimals == 4:
			return xlsx.KindMoney4
		case c.Type == table.TypeNumber:
			return xlsx.KindNumber2
		}
		return xlsx.KindMoney2
	case table.TypeRate:
		return xlsx.KindRate4
	case table.TypeDate:
		return xlsx.KindDate
	case table.TypeDateTime:
		return xlsx.KindDateTime
	case table.TypeValue:
		return xlsx.KindAny
	}
	return xlsx.KindText
}

// sheetLook is how the texts of a column stand in their cells, and the width that goes with it; 0 is what they need.
func sheetLook(c *table.Column) (look xlsx.CellStyle, width int) {
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

// sheetCell is the cell as a workbook holds it.
func sheetCell(c *table.Column, v *table.Cell, l table.Language) xlsx.Cell {
	if !v.OK {
		return xlsx.Cell{}
	}
	switch v.Type {
	case table.TypeInt:
		return xlsx.Int(v.N)
	case table.TypeMoney, table.TypeNumber:
		switch {
		case c.Decimals == 4, c.Type == table.TypeValue && ledger.Amount(v.N)%ledger.Cent != 0:
			return xlsx.Money4(v.N)
		case v.Type == table.TypeNumber:
			return xlsx.Number2(v.N)
		}
		return xlsx.Money2(v.N)
	case table.TypeRate:
		return xlsx.Rate4(v.N)
	case table.TypeDate:
		return xlsx.Date(v.N)
	case table.TypeDateTime:
		return xlsx.DateTime(v.N/table.TicksPerDay+1, v.N%table.TicksPerDay/table.TicksPerSecond)
	}
	return xlsx.Text(c.Label(l, v.S))
}

// showsTotal says whether reports show the sum of the column as its total. What was lost and what is in excess are two sums.
func showsTotal(c *table.Column) bool {
	return c.Summed() && !c.Distinct && c.Type != table.TypeNumber && !c.Signed
}
