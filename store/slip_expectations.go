package store

import (
	"encoding/json"
	"errors"

	"concilia/store/engine"
	"concilia/store/ledger"
)

var slipExpectationTable = beliefTable{
	name: "slip_expectation",
	columns: []string{
		"account", "id", "run", "content", "version", "inputs", "class", "day", "due_adjusted", "face", "credited",
		"penalty_due", "interest_due", "days_late", "float_days", "tariff", "net_credited", "credit_limit", "rest", "brackets",
		"verdict", "codes", "impact", "next_on", "contribution",
	},
	where: `
		WHERE account = $1 AND id = $2 AND ended_run IS NULL`,
}

// putSlipExpectation gives the values of a slip's expectation, past its key, in the order of the table's columns.
func putSlipExpectation(r engine.Row, e *ledger.SlipExpectation) {
	r.Int(int64(e.Version))
	r.Text(e.Inputs)
	r.Text(string(e.Class))
	putDate(r, e.Day)
	putDate(r, e.DueAdjusted)
	r.Int(int64(e.Face))
	r.Int(int64(e.Credited))
	putOpt(r, e.PenaltyDue)
	putOpt(r, e.InterestDue)
	putOpt(r, e.DaysLate)
	putOpt(r, e.FloatDays)
	putOpt(r, e.Tariff)
	putOpt(r, e.NetCredited)
	putDate(r, e.CreditLimit)
	r.Text(string(e.Rest))
	r.Text(bracketsText(e.Brackets))
	r.Text(string(e.Verdict))
	r.Text(codesText(e.Codes))
	putOpt(r, e.Impact)
	putDate(r, e.NextOn)
	r.Text(e.Contribution)
}

// slipExpectationColumns are the columns that slipBelief reads, of a table named e. All are NULL when there is none.
const slipExpectationColumns = `
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

// slipBelief is a row of slip_expectation on its way out.
type slipBelief struct {
	e               ledger.SlipExpectation
	brackets, codes string
}

func (b *slipBelief) targets() []any {
	e := &b.e
	return []any{
		scanText{&e.Run},
		scanInt{&e.Version},
		scanText{&e.Inputs},
		scanText{(*string)(&e.Class)},
		scanDate{&e.Day},
		scanDate{&e.DueAdjusted},
		scanAmount{&e.Face},
		scanAmount{&e.Credited},
		opt(&e.PenaltyDue),
		opt(&e.InterestDue), opt(&e.DaysLate), opt(&e.FloatDays), opt(&e.Tariff), opt(&e.NetCredited),
		scanDate{&e.CreditLimit},
		scanText{(*string)(&e.Rest)},
		scanText{&b.brackets},
		scanText{(*string)(&e.Verdict)},
		scanText{&b.codes},
		opt(&e.Impact),
		scanDate{&e.NextOn},
		scanText{&e.Contribution},
	}
}

// finish gives the expectation, or nil when there was no row.
func (b *slipBelief) finish(a ledger.Account, id string) (*ledger.SlipExpectation, error) {
	if b.e.Run == "" {
		return nil, nil
	}
	b.e.Account, b.e.ID = a, id
	return &b.e, errors.Join(
		json.Unmarshal([]byte(b.brackets), &b.e.Brackets),
		json.Unmarshal([]byte(b.codes), &b.e.Codes))
}
