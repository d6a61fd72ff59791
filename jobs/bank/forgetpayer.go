package bank

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"concilia/store/ledger/banking"
)

// maxField is how many bytes of a statement are searched at once at most: no format has a longer field, line or object.
const maxField = 1 << 20

// ForgetPayer copies the bytes of a statement, of any format, and replaces in them, byte for byte, a payer's document, with or
// without punctuation, and names by stars; blanks stay. Names are found however the bank spells case, accents and blanks. One of a single
// word is replaced only next to the document, or it would hit others. It returns in how many fields it changed something. The copy has the
// same length, and copying it again changes nothing.
func ForgetPayer(to io.Writer, from io.Reader, document string, names []string) (changed int, err error) {
	in, out := bufio.NewReader(from), bufio.NewWriter(to)
	folded := make([]string, 0, len(names))
	for _, name := range names {
		if name = banking.NormalizeText(name); name != "" {
			folded = append(folded, name)
		}
	}
	var field []byte
	for {
		field, err = readField(in, field[:0])
		if err != nil && !errors.Is(err, io.EOF) {
			return changed, err
		}
		if blankField(field, document, folded) {
			changed++
		}
		if _, err := out.Write(field); err != nil {
			return changed, err
		}
		if err != nil {
			return changed, out.Flush()
		}
	}
}

// ForgetPayerInRow takes a payer out of the text and the document of a row as ForgetPayer does of bytes, and reports whether the row had
// one. The row keeps the hash of its text.
func ForgetPayerInRow(r *banking.Row, document string, names []string) bool {
	folded := make([]string, 0, len(names))
	for _, name := range names {
		if name = banking.NormalizeText(name); name != "" {
			folded = append(folded, name)
		}
	}
	field := []byte(r.Document + "\t" + r.Text)
	if !blankField(field, document, folded) {
		return false
	}
	text := string(field[len(r.Document)+1:])
	if text != r.Text {
		hash := r.TextHash()
		r.Original = string(hash[:])
	}
	r.Document, r.Text = string(field[:len(r.Document)]), text
	return true
}

// readField appends bytes up to where a line, an element or an object ends.
func readField(in *bufio.Reader, field []byte) ([]byte, error) {
	for len(field) < maxField {
		c, err := in.ReadByte()
		if err != nil {
			return field, err
		}
		field = append(field, c)
		if c == '\n' || c == '\r' || c == '<' || c == '}' {
			break
		}
	}
	return field, nil
}

// blankField blanks the document and the names in a field, and reports whether it changed any.
func blankField(field []byte, document string, names []string) (changed bool) {
	f := foldField(field)
	beside := f.blankDocument(document) // before names: in a field of fixed width one begins where the document ends
	for _, name := range names {
		if beside || strings.Contains(name, " ") {
			changed = f.blankName(name) || changed
		}
	}
	return changed || beside
}

// foldedField is a field in capitals without accents; at has for each byte of it where its letter begins in the field, and one more.
type foldedField struct {
	of   []byte
	text []byte
	at   []int
}

func foldField(field []byte) *foldedField {
	f := &foldedField{of: field, text: make([]byte, 0, len(field)), at: make([]int, 0, len(field)+1)}
	legacy := !utf8.Valid(field) // Windows-1252, of which the letters of names are those of Latin-1
	for i := 0; i < len(field); {
		r, size := rune(field[i]), 1
		switch {
		case r == '\\' && len(field)-i >= 6 && field[i+1] == 'u': // of JSON
			if n, err := strconv.ParseUint(string(field[i+2:i+6]), 16, 16); err == nil {
				r, size = rune(n), 6
			}
		case r >= utf8.RuneSelf && !legacy:
			r, size = utf8.DecodeRune(field[i:])
		}
		f.add(r, i)
		i += size
	}
	f.at = append(f.at, len(field))
	return f
}

func (f *foldedField) add(r rune, at int) {
	var letters string
	switch {
	case 'a' <= r && r <= 'z':
		letters = string(r - 'a' + 'A')
	case r == '\t' || r == '\u00a0':
		letters = " "
	case r < utf8.RuneSelf:
		letters = string(r)
	default:
		letters = banking.NormalizeText(string(r))
	}
	for i := range len(letters) {
		f.text, f.at = append(f.text, letters[i]), append(f.at, at)
	}
}

// blankDocument replaces every occurrence of a document, in a longer number too, and reports whether there was one.
func (f *foldedField) blankDocument(document string) bool {
	return f.blankWhere(document, func(i, n int) int {
		for n > 0 && i < len(f.text) && strings.IndexByte("./-", f.text[i]) >= 0 {
			i++
		}
		return i
	}, func(int, int) bool { return true })
}

// blankName replaces a name where it occurs as words of its own, with any number of blanks between them.
func (f *foldedField) blankName(name string) bool {
	return f.blankWhere(name, func(i, n int) int {
		for n > 0 && name[n-1] == ' ' && i < len(f.text) && f.text[i] == ' ' {
			i++
		}
		return i
	}, func(from, to int) bool {
		return (from == 0 || !isWordByte(f.text[from-1])) && (to == len(f.text) || !isWordByte(f.text[to]))
	})
}

// blankWhere replaces what by stars where it occurs and fits; skip returns where its n-th byte is looked for, at i or later.
func (f *foldedField) blankWhere(what string, skip func(i, n int) int, fits func(from, to int) bool) (found bool) {
	for from := 0; from < len(f.text); from++ {
		next := bytes.IndexByte(f.text[from:], what[0])
		if next < 0 {
			return found
		}
		from += next
		to, n := from, 0
		for ; n < len(what); n++ {
			if to = skip(to, n); to == len(f.text) || f.text[to] != what[n] {
				break
			}
			to++
		}
		if n < len(what) || !fits(from, to) {
			continue
		}
		found = true
		for i := f.at[from]; i < f.at[to]; i++ {
			if f.of[i] > ' ' {
				f.of[i] = '*'
			}
		}
		for i := from; i < to; i++ {
			f.text[i] = '*'
		}
		from = to - 1
	}
	return found
}

func isWordByte(c byte) bool {
	return 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}
