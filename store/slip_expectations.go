package store

import (
	"context"
	"encoding/json"
	"errors"

	"concilia/store/ledger"
)

// slipExpectation writes one belief about a slip, unless it stands already.
func (b *believing) slipExpectation(ctx context.Context, e *ledger.SlipExpectation) error {
	key := []any{int64(e.Account), e.ID}
	values, err := slipExpectationArgs(e)
	if err != nil {
		return err
	}
	content := contentOf(values)
	before, err := lookup(ctx, b.find, key)
	switch {
	case err != nil:
		return err
	case before == nil:
	case string(before.content) == string(content):
		return nil
	case before.run == b.run:
		_, err = b.t.ExecContext(ctx, `
			DELETE FROM slip_expectation
			WHERE account = $1 AND id = $2 AND run = $3`, append(key, b.run)...)
	default:
		_, err = b.t.ExecContext(ctx, `
			UPDATE slip_expectation
			SET ended_run = $3
			WHERE account = $1 AND id = $2 AND ended_run IS NULL`, append(key, b.run)...)
	}
	if err != nil {
		return err
	}
	_, err = b.insert.ExecContext(ctx, append([]any{int64(e.Account), e.ID, b.run, content}, values...)...)
	return err
}

const findSlipExpectation = `
		SELECT
			content,
			run
		FROM slip_expectation
		WHERE account = $1 AND id = $2 AND ended_run IS NULL`

const insertSlipExpectation = `
		INSERT INTO slip_expectation (
			account,
			id,
			run,
			content,
			version,
			inputs,
			class,
			day,
			due_adjusted,
			face,
			credited,
			penalty_due,
			interest_due,
			days_late,
			float_days,
			tariff,
			net_credited,
			credit_limit,
			rest,
			brackets,
			verdict,
			codes,
			impact)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23)`

func slipExpectationArgs(e *ledger.SlipExpectation) ([]any, error) {
	brackets, err1 := marshal(e.Brackets)
	codes, err2 := marshal(e.Codes)
	return []any{
		int64(e.Version), e.Inputs, string(e.Class), sqlDate(e.Day), sqlDate(e.DueAdjusted), int64(e.Face),
		int64(e.Credited), sqlOpt(e.PenaltyDue), sqlOpt(e.InterestDue), sqlOpt(e.DaysLate), sqlOpt(e.FloatDays),
		sqlOpt(e.Tariff), sqlOpt(e.NetCredited), sqlDate(e.CreditLimit), string(e.Rest), brackets, string(e.Verdict),
		codes, sqlOpt(e.Impact),
	}, errors.Join(err1, err2)
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
			e.impact`

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
