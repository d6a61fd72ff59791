package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/pressly/goose/v3"
)

// DB is an open database: one pool that writes and one that reads.
type DB struct {
	Write   *sql.DB
	Read    *sql.DB
	Dialect Dialect
	close   func() error
}

// Close closes both pools.
func (db *DB) Close() error { return db.close() }

// Dialect is what differs between the databases. Its values are Go constants of this package, not of a user.
type Dialect interface {
	// Name is sqlite or postgres, also the name of the folder of its migrations.
	Name() string
	// Goose names the dialect to the migrations.
	Goose() goose.Dialect
	// Class says what an error of the driver means, by the driver's code and never by its text.
	Class(err error) Class
	// Lock holds name until the transaction ends, against every other transaction that locks it.
	Lock(ctx context.Context, tx *sql.Tx, name string) error
	// Elements is a FROM item that unnests the JSON array in a text expression into rows named alias.
	Elements(expr, alias string) string
	// Ordinal is the place of such a row in its array, from 1.
	Ordinal(alias string) string
	// Int and Text read a member of such a row; absent members are NULL.
	Int(alias, member string) string
	Text(alias, member string) string
	// Exists says whether the database has a table of that name.
	Exists(ctx context.Context, db *sql.DB, table string) (bool, error)
}

// Class says what an error of the driver means.
type Class uint8

// The classes. Everything not known is Other.
const (
	Other       Class = iota
	Unavailable       // the database cannot be reached, read or written now: disk full, read-only, no connection
	Duplicate         // a key that must be unique is there already
	Newer             // not a database this program understands
)

// ErrDSN is wrapped by every error about the text of a DSN.
var ErrDSN = errors.New("ledger dsn")

// Open opens "sqlite:PATH" or "postgres://user@host/database". A file is created when it does not exist, its folder is
// not, nor is a server's database.
func Open(ctx context.Context, dsn string) (*DB, error) {
	scheme, rest, ok := strings.Cut(dsn, ":")
	switch {
	case ok && scheme == "sqlite":
		return openSQLite(ctx, rest)
	case ok && (scheme == "postgres" || scheme == "postgresql"):
		return openPostgres(ctx, dsn)
	case ok && len(scheme) > 1:
		return nil, fmt.Errorf("%w: unknown scheme %q: use sqlite:PATH or postgres://…", ErrDSN, scheme)
	}
	// The text may hold a password when somebody forgot the scheme, so it is not repeated.
	return nil, fmt.Errorf("%w: no scheme: write sqlite:PATH or postgres://…", ErrDSN)
}
