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

// Screen is a page of lines: a name, and what there is to say of it.
type Screen struct {
	Language Language

	text  strings.Builder
	width int // of the names
}

// NewScreen is a page without lines, whose names are so many characters wide.
func NewScreen(l Language, width int) *Screen { return &Screen{Language: l, width: width} }

// AddLine adds a line whose name is the text of an id; an empty one continues the line before.
func (s *Screen) AddLine(nameID, value string) {
	name := ""
	if nameID != "" {
		name = s.Language.text(nameID)
	}
	fmt.Fprintf(&s.text, "%-*s %s\n", s.width, name, value)
}

// AddText adds a line whose name and value are the texts of ids.
func (s *Screen) AddText(nameID, id string, values ...any) {
	s.AddLine(nameID, s.Language.text(id, values...))
}

// Write adds what is not a name with its text, such as a table.
func (s *Screen) Write(p []byte) (int, error) { return s.text.Write(p) }

// String is the page.
func (s *Screen) String() string { return s.text.String() }

// Print writes the page.
func (s *Screen) Print(w io.Writer) error {
	_, err := io.WriteString(w, s.text.String())
	return err
}
