package columns

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"concilia/store/ledger"
)

// Read reads a table. period is what a person says it covers; the zero Period is unknown. An error is a *ledger.BankRefusal
// and means that nothing of the file is to be used. The statement names no account.
func Read(file []byte, m Map, period ledger.Period) (ledger.BankStatement, error) {
	text, err := decode(file, m.Encoding)
	if err != nil {
		return ledger.BankStatement{}, err
	}
	t := &table{Map: m}
	t.out.Format = "csv"
	if m.Preset == OpenFinance {
		t.out.Format = "jsonl"
		err = t.readOpenFinance(text)
	} else if first := bytes.TrimLeft(text, " \t\r\n"); len(first) > 0 && (first[0] == '{' || first[0] == '[') {
		t.out.Format = "jsonl"
		err = t.readJSON(text)
	} else {
		err = t.readCSV(text)
	}
	if err == nil {
		err = t.complete(period)
	}
	slices.SortStableFunc(t.rows, func(a, b ledger.BankRow) int { return int(a.Day - b.Day) })
	t.out.Rows = t.rows
	return t.out, err
}

// decode is the text of a file in UTF-8, without a byte order mark.
func decode(file []byte, encoding string) ([]byte, error) {
	file = bytes.TrimPrefix(file, []byte("\ufeff"))
	switch {
	case encoding != "windows-1252" && utf8.Valid(file):
		return file, nil
	case encoding == "utf-8":
		return nil, &ledger.BankRefusal{ID: "columns", Message: "not in UTF-8", Remedy: "set encoding of columns to auto or windows-1252"}
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(file)
	if err != nil {
		return nil, &ledger.BankRefusal{ID: "columns", Message: "not in Windows-1252", Remedy: "set encoding of columns"}
	}
	return text, nil
}

// table is a table being read.
type table struct {
	Map
	out      ledger.BankStatement
	rows     ledger.BankRowList
	balances []ledger.Opt[ledger.Amount] // after each row
}

func (t *table) add(r *record) error {
	row, balance, err := t.row(r)
	if err == nil {
		t.rows = append(t.rows, row)
		t.balances = append(t.balances, balance)
	}
	return err
}

func (t *table) readCSV(text []byte) error {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, _ = utf8.DecodeRuneInString(t.Delimiter)
	r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = -1, true, true
	var header []string
	for n := 0; ; n++ {
		values, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		line, _ := r.FieldPos(0)
		if err != nil {
			return &ledger.BankRefusal{ID: "columns", Message: fmt.Sprintf("line %d: no CSV with delimiter %s", line, t.Delimiter), Remedy: "set delimiter of columns"}
		}
		switch {
		case line <= t.SkipLines, len(values) == 1 && strings.TrimSpace(values[0]) == "":
		case header == nil:
			for _, v := range values {
				header = append(header, strings.TrimSpace(v))
			}
			if err := t.checkHeader(header); err != nil {
				return err
			}
		default:
			err := t.add(&record{line: line, value: func(column string) string {
				if i := slices.Index(header, column); i >= 0 && i < len(values) {
					return values[i]
				}
				return ""
			}})
			if err != nil {
				return err
			}
		}
	}
	if header == nil {
		return &ledger.BankRefusal{ID: "empty", Message: "no line that names columns", Remedy: "export with dates: a quiet period is taken in"}
	}
	return nil
}

// checkHeader refuses a table whose columns are missing. Of the line it quotes no cell but those that are declared: a line that should name the
// columns and does not may name a person.
func (t *table) checkHeader(header []string) error {
	var missing string
	var found []string
	for _, name := range t.names() {
		switch {
		case slices.Contains(header, name):
			found = append(found, strconv.Quote(name))
		case missing == "":
			missing = name
		}
	}
	if missing == "" {
		return nil
	}
	of := "none that is declared is there: the line may name none"
	if len(found) > 0 {
		of = "of those declared are there " + strings.Join(found, ", ")
	}
	return &ledger.BankRefusal{ID: "columns", Message: fmt.Sprintf("no column %q among the %d of the line; %s", missing, len(header), of), Remedy: "mend columns of this bank"}
}

// readJSON reads objects one after another, or a list of them.
func (t *table) readJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	cut := func() error {
		return &ledger.BankRefusal{ID: "cut", Message: fmt.Sprintf("ends or breaks in line %d", 1+bytes.Count(text[:min(int(d.InputOffset()), len(text))], []byte("\n"))), Remedy: "download it again"}
	}
	list := bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("["))
	if list {
		if _, err := d.Token(); err != nil {
			return cut()
		}
	}
	for n := 1; !list || d.More(); n++ {
		var object map[string]any
		switch err := d.Decode(&object); {
		case errors.Is(err, io.EOF) && !list:
			return nil
		case err != nil:
			return cut()
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
		return cut()
	}
	return nil
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

// complete sets window, instant made and balances.
func (t *table) complete(period ledger.Period) error {
	var first, last ledger.Date
	for i := range t.rows {
		if d := t.rows[i].Day; first == 0 || d < first {
			first = d
		}
		last = max(last, t.rows[i].Day)
	}
	t.out.Window, t.out.Stated = period, period.From != 0
	madeDay := period.To + 1
	if !t.out.Stated {
		if first == 0 {
			return &ledger.BankRefusal{ID: "empty", Message: "no line, no period", Remedy: "say the period with --from and --to: a quiet one is taken in"}
		}
		t.out.Window, madeDay = ledger.Period{From: first, To: last}, last
	}
	made, err := ledger.ParseLocalTime(madeDay.String(), nil)
	if err != nil {
		return err
	}
	t.out.Made, t.out.AsOf = made, madeDay
	return t.addBalances()
}

// addBalances keeps the balance after the last row of each day. Rows are in order of time or against it; in which, the
// balances themselves show. Where they follow no row, the column is another.
func (t *table) addBalances() error {
	if t.Balance == "" {
		return nil
	}
	down, up := t.follows(1), t.follows(-1)
	if !down && !up {
		return &ledger.BankRefusal{ID: "columns", Message: fmt.Sprintf("column %s follows no row", t.Balance), Remedy: "mend columns of this bank: balance taken for amount?"}
	}
	closing := map[ledger.Date]ledger.Amount{}
	for n := range t.rows {
		i := n
		if !down {
			i = len(t.rows) - 1 - n
		}
		if t.balances[i].OK {
			closing[t.rows[i].Day] = t.balances[i].V
		}
	}
	days := make([]ledger.Date, 0, len(closing))
	for d := range closing {
		days = append(days, d)
	}
	slices.Sort(days)
	for i, d := range days {
		t.out.Balances = append(t.out.Balances, ledger.BankBalance{Day: d, Amount: closing[d], Choice: i})
	}
	return nil
}

// follows reports whether each balance is the one before it and the amounts since, reading down (1) or up (-1).
func (t *table) follows(step int) bool {
	var before ledger.Opt[ledger.Amount]
	var moved ledger.Amount
	at := 0
	if step < 0 {
		at = len(t.rows) - 1
	}
	for ; at >= 0 && at < len(t.rows); at += step {
		if isBalance, _ := ledger.IsBankBalanceText(t.rows[at].Text); !isBalance {
			moved += t.rows[at].Amount
		}
		b := t.balances[at]
		if !b.OK {
			continue
		}
		if before.OK && b.V-before.V != moved {
			return false
		}
		before, moved = b, 0
	}
	return true
}
