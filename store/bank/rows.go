package bank

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// errBody means that the kept rows of a day cannot be read.
var errBody = errors.New("the kept rows of a day of a statement cannot be read")

// packRows writes the rows of a day in canonical order, one a line, behind a text in which a payer was forgotten the hash of what it was.
// Texts have no control characters by then.
func packRows(rows []banking.Row) []byte {
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
		if r.Original != "" {
			b = append(b, '\t')
			b = hex.AppendEncode(b, []byte(r.Original))
		}
		b = append(b, '\n')
	}
	return b
}

// unpackRows reads what packRows wrote.
func unpackRows(day ledger.Date, body []byte) ([]banking.Row, error) {
	var rows []banking.Row
	for line := range strings.Lines(string(body)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(fields) < 5 || len(fields) > 6 {
			return nil, errBody
		}
		amount, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return nil, errBody
		}
		var original []byte
		if len(fields) == 6 {
			if original, err = hex.DecodeString(fields[5]); err != nil || len(original) != len(ledger.FileHash{}) {
				return nil, errBody
			}
		}
		rows = append(rows, banking.Row{
			Day: day, Amount: ledger.Amount(amount), Scheduled: fields[1] == "1",
			Category: fields[2], Document: fields[3], Text: fields[4], Original: string(original),
		})
	}
	return rows, nil
}

// fileDayBody is what a file says of a day, as it is kept.
type fileDayBody struct {
	day        ledger.Date
	file, body []byte
}

// eachFileDay calls fn with what every file of a bank account says of every day.
func eachFileDay(ctx context.Context, q sqldb.Querier, at Account, fn func(fileDayBody) error) error {
	return sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var k fileDayBody
		if err := rows.Scan(sqldb.IntoDate(&k.day), &k.file, &k.body); err != nil {
			return err
		}
		return fn(k)
	}, `
		SELECT
			day,
			file,
			body
		FROM bank_file_day
		WHERE account = $1 AND bank = $2
		ORDER BY day, file`, int64(at.Home), at.ID)
}
