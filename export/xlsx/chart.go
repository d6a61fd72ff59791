package xlsx

import (
	"errors"
	"fmt"

	"github.com/xuri/excelize/v2"
)

// ChartKind is the form of a chart.
type ChartKind uint8

const (
	Columns     ChartKind = iota // vertical bars, side by side
	Stacked                      // vertical bars, one on the other; a waterfall is one with an invisible first series
	Bars                         // lying bars
	StackedBars                  // lying bars, one on the other
	Lines
)

// Series is one series of a chart: cells of rows First to Last of the sheet that has its data, columns counted from 0. Its name
// in the legend is the cell in row Heading of the values' column, since a literal name would be read as a formula. An
// invisible series has no fill, so that the series stacked on it seems to float.
type Series struct {
	Heading            int
	Categories, Values int
	First, Last        int
	Colour             string // RRGGBB; empty: the theme's
	Invisible          bool
}

// Chart draws cells of the sheet Data, nil: of its own. Its upper left corner is in the cell of Column (from 0) and Row (from 1); Width and
// Height are in pixels.
type Chart struct {
	Kind          ChartKind
	Title         string
	Column, Row   int
	Width, Height uint
	Series        []Series
	NoLegend      bool
	Data          *Sheet
}

// AddChart adds a chart to the sheet. Neither this sheet nor the one that has its data may continue on a second one.
func (s *Sheet) AddChart(c Chart) error {
	if s.err != nil {
		return s.err
	}
	if len(c.Series) == 0 || c.Row < 1 || c.Column < 0 {
		return s.setError(errors.New("a chart needs a series and a place"))
	}
	for _, one := range c.Series {
		if one.Heading < 1 || one.Heading > rowLimit || one.First < 1 || one.Last < one.First || one.Last > rowLimit || one.Categories < 0 || one.Values < 0 ||
			max(one.Categories, one.Values) >= maxColumns {
			return s.setError(fmt.Errorf("chart %q: series of column %d: no such range", c.Title, one.Values+1))
		}
	}
	s.charts = append(s.charts, c)
	return nil
}

func (w *Workbook) addChart(s *Sheet, c *Chart) error {
	data := s
	if c.Data != nil {
		data = c.Data
	}
	if len(s.parts) > 1 || len(data.parts) > 1 {
		return errors.New("the sheet goes on in a second one")
	}
	name := data.parts[0].name
	axisFont := excelize.Font{Size: 9, Color: "404040"}
	chart := &excelize.Chart{
		Type:      chartType(c.Kind),
		Title:     excelize.ChartTitle{Paragraph: []excelize.RichTextRun{{Text: c.Title, Font: &excelize.Font{Bold: true, Size: 11, Color: colourHeader}}}},
		Legend:    excelize.ChartLegend{Position: "bottom"},
		Dimension: excelize.ChartDimension{Width: c.Width, Height: c.Height},
		XAxis:     excelize.ChartAxis{Font: axisFont},
		YAxis:     excelize.ChartAxis{Font: axisFont, MajorGridLines: true, NumFmt: excelize.ChartNumFmt{CustomNumFmt: "#,##0"}},
	}
	if c.NoLegend {
		chart.Legend.Position = "none"
	}
	if c.Kind == Bars || c.Kind == StackedBars {
		chart.XAxis.ReverseOrder = true // the first row on top, as in the table
	}
	for _, one := range c.Series {
		series := excelize.ChartSeries{
			Name:       rangeOf(name, one.Values, one.Heading, one.Heading),
			Categories: rangeOf(name, one.Categories, one.First, one.Last),
			Values:     rangeOf(name, one.Values, one.First, one.Last),
		}
		if one.Colour != "" {
			series.Fill = solidFill(one.Colour)
			series.Line = excelize.LineOptions{Width: 2}
		}
		if one.Invisible {
			series.Fill = excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{"FFFFFF"}, Transparency: 100}
		}
		chart.Series = append(chart.Series, series)
	}
	return w.skeleton.AddChart(s.parts[0].name, fmt.Sprintf("%s%d", columnName(c.Column), c.Row), chart)
}

func chartType(k ChartKind) excelize.ChartType {
	switch k {
	case Stacked:
		return excelize.ColStacked
	case Bars:
		return excelize.Bar
	case StackedBars:
		return excelize.BarStacked
	case Lines:
		return excelize.Line
	}
	return excelize.Col
}

func rangeOf(sheet string, column, first, last int) string {
	letters := columnName(column)
	if first == last {
		return fmt.Sprintf("'%s'!$%s$%d", sheet, letters, first)
	}
	return fmt.Sprintf("'%s'!$%s$%d:$%s$%d", sheet, letters, first, letters, last)
}
