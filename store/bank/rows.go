package bank

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
)

// errBody means that the kept rows of a day cannot be read.
var errBody = errors.New("the kept rows of a day of a statement cannot be read")

// packRows writes the rows of a day in canonical order, one a line. Texts have no control characters by then.
func packRows(rows []ledger.BankRow) []byte {
	rows = slices.Clone(rows)
	slices.SortFunc(rows, compareRows)
	var b []byte
	for i := range rows {
		r := &rows[i]
		b = strconv.AppendInt(b, int64(r.Amount), 10)
		for _, field := range []string{strconv.Itoa(boolInt(r.Scheduled)), r.Category, r.Document, r.Text} {
			b = append(b, '\t')
			b = append(b, field...)
		}
		b = append(b, '\n')
	}
	return b
}

// unpackRows reads what packRows wrote.
func unpackRows(day ledger.Date, body []byte) ([]ledger.BankRow, error) {
	var rows []ledger.BankRow
	for line := range strings.Lines(string(body)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) != 5 {
			return nil, errBody
		}
		amount, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return nil, errBody
		}
		rows = append(rows, ledger.BankRow{
			Day: day, Amount: ledger.Amount(amount), Scheduled: fields[1] == "1",
			Category: fields[2], Document: fields[3], Text: fields[4],
		})
	}
	return rows, nil
}
