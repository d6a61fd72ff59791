package xlsx

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/xuri/excelize/v2"
)

const (
	paperA4 = 9
	// charsPerPage is what fits the width of an A4 page on its side at 60 %, the least that still reads well.
	charsPerPage = 220
	margin       = 0.4 // inches
	footMargin   = 0.7 // room for the footer, which is at half of margin
)

// buildSkeleton makes the package without its rows with excelize, and returns its parts by name.
func (w *Workbook) buildSkeleton() (map[string][]byte, error) {
	f := w.skeleton
	first := true
	for _, s := range w.sheets {
		for _, p := range s.parts {
			var err error
			if first {
				err = f.SetSheetName("Sheet1", p.name)
				first = false
			} else {
				_, err = f.NewSheet(p.name)
			}
			if err == nil {
				err = w.writeSheetProperties(s, p)
			}
			if err != nil {
				return nil, fmt.Errorf("sheet %q: %w", p.name, err)
			}
		}
	}
	for _, s := range w.sheets {
		for i := range s.charts {
			if err := w.addChart(s, &s.charts[i]); err != nil {
				return nil, fmt.Errorf("sheet %q: chart %q: %w", s.spec.Name, s.charts[i].Title, err)
			}
		}
		for _, l := range s.links {
			if err := f.SetCellHyperLink(s.parts[0].name, fmt.Sprintf("A%d", l.row), fmt.Sprintf("'%s'!A1", l.to.parts[0].name), "Location"); err != nil {
				return nil, fmt.Errorf("sheet %q: link to %q: %w", s.spec.Name, l.to.spec.Name, err)
			}
		}
	}
	if err := w.setProperties(); err != nil {
		return nil, err
	}
	packed, err := f.WriteToBuffer()
	if err != nil {
		return nil, err
	}
	parts, err := readParts(packed.Bytes())
	if err != nil {
		return nil, err
	}
	removeLastModifiedBy(parts)
	return parts, nil
}

// coreProperties is the part with the creator and creation time of a workbook.
const coreProperties = "docProps/core.xml"

// removeLastModifiedBy removes the one element that excelize writes without a prefix. XML namespaces allow that, but
// readers that compare prefixed names, such as ExcelJS, refuse the whole workbook.
func removeLastModifiedBy(parts map[string][]byte) {
	parts[coreProperties] = bytes.Replace(parts[coreProperties], []byte("<lastModifiedBy></lastModifiedBy>"), nil, 1)
}

// writeSheetProperties sets everything of a sheet but its rows: column widths, panes, filter, view and page layout.
func (w *Workbook) writeSheetProperties(s *Sheet, p *sheetPart) error {
	f, name, frozen, rest := w.skeleton, p.name, 0, 0
	for i := range s.spec.Columns {
		width := s.columnWidth(i)
		if i < s.spec.Frozen {
			frozen += width
		} else {
			rest += width
		}
		letter := s.letters[i]
		if err := f.SetColWidth(name, letter, letter, float64(width)); err != nil { // float: a width in characters, as excelize takes it
			return err
		}
	}
	last := s.letters[len(s.spec.Columns)-1]
	if p.header > 0 {
		if err := w.writeTableProperties(s, p, last); err != nil {
			return err
		}
	}
	// After the filter, which resets the sheet's properties.
	yes, no := true, false
	if err := f.SetSheetProps(name, &excelize.SheetPropsOptions{FitToPage: &yes}); err != nil {
		return err
	}
	if s.spec.Hidden {
		if err := f.SetSheetVisible(name, false); err != nil {
			return err
		}
	}
	if s.spec.Freeform {
		if err := f.SetSheetView(name, 0, &excelize.ViewOptions{ShowGridLines: &no}); err != nil {
			return err
		}
	}
	// The frozen columns are repeated on every page.
	room := max(charsPerPage-frozen, charsPerPage/2)
	return w.setPageLayout(name, (rest+room-1)/room)
}

// writeTableProperties sets panes, filter, conditional formats and print titles of a table.
func (w *Workbook) writeTableProperties(s *Sheet, p *sheetPart, last string) error {
	f, name := w.skeleton, p.name
	// A preamble would fill the frozen pane, so a sheet that has one scrolls with its header.
	if s.preamble == nil || p != s.parts[0] {
		if err := w.freezePanes(s, p); err != nil {
			return err
		}
	}
	if err := f.AutoFilter(name, fmt.Sprintf("A%d:%s%d", p.header, last, max(p.header, p.lastData)), nil); err != nil {
		return err
	}
	titles := fmt.Sprintf("'%s'!$%d:$%d", name, p.header, p.header)
	if n := s.spec.Frozen; n > 0 {
		titles = fmt.Sprintf("'%s'!$A:$%s,%s", name, columnName(n-1), titles)
	}
	if err := f.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: titles, Scope: name}); err != nil {
		return err
	}
	if p.lastData < p.firstData {
		return nil
	}
	return w.addConditionalFormats(s, p)
}

// freezePanes freezes title, header and the leading columns.
func (w *Workbook) freezePanes(s *Sheet, p *sheetPart) error {
	top := fmt.Sprintf("%s%d", columnName(s.spec.Frozen), p.header+1)
	pane := "bottomLeft"
	if s.spec.Frozen > 0 {
		pane = "bottomRight"
	}
	return w.skeleton.SetPanes(p.name, &excelize.Panes{
		Freeze: true, XSplit: s.spec.Frozen, YSplit: p.header, TopLeftCell: top, ActivePane: pane,
		Selection: []excelize.Selection{{SQRef: top, ActiveCell: top, Pane: pane}},
	})
}

// addConditionalFormats adds the lines under data rows and highlights differences. No two ranges overlap, since not every
// program applies two formats to one cell.
func (w *Workbook) addConditionalFormats(s *Sheet, p *sheetPart) error {
	line := excelize.ConditionalFormatOptions{Type: "formula", Criteria: "TRUE", Format: &w.styles.rowLine}
	set := func(from, to int, formats ...excelize.ConditionalFormatOptions) error {
		if from > to {
			return nil
		}
		data := fmt.Sprintf("%s%d:%s%d", s.letters[from], p.firstData, s.letters[to], p.lastData)
		return w.skeleton.SetConditionalFormat(p.name, data, append(formats, line))
	}
	from := 0
	for i, c := range s.spec.Columns {
		if !c.HighlightNonZero {
			continue
		}
		if err := set(from, i-1); err != nil {
			return err
		}
		cell := fmt.Sprintf("%s%d", s.letters[i], p.firstData)
		differs := excelize.ConditionalFormatOptions{
			Type: "formula", Criteria: fmt.Sprintf("AND(ISNUMBER(%s),%s<>0)", cell, cell), Format: &w.styles.highlight,
		}
		if err := set(i, i, differs); err != nil {
			return err
		}
		from = i + 1
	}
	return set(from, len(s.spec.Columns)-1)
}

// setPageLayout sets A4 landscape and the number of pages to the width that keeps the print legible.
func (w *Workbook) setPageLayout(name string, pages int) error {
	f := w.skeleton
	size, landscape, wide, high, order := paperA4, "landscape", max(1, pages), 0, "overThenDown"
	err := f.SetPageLayout(name, &excelize.PageLayoutOptions{
		Size: &size, Orientation: &landscape, FitToWidth: &wide, FitToHeight: &high, PageOrder: &order,
	})
	if err != nil {
		return err
	}
	m, foot, edge := margin, footMargin, margin/2
	err = f.SetPageMargins(name, &excelize.PageLayoutMarginsOptions{Left: &m, Right: &m, Top: &m, Bottom: &foot, Header: &edge, Footer: &edge})
	if err != nil {
		return err
	}
	return f.SetHeaderFooter(name, &excelize.HeaderFooterOptions{OddFooter: "&L&8 &A&R&8 &P / &N"})
}

// setProperties sets the document properties to those of the options.
func (w *Workbook) setProperties() error {
	created := w.options.Created
	if created.IsZero() {
		created = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	stamp := created.UTC().Format(time.RFC3339)
	err := w.skeleton.SetDocProps(&excelize.DocProperties{
		Title: w.options.Title, Creator: w.options.Creator, Created: stamp, Modified: stamp,
	})
	if err != nil {
		return err
	}
	return w.skeleton.SetAppProps(&excelize.AppProperties{Application: w.options.Creator, DocSecurity: 0})
}

// readParts reads all parts of a small package, by name.
func readParts(packed []byte) (map[string][]byte, error) {
	z, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		return nil, err
	}
	parts := map[string][]byte{}
	for _, file := range z.File {
		r, err := file.Open()
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return nil, err
		}
		parts[file.Name] = body
	}
	return parts, nil
}
