package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"concilia/export/words"
	"concilia/jobs/textfile"
	"concilia/store/ledger/ownsales"
)

// Reader reads tables by a map.
type Reader struct {
	*Map
	// Brand is the canonical name of a brand, such as visa.
	Brand func(written string) (string, bool)
	// Zone is the zone to which times with an offset are brought.
	Zone *time.Location
}

// Take takes one record of a table.
type Take func(*ownsales.Record) error

// Read calls take for the records of a table, row by row. An error is a *words.Refusal, of the source, or take's.
func (r *Reader) Read(from io.ReadSeeker, take Take) error {
	text, err := r.decodeText(from)
	if err != nil {
		return err
	}
	t := &reading{Reader: r, take: take}
	head, err := peekText(text)
	t.source = textfile.BoundedRows{From: text}
	switch {
	case err != nil:
		return err
	case head == '{' || head == '[':
		return t.readJSON()
	case r.vtex:
		return words.NewRefusal("foreign", "refused.no_json", "remedy.orders_json")
	}
	return t.readCSV()
}

// decodeText is the text of a file in UTF-8, without a byte order mark.
func (r *Reader) decodeText(from io.ReadSeeker) (*bufio.Reader, error) {
	charset := textfile.Windows1252
	if r.Encoding == "auto" || r.Encoding == "utf-8" {
		var err error
		if charset, err = textfile.FindCharset(from); err != nil {
			return nil, err
		}
		if charset == textfile.Windows1252 && r.Encoding == "utf-8" {
			return nil, words.NewRefusal("encoding", "refused.not_utf8", "remedy.map_encoding")
		}
	}
	if _, err := from.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if r.Encoding == "latin1" {
		return bufio.NewReader(charmap.ISO8859_1.NewDecoder().Reader(from)), nil
	}
	return bufio.NewReader(charset.NewReader(from)), nil
}

// peekText is the first byte that is no blank.
func peekText(b *bufio.Reader) (byte, error) {
	for {
		c, err := b.ReadByte()
		if errors.Is(err, io.EOF) {
			return 0, words.NewRefusal("empty", "refused.no_header", "remedy.export_header")
		}
		if err != nil {
			return 0, err
		}
		if !bytes.ContainsRune([]byte(" \t\r\n"), rune(c)) {
			return c, b.UnreadByte()
		}
	}
}

func refuseLong() error {
	return words.NewRefusal("limit", "refused.long_row", "remedy.export_open_quote")
}

// reading is one pass over a table.
type reading struct {
	*Reader
	source    textfile.BoundedRows
	take      Take
	firstOf   string // of the row before
	sale      string // of the payment before, and its number
	number    int
	unmapped  map[ownsales.Unmapped]bool
	positions map[string]int // of columns in a CSV
	values    []string       // of its row
}

func (t *reading) readCSV() error {
	c := csv.NewReader(&t.source)
	c.Comma, _ = utf8.DecodeRuneInString(t.Delimiter)
	c.FieldsPerRecord, c.LazyQuotes, c.ReuseRecord = -1, true, true
	columns := 0 // of the header
	for {
		values, err := c.Read()
		t.source.EndRow()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, textfile.ErrLongRow) {
			return refuseLong()
		}
		if err != nil {
			var bad *csv.ParseError
			if !errors.As(err, &bad) {
				return err
			}
			return words.NewRefusal("cut", "refused.no_csv", "remedy.export_or_delimiter", "line", bad.Line, "delimiter", t.Delimiter)
		}
		line, _ := c.FieldPos(0)
		switch {
		case line <= t.SkipLines, len(values) == 1 && strings.TrimSpace(values[0]) == "":
			continue
		case t.positions == nil:
			if err := t.readHeader(values); err != nil {
				return err
			}
			columns = len(values)
			continue
		case slices.ContainsFunc(values, func(v string) bool { return textfile.HoldsRow(v, t.Delimiter, columns) }):
			return words.NewRefusal("cut", "refused.open_quote", "remedy.export_or_quote", "line", line)
		}
		t.values = values
		if err := t.add(place{"own_fault.line", line}, t.cellOf); err != nil {
			return err
		}
	}
	if t.positions == nil {
		return words.NewRefusal("empty", "refused.no_header", "remedy.export_header")
	}
	return nil
}

// cellOf is the text in a column of the row of a CSV.
func (t *reading) cellOf(column string) string {
	if i, found := t.positions[column]; found && i < len(t.values) {
		return t.values[i]
	}
	return ""
}

// readHeader finds the columns of the map. A file whose columns are missing, or twice there, is another file.
func (t *reading) readHeader(header []string) error {
	t.positions = map[string]int{}
	twice := map[string]bool{}
	for i, v := range header {
		v = strings.TrimSpace(v)
		if _, had := t.positions[v]; had {
			twice[v] = true
		}
		t.positions[v] = i
	}
	for _, name := range t.neededColumns() {
		if _, found := t.positions[name]; !found {
			return t.refuseHeader(name, len(header))
		}
	}
	for _, name := range t.Columns {
		if twice[name] {
			return words.NewRefusal("columns", "refused.column_twice", "remedy.export_or_column", "column", strconv.Quote(name))
		}
	}
	return nil
}

// refuseHeader says that a column is missing. Of the line it quotes no cell but those that the map names: a line that should name the columns
// and does not may be a customer's.
func (t *reading) refuseHeader(missing string, cells int) error {
	var found []string
	for _, name := range t.Columns {
		if _, is := t.positions[name]; is {
			found = append(found, strconv.Quote(name))
		}
	}
	slices.Sort(found)
	others := words.NewMessage("refused.none_of_map")
	if found = slices.Compact(found); len(found) > 0 {
		others = words.NewMessage("refused.some_of_map", "names", strings.Join(found, ", "))
	}
	return words.NewRefusal("columns", "refused.no_column", "remedy.report_for_map", "column", strconv.Quote(missing), "n", cells, "others", others)
}

// neededColumns are those without which a table cannot be read, in order.
func (m *Map) neededColumns() []string {
	var all []string
	for i, member := range members {
		if column := m.Columns[member]; column != "" && (i < required || !m.optional) && m.Constant[member] == "" {
			all = append(all, column)
		}
	}
	for column := range m.Only {
		if !slices.Contains(all, column) {
			all = append(all, column)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// add reads one row of a table.
func (t *reading) add(where place, column func(string) string) error {
	for name, values := range t.Only {
		written := strings.TrimSpace(column(name))
		if !slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, written) }) {
			return nil
		}
	}
	value := func(member string) string {
		if name := t.Columns[member]; name != "" {
			if v := column(name); v != "" {
				return v
			}
		}
		return t.Constant[member]
	}
	if t.FirstLineOf != "" {
		first := value(t.FirstLineOf)
		if first == "" || first == t.firstOf {
			return nil
		}
		t.firstOf = first
	}
	return t.addPayment(&row{where: where, value: value}, column)
}

func (t *reading) addPayment(in *row, column func(string) string) error {
	p, unmapped, fault := t.paymentOf(in)
	if t.voids != "" && !strings.EqualFold(strings.TrimSpace(column(t.voids)), "charge") {
		return t.addVoid(in)
	}
	if fault.ID != "" {
		return t.leaveOut(in.where, fault)
	}
	if in.value("payment_no") == "" {
		if t.number++; p.Sale != t.sale {
			t.sale, t.number = p.Sale, 1
		}
		p.Number = t.number
	}
	if err := t.emitUnmapped(unmapped); err != nil {
		return err
	}
	return t.take(&ownsales.Record{Payment: p})
}

// addVoid reads a row that takes a payment back. Only what takes back all of one does.
func (t *reading) addVoid(in *row) error {
	amount, err := t.parseAmount(in.value("amount"))
	at, _, timeErr := t.parseTime(in.value("sold_at"))
	sale := cleanID(in.value("sale_id"))
	if err != nil || timeErr != nil || sale == "" || amount == 0 {
		return t.leaveOut(in.where, words.NewMessage("own_fault.refund"))
	}
	return t.take(&ownsales.Record{Void: &ownsales.Void{Sale: sale, Status: ownsales.StatusRefunded, At: at, Amount: amount.Abs()}})
}

// leaveOut hands over why a row is not taken in.
func (t *reading) leaveOut(at place, why words.Message) error {
	return t.take(&ownsales.Record{Fault: &ownsales.Fault{Where: at.message().Pack(), Reason: why.Pack()}})
}

// emitUnmapped hands over each value once.
func (t *reading) emitUnmapped(all []ownsales.Unmapped) error {
	for i := range all {
		if t.unmapped[all[i]] || len(t.unmapped) >= 100 {
			continue
		}
		if t.unmapped == nil {
			t.unmapped = map[ownsales.Unmapped]bool{}
		}
		t.unmapped[all[i]] = true
		if err := t.take(&ownsales.Record{Unmapped: &all[i]}); err != nil {
			return err
		}
	}
	return nil
}
