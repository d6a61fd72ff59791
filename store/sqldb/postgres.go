package sqldb

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"concilia/export/words"
)

// maxConnections bounds the connections of a process, on whatever machine, unless the DSN has pool_max_conns.
const maxConnections = 10

// fallbackName is the parameter of an address that names connections which neither application_name nor PGAPPNAME names, as in libpq.
const fallbackName = "fallback_application_name"

// NameConnections returns the address with a name for its connections, which the server shows where the address and PGAPPNAME have none.
func NameConnections(dsn, name string) string {
	if !strings.HasPrefix(dsn, "postgres") || strings.Contains(dsn, fallbackName+"=") {
		return dsn
	}
	joint := "?"
	if strings.Contains(dsn, "?") {
		joint = "&"
	}
	return dsn + joint + fallbackName + "=" + url.QueryEscape(name[:min(len(name), longestName)])
}

// longestName is how many bytes of a name a server keeps.
const longestName = 63

// ParsePostgres reads the DSN of a server's database. Its connections are named concilia, unless the DSN or PGAPPNAME names them. A
// parameter password_file names a file with the password; it is read for each connection, and so are the files that pgx knows.
func ParsePostgres(dsn string) (*pgxpool.Config, error) {
	dsn, passwordFile := cutPasswordFile(dsn)
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		// pgx masks the password where it recognizes it; the text of the DSN is left out all the same.
		return nil, fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.no_address", ""))
	}
	if !strings.Contains(dsn, "pool_max_conns") {
		config.MaxConns = maxConnections
	}
	params := config.ConnConfig.RuntimeParams
	params["application_name"] = cmp.Or(params["application_name"], params[fallbackName], "concilia")
	delete(params, fallbackName)
	config.BeforeConnect = func(_ context.Context, next *pgx.ConnConfig) error {
		fresh, err := pgx.ParseConfig(dsn) // what a file of passwords says may have changed since
		if err == nil && passwordFile != "" {
			fresh.Password, err = readPassword(passwordFile)
		}
		if err == nil {
			next.Password = fresh.Password
		}
		return err
	}
	config.ConnConfig.BuildFrontend = readInBulk
	config.AfterConnect = awaitServer
	return config, nil
}

// readBuffer is how many bytes a connection reads at once where so many have come: eight of the pieces that a server sends.
const readBuffer = 64 << 10

// readInBulk makes the driver's reader of a connection, which by itself reads one piece of the server's after the other: of a stream of
// rows each would wake both sides.
func readInBulk(r io.Reader, w io.Writer) *pgproto3.Frontend {
	return pgproto3.NewFrontend(bufio.NewReaderSize(r, readBuffer), w)
}

// ErrNoServerConnection means that a pooler took a connection and gave it none of the server.
var ErrNoServerConnection error = words.NewFault("ledger_fault.no_connection", "")

// serverWait bounds how long a new connection may wait behind a pooler for one of the server.
const serverWait = 20 * time.Second

// awaitServer sets a new connection not to compile queries: those of a night have a hundred expressions, and compiling them takes
// longer than what they read. A pooler takes connections before it has one of the server for them: where its pool is
// smaller than what a process needs, the process would wait for itself, for as long as the pooler lets it.
func awaitServer(ctx context.Context, conn *pgx.Conn) error {
	wait, cancel := context.WithTimeout(ctx, serverWait)
	defer cancel()
	_, err := conn.Exec(wait, "SET jit = off", pgx.QueryExecModeSimpleProtocol)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return words.NewFault("ledger_fault.pool_small", "", "cause", ErrNoServerConnection, "wait", serverWait, "most", maxConnections)
	}
	return err
}

// cutPasswordFile returns the address without the parameter password_file, which no server knows, and the file that it names.
func cutPasswordFile(dsn string) (rest, file string) {
	u, err := url.Parse(dsn)
	if err != nil || !u.Query().Has("password_file") {
		return dsn, ""
	}
	q := u.Query()
	file = q.Get("password_file")
	q.Del("password_file")
	u.RawQuery = q.Encode()
	return u.String(), file
}

// ErrPasswordFile means that the file with the password for the server could not be read.
var ErrPasswordFile = errors.New("ledger.password_file")

// readPassword reads the one line of a file with a password. Editors end a file with a newline, which is no part of it.
func readPassword(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrPasswordFile, err)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), nil
}

// connectApart makes a connection of its own outside the pool, as the pool makes them.
func connectApart(ctx context.Context, pool *pgxpool.Config) (*pgx.Conn, error) {
	config := pool.ConnConfig.Copy()
	if err := pool.BeforeConnect(ctx, config); err != nil {
		return nil, err
	}
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := awaitServer(ctx, conn); err != nil {
		return nil, errors.Join(err, conn.Close(context.WithoutCancel(ctx)))
	}
	return conn, nil
}

// openPostgres opens a server's database through one pool of pgx: there readers and writers do not differ.
func openPostgres(ctx context.Context, dsn string) (*DB, error) {
	config, err := ParsePostgres(dsn)
	if err != nil {
		return nil, err
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDBFromPool(pool)
	err = db.PingContext(ctx)
	if err == nil {
		err = refusePooler(ctx, pool)
	}
	if err != nil {
		err = errors.Join(err, db.Close())
		pool.Close()
		return nil, err
	}
	return &DB{Write: db, Read: &Reader{DB: db, dialect: postgresDialect{}}, Dialect: postgresDialect{}, pool: pool, close: func() error {
		defer pool.Close()
		return db.Close()
	}}, nil
}

type postgresDialect struct{}

func (postgresDialect) Name() string                { return "postgres" }
func (postgresDialect) GooseDialect() goose.Dialect { return goose.DialectPostgres }

// Lock takes an advisory lock of the name's hash: two names that share one only wait for each other.
func (postgresDialect) Lock(ctx context.Context, tx *sql.Tx, name string) error {
	_, err := tx.ExecContext(ctx, `
		SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, name)
	return err
}

func (postgresDialect) LockShared(ctx context.Context, tx *sql.Tx, name string) error {
	_, err := tx.ExecContext(ctx, `
		SELECT pg_advisory_xact_lock_shared(hashtextextended($1, 0))`, name)
	return err
}

func (postgresDialect) MonthOfDay(day string) string {
	return "CAST(to_char(DATE '0001-01-01' + CAST(" + day + " - 1 AS INTEGER), 'YYYYMM') AS BIGINT)"
}

func (postgresDialect) UnnestJSON(expr, alias string) string {
	return "jsonb_array_elements(CAST(" + expr + " AS jsonb)) WITH ORDINALITY AS " + alias + "(value, place)"
}

func (postgresDialect) ElementOrdinal(alias string) string { return alias + ".place" }

func (d postgresDialect) IntMember(alias, member string) string {
	return "CAST(" + d.TextMember(alias, member) + " AS BIGINT)"
}

func (postgresDialect) TextMember(alias, member string) string {
	return "(" + alias + ".value ->> '" + member + "')"
}

func (postgresDialect) ClockQuery() string {
	return "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"
}

// OptimizationFence is empty: a query that is read as one finds its rows in the order of an index, and sorts less.
func (postgresDialect) OptimizationFence() string { return "" }

// UseIndex is empty: PostgreSQL knows by its statistics which index finds fewer rows.
func (postgresDialect) UseIndex(string) string { return "" }

// JoinOneByOne has a bound that leaves nothing out: the server would else join as it likes by statistics, which know nothing of the rows of
// the transaction, such as by reading all rows of an account for a handful.
func (postgresDialect) JoinOneByOne(table, alias, _, condition string) string {
	return "CROSS JOIN LATERAL (SELECT * FROM " + table + " AS " + alias + " WHERE " + condition + " OFFSET 0) AS " + alias
}

func (postgresDialect) TableExists(ctx context.Context, db Querier, table string) (bool, error) {
	var n int
	err := db.QueryRowContext(ctx, `
		SELECT COUNT(*)
		FROM pg_tables
		WHERE schemaname = current_schema() AND tablename = $1`, table).Scan(&n)
	return n > 0, err
}

func (postgresDialect) ClassifyError(err error) ErrorClass {
	var e *pgconn.PgError
	switch {
	case errors.Is(err, ErrPasswordFile), errors.Is(err, ErrNoServerConnection):
		return DatabaseUnavailable
	case !errors.As(err, &e):
		return classifyConnectionError(err)
	}
	switch e.Code {
	case "23505": // unique_violation
		return DuplicateKey
	case "22003": // numeric_value_out_of_range
		return OutOfRange
	case "40001", // serialization_failure
		"40P01", // deadlock_detected
		"55P03", // lock_not_available
		"25006", // read_only_sql_transaction: the server has become a standby, and another takes its place
		"53300": // too_many_connections
		return RetryableError
	}
	switch {
	case strings.HasPrefix(e.Code, "08"), // connection exceptions
		strings.HasPrefix(e.Code, "57P"): // the server goes down, or is not up yet
		return ConnectionLost
	case strings.HasPrefix(e.Code, "53"), // insufficient resources, disk full among them
		strings.HasPrefix(e.Code, "58"), // system errors
		strings.HasPrefix(e.Code, "28"), // the user or the password
		e.Code == "3D000",               // no such database
		errors.As(err, new(*pgconn.ConnectError)):
		return DatabaseUnavailable
	}
	return OtherError
}

// classifyConnectionError classes an error that is not the server's word.
func classifyConnectionError(err error) ErrorClass {
	var connect *pgconn.ConnectError
	var net net.Error
	switch {
	case errors.As(err, &connect), errors.As(err, &net), errors.Is(err, driver.ErrBadConn), errors.Is(err, io.EOF),
		errors.Is(err, io.ErrUnexpectedEOF), pgconn.SafeToRetry(err):
		return ConnectionLost
	}
	return OtherError
}

// poolerProbeTimeout bounds the question whether a pooler keeps sessions: a small one may have no connection to spare.
const poolerProbeTimeout = 3 * time.Second

// refusePooler refuses an address behind which a session is no session. A pooler that gives a connection of the server to
// a client for one transaction (PgBouncer's pool_mode=transaction) or one statement lets everything that lasts longer
// fall on somebody else: the lock under which migrations are applied, the queue's listening, prepared statements. That
// shows at the worst time and not at once, so it is asked for at once.
//
// A server's own connection is known by its process, which it reports when it connects: then nothing more is checked.
func refusePooler(ctx context.Context, pool *pgxpool.Pool) error {
	conn, err := pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	if own, err := isServerConnection(ctx, conn.Conn()); err != nil || own {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, poolerProbeTimeout)
	defer cancel()
	lasts, err := keepsSession(ctx, pool.Config())
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil // nothing is known
	case err != nil:
		return err
	case lasts:
		return nil
	}
	return fmt.Errorf("%w: %w", ErrDSN, words.NewFault("ledger_fault.pooler", ""))
}

// isServerConnection reports whether the connection goes to the server's own process.
func isServerConnection(ctx context.Context, conn *pgx.Conn) (bool, error) {
	var pid uint32
	err := conn.QueryRow(ctx, `
		SELECT pg_backend_pid()`, pgx.QueryExecModeSimpleProtocol).Scan(&pid)
	return pid == conn.PgConn().PID(), err
}

// keepsSession leaves a mark in a session, lets another client be busy, and looks for the mark: a connection that was
// given to the other one meanwhile is not there any more.
func keepsSession(ctx context.Context, config *pgxpool.Config) (lasts bool, err error) {
	var conns [2]*pgx.Conn
	for i := range conns {
		if conns[i], err = connectApart(ctx, config); err != nil {
			return false, err
		}
		defer func() { _ = conns[i].Close(context.WithoutCancel(ctx)) }() // nothing is left in it
	}
	mark := rand.Text()
	if _, err := conns[0].Exec(ctx, `
		SELECT set_config('concilia.mark', $1, false)`, pgx.QueryExecModeSimpleProtocol, mark); err != nil {
		return false, err
	}
	if _, err := conns[1].Exec(ctx, `
		BEGIN`, pgx.QueryExecModeSimpleProtocol); err != nil {
		return false, nil //nolint:nilerr // by statement there are no transactions
	}
	if _, err := conns[1].Exec(ctx, `
		SELECT 1`, pgx.QueryExecModeSimpleProtocol); err != nil {
		return false, err
	}
	var found string
	err = conns[0].QueryRow(ctx, `
		SELECT COALESCE(current_setting('concilia.mark', true), '')`, pgx.QueryExecModeSimpleProtocol).Scan(&found)
	return found == mark, err
}
