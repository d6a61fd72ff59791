package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"errors"

	"concilia/store/ledger"
)

// believing writes the expectations of one reconcile. What already stands as it is believed now is not written.
type believing struct {
	t      *tx
	run    string
	find   *sql.Stmt
	insert *sql.Stmt
}

// standing is what is kept of a key: the hash of every value, and the run that wrote it.
type standing struct {
	content []byte
	run     string
}

func lookup(ctx context.Context, find *sql.Stmt, key []any) (*standing, error) {
	var s standing
	err := find.QueryRowContext(ctx, key...).Scan(&s.content, &s.run)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &s, err
}

// contentOf hashes the values of a row: integers, texts and NULLs, in their order.
func contentOf(args []any) []byte {
	b := make([]byte, 0, 512)
	for _, v := range args {
		switch v := v.(type) {
		case nil:
			b = append(b, 0)
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 1), uint64(v))
		case string:
			b = binary.AppendUvarint(append(b, 2), uint64(len(v)))
			b = append(b, v...)
		}
	}
	sum := sha256.Sum256(b)
	return sum[:16]
}

func keyArgs(k ledger.InstallmentKey) []any {
	return []any{int64(k.Account), int64(k.Day), k.NSU, k.Auth, int64(k.Number), int64(k.Occurrence)}
}

// expectation writes one belief about an installment, unless it stands already.
func (b *believing) expectation(ctx context.Context, e *ledger.Expectation) error {
	key := keyArgs(e.Key)
	values, err := expectationArgs(e)
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
		// Only the last belief of a run is kept.
		_, err = b.t.ExecContext(ctx, `
			DELETE FROM expectation
			WHERE account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5 AND occurrence = $6
				AND run = $7`, append(key, b.run)...)
	default:
		_, err = b.t.ExecContext(ctx, `
			UPDATE expectation
			SET ended_run = $7
			WHERE account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5 AND occurrence = $6
				AND ended_run IS NULL`, append(key, b.run)...)
	}
	if err != nil {
		return err
	}
	args := append(append(keyArgs(e.Key), b.run, content), values...)
	_, err = b.insert.ExecContext(ctx, args...)
	return err
}

const findExpectation = `
		SELECT
			content,
			run
		FROM expectation
		WHERE account = $1 AND sale_day = $2 AND nsu = $3 AND auth = $4 AND number = $5 AND occurrence = $6
			AND ended_run IS NULL`

const insertExpectation = `
		INSERT INTO expectation (
			account,
			sale_day,
			nsu,
			auth,
			number,
			occurrence,
			run,
			content,
			version,
			inputs,
			class,
			unmapped,
			brand,
			product,
			band,
			net,
			net_contract,
			gross_cents,
			received,
			contract_line,
			contract_mdr_rate,
			expected_date,
			days_late,
			days_anticipated,
			rest,
			brackets,
			verdict,
			codes,
			impact,
			splits)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22,
			$23, $24, $25, $26, $27, $28, $29, $30)`

func expectationArgs(e *ledger.Expectation) ([]any, error) {
	brackets, err1 := marshal(e.Brackets)
	codes, err2 := marshal(e.Codes)
	splits, err3 := marshal(splitBeliefs(e.Splits))
	return []any{
		int64(e.Version), e.Inputs, string(e.Class), sqlBool(e.Unmapped), e.Brand, string(e.Product), e.Band,
		int64(e.Net), int64(e.NetContract), e.GrossCents, int64(e.Received), e.ContractLine, sqlOpt(e.ContractMDRRate),
		sqlDate(e.ExpectedDate), sqlOpt(e.DaysLate), sqlOpt(e.DaysAnticipated), string(e.Rest), brackets,
		string(e.Verdict), codes, sqlOpt(e.Impact), splits,
	}, errors.Join(err1, err2, err3)
}

// splitBelief is a split's expectation as the ledger keeps it; its members are named in SQL, too.
type splitBelief struct {
	Expected    *ledger.Amount `json:"expected"`
	ContractPct *ledger.Rate   `json:"contract_pct"`
	Verdict     ledger.Verdict `json:"verdict"`
	Codes       []string       `json:"codes"`
}

func splitBeliefs(in []ledger.SplitExpectation) []splitBelief {
	out := make([]splitBelief, len(in))
	for i := range in {
		s := &in[i]
		out[i] = splitBelief{pointer(s.Expected), pointer(s.ContractPct), s.Verdict, s.Codes}
	}
	return out
}

// expectationColumns are the columns that belief reads, of a table named e. All are NULL when there is none.
const expectationColumns = `
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
			e.splits`

// belief is a row of expectation on its way out.
type belief struct {
	e                       ledger.Expectation
	brackets, codes, splits string
}

func (b *belief) targets() []any {
	e := &b.e
	return []any{
		scanText{&e.Run},
		scanInt{&e.Version},
		scanText{&e.Inputs},
		scanText{(*string)(&e.Class)},
		scanBool{&e.Unmapped},
		scanText{&e.Brand},
		scanText{(*string)(&e.Product)},
		scanText{&e.Band},
		scanAmount{&e.Net},
		scanAmount{&e.NetContract},
		scanInt64{&e.GrossCents},
		scanAmount{&e.Received},
		scanText{&e.ContractLine},
		opt(&e.ContractMDRRate),
		scanDate{&e.ExpectedDate},
		opt(&e.DaysLate), opt(&e.DaysAnticipated),
		scanText{(*string)(&e.Rest)},
		scanText{&b.brackets},
		scanText{(*string)(&e.Verdict)},
		scanText{&b.codes},
		opt(&e.Impact),
		scanText{&b.splits},
	}
}

// finish gives the expectation of the key, or nil when there was no row.
func (b *belief) finish(key ledger.InstallmentKey) (*ledger.Expectation, error) {
	if b.e.Run == "" {
		return nil, nil
	}
	b.e.Key = key
	var splits []splitBelief
	err := errors.Join(
		json.Unmarshal([]byte(b.brackets), &b.e.Brackets),
		json.Unmarshal([]byte(b.codes), &b.e.Codes),
		json.Unmarshal([]byte(b.splits), &splits))
	for i := range splits {
		s := &splits[i]
		b.e.Splits = append(b.e.Splits, ledger.SplitExpectation{
			Expected: optional(s.Expected), ContractPct: optional(s.ContractPct), Verdict: s.Verdict, Codes: s.Codes,
		})
	}
	return &b.e, err
}
