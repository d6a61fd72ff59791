package view

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// NewTable is a table without frames, for terminals and for tools that cut columns. Columns named right are aligned so; the
// first is 1.
func NewTable(w io.Writer, right ...int) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(w)
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = 0
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	columns := make([]table.ColumnConfig, len(right))
	for i, n := range right {
		columns[i] = table.ColumnConfig{Number: n, Align: text.AlignRight}
	}
	t.SetColumnConfigs(columns)
	return t
}

// HeadRow is the head of a table, each text by its id; an empty one stays empty.
func (l Language) HeadRow(ids ...string) table.Row {
	row := make(table.Row, len(ids))
	for i, id := range ids {
		if row[i] = ""; id != "" {
			row[i] = l.text(id)
		}
	}
	return row
}

// screen is a page of lines: a name, and what there is to say of it.
type screen struct {
	b     strings.Builder
	l     Language
	width int // of the names
}

// writeLine adds a line whose name is the text of an id; an empty one continues the line before.
func (s *screen) writeLine(nameID, value string) {
	name := ""
	if nameID != "" {
		name = s.l.text(nameID)
	}
	fmt.Fprintf(&s.b, "%-*s %s\n", s.width, name, value)
}

// writeText adds a line whose name and value are the texts of ids.
func (s *screen) writeText(nameID, id string, values ...any) {
	s.writeLine(nameID, s.l.text(id, values...))
}

// writeTo writes the page.
func (s *screen) writeTo(w io.Writer) error {
	_, err := io.WriteString(w, s.b.String())
	return err
}

// nameOfFirst is the name of a list's first line.
func nameOfFirst(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}
