package runs

import (
	"encoding/json"
	"errors"
	"time"

	"concilia/store/ledger"
	"concilia/store/sqldb"
)

const selectRun = `
		SELECT
			id,
			kind,
			started_by,
			parameters,
			as_of,
			clock,
			previous,
			began,
			ended,
			taken_up,
			engine,
			documents,
			accounts,
			pulled,
			windows,
			windows_failed,
			retries,
			bytes,
			cases_new,
			cases_persisting,
			cases_resolved,
			lost,
			late,
			at_risk,
			claimed,
			waived,
			excess,
			sums,
			sets,
			steps,
			verdict,
			verdicts,
			exit_code
		FROM run`

// scanner is a row of one query, or of many.
type scanner interface{ Scan(targets ...any) error }

func scanRun(row scanner) (*ledger.Run, error) {
	var r ledger.Run
	var parameters, documents, accounts, pulled, sums, sets, steps, verdicts string
	err := row.Scan(&r.ID, &r.Kind, &r.Trigger, &parameters, sqldb.IntoDate(&r.AsOf), &r.Clock, &r.Previous, sqldb.IntoTime(&r.Began),
		sqldb.IntoTime(&r.Ended), sqldb.IntoBool(&r.Resumed), &r.ProgramVersion, &documents, &accounts, &pulled, &r.Asked.Windows,
		&r.Asked.Failed, &r.Asked.Retries, &r.Asked.Bytes, &r.Cases.New, &r.Cases.Persisting, &r.Cases.Resolved,
		&r.Figures.Lost, &r.Figures.Late, &r.Figures.AtRisk, &r.Figures.Claimed, &r.Figures.Waived, &r.Figures.Excess, &sums, &sets, &steps, &r.Verdict, &verdicts, &r.ExitCode)
	if err != nil {
		return nil, err
	}
	var taken []runStep
	err = errors.Join(
		json.Unmarshal([]byte(parameters), &r.Parameters),
		json.Unmarshal([]byte(documents), &r.Documents),
		json.Unmarshal([]byte(accounts), &r.Accounts),
		json.Unmarshal([]byte(pulled), &r.Pulled),
		json.Unmarshal([]byte(sums), &r.Sums),
		json.Unmarshal([]byte(sets), &r.Sets),
		json.Unmarshal([]byte(steps), &taken),
		json.Unmarshal([]byte(verdicts), &r.Verdicts))
	for _, s := range taken {
		r.Steps = append(r.Steps, ledger.RunStep{Name: s.Name, Took: time.Duration(s.Micros) * time.Microsecond})
	}
	return &r, err
}

// runStep is a step as its column holds it.
type runStep struct {
	Name   string `json:"name"`
	Micros int64  `json:"us"`
}

func encodeSteps(steps []ledger.RunStep) (string, error) {
	kept := make([]runStep, len(steps))
	for i, s := range steps {
		kept[i] = runStep{s.Name, s.Took.Microseconds()}
	}
	text, err := json.Marshal(kept)
	return string(text), err
}

func runArgs(r *ledger.Run) ([]any, error) {
	steps, err := encodeSteps(r.Steps)
	if err != nil {
		return nil, err
	}
	var texts [7]string
	for i, v := range []any{r.Parameters, r.Documents, r.Accounts, r.Pulled, r.Sums, r.Sets, r.Verdicts} {
		b, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		texts[i] = string(b)
	}
	return []any{
		r.ID, string(r.Kind), r.Trigger, texts[0], sqldb.DateArg(r.AsOf), r.Clock, r.Previous, sqldb.TimeArg(r.Began), sqldb.TimeArg(r.Ended),
		sqldb.BoolArg(r.Resumed), r.ProgramVersion, texts[1], texts[2], texts[3], r.Asked.Windows, r.Asked.Failed, r.Asked.Retries,
		r.Asked.Bytes, r.Cases.New, r.Cases.Persisting, r.Cases.Resolved, int64(r.Figures.Lost), int64(r.Figures.Late),
		int64(r.Figures.AtRisk), int64(r.Figures.Claimed), int64(r.Figures.Waived), int64(r.Figures.Excess),
		texts[4], texts[5], steps, string(r.Verdict), texts[6], int64(r.ExitCode),
	}, nil
}
