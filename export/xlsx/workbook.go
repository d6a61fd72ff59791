package xlsx

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
	"github.com/xuri/excelize/v2"
)

// Options of a workbook.
type Options struct {
	Title   string    // document property
	Creator string    // document property: the program, never a person or a machine
	Created time.Time // document property, to the second in UTC; zero is 1980-01-01
	TempDir string    // of the temporary files, one a sheet while it is written; empty: the system's
	// RowsPerSheet is the most data rows of one sheet; 0 is 1,048,000, which is also the most.
	RowsPerSheet int
}

// Workbook is a workbook being written. Its sheets may be filled in any order; in the file they are in the order in which
// they were added. It belongs to one goroutine.
type Workbook struct {
	out          io.Writer
	skeleton     *excelize.File
	styles       *styles
	options      Options
	tempDir      string
	rowsPerSheet int
	sheets       []*Sheet
	names        map[string]bool
	failed       error
	closed       bool

	idleCompressors []*flate.Writer // for the next pieces
}

// Create begins a workbook that Close will write to w. Nothing is written to w before. Defer Abort, which frees its
// temporary files.
func Create(w io.Writer, o Options) (*Workbook, error) {
	if o.RowsPerSheet < 0 || o.RowsPerSheet > defaultRows {
		return nil, fmt.Errorf("workbook: %d rows a sheet: 1 to %d are possible", o.RowsPerSheet, defaultRows)
	}
	wb := &Workbook{out: w, skeleton: excelize.NewFile(), options: o, tempDir: o.TempDir, rowsPerSheet: o.RowsPerSheet, names: map[string]bool{}}
	if wb.rowsPerSheet == 0 {
		wb.rowsPerSheet = defaultRows
	}
	var err error
	if wb.styles, err = newStyles(wb.skeleton); err != nil {
		return nil, fmt.Errorf("workbook: %w", err)
	}
	return wb, nil
}

// AddSheet begins a sheet.
func (w *Workbook) AddSheet(spec SheetSpec) (*Sheet, error) {
	if w.closed {
		return nil, errors.New("workbook: a sheet after the end")
	}
	if err := spec.validate(); err != nil {
		return nil, fmt.Errorf("workbook: %w", err)
	}
	n := len(spec.Columns)
	s := &Sheet{wb: w, spec: spec, letters: appendLetters(nil, n), sums: make([]int64, n), widths: make([]columnWidths, n)}
	if _, err := s.nextPart(); err != nil {
		return nil, fmt.Errorf("workbook: %w", err)
	}
	w.sheets = append(w.sheets, s)
	return s, nil
}

// reserveName returns the name, or an error when another sheet has it, case ignored.
func (w *Workbook) reserveName(name string) (string, error) {
	key := strings.ToLower(name)
	if w.names[key] {
		return "", fmt.Errorf("two sheets named %q", name)
	}
	w.names[key] = true
	return name, nil
}

// Close writes the workbook and frees its temporary files. It writes nothing after an error of a sheet, since an
// incomplete workbook looks like a complete one. The writer given to Create is not closed.
func (w *Workbook) Close() error {
	if w.closed {
		return errors.New("workbook: closed before")
	}
	defer w.Abort()
	if w.failed != nil {
		return w.failed
	}
	if len(w.sheets) == 0 {
		return errors.New("workbook: without a sheet it is no workbook")
	}
	for _, s := range w.sheets {
		if err := s.endPart(s.parts[len(s.parts)-1]); err != nil {
			return fmt.Errorf("workbook: sheet %q: %w", s.spec.Name, err)
		}
	}
	parts, err := w.buildSkeleton()
	if err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	if err := w.writePackage(parts); err != nil {
		return fmt.Errorf("workbook: %w", err)
	}
	return nil
}

// Abort discards the workbook and removes its temporary files; after Close, or a second time, it does nothing.
func (w *Workbook) Abort() {
	if w.closed {
		return
	}
	w.closed = true
	for _, s := range w.sheets {
		for _, p := range s.parts {
			p.rows.removeFile()
		}
	}
	// The skeleton is in memory only, so that closing it loses nothing.
	_ = w.skeleton.Close()
}
