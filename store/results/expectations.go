package results

import (
	"encoding/json"
	"errors"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// InstallmentExpectations is the table of the stored expectations of installments.
var InstallmentExpectations = ExpectationTable{
	Name:    "expectation",
	columns: append([]string{"account", "sale_day", "nsu", "auth", "number", "occurrence", "run", "content"}, hashedExpectationColumns.Names()...),
	where: `
		WHERE account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5 AND occurrence = $6
			AND ended_run IS NULL`,
}

// ExpectationRow is a row of the table expectation. e is the expectation, of which the row keeps some members as JSON. One row can be
// written or read after the other.
type ExpectationRow struct {
	e                       *ledger.Expectation
	brackets, codes, splits string
	text                    []byte // in which brackets are encoded
}

// expectationTable is the table expectation, column by column, without the key. What follows the run is hashed in this order,
// which therefore never changes.
var expectationTable = sqldb.Columns[ExpectationRow]{
	{Name: "run", At: func(b *ExpectationRow) any { return &b.e.Run }},
	{Name: "version", At: func(b *ExpectationRow) any { return &b.e.Version }},
	{Name: "inputs", At: func(b *ExpectationRow) any { return &b.e.Inputs }},
	{Name: "class", At: func(b *ExpectationRow) any { return (*string)(&b.e.Class) }},
	{Name: "unmapped", At: func(b *ExpectationRow) any { return &b.e.Unmapped }},
	{Name: "brand", At: func(b *ExpectationRow) any { return &b.e.Brand }},
	{Name: "product", At: func(b *ExpectationRow) any { return (*string)(&b.e.Product) }},
	{Name: "band", At: func(b *ExpectationRow) any { return &b.e.Band }},
	{Name: "net", At: func(b *ExpectationRow) any { return &b.e.Net }},
	{Name: "net_contract", At: func(b *ExpectationRow) any { return &b.e.NetContract }},
	{Name: "gross_cents", At: func(b *ExpectationRow) any { return &b.e.GrossCents }},
	{Name: "received", At: func(b *ExpectationRow) any { return &b.e.Received }},
	{Name: "contract_line", At: func(b *ExpectationRow) any { return &b.e.ContractLine }},
	{Name: "contract_mdr_rate", At: func(b *ExpectationRow) any { return &b.e.ContractMDRRate }},
	{Name: "expected_date", At: func(b *ExpectationRow) any { return &b.e.ExpectedDate }},
	{Name: "days_late", At: func(b *ExpectationRow) any { return &b.e.DaysLate }},
	{Name: "days_anticipated", At: func(b *ExpectationRow) any { return &b.e.DaysAnticipated }},
	{Name: "rest", At: func(b *ExpectationRow) any { return (*string)(&b.e.Rest) }},
	{Name: "brackets", At: func(b *ExpectationRow) any { return &b.brackets }},
	{Name: "verdict", At: func(b *ExpectationRow) any { return (*string)(&b.e.Verdict) }},
	{Name: "codes", At: func(b *ExpectationRow) any { return &b.codes }},
	{Name: "impact", At: func(b *ExpectationRow) any { return &b.e.Impact }},
	{Name: "splits", At: func(b *ExpectationRow) any { return &b.splits }},
	{Name: "next_on", At: func(b *ExpectationRow) any { return &b.e.NextOn }},
	{Name: "contribution", At: func(b *ExpectationRow) any { return &b.e.AggregateDelta }},
}

var (
	hashedExpectationColumns = expectationTable.Without("run")
	// A report does not show what only the next reconcile needs.
	reportedExpectationColumns = expectationTable.Without("inputs", "unmapped", "received", "next_on", "contribution")
)

// ExpectationColumns are the columns that ReadColumns reads, of a table named e. All are NULL if there is no row.
var ExpectationColumns = expectationTable.SelectList("e")

func keyArgs(k ledger.InstallmentKey) []any {
	return []any{int64(k.Account), int64(k.Day), k.NSU, k.Auth, int64(k.Number), int64(k.Occurrence)}
}

// putKey gives what keyArgs does.
func putKey(r sqldb.Row, k *ledger.InstallmentKey) {
	r.Int(int64(k.Account))
	r.Int(int64(k.Day))
	r.Text(k.NSU)
	r.Text(k.Auth)
	r.Int(int64(k.Number))
	r.Int(int64(k.Occurrence))
}

// putExpectation gives the values of an expectation that its content hash is made of.
func (b *ExpectationRow) putExpectation(to sqldb.Row, e *ledger.Expectation) error {
	if err := b.encodeLists(e); err != nil {
		return err
	}
	hashedExpectationColumns.Put(b, to)
	return nil
}

// PutReportedColumns gives the values of an expectation that ReadReportedColumns reads.
func (b *ExpectationRow) PutReportedColumns(to sqldb.Row, e *ledger.Expectation) error {
	if err := b.encodeLists(e); err != nil {
		return err
	}
	reportedExpectationColumns.Put(b, to)
	return nil
}

// encodeLists makes the row that of an expectation, whose brackets, codes and splits are texts in it.
func (b *ExpectationRow) encodeLists(e *ledger.Expectation) error {
	b.e, b.brackets, b.codes, b.splits = e, "null", encodeCodes(e.Codes), "[]"
	if e.Brackets != nil {
		b.text = appendBrackets(b.text[:0], e.Brackets)
		b.brackets = string(b.text)
	}
	if len(e.Splits) > 0 {
		var err error
		if b.splits, err = sqldb.MarshalText(encodeSplits(e.Splits)); err != nil {
			return err
		}
	}
	return nil
}

// encodeCodes is JSON as encoding/json would write it; codes need no escaping.
func encodeCodes(all []string) string {
	if all == nil {
		return "null"
	}
	if len(all) == 0 {
		return "[]"
	}
	return `["` + strings.Join(all, `","`) + `"]`
}

// storedSplitExpectation is a split's expectation as the ledger keeps it; its members are named in SQL, too.
type storedSplitExpectation struct {
	Expected    *ledger.Amount `json:"expected"`
	ContractPct *ledger.Rate   `json:"contract_pct"`
	Verdict     ledger.Verdict `json:"verdict"`
	Codes       []string       `json:"codes"`
}

func encodeSplits(in []ledger.SplitExpectation) []storedSplitExpectation {
	out := make([]storedSplitExpectation, len(in))
	for i := range in {
		s := &in[i]
		out[i] = storedSplitExpectation{sqldb.OptPointer(s.Expected), sqldb.OptPointer(s.ContractPct), s.Verdict, s.Codes}
	}
	return out
}

// ReadColumns reads ExpectationColumns; Complete completes the expectation after it.
func (b *ExpectationRow) ReadColumns(f *sqldb.RowReader) {
	b.e = &ledger.Expectation{}
	expectationTable.Read(b, f)
}

// ReportedExpectationColumns are the columns that ReadReportedColumns reads, as ExpectationColumns are those of ReadColumns.
var ReportedExpectationColumns = reportedExpectationColumns.SelectList("e")

// ReadReportedColumns reads ReportedExpectationColumns into a zero expectation; Complete completes it after that.
func (b *ExpectationRow) ReadReportedColumns(f *sqldb.RowReader, into *ledger.Expectation) {
	b.e = into
	reportedExpectationColumns.Read(b, f)
}

// Complete gives the expectation of the key, or nil when there was no row.
func (b *ExpectationRow) Complete(key ledger.InstallmentKey) (*ledger.Expectation, error) {
	if b.e.Run == "" {
		return nil, nil
	}
	b.e.Key = key
	var splits []storedSplitExpectation
	err := errors.Join(
		decodeBrackets(b.brackets, &b.e.Brackets), decodeArray(b.codes, &b.e.Codes), decodeArray(b.splits, &splits))
	for i := range splits {
		s := &splits[i]
		b.e.Splits = append(b.e.Splits, ledger.SplitExpectation{
			Expected: sqldb.OptFromPointer(s.Expected), ContractPct: sqldb.OptFromPointer(s.ContractPct), Verdict: s.Verdict, Codes: s.Codes,
		})
	}
	return b.e, err
}

// SlipExpectations is the table of the stored expectations of slips.
var SlipExpectations = ExpectationTable{
	Name:    "slip_expectation",
	columns: append([]string{"account", "id", "run", "content"}, hashedSlipExpectationColumns.Names()...),
	where: `
		WHERE account = $1 AND id = $2 AND ended_run IS NULL`,
}

// SlipExpectationRow is a row of the table slip_expectation, as ExpectationRow is one of expectation.
type SlipExpectationRow struct {
	e               *ledger.SlipExpectation
	brackets, codes string
}

// slipExpectationTable is the table slip_expectation, column by column, without the key. What follows the run is hashed in
// this order, which therefore never changes.
var slipExpectationTable = sqldb.Columns[SlipExpectationRow]{
	{Name: "run", At: func(b *SlipExpectationRow) any { return &b.e.Run }},
	{Name: "version", At: func(b *SlipExpectationRow) any { return &b.e.Version }},
	{Name: "inputs", At: func(b *SlipExpectationRow) any { return &b.e.Inputs }},
	{Name: "class", At: func(b *SlipExpectationRow) any { return (*string)(&b.e.Class) }},
	{Name: "day", At: func(b *SlipExpectationRow) any { return &b.e.Day }},
	{Name: "due_adjusted", At: func(b *SlipExpectationRow) any { return &b.e.DueAdjusted }},
	{Name: "face", At: func(b *SlipExpectationRow) any { return &b.e.Face }},
	{Name: "credited", At: func(b *SlipExpectationRow) any { return &b.e.Credited }},
	{Name: "penalty_due", At: func(b *SlipExpectationRow) any { return &b.e.PenaltyDue }},
	{Name: "interest_due", At: func(b *SlipExpectationRow) any { return &b.e.InterestDue }},
	{Name: "days_late", At: func(b *SlipExpectationRow) any { return &b.e.DaysLate }},
	{Name: "float_days", At: func(b *SlipExpectationRow) any { return &b.e.FloatDays }},
	{Name: "tariff", At: func(b *SlipExpectationRow) any { return &b.e.Tariff }},
	{Name: "net_credited", At: func(b *SlipExpectationRow) any { return &b.e.NetCredited }},
	{Name: "credit_limit", At: func(b *SlipExpectationRow) any { return &b.e.CreditLimit }},
	{Name: "credit_on", At: func(b *SlipExpectationRow) any { return &b.e.CreditOn }},
	{Name: "credit_net", At: func(b *SlipExpectationRow) any { return &b.e.CreditNet }},
	{Name: "rest", At: func(b *SlipExpectationRow) any { return (*string)(&b.e.Rest) }},
	{Name: "brackets", At: func(b *SlipExpectationRow) any { return &b.brackets }},
	{Name: "verdict", At: func(b *SlipExpectationRow) any { return (*string)(&b.e.Verdict) }},
	{Name: "codes", At: func(b *SlipExpectationRow) any { return &b.codes }},
	{Name: "impact", At: func(b *SlipExpectationRow) any { return &b.e.Impact }},
	{Name: "next_on", At: func(b *SlipExpectationRow) any { return &b.e.NextOn }},
	{Name: "contribution", At: func(b *SlipExpectationRow) any { return &b.e.AggregateDelta }},
}

var hashedSlipExpectationColumns = slipExpectationTable.Without("run")

// SlipExpectationColumns are the columns that ReadColumns reads, of a table named e. All are NULL if there is no row.
var SlipExpectationColumns = slipExpectationTable.SelectList("e")

// putSlipExpectation gives the values of a slip's expectation that its content hash is made of.
func putSlipExpectation(r sqldb.Row, e *ledger.SlipExpectation) {
	row := SlipExpectationRow{e: e, brackets: encodeBrackets(e.Brackets), codes: encodeCodes(e.Codes)}
	hashedSlipExpectationColumns.Put(&row, r)
}

// ReadColumns reads SlipExpectationColumns; Complete completes the expectation after it.
func (b *SlipExpectationRow) ReadColumns(f *sqldb.RowReader) {
	b.e = &ledger.SlipExpectation{}
	slipExpectationTable.Read(b, f)
}

// Complete gives the expectation, or nil when there was no row.
func (b *SlipExpectationRow) Complete(a ledger.Account, id string) (*ledger.SlipExpectation, error) {
	if b.e.Run == "" {
		return nil, nil
	}
	b.e.Account, b.e.ID = a, id
	return b.e, errors.Join(decodeBrackets(b.brackets, &b.e.Brackets), decodeArray(b.codes, &b.e.Codes))
}

// decodeArray decodes the text of a JSON array. Most are empty, and need no decoder.
func decodeArray[T any](text string, to *[]T) error {
	switch text {
	case "[]":
		*to = []T{}
		return nil
	case "null":
		*to = nil
		return nil
	}
	return json.Unmarshal([]byte(text), to)
}
