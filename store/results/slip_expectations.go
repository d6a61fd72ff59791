package results

import (
	"encoding/json"
	"errors"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

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
