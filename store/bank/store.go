package bank

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"concilia/store/ledger"
	"concilia/store/ledger/banking"
	"concilia/store/sqldb"
)

// Store keeps statements of banks, and what they prove, in a ledger's database: a store or reader for each subject. It is safe for use by
// many goroutines.
type Store struct {
	StatementStore
	BasisReader
	ConclusionStore
	CreditReader
}

// StatementStore keeps statements as they were taken in.
type StatementStore struct{ db *sqldb.DB }

// BasisReader reads what a conciliation of a bank account begins from: what is new, what is still open, and what rests on other days.
type BasisReader struct{ db *sqldb.DB }

// ConclusionStore keeps what a run concluded of bank accounts.
type ConclusionStore struct{ db *sqldb.DB }

// CreditReader reads what came to bank accounts of what the service says it credited.
type CreditReader struct{ db *sqldb.DB }

// New is the store of statements in db.
func New(db *sqldb.DB) *Store {
	return &Store{StatementStore: StatementStore{db}, BasisReader: BasisReader{db}, ConclusionStore: ConclusionStore{db}, CreditReader: CreditReader{db}}
}

// Account is a bank account as the ledger knows it.
type Account struct {
	Home ledger.Account
	ID   string // in the configuration
}

// StatementFile is a file that was taken in.
type StatementFile struct {
	Hash         ledger.FileHash
	Bytes        string // SHA-256 of the bytes that it is in, hex: their body
	Name, Format string
	Window       ledger.Period
	Stated       bool
	Made         ledger.LocalTime
	AsOf         ledger.Date
	Lines        int64 // movements
	Scheduled    int64 // of them announced
	Credits      ledger.Amount
	Debits       ledger.Amount // from 0
	BalanceRows  int64
	Blocked      int64
	PassedOver   int64 // statements of other accounts in the bytes
	Notes        []string
	Actor        string
	Taken        time.Time
}

// StatementBodies returns, in order, the SHA-256 as received of the bytes of every statement of all bank accounts that are kept.
func (s *StatementStore) StatementBodies(ctx context.Context) ([]string, error) {
	var out []string
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var sum string
		err := rows.Scan(&sum)
		out = append(out, sum)
		return err
	}, `
		SELECT sha256
		FROM body_bytes
		WHERE part = 0 AND sha256 IN (SELECT bytes FROM bank_file)
		ORDER BY sha256`)
	return out, s.db.WrapError("list the bytes of statements", err)
}

// HomeOf is the account under which a bank account's rows are: the one chosen when its first statement was taken in, else
// first. known reports whether there was one.
func (s *StatementStore) HomeOf(ctx context.Context, id string, first ledger.Account) (home ledger.Account, known bool, err error) {
	home, known, err = readHome(ctx, s.db.Read, id, first)
	return home, known, s.db.WrapError("read bank account "+id, err)
}

func readHome(ctx context.Context, q sqldb.Querier, id string, first ledger.Account) (home ledger.Account, known bool, err error) {
	err = q.QueryRowContext(ctx, `
		SELECT account
		FROM bank_account
		WHERE bank = $1`, id).Scan(&home)
	if errors.Is(err, sql.ErrNoRows) {
		return first, false, nil
	}
	return home, err == nil, err
}

// BankDays returns the days of a bank account from the first to the last that a statement shows, in order and without a
// hole.
func (s *StatementStore) BankDays(ctx context.Context, a Account) ([]banking.Day, error) {
	days, err := readDays(ctx, s.db.Read, a)
	return days, s.db.WrapError("read the days of bank account "+a.ID, err)
}

func readDays(ctx context.Context, q sqldb.Querier, a Account) (days []banking.Day, err error) {
	err = sqldb.EachRow(ctx, q, func(rows *sql.Rows) error {
		var d banking.Day
		var file []byte
		err := rows.Scan(sqldb.IntoDate(&d.Day), &d.State, &d.Lines, &d.Credits, &d.Debits,
			sqldb.IntoOpt(&d.Balance), sqldb.IntoOpt(&d.Residual), &file)
		copy(d.File[:], file)
		days = append(days, d)
		return err
	}, `
		SELECT
			day,
			state,
			lines,
			credits,
			debits,
			balance,
			residual,
			file
		FROM bank_day
		WHERE account = $1 AND bank = $2
		ORDER BY day`, int64(a.Home), a.ID)
	return days, err
}

// BankLines calls fn for the current version of every line of the period, vanished and announced ones too: in order of
// day, amount, text and occurrence.
func (s *StatementStore) BankLines(ctx context.Context, a Account, p ledger.Period, fn func(*banking.Line) error) error {
	err := sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		var l banking.Line
		var file, original []byte
		err := rows.Scan(sqldb.IntoDate(&l.Day), &l.Amount, &l.Text, &original, &l.Document, &l.Category, &l.Occurrence, &l.Version,
			&file, sqldb.IntoBool(&l.Vanished), sqldb.IntoBool(&l.Scheduled))
		if err != nil {
			return err
		}
		copy(l.File[:], file)
		l.Original = string(original)
		return fn(&l)
	}, `
		SELECT
			day,
			amount,
			text,
			original,
			document,
			category,
			occurrence,
			version,
			first_file,
			vanished,
			scheduled
		FROM bank_line
		WHERE account = $1 AND bank = $2 AND day >= $3 AND day <= $4 AND ended_file IS NULL
		ORDER BY day, amount, text, occurrence, text_hash`, int64(a.Home), a.ID, int64(p.From), int64(p.To))
	return s.db.WrapError("read the lines of bank account "+a.ID, err)
}

// statementColumns are those of a statement, in the order of scanStatement.
const statementColumns = `
			file,
			bytes,
			name,
			format,
			from_day,
			to_day,
			stated,
			made,
			as_of,
			rows_seen,
			scheduled,
			credits,
			debits,
			balance_rows,
			blocked,
			passed_over,
			notes,
			actor,
			taken`

func scanStatement(row interface{ Scan(...any) error }) (f StatementFile, err error) {
	var hash []byte
	var notes string
	err = row.Scan(&hash, &f.Bytes, &f.Name, &f.Format, sqldb.IntoDate(&f.Window.From), sqldb.IntoDate(&f.Window.To), sqldb.IntoBool(&f.Stated),
		&f.Made, sqldb.IntoDate(&f.AsOf), &f.Lines, &f.Scheduled, &f.Credits, &f.Debits, &f.BalanceRows, &f.Blocked, &f.PassedOver, &notes, &f.Actor,
		sqldb.IntoTime(&f.Taken))
	copy(f.Hash[:], hash)
	f.Notes = splitNotes(notes)
	return f, err
}

// StatementFiles returns the statements taken in, in the order the bank made them.
func (s *StatementStore) StatementFiles(ctx context.Context, a Account) (files []StatementFile, err error) {
	err = sqldb.EachRow(ctx, s.db.Read, func(rows *sql.Rows) error {
		f, err := scanStatement(rows)
		files = append(files, f)
		return err
	}, `
		SELECT`+statementColumns+`
		FROM bank_file
		WHERE account = $1 AND bank = $2
		ORDER BY made, file`, int64(a.Home), a.ID)
	return files, s.db.WrapError("read the statements of bank account "+a.ID, err)
}

// readStatement reads a statement that was taken in. Without it the error is sql.ErrNoRows.
func readStatement(ctx context.Context, q sqldb.Querier, a Account, file ledger.FileHash) (StatementFile, error) {
	return scanStatement(q.QueryRowContext(ctx, `
		SELECT`+statementColumns+`
		FROM bank_file
		WHERE account = $1 AND bank = $2 AND file = $3`, int64(a.Home), a.ID, file[:]))
}

// KnownStatements returns the statements of a bank account that were taken in from a file with these bytes, in the order of the file.
func (s *StatementStore) KnownStatements(ctx context.Context, bank string, bytes ledger.FileHash) (all []StatementFile, err error) {
	home, known, err := readHome(ctx, s.db.Read, bank, 0)
	for known && err == nil {
		var f StatementFile
		if f, err = readStatement(ctx, s.db.Read, Account{home, bank}, fileHash(bytes, len(all))); err == nil {
			all = append(all, f)
		}
	}
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return all, s.db.WrapError("look for a statement", err)
}
