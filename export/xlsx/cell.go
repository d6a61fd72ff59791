package xlsx

// Kind is the type and number format of a cell. A column has a kind too: every cell of it is of that kind or empty,
// unless the column's is KindAny.
type Kind uint8

const (
	KindEmpty    Kind = iota // absent: nothing is written
	KindText                 // text, never evaluated
	KindInt                  // a whole number, #,##0
	KindMoney2               // ten-thousandths of a real that are whole cents, #,##0.00
	KindMoney4               // ten-thousandths of a real, #,##0.0000
	KindRate4                // millionths of a percent figure (2.34 % is 2 340 000), 0.0000
	KindNumber2              // ten-thousandths of a plain number, 0.00
	KindDate                 // a day, dd/mm/yyyy
	KindDateTime             // civil time, dd/mm/yyyy hh:mm:ss
	KindAny                  // of columns only: each cell has its own kind
	kindCount
)

// isNumeric reports whether cells of the kind are numbers other than dates.
func (k Kind) isNumeric() bool { return k >= KindInt && k <= KindNumber2 }

// decimalPlaces is the number of decimals of Cell.N.
func (k Kind) decimalPlaces() int {
	switch k {
	case KindMoney2, KindMoney4, KindNumber2:
		return 4
	case KindRate4:
		return 6
	}
	return 0
}

// shownDecimals is the number of decimals the kind's number format shows.
func (k Kind) shownDecimals() int {
	switch k {
	case KindMoney2, KindNumber2:
		return 2
	case KindMoney4, KindRate4:
		return 4
	}
	return 0
}

// CellStyle is the appearance of a cell.
type CellStyle uint8

const (
	Plain        CellStyle = iota
	Strong                 // bold
	Good                   // green: a check that holds
	Bad                    // red: a check that fails
	Muted                  // grey: secondary
	Heading                // as the header row of a table
	Title                  // large: the name of a page
	Wrapped                // on as many lines as it needs: a sentence
	Clipped                // cut at the width of its column: a long identifier
	HeadingRight           // as the header of a column of numbers
	styleCount
)

// Cell is one value. The zero Cell is empty. N is the scaled integer its kind asks for, a Rata Die day number (day 1
// is 0001-01-01) for KindDate, or the seconds since Rata Die day 0 for KindDateTime.
type Cell struct {
	N     int64
	Text  string
	Kind  Kind
	Style CellStyle
}

// Text is a text cell; an empty string is an empty cell.
func Text(s string) Cell {
	if s == "" {
		return Cell{}
	}
	return Cell{Kind: KindText, Text: s}
}

// Int is a whole number.
func Int(n int64) Cell { return Cell{Kind: KindInt, N: n} }

// Money2 is an amount in ten-thousandths, shown with two decimals. One that is not whole cents is an error when it is
// appended: the caller rounds.
func Money2(tenThousandths int64) Cell { return Cell{Kind: KindMoney2, N: tenThousandths} }

// Money4 is an amount in ten-thousandths, shown with four decimals.
func Money4(tenThousandths int64) Cell { return Cell{Kind: KindMoney4, N: tenThousandths} }

// Rate4 is a percent figure in millionths, shown with four decimals.
func Rate4(millionths int64) Cell { return Cell{Kind: KindRate4, N: millionths} }

// Number2 is a plain number in ten-thousandths, shown with two decimals.
func Number2(tenThousandths int64) Cell { return Cell{Kind: KindNumber2, N: tenThousandths} }

// Date is the day of a Rata Die number. A day before 1 March 1900, which spreadsheets disagree about, is written as ISO text.
func Date(rataDie int64) Cell { return Cell{Kind: KindDate, N: rataDie} }

// DateTime is a civil time: the day of a Rata Die number and the seconds since its midnight (0 to 86,399).
func DateTime(rataDie, seconds int64) Cell {
	return Cell{Kind: KindDateTime, N: rataDie*secondsPerDay + seconds}
}

// GoodIf returns the green style if ok is true, else the red one.
func GoodIf(ok bool) CellStyle {
	if ok {
		return Good
	}
	return Bad
}

// WithStyle is the cell with another style.
func (c Cell) WithStyle(l CellStyle) Cell {
	c.Style = l
	return c
}
