package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"zombiezen.com/go/sqlite"

	"concilia/export/words"
	"concilia/store/ledger"
)

// DB is an open database: one pool that writes and one that reads.
type DB struct {
	Write   *sql.DB
	Read    *Reader
	Dialect Dialect
	pool    *pgxpool.Pool // of a Postgres, nil on SQLite
	close   func() error
	// Now is the wall clock of this machine.
	Now func() time.Time
}

// SharedNow is the clock that all processes with this ledger share, for leases, units of work and occurrences: the server's, else
// that of the machine that the file is on.
func (db *DB) SharedNow(ctx context.Context, q Querier) (time.Time, error) {
	query := db.Dialect.ClockQuery()
	if query == "" {
		return db.Now(), nil
	}
	var micros int64
	err := q.QueryRowContext(ctx, query).Scan(&micros)
	return time.UnixMicro(micros), err
}

// SharedNowSQL is SharedNow within a statement: an expression in microseconds since 1970, and the arguments of the statement with what it takes
// behind them.
func (db *DB) SharedNowSQL(args ...any) (expression string, with []any) {
	if query := db.Dialect.ClockQuery(); query != "" {
		return "(" + query + ")", args
	}
	args = append(args, db.Now().UnixMicro())
	return "$" + strconv.Itoa(len(args)), args
}

// Close closes both pools.
func (db *DB) Close() error { return db.close() }

// Dialect is what differs between the databases. Text arguments that become SQL must be constants of this program, not
// of a user.
type Dialect interface {
	// Name is sqlite or postgres, which is also the folder of the migrations.
	Name() string
	// GooseDialect names the dialect to the migrations.
	GooseDialect() goose.Dialect
	// ClassifyError says what an error of the driver means, by the driver's code, and by its text only where it has none.
	ClassifyError(err error) ErrorClass
	// Lock locks name until the transaction ends, against every other transaction that locks or shares it.
	Lock(ctx context.Context, tx *sql.Tx, name string) error
	// LockShared locks name as Lock does, but together with others that share it.
	LockShared(ctx context.Context, tx *sql.Tx, name string) error
	// PlanWithoutStatistics makes the plans of the transaction independent of statistics that lag behind it.
	PlanWithoutStatistics(ctx context.Context, tx *sql.Tx) error
	// PlanInIndexOrder makes the transaction run long joins in index order, without sorting, so that the first row comes at once.
	PlanInIndexOrder(ctx context.Context, tx *sql.Tx) error
	// PlanPagesByIndex says whether the transaction reads rows by the index that has them in order, however few it takes them for:
	// of what it has just written itself the database knows nothing.
	PlanPagesByIndex(ctx context.Context, tx *sql.Tx, always bool) error
	// Analyze refreshes the statistics of a table for later plans, if enough rows changed, and those of the columns, of all of
	// them if none is named.
	Analyze(ctx context.Context, db *sql.DB, table string, columns []string, changed int64) error
	// MonthOfDay is the month of a day as a number: 202611.
	MonthOfDay(day string) string
	// UnnestJSON is a FROM item that unnests the JSON array in a text expression into rows named alias.
	UnnestJSON(expr, alias string) string
	// ElementOrdinal is the place of such a row in its array, from 1.
	ElementOrdinal(alias string) string
	// IntMember and TextMember read a member of such a row; absent members are NULL.
	IntMember(alias, member string) string
	TextMember(alias, member string) string
	// OptimizationFence goes to the end of a subquery whose rows are to be narrowed before what is around it sorts them; it changes
	// nothing of them. Empty where the database does so by itself.
	OptimizationFence() string
	// UseIndex follows a table in FROM that is to be read by the index of that name, where the database would else choose another; it
	// changes no row. Empty where the database chooses by what it knows of the rows.
	UseIndex(name string) string
	// JoinOneByOne joins the rows of a table, named alias, for which a condition holds to each row before it in FROM: they are looked up
	// one after the other, by the index of that name, of which the condition names the columns, however many rows the database believes
	// that there are on either side. An empty index is the key of the table.
	JoinOneByOne(table, alias, index, condition string) string
	// ClockQuery is a query for the server's clock, in microseconds since 1970, at the moment it is read; empty where there is no
	// server.
	ClockQuery() string
	// TableExists reports whether the database has a table of that name.
	TableExists(ctx context.Context, db Querier, table string) (bool, error)
	// DatabaseSize is how many bytes the ledger takes.
	DatabaseSize(ctx context.Context, db Querier) (int64, error)
	Bulk
}

// ErrorClass is the meaning of a driver error.
type ErrorClass uint8

// The classes. Unknown errors are Other.
const (
	OtherError          ErrorClass = iota
	DatabaseUnavailable            // the database cannot be reached, read or written now: disk full, damaged, refused
	RetryableError                 // rolled back, but the whole transaction may succeed when retried: a deadlock, a lock, a standby
	ConnectionLost                 // the connection broke: as Retry, but a commit in progress may have succeeded
	DuplicateKey                   // a unique key exists already
	OutOfRange                     // a sum left the range of whole numbers
)

// ErrDSN is wrapped by every error about the text of a DSN.
var ErrDSN error = words.NewFault("ledger_fault.dsn", "")

// Open opens "sqlite:PATH" or "postgres://user@host/database". A file is created when it does not exist, its folder is
// not, nor is a server's database.
func Open(ctx context.Context, dsn string) (*DB, error) {
	return OpenWithReaders(ctx, dsn, 0)
}

// OpenWithReaders is Open with a bound on the connections that read SQLite: what holds one and asks for another waits for itself
// where there is one. 0 is as many as a night needs. Those of a server are bounded by its address.
func OpenWithReaders(ctx context.Context, dsn string, readers int) (*DB, error) {
	scheme, rest, ok := strings.Cut(dsn, ":")
	switch {
	case ok && scheme == "sqlite":
		return openSQLite(ctx, rest, cmp.Or(readers, maxReaders))
	case ok && (scheme == "postgres" || scheme == "postgresql"):
		return openPostgres(ctx, dsn)
	case ok && len(scheme) > 1:
		return nil, fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.scheme", "", "scheme", fmt.Sprintf("%q", scheme)))
	}
	// The text may hold a password when somebody forgot the scheme, so it is not repeated.
	return nil, fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.no_scheme", ""))
}

// ErrNotFound means that the ledger has no such record.
var ErrNotFound error = words.NewFault("ledger_fault.not_found", "")

// UnavailableError says that the ledger cannot be reached, read or written now: no connection, disk full, read-only,
// locked by another program for too long, damaged. What was being done left nothing behind.
type UnavailableError struct{ Err error }

func (e *UnavailableError) Error() string { return e.In("en") }

// In is Error in a language. Other languages than English leave out what was being done, and say of what the driver reports which kind
// it is.
func (e *UnavailableError) In(language string) string {
	cause := e.Err
	if within := errors.Unwrap(cause); within != nil && language != "en" {
		cause = within
	}
	if dial := (*net.OpError)(nil); errors.As(cause, &dial) && language != "en" {
		cause = dial // of a server, the driver names each address that was tried
	}
	if id := kindOfFailure(cause); id != "" && language != "en" {
		known := words.NewMessage("cause.with_original", "cause", words.NewMessage(id), "original", cause.Error())
		return words.NewMessage("error.ledger_unavailable", "cause", known).In(language)
	}
	return words.NewMessage("error.ledger_unavailable", "cause", cause).In(language)
}

// kindOfFailure is the id of the kind of a driver's error that people meet; empty: another one.
func kindOfFailure(err error) string {
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return serverFailures[server.Code]
	}
	return fileFailures[sqlite.ErrCode(err).ToPrimary()]
}

// The kinds of errors that people meet, by the codes of SQLite and of PostgreSQL.
var (
	fileFailures = map[sqlite.ResultCode]string{
		sqlite.ResultBusy: "cause.locked", sqlite.ResultLocked: "cause.locked", sqlite.ResultFull: "cause.full", sqlite.ResultReadOnly: "cause.read_only",
		sqlite.ResultIOErr: "cause.broken_disk", sqlite.ResultCorrupt: "cause.damaged", sqlite.ResultNotADB: "cause.no_database", sqlite.ResultCantOpen: "cause.cannot_open",
	}
	serverFailures = map[string]string{
		"28P01": "cause.login", "28000": "cause.login", "3D000": "cause.unknown_database", "42501": "cause.forbidden", "53100": "cause.full",
		"53300": "cause.many_connections", "57P01": "cause.stopping", "57P02": "cause.stopping", "57P03": "cause.starting", "25006": "cause.read_only",
	}
)

// Unwrap gives the driver's error.
func (e *UnavailableError) Unwrap() error { return e.Err }

// WrapError names what was being done and classes the driver's error by its code.
func (db *DB) WrapError(doing string, err error) error {
	if err == nil {
		return nil
	}
	// The driver may return any error for a cancelled context: the caller asked for it.
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: %w", doing, err)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%s: %w", doing, ErrNotFound)
	}
	var known *UnavailableError
	if errors.As(err, &known) {
		return err
	}
	switch db.Dialect.ClassifyError(err) {
	case DatabaseUnavailable, RetryableError, ConnectionLost:
		return &UnavailableError{Err: fmt.Errorf("%s: %w", doing, err)}
	case OutOfRange:
		return fmt.Errorf("%s: %w", doing, ledger.ErrOverflow)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// IsTransient reports whether the operation that failed with err may succeed when it is started again: the connection was
// lost, the server restarts or fails over, the file is locked. A full or damaged disk or a refusal is not passing.
func (db *DB) IsTransient(err error) bool {
	var known *UnavailableError
	if !errors.As(err, &known) {
		return false
	}
	class := db.Dialect.ClassifyError(err)
	return class == RetryableError || class == ConnectionLost
}

// Bulk moves many rows without database/sql, which boxes every value. Its methods run on conn within the transaction
// that was begun on it; nothing else may use the transaction at the same time.
type Bulk interface {
	// LoadRows inserts n rows. It calls fill once per row, in order and never concurrently, to set a value for every column.
	// Table and columns must not come from a user.
	LoadRows(ctx context.Context, conn *sql.Conn, table string, columns []string, n int, fill func(i int, r Row) error) error
	// ScanRows calls fn for every row of the result. Fields are valid until fn returns. Arguments are int64 and string.
	ScanRows(ctx context.Context, conn *sql.Conn, fn func(Fields) error, query string, args ...any) error
	// ExecBatch runs a statement once for each of n sets of arguments (int64, string, []byte, nil), in order, without
	// waiting for the database between them.
	ExecBatch(ctx context.Context, conn *sql.Conn, query string, n int, args func(i int) []any) error
	// ExecTogether runs statements in order, without waiting for the database between them.
	ExecTogether(ctx context.Context, t *Tx, all []Statement) error
}

// Row receives the values of a row in the order of its columns.
type Row interface {
	Int(v int64)
	Text(v string)
	Bytes(v []byte)
	Null()
}

// Fields gives the values of a row by their place, from 0. A NULL is 0 or empty.
type Fields interface {
	Int(i int) int64
	Text(i int) string
	Null(i int) bool
	// Bytes copies the value into into, which must have exactly its length.
	Bytes(i int, into []byte) error
}
