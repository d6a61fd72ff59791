package columns

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"concilia/export/words"
	"concilia/jobs/bank/rows"
	"concilia/jobs/textfile"
	"concilia/store/ledger"
	"concilia/store/ledger/banking"
)

// Read reads a table. period is what a person says it covers; the zero Period is unknown. A *words.Refusal as error means that nothing of
// the file is to be used, another error that it could not be read. The statement names no account. Whoever gets it closes its rows.
func Read(file *io.SectionReader, m Map, period ledger.Period) (_ banking.Statement, err error) {
	t := &table{Map: m, file: file, rows: rows.New()}
	defer func() {
		if err != nil {
			_ = t.rows.Close()
		}
	}()
	if t.charset, err = findCharset(t.bytes(), m.Encoding); err != nil {
		return banking.Statement{}, err
	}
	t.source.From = t.text()
	t.out.Rows = t.rows
	first, err := firstOf(t.text())
	if err != nil {
		return banking.Statement{}, err
	}
	switch {
	case m.Preset == OpenFinance:
		t.out.Format = "jsonl"
		err = t.readOpenFinance()
	case first == '{' || first == '[':
		t.out.Format = "jsonl"
		err = t.readJSON(first == '[')
	default:
		t.out.Format = "csv"
		err = t.readCSV()
	}
	if err == nil {
		err = t.complete(period)
	}
	return t.out, err
}

// findCharset finds what the bytes of a file are, under an encoding of a Map.
func findCharset(file io.Reader, encoding string) (textfile.Charset, error) {
	if encoding == "windows-1252" {
		return textfile.Windows1252, nil
	}
	charset, err := textfile.FindCharset(file)
	if err == nil && charset == textfile.Windows1252 && encoding == "utf-8" {
		err = words.NewRefusal("columns", "refused.not_utf8", "remedy.columns_encoding")
	}
	return charset, err
}

// firstOf is the first byte of a text that is no blank, 0 where there is none.
func firstOf(text io.Reader) (byte, error) {
	in := bufio.NewReader(text)
	for {
		c, err := in.ReadByte()
		switch {
		case errors.Is(err, io.EOF):
			return 0, nil
		case err != nil:
			return 0, err
		case !strings.ContainsRune(" \t\r\n", rune(c)):
			return c, nil
		}
	}
}

// table is a table being read.
type table struct {
	Map
	file     *io.SectionReader
	charset  textfile.Charset
	source   textfile.BoundedRows // of the text
	out      banking.Statement
	rows     *rows.Rows
	balances balances
}

// bytes are those of the file, from its beginning.
func (t *table) bytes() io.Reader { return io.NewSectionReader(t.file, 0, t.file.Size()) }

// text is the file in UTF-8, from its beginning.
func (t *table) text() io.Reader { return t.charset.NewReader(t.bytes()) }

// add adds what a record says.
func (t *table) add(r *record) error {
	row, balance, err := t.readRow(r)
	if err != nil {
		return err
	}
	t.source.EndRow()
	if t.Balance != "" {
		t.balances.add(&row, balance)
	}
	return t.rows.Add(&row)
}

// refuseLong refuses a table in which a row goes on and on, behind so many rows.
func (t *table) refuseLong() error {
	return words.NewRefusal("cut", "refused.behind_row", "remedy.again_open_quote", "row", t.rows.Len(), "fault", words.NewMessage("refused.long_row"))
}

// complete sets window, instant made and balances.
func (t *table) complete(period ledger.Period) error {
	first, last := t.rows.Days()
	t.out.Window, t.out.Stated = period, period.From != 0
	madeDay := period.To + 1
	if !t.out.Stated {
		if first == 0 {
			return words.NewRefusal("empty", "refused.no_line", "remedy.say_period")
		}
		t.out.Window, madeDay = ledger.Period{From: first, To: last}, last
	}
	made, err := ledger.ParseLocalTime(madeDay.String(), nil)
	if err != nil {
		return err
	}
	t.out.Made, t.out.AsOf = made, madeDay
	if t.Balance == "" {
		return nil
	}
	closings, follow := t.balances.listClosings()
	if !follow {
		return words.NewRefusal("columns", "refused.balances", "remedy.balance_column", "column", t.Balance)
	}
	t.out.Balances = closings
	return nil
}
