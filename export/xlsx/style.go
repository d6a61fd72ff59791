package xlsx

import (
	"fmt"
	"strconv"

	"github.com/xuri/excelize/v2"
)

// rowArea is the kind of row a cell is in. It determines borders and weight, together with the cell's own style.
type rowArea uint8

const (
	dataArea rowArea = iota
	totalArea
	subtotalArea
	areaCount
)

// numberFormat is the format code of each kind, in the spelling of the file format, whatever the language of the reader.
var numberFormat = [kindCount]string{
	KindText:     "@", // stays text when it is edited
	KindInt:      "#,##0",
	KindMoney2:   "#,##0.00",
	KindMoney4:   "#,##0.0000",
	KindRate4:    "0.0000",
	KindNumber2:  "0.00",
	KindDate:     "dd/mm/yyyy",
	KindDateTime: "dd/mm/yyyy hh:mm:ss",
}

// Colours, chosen to print well in grey.
const (
	colourHeader = "1F3864"
	colourOnDark = "FFFFFF"
	colourTotal  = "DDE3EE"
	colourRule   = "8497B0"
	colourLine   = "D9DEE7"
	colourMuted  = "7F7F7F"
	colourGood   = "1E6B34"
	colourBad    = "9C0006"
	fillGood     = "E2F0E5"
	fillBad      = "FFD9DC"
)

// styles are the numbers of the workbook's cell formats.
type styles struct {
	cell [areaCount][styleCount][kindCount]int
	// blank is the XML of an empty cell of a total row, from after its row number.
	blank [areaCount]string
	// opening is the XML that follows the row number of a cell: the end of its reference, its format and its type.
	opening   [areaCount][styleCount][kindCount]string
	header    [kindCount]int
	highlight int
	// rowLine is the light line under every data row, on screen and paper. It is a conditional format that is always true,
	// so that it covers empty cells too, which the rows leave out.
	rowLine int
}

// newStyles defines every format in a fixed order, so that their numbers are the same in every workbook.
func newStyles(f *excelize.File) (*styles, error) {
	s := &styles{}
	for p := range areaCount {
		for l := range styleCount {
			if p != dataArea && l != Plain {
				continue
			}
			for k := KindText; k < KindAny; k++ {
				id, err := f.NewStyle(cellStyle(p, l, k))
				if err != nil {
					return nil, fmt.Errorf("cell format: %w", err)
				}
				s.cell[p][l][k] = id
				s.opening[p][l][k] = `" s="` + strconv.Itoa(id) + `"><v>`
				if k == KindText {
					s.opening[p][l][k] = `" s="` + strconv.Itoa(id) + `" t="inlineStr"><is><t>`
				}
			}
		}
	}
	for p := range areaCount {
		s.blank[p] = `" s="` + strconv.Itoa(s.cell[p][Plain][KindText]) + `"/>`
	}
	var err error
	for k := KindText; k < kindCount; k++ {
		if s.header[k], err = f.NewStyle(headerStyle(k)); err != nil {
			return nil, fmt.Errorf("header format: %w", err)
		}
	}
	s.highlight, err = f.NewConditionalStyle(&excelize.Style{
		Font:   &excelize.Font{Color: colourBad, Bold: true},
		Fill:   solidFill(fillBad),
		Border: []excelize.Border{{Type: "bottom", Style: 1, Color: colourLine}},
	})
	if err != nil {
		return nil, fmt.Errorf("format of marked cells: %w", err)
	}
	s.rowLine, err = f.NewConditionalStyle(&excelize.Style{Border: []excelize.Border{{Type: "bottom", Style: 1, Color: colourLine}}})
	if err != nil {
		return nil, fmt.Errorf("format of data rows: %w", err)
	}
	return s, nil
}

func cellStyle(p rowArea, l CellStyle, k Kind) *excelize.Style {
	st := &excelize.Style{Font: &excelize.Font{Family: "Calibri", Size: 10}, CustomNumFmt: &numberFormat[k]}
	switch p {
	case totalArea:
		st.Font.Bold = true
		st.Fill = solidFill(colourTotal)
		st.Border = []excelize.Border{{Type: "top", Style: 1, Color: colourRule}}
	case subtotalArea:
		st.Font.Italic = true
		st.Font.Color = colourMuted
		st.Border = []excelize.Border{{Type: "bottom", Style: 1, Color: colourRule}}
	}
	switch l {
	case Strong:
		st.Font.Bold = true
	case Good:
		st.Font.Color, st.Fill = colourGood, solidFill(fillGood)
	case Bad:
		st.Font.Color, st.Font.Bold, st.Fill = colourBad, true, solidFill(fillBad)
	case Muted:
		st.Font.Color = colourMuted
	case Heading, HeadingRight:
		st.Font.Bold, st.Font.Color, st.Fill = true, colourOnDark, solidFill(colourHeader)
	case Title:
		st.Font.Bold, st.Font.Size, st.Font.Color = true, 14, colourHeader
	}
	switch k {
	case KindDate, KindDateTime:
		st.Alignment = &excelize.Alignment{Horizontal: "center"}
	case KindText: // a step away from the digits of the column before
		st.Alignment = &excelize.Alignment{Horizontal: "left", Indent: 1}
		switch l {
		case Wrapped:
			st.Alignment.WrapText = true
		case Clipped:
			st.Alignment = &excelize.Alignment{Horizontal: "fill"} // what does not fit runs over no neighbour
		case HeadingRight:
			st.Alignment = &excelize.Alignment{Horizontal: "right"}
		}
	}
	if p == dataArea { // next to a cell of several lines, align with its first
		if st.Alignment == nil {
			st.Alignment = &excelize.Alignment{}
		}
		st.Alignment.Vertical = "top"
	}
	return st
}

// headerStyle aligns a header like the content of its column.
func headerStyle(k Kind) *excelize.Style {
	place := &excelize.Alignment{Horizontal: "left", Indent: 1, Vertical: "center", WrapText: true}
	switch {
	case k.isNumeric():
		place.Horizontal, place.Indent = "right", 0
	case k == KindDate || k == KindDateTime:
		place.Horizontal, place.Indent = "center", 0
	}
	return &excelize.Style{
		Font:      &excelize.Font{Family: "Calibri", Size: 10, Bold: true, Color: colourOnDark},
		Fill:      solidFill(colourHeader),
		Alignment: place,
		Border:    []excelize.Border{{Type: "left", Style: 1, Color: colourRule}, {Type: "right", Style: 1, Color: colourRule}},
	}
}

func solidFill(colour string) excelize.Fill {
	return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{colour}}
}
