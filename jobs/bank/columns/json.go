package columns

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"concilia/export/words"
	"concilia/jobs/textfile"
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
				return words.NewRefusal("columns", "refused.no_member", "remedy.columns", "n", n, "member", strconv.Quote(name))
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
	return words.NewRefusal("cut", "refused.broken_in_line", "remedy.again", "line", 1+lines.n)
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
