package caselog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"concilia/store/facts"
	"concilia/store/ledger"
	"concilia/store/sqldb"
)

// actColumns are the columns that scanAct reads.
const actColumns = `
			account,
			number,
			verb,
			stage,
			subject,
			actor,
			person,
			host,
			reason,
			parameters,
			at,
			run,
			confirms,
			previous,
			hash`

func scanAct(rows *sql.Rows, after ...any) (ledger.Act, error) {
	var a ledger.Act
	err := rows.Scan(append([]any{
		&a.Account, &a.Number, &a.Verb, &a.Stage, &a.Subject, &a.Actor, &a.Person, &a.Host, &a.Reason, &a.Parameters,
		sqldb.IntoTime(&a.At),
		&a.Run,
		&a.Confirms, &a.Previous, &a.Hash,
	}, after...)...)
	return a, err
}

// EncodeActParameters encodes the parameters of an act as a JSON object of texts with sorted keys.
func EncodeActParameters(parameters map[string]string) string {
	if len(parameters) == 0 {
		return "{}"
	}
	text, err := sqldb.MarshalText(parameters)
	if err != nil {
		// No map of texts fails to be JSON.
		panic(err)
	}
	return text
}

// LogAct appends an act that changes nothing else in the ledger to its account's log, and returns it with its number, run
// and hashes. For acts on cases see TransactActs.
func (l *Store) LogAct(ctx context.Context, act ledger.Act) (ledger.Act, error) {
	err := l.db.Transact(ctx, "log the act "+string(act.Verb), func(t *sqldb.Tx) error { return appendAct(ctx, t, &act) })
	return act, err
}

// appendAct adds an act to its account's log within the transaction of what it did, and fills number, run, previous and hash.
// Two that add to one log at once follow each other.
func appendAct(ctx context.Context, t *sqldb.Tx, a *ledger.Act) error {
	a.At = a.At.UTC().Truncate(time.Microsecond)
	a.Parameters = cmp.Or(a.Parameters, "{}")
	if err := a.Valid(); err != nil {
		return err
	}
	if err := t.DB.Dialect.Lock(ctx, t.Tx, "act/"+a.Account.String()); err != nil {
		return err
	}
	number, hash, err := readActLogEnd(ctx, t, a.Account)
	if err != nil {
		return err
	}
	if a.Run, err = lastReconcilingRun(ctx, t, a.Account); err != nil {
		return err
	}
	a.Number, a.Previous = number+1, hash
	a.Hash = a.ComputeHash()
	_, err = t.ExecContext(ctx, `
		INSERT INTO act (`+actColumns+`)
		VALUES (`+sqldb.ListPlaceholders(1, 15)+`)`,
		int64(a.Account), a.Number, string(a.Verb), string(a.Stage), a.Subject, a.Actor, a.Person, a.Host, a.Reason, a.Parameters,
		sqldb.TimeArg(a.At), a.Run, a.Confirms, a.Previous, a.Hash)
	return err
}

// readActLogEnd gives number and hash of the last act of an account's log, or zeros.
func readActLogEnd(ctx context.Context, q sqldb.Querier, a ledger.Account) (number int64, hash string, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT
			number,
			hash
		FROM act
		WHERE account = $1
		ORDER BY number DESC
		LIMIT 1`, int64(a)).Scan(&number, &hash)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return number, hash, err
}

// ActLogEnd returns the last act of an account's log.
func (l *Store) ActLogEnd(ctx context.Context, a ledger.Account) (ledger.ActLogEnd, error) {
	number, hash, err := readActLogEnd(ctx, l.db.Read, a)
	return ledger.ActLogEnd{Account: a, Number: number, Hash: hash}, l.db.WrapError("read the end of the log of acts", err)
}

// LastReconcilingRun is the newest run that reconciled the account, finished or not; empty before the first.
func (l *Store) LastReconcilingRun(ctx context.Context, a ledger.Account) (string, error) {
	return lastReconcilingRun(ctx, l.db.Read, a)
}

// lastReconcilingRun is the newest run that reconciled the account, finished or not; empty before the first. Ids of runs
// sort by time.
func lastReconcilingRun(ctx context.Context, q sqldb.Querier, a ledger.Account) (string, error) {
	var run sql.NullString
	err := q.QueryRowContext(ctx, `
		SELECT MAX(run)
		FROM reconciled
		WHERE account = $1`, int64(a)).Scan(&run)
	return run.String, err
}

// RecordActLogEnd notes with the run's reconcile of the account where the log of acts ends.
func RecordActLogEnd(ctx context.Context, t *sqldb.Tx, a ledger.Account, run string) error {
	number, hash, err := readActLogEnd(ctx, t, a)
	if err != nil || number == 0 {
		return err
	}
	_, err = t.ExecContext(ctx, `
		UPDATE reconciled
		SET
			acts = $3,
			act_hash = $4
		WHERE account = $1 AND run = $2`, int64(a), run, number, hash)
	return err
}

// ActFilter selects acts. An empty member selects all.
type ActFilter struct {
	Accounts []ledger.Account
	Subjects []string
	Verbs    []ledger.Verb
	Since    time.Time
}

// Acts returns the selected acts, by account in order of number.
func (l *Store) Acts(ctx context.Context, filter ActFilter) ([]ledger.Act, error) {
	acts, err := readActs(ctx, l.db.Read, filter)
	return acts, l.db.WrapError("read the log of acts", err)
}

// subjectsPerQuery bounds the subjects of one query: databases bound its arguments.
const subjectsPerQuery = 500

func readActs(ctx context.Context, q sqldb.Querier, filter ActFilter) ([]ledger.Act, error) {
	var out []ledger.Act
	chunks := [][]string{nil}
	if len(filter.Subjects) > 0 {
		chunks = slices.Collect(slices.Chunk(filter.Subjects, subjectsPerQuery))
	}
	for _, subjects := range chunks {
		var w sqldb.Conditions
		sqldb.AddIn(&w, "account", filter.Accounts, func(a ledger.Account) any { return int64(a) })
		sqldb.AddIn(&w, "subject", subjects, func(s string) any { return s })
		sqldb.AddIn(&w, "verb", filter.Verbs, func(v ledger.Verb) any { return string(v) })
		if !filter.Since.IsZero() {
			w.Add("at >= " + w.AddArg(filter.Since.UnixMicro()))
		}
		err := sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
			a, err := scanAct(rows)
			out = append(out, a)
			return err
		}, `
		SELECT `+actColumns+`
		FROM act`+w.Where()+`
		ORDER BY account, number`, w.Args...)
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b ledger.Act) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Number, b.Number))
	})
	return out, nil
}

// ActTx is a transaction in which people act on cases. No run reconciles its accounts at the same time.
type ActTx struct {
	ctx context.Context
	t   *sqldb.Tx
}

// TransactActs calls fn with a transaction over the accounts and rolls it back if fn returns an error. Within fn no other
// method of the ledger that writes may be called.
func (l *Store) TransactActs(ctx context.Context, accounts []ledger.Account, fn func(*ActTx) error) error {
	accounts = slices.Compact(slices.Sorted(slices.Values(accounts)))
	return l.db.Transact(ctx, "act on cases", func(t *sqldb.Tx) error {
		// A run reads the cases when it begins and writes them when it ends: an act between would be lost. In one order,
		// so that two who act never wait for each other.
		for _, a := range accounts {
			if err := l.db.Dialect.Lock(ctx, t.Tx, "reconcile/"+a.String()); err != nil {
				return err
			}
		}
		return fn(&ActTx{ctx, t})
	})
}

// Findings returns the selected cases as they are in the transaction.
func (a *ActTx) Findings(filter FindingFilter) ([]ledger.Finding, error) {
	var out []ledger.Finding
	err := ReadFindings(a.ctx, a.t, filter, func(f *ledger.Finding) error {
		out = append(out, *f)
		return nil
	})
	return out, err
}

// Acts returns the selected acts, including those of this transaction.
func (a *ActTx) Acts(filter ActFilter) ([]ledger.Act, error) { return readActs(a.ctx, a.t, filter) }

// AppendAct adds an act to its account's log and sets its number, run and hashes.
func (a *ActTx) AppendAct(act *ledger.Act) error { return appendAct(a.ctx, a.t, act) }

// UpdateCase writes a case as changed by an act, with an event of that day that refers to the act. The act must have been
// appended before.
func (a *ActTx) UpdateCase(f *ledger.Finding, act *ledger.Act, on ledger.Date) error {
	if act.Number == 0 || act.Account != f.Account || act.Subject != f.Case {
		return errors.New("case " + f.Case + ": the act is not of this case, or not in the log yet")
	}
	args, err := findingArgs(f)
	if err != nil {
		return err
	}
	if _, err := a.t.ExecContext(a.ctx, upsertFinding, args...); err != nil {
		return err
	}
	last, err := readLastEvent(a.ctx, a.t, f)
	if err != nil {
		return err
	}
	return insertEvent(a.ctx, a.t, args, last.sequence+1, act.Run, on, act.Number)
}

// CaseIDs returns at most limit ids of cases that begin with a prefix, in order.
func (l *Store) CaseIDs(ctx context.Context, prefix string, limit int) ([]string, error) {
	var out []string
	err := sqldb.EachRow(ctx, l.db.Read, func(rows *sql.Rows) error {
		var id string
		err := rows.Scan(&id)
		out = append(out, id)
		return err
	}, `
		SELECT case_id
		FROM finding
		WHERE case_id >= $1 AND case_id < $2
		ORDER BY case_id
		LIMIT `+strconv.Itoa(limit), strings.ToLower(prefix), strings.ToLower(prefix)+"g")
	return out, l.db.WrapError("look for case "+prefix, err)
}

// Erasure is what is changed where a payer is forgotten.
type Erasure struct {
	// Document is the payer's, without punctuation.
	Document string
	// Bodies are the answers to change, by their SHA-256. BlankBody returns one without the payer, or nil if it is to stay as it is; it may
	// be called more than once for a body.
	Bodies    []string
	BlankBody func(*ledger.Body) (*ledger.Body, error)
	// BlankRow returns a row that could not be parsed without the payer, or nil if the payer is not in it.
	BlankRow func(row []byte) []byte
	// BlankLines takes the payer out of the lines of banks; nil: there are none.
	BlankLines func(context.Context, *sqldb.Tx) error
}

// ErasePayer blanks a payer in kept bodies, in versions of slips and in rows that could not be parsed, and logs the act, in one
// transaction. Bodies whose bytes were deleted meanwhile are skipped.
func (l *Store) ErasePayer(ctx context.Context, e *Erasure, act ledger.Act) error {
	return l.db.Transact(ctx, "erase a payer", func(t *sqldb.Tx) error {
		for _, sum := range e.Bodies {
			if err := changeBody(ctx, t, sum, act.At, e.BlankBody); err != nil {
				return err
			}
		}
		if err := facts.ForgetPayer(ctx, t, e.Document, e.BlankRow); err != nil {
			return err
		}
		if e.BlankLines != nil {
			if err := e.BlankLines(ctx, t); err != nil {
				return err
			}
		}
		logged := act
		return appendAct(ctx, t, &logged)
	})
}

func changeBody(ctx context.Context, t *sqldb.Tx, sum string, at time.Time, change func(*ledger.Body) (*ledger.Body, error),
) error {
	was, err := facts.ReadBody(ctx, t, sum)
	if err != nil || was.Packed == nil {
		return err
	}
	is, err := change(was)
	if err != nil || is == nil {
		return err
	}
	if is.SHA256 != was.SHA256 || is.Size != was.Size {
		return fmt.Errorf("body %s: its length or name would change", sum)
	}
	if _, err := t.ExecContext(ctx, `
		UPDATE body
		SET
			kept_sha256 = $2,
			forgotten = $3
		WHERE sha256 = $1`, sum, is.Kept, sqldb.TimeArg(at)); err != nil {
		return err
	}
	if _, err = t.ExecContext(ctx, `
		DELETE FROM body_bytes
		WHERE sha256 = $1 AND part > 0`, sum); err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, `
		UPDATE body_bytes
		SET packed = $2
		WHERE sha256 = $1`, sum, is.Packed)
	return err
}
