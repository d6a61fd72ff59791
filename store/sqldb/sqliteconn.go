package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// busyTimeout is how long a connection waits for another's lock.
const busyTimeout = 20 * time.Second

// sqliteConnector opens connections to one file. It is a driver of its own because database/sql boxes every value that
// goes through it: for what is written by the ten thousand, Load reaches the connection behind it.
type sqliteConnector struct {
	path          string
	flags         sqlite.OpenFlags
	begin         string
	pragmas       []string
	readOnlyErr   error        // what a transaction is refused with, nil when it is not
	fileUnchanged func() error // whether the file is as it was when it was opened; nil: the file is not opened as immutable
}

// Connect opens a connection. SQLite says that it is busy when another turns on the write-ahead log of a new file.
func (o *sqliteConnector) Connect(ctx context.Context) (driver.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := sqlite.OpenConn(o.path, o.flags)
	if err != nil {
		return nil, err
	}
	c.SetBusyTimeout(busyTimeout)
	for _, pragma := range o.pragmas {
		if err := sqlitex.ExecuteTransient(c, "PRAGMA "+pragma, nil); err != nil {
			return nil, errors.Join(err, c.Close())
		}
	}
	return &sqliteConn{c: c, begin: o.begin, readOnlyErr: o.readOnlyErr, fileUnchanged: o.fileUnchanged}, nil
}

// Driver is asked for by database/sql and opens nothing by name.
func (o *sqliteConnector) Driver() driver.Driver { return sqliteDriver{} }

type sqliteDriver struct{}

func (sqliteDriver) Open(string) (driver.Conn, error) {
	return nil, errors.New("sqlite: connections are made by their connector")
}

// sqliteConn is used by one goroutine at a time, as database/sql promises.
type sqliteConn struct {
	c             *sqlite.Conn
	begin         string
	readOnlyErr   error
	fileUnchanged func() error
	done          <-chan struct{} // what interrupts it now
	stmts         stmtCache
}

// interruptWith lets the end of ctx interrupt what runs. Statements of one transaction mostly share a context, so it is left
// in place until another comes.
func (c *sqliteConn) interruptWith(ctx context.Context) error {
	if done := ctx.Done(); done != c.done {
		c.c.SetInterrupt(done)
		c.done = done
	}
	return ctx.Err()
}

// Close ends the connection.
func (c *sqliteConn) Close() error { return errors.Join(c.stmts.finalizeAll(), c.c.Close()) }

// checkUnchanged is an error when what was read may be of two moments.
func (c *sqliteConn) checkUnchanged() error {
	if c.fileUnchanged == nil {
		return nil
	}
	return c.fileUnchanged()
}

// Prepare is PrepareContext without an end.
func (c *sqliteConn) Prepare(query string) (driver.Stmt, error) {
	return c.PrepareContext(context.Background(), query)
}

// PrepareContext prepares one statement.
func (c *sqliteConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	if err := c.interruptWith(ctx); err != nil {
		return nil, err
	}
	s, rest, err := c.prepareFirst(query)
	if err != nil {
		return nil, err
	}
	if !isBlank(rest) {
		return nil, errors.Join(errors.New("sqlite: more than one statement"), s.Close())
	}
	return s, nil
}

// prepareFirst prepares the first statement of query and gives what follows it.
func (c *sqliteConn) prepareFirst(query string) (*sqliteStmt, string, error) {
	if s := c.stmts.takeStmt(query); s != nil {
		return s, "", nil
	}
	stmt, trailing, err := c.c.PrepareTransient(query)
	if err != nil {
		return nil, "", err
	}
	s := &sqliteStmt{conn: c, s: stmt, args: make([]int, stmt.BindParamCount())}
	for i := range s.args {
		// $3 is a name to SQLite, numbered by where it occurs first; the argument is the third all the same.
		if s.args[i], err = argumentIndex(stmt.BindParamName(i+1), i); err != nil {
			return nil, "", errors.Join(err, s.Close())
		}
	}
	rest := query[len(query)-trailing:]
	if isCacheable(query, len(s.args)) && isBlank(rest) {
		s.cacheKey = query
	}
	return s, rest, nil
}

func argumentIndex(name string, i int) (int, error) {
	if name == "" {
		return i, nil
	}
	var n int
	if _, err := fmt.Sscanf(name, "$%d", &n); err != nil || n < 1 {
		return 0, fmt.Errorf("sqlite: the parameter %s: write $1, $2, …", name)
	}
	return n - 1, nil
}

// isBlank reports whether a script holds nothing more to run.
func isBlank(script string) bool {
	for {
		script = strings.TrimLeft(script, " \t\r\n;")
		switch {
		case strings.HasPrefix(script, "--"):
			_, script, _ = strings.Cut(script, "\n")
		case strings.HasPrefix(script, "/*"):
			_, script, _ = strings.Cut(script, "*/")
		default:
			return script == ""
		}
	}
}

// ExecContext runs a script; its statements share the arguments.
func (c *sqliteConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.interruptWith(ctx); err != nil {
		return nil, err
	}
	var done driver.Result = driver.RowsAffected(0)
	for !isBlank(query) {
		s, rest, err := c.prepareFirst(query)
		if err != nil {
			return nil, err
		}
		done, err = s.execArgs(args)
		if err = errors.Join(err, s.Close()); err != nil {
			return nil, err
		}
		query = rest
	}
	return done, nil
}

// QueryContext runs one statement, which lives as long as its rows.
func (c *sqliteConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	prepared, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	s := prepared.(*sqliteStmt)
	rows, err := s.queryArgs(args)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	rows.ownsStmt = true
	return rows, nil
}

// Begin is BeginTx without an end.
func (c *sqliteConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

// BeginTx begins a transaction of the connection's kind: writers take the lock at once.
func (c *sqliteConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if err := c.interruptWith(ctx); err != nil {
		return nil, err
	}
	if c.readOnlyErr != nil {
		return nil, c.readOnlyErr
	}
	return c, c.executePlain(c.begin)
}

// Commit keeps the transaction. One that cannot be kept is undone, so that the connection is free again.
func (c *sqliteConn) Commit() error {
	_ = c.interruptWith(context.Background())
	if err := c.executePlain("COMMIT"); err != nil {
		return errors.Join(err, c.Rollback())
	}
	return nil
}

// Rollback undoes the transaction, unless SQLite did so itself, as when a writing statement is interrupted.
func (c *sqliteConn) Rollback() error {
	_ = c.interruptWith(context.Background())
	if c.c.AutocommitEnabled() {
		return nil
	}
	return c.executePlain("ROLLBACK")
}

// executePlain runs a statement without arguments and rows, and keeps it prepared: each transaction begins with one and ends with one.
func (c *sqliteConn) executePlain(statement string) error {
	return sqlitex.Execute(c.c, statement, nil)
}

// ResetSession discards a connection with an open transaction.
func (c *sqliteConn) ResetSession(context.Context) error {
	if !c.c.AutocommitEnabled() {
		return driver.ErrBadConn
	}
	return nil
}

const (
	// maxCachedStmts bounds the statements a connection keeps prepared: the writer of a night that posts the movement uses 150, and a bound
	// below that has it prepare each of them every night, because each is the oldest when its turn comes.
	maxCachedStmts = 250
	// maxCachedText bounds their texts, in bytes, and maxCachedParams the parameters of those of more than shortText: a long one with many
	// is made for its number of values. The sums of a report's table are 20 KiB with a few, and take longest of all to prepare.
	maxCachedText, shortText = 64 << 10, 8 << 10
	maxCachedParams          = 30
)

// stmtCache are statements that are prepared and not used, by their text: preparing one again takes SQLite longer than most of a
// night's small queries take to run. One that is in use is not among them, so that the same text may run within its own
// rows.
type stmtCache struct {
	statements map[string]*sqliteStmt
	uses       int64 // of any statement, for the order
}

// takeStmt gives the statement of a text, nil when none is idle.
func (i *stmtCache) takeStmt(query string) *sqliteStmt {
	s := i.statements[query]
	delete(i.statements, query)
	return s
}

// keepStmt takes a statement back that is no longer used, and frees it, or the one not used for longest, where that is one too
// many.
func (i *stmtCache) keepStmt(s *sqliteStmt) error {
	if s.cacheKey == "" || i.statements[s.cacheKey] != nil {
		return s.s.Finalize()
	}
	// What Reset says may be the error of the last step once more; such a statement is not worth keeping.
	if err := errors.Join(s.s.Reset(), s.s.ClearBindings()); err != nil {
		return s.s.Finalize()
	}
	if i.statements == nil {
		i.statements = make(map[string]*sqliteStmt, maxCachedStmts)
	}
	i.uses++
	s.cachedAt = i.uses
	i.statements[s.cacheKey] = s
	if len(i.statements) <= maxCachedStmts {
		return nil
	}
	oldest := s
	for _, other := range i.statements {
		if other.cachedAt < oldest.cachedAt {
			oldest = other
		}
	}
	return i.takeStmt(oldest.cacheKey).s.Finalize()
}

// finalizeAll frees them all, as before the connection ends.
func (i *stmtCache) finalizeAll() error {
	var err error
	for _, s := range i.statements {
		err = errors.Join(err, s.s.Finalize())
	}
	i.statements = nil
	return err
}

// isCacheable reports whether a statement of so many parameters is one that is worth keeping: it reads or changes rows, and nothing else.
func isCacheable(query string, params int) bool {
	if len(query) > maxCachedText || len(query) > shortText && params > maxCachedParams {
		return false
	}
	first, _, _ := strings.Cut(strings.TrimLeft(query, " \t\r\n"), " ")
	first, _, _ = strings.Cut(first, "\n")
	switch first {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}
