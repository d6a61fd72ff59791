package columns

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"concilia/jobs/textfile"
	"concilia/store/ledger"
)

// readJSON reads objects one after another, or a list of them.
func (t *table) readJSON(list bool) error {
	d := json.NewDecoder(&t.source)
	d.UseNumber()
	if list {
		if _, err := d.Token(); err != nil {
			return t.refuseJSON(d, err)
		}
	}
	for n := 1; !list || d.More(); n++ {
		var object map[string]any
		switch err := d.Decode(&object); {
		case errors.Is(err, io.EOF) && !list:
			return nil
		case err != nil:
			return t.refuseJSON(d, err)
		}
		for _, name := range []string{t.Date, t.Amount} {
			if name != "" && memberText(object, name) == "" {
				return &ledger.BankRefusal{ID: "columns", Message: fmt.Sprintf("object %d has no member %q", n, name), Remedy: "mend columns of this bank"}
			}
		}
		if err := t.add(&record{line: n, value: func(column string) string { return memberText(object, column) }}); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return t.refuseJSON(d, err)
	}
	return nil
}

// refuseJSON is the refusal of a file whose JSON is cut or broken where the decoder is, or the error with which the file could not be read.
func (t *table) refuseJSON(d *json.Decoder, err error) error {
	var unreadable *fs.PathError
	switch {
	case errors.Is(err, textfile.ErrLongRow):
		return t.refuseLong()
	case errors.As(err, &unreadable):
		return err
	}
	lines := &lineCounter{}
	if _, err := io.CopyN(lines, t.text(), d.InputOffset()); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	return &ledger.BankRefusal{ID: "cut", Message: fmt.Sprintf("ends or breaks in line %d", 1+lines.n), Remedy: "download it again"}
}

// lineCounter counts the line ends of what is written to it.
type lineCounter struct{ n int }

func (c *lineCounter) Write(b []byte) (int, error) {
	c.n += bytes.Count(b, []byte("\n"))
	return len(b), nil
}

// memberText is the text of a member, dots leading into depth; empty when it is not there.
func memberText(object map[string]any, path string) string {
	var at any = object
	for name := range strings.SplitSeq(path, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return ""
		}
		at = m[name]
	}
	switch v := at.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}
