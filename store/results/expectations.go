package results

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// InstallmentExpectations is where what a run believes of installments is kept: its key, what every belief has, its values.
var InstallmentExpectations = ExpectationTable{
	Name: "expectation",
	columns: []string{
		"account", "sale_day", "nsu", "auth", "number", "occurrence", "run", "content", "version", "inputs", "class",
		"unmapped", "brand", "product", "band", "net", "net_contract", "gross_cents", "received", "contract_line",
		"contract_mdr_rate", "expected_date", "days_late", "days_anticipated", "rest", "brackets", "verdict", "codes",
		"impact", "splits", "next_on", "contribution",
	},
	where: `
		WHERE account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5 AND occurrence = $6
			AND ended_run IS NULL`,
}

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

// putExpectation gives the values of an expectation, past its key, in the order of the table's columns.
func putExpectation(r sqldb.Row, e *ledger.Expectation) error {
	splits := "[]"
	if len(e.Splits) > 0 {
		var err error
		if splits, err = sqldb.MarshalText(encodeSplits(e.Splits)); err != nil {
			return err
		}
	}
	r.Int(int64(e.Version))
	r.Text(e.Inputs)
	r.Text(string(e.Class))
	r.Int(sqldb.BoolArg(e.Unmapped))
	r.Text(e.Brand)
	r.Text(string(e.Product))
	r.Text(e.Band)
	r.Int(int64(e.Net))
	r.Int(int64(e.NetContract))
	r.Int(e.GrossCents)
	r.Int(int64(e.Received))
	r.Text(e.ContractLine)
	sqldb.PutOpt(r, e.ContractMDRRate)
	sqldb.PutDate(r, e.ExpectedDate)
	sqldb.PutOpt(r, e.DaysLate)
	sqldb.PutOpt(r, e.DaysAnticipated)
	r.Text(string(e.Rest))
	r.Text(encodeBrackets(e.Brackets))
	r.Text(string(e.Verdict))
	r.Text(encodeCodes(e.Codes))
	sqldb.PutOpt(r, e.Impact)
	r.Text(splits)
	sqldb.PutDate(r, e.NextOn)
	r.Text(e.AggregateDelta)
	return nil
}

// encodeBrackets and encodeCodes are JSON as encoding/json would write it; the names in them need no escaping.
func encodeBrackets(all []ledger.Bracket) string {
	if all == nil {
		return "null"
	}
	var b strings.Builder
	b.WriteByte('[')
	for i, x := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`{"Line":"` + string(x.Line) + `","Reason":"` + x.Reason + `",`)
		if x.Origin != "" {
			b.WriteString(`"Origin":"` + string(x.Origin) + `",`)
		}
		b.WriteString(`"Amount":`)
		b.WriteString(strconv.FormatInt(int64(x.Amount), 10))
		if x.Code != "" {
			b.WriteString(`,"Code":"` + x.Code + `"`)
		}
		if x.Case != "" {
			b.WriteString(`,"Case":"` + x.Case + `"`)
		}
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return b.String()
}

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

// ExpectationColumns are the columns that belief reads, of a table named e. All are NULL when there is none.
const ExpectationColumns = `
			e.run,
			e.version,
			e.inputs,
			e.class,
			e.unmapped,
			e.brand,
			e.product,
			e.band,
			e.net,
			e.net_contract,
			e.gross_cents,
			e.received,
			e.contract_line,
			e.contract_mdr_rate,
			e.expected_date,
			e.days_late,
			e.days_anticipated,
			e.rest,
			e.brackets,
			e.verdict,
			e.codes,
			e.impact,
			e.splits,
			e.next_on,
			e.contribution`

// ExpectationRow is a row of expectation on its way out.
type ExpectationRow struct {
	e                       ledger.Expectation
	brackets, codes, splits string
}

func (b *ExpectationRow) ScanTargets() []any {
	e := &b.e
	return []any{
		sqldb.IntoText(&e.Run),
		sqldb.IntoNumber(&e.Version),
		sqldb.IntoText(&e.Inputs),
		sqldb.IntoText((*string)(&e.Class)),
		sqldb.IntoBool(&e.Unmapped),
		sqldb.IntoText(&e.Brand),
		sqldb.IntoText((*string)(&e.Product)),
		sqldb.IntoText(&e.Band),
		sqldb.IntoNumber(&e.Net),
		sqldb.IntoNumber(&e.NetContract),
		sqldb.IntoNumber(&e.GrossCents),
		sqldb.IntoNumber(&e.Received),
		sqldb.IntoText(&e.ContractLine),
		sqldb.IntoOpt(&e.ContractMDRRate),
		sqldb.IntoDate(&e.ExpectedDate),
		sqldb.IntoOpt(&e.DaysLate), sqldb.IntoOpt(&e.DaysAnticipated),
		sqldb.IntoText((*string)(&e.Rest)),
		sqldb.IntoText(&b.brackets),
		sqldb.IntoText((*string)(&e.Verdict)),
		sqldb.IntoText(&b.codes),
		sqldb.IntoOpt(&e.Impact),
		sqldb.IntoText(&b.splits),
		sqldb.IntoDate(&e.NextOn),
		sqldb.IntoText(&e.AggregateDelta),
	}
}

// Complete gives the expectation of the key, or nil when there was no row.
func (b *ExpectationRow) Complete(key ledger.InstallmentKey) (*ledger.Expectation, error) {
	if b.e.Run == "" {
		return nil, nil
	}
	b.e.Key = key
	var splits []storedSplitExpectation
	err := errors.Join(
		json.Unmarshal([]byte(b.brackets), &b.e.Brackets),
		json.Unmarshal([]byte(b.codes), &b.e.Codes),
		json.Unmarshal([]byte(b.splits), &splits))
	for i := range splits {
		s := &splits[i]
		b.e.Splits = append(b.e.Splits, ledger.SplitExpectation{
			Expected: sqldb.OptFromPointer(s.Expected), ContractPct: sqldb.OptFromPointer(s.ContractPct), Verdict: s.Verdict, Codes: s.Codes,
		})
	}
	return &b.e, err
}

var SlipExpectations = ExpectationTable{
	Name: "slip_expectation",
	columns: []string{
		"account", "id", "run", "content", "version", "inputs", "class", "day", "due_adjusted", "face", "credited",
		"penalty_due", "interest_due", "days_late", "float_days", "tariff", "net_credited", "credit_limit", "rest", "brackets",
		"verdict", "codes", "impact", "next_on", "contribution",
	},
	where: `
		WHERE account = $1 AND id = $2 AND ended_run IS NULL`,
}

// putSlipExpectation gives the values of a slip's expectation, past its key, in the order of the table's columns.
func putSlipExpectation(r sqldb.Row, e *ledger.SlipExpectation) {
	r.Int(int64(e.Version))
	r.Text(e.Inputs)
	r.Text(string(e.Class))
	sqldb.PutDate(r, e.Day)
	sqldb.PutDate(r, e.DueAdjusted)
	r.Int(int64(e.Face))
	r.Int(int64(e.Credited))
	sqldb.PutOpt(r, e.PenaltyDue)
	sqldb.PutOpt(r, e.InterestDue)
	sqldb.PutOpt(r, e.DaysLate)
	sqldb.PutOpt(r, e.FloatDays)
	sqldb.PutOpt(r, e.Tariff)
	sqldb.PutOpt(r, e.NetCredited)
	sqldb.PutDate(r, e.CreditLimit)
	r.Text(string(e.Rest))
	r.Text(encodeBrackets(e.Brackets))
	r.Text(string(e.Verdict))
	r.Text(encodeCodes(e.Codes))
	sqldb.PutOpt(r, e.Impact)
	sqldb.PutDate(r, e.NextOn)
	r.Text(e.AggregateDelta)
}

// SlipExpectationColumns are the columns that slipBelief reads, of a table named e. All are NULL when there is none.
const SlipExpectationColumns = `
			e.run,
			e.version,
			e.inputs,
			e.class,
			e.day,
			e.due_adjusted,
			e.face,
			e.credited,
			e.penalty_due,
			e.interest_due,
			e.days_late,
			e.float_days,
			e.tariff,
			e.net_credited,
			e.credit_limit,
			e.rest,
			e.brackets,
			e.verdict,
			e.codes,
			e.impact,
			e.next_on,
			e.contribution`

// SlipExpectationRow is a row of slip_expectation on its way out.
type SlipExpectationRow struct {
	e               ledger.SlipExpectation
	brackets, codes string
}

func (b *SlipExpectationRow) ScanTargets() []any {
	e := &b.e
	return []any{
		sqldb.IntoText(&e.Run),
		sqldb.IntoNumber(&e.Version),
		sqldb.IntoText(&e.Inputs),
		sqldb.IntoText((*string)(&e.Class)),
		sqldb.IntoDate(&e.Day),
		sqldb.IntoDate(&e.DueAdjusted),
		sqldb.IntoNumber(&e.Face),
		sqldb.IntoNumber(&e.Credited),
		sqldb.IntoOpt(&e.PenaltyDue),
		sqldb.IntoOpt(&e.InterestDue), sqldb.IntoOpt(&e.DaysLate), sqldb.IntoOpt(&e.FloatDays), sqldb.IntoOpt(&e.Tariff), sqldb.IntoOpt(&e.NetCredited),
		sqldb.IntoDate(&e.CreditLimit),
		sqldb.IntoText((*string)(&e.Rest)),
		sqldb.IntoText(&b.brackets),
		sqldb.IntoText((*string)(&e.Verdict)),
		sqldb.IntoText(&b.codes),
		sqldb.IntoOpt(&e.Impact),
		sqldb.IntoDate(&e.NextOn),
		sqldb.IntoText(&e.AggregateDelta),
	}
}

// Complete gives the expectation, or nil when there was no row.
func (b *SlipExpectationRow) Complete(a ledger.Account, id string) (*ledger.SlipExpectation, error) {
	if b.e.Run == "" {
		return nil, nil
	}
	b.e.Account, b.e.ID = a, id
	return &b.e, errors.Join(
		json.Unmarshal([]byte(b.brackets), &b.e.Brackets),
		json.Unmarshal([]byte(b.codes), &b.e.Codes))
}
