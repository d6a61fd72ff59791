package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/pressly/goose/v3"

	"concilia/store/engine"
)

//go:embed migrations
var migrations embed.FS

// Ledger is an open ledger. It is safe for use by many goroutines.
type Ledger struct {
	db *engine.DB
	// now is the wall clock, which only leases read.
	now func() time.Time
}

// Open opens the ledger at dsn, "sqlite:PATH" or "postgres://…". It does not migrate, so a new database has no tables
// yet; it refuses a ledger whose tables are newer than the program, because it would not know what it reads.
func Open(ctx context.Context, dsn string) (*Ledger, error) {
	db, err := engine.Open(ctx, dsn)
	if err != nil {
		if errors.Is(err, engine.ErrDSN) || ctx.Err() != nil {
			return nil, err
		}
		return nil, &UnavailableError{Err: err}
	}
	l := &Ledger{db: db, now: time.Now}
	if err := l.refuseNewer(ctx); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return l, nil
}

// Close ends every connection. Work still under way fails.
func (l *Ledger) Close() error { return l.db.Close() }

// Migrate brings the tables to the version of the program, each step in a transaction of its own, and says from which
// version to which. Doing it again does nothing.
func (l *Ledger) Migrate(ctx context.Context) (from, to int64, err error) {
	p, err := l.provider()
	if err != nil {
		return 0, 0, err
	}
	if from, err = p.GetDBVersion(ctx); err != nil {
		return 0, 0, l.fault("read the version of the ledger", err)
	}
	if _, err = p.Up(ctx); err != nil {
		return from, from, l.fault("migrate the ledger", err)
	}
	if to, err = p.GetDBVersion(ctx); err != nil {
		return from, from, l.fault("read the version of the ledger", err)
	}
	return from, to, nil
}

func (l *Ledger) provider() (*goose.Provider, error) {
	sub, err := fs.Sub(migrations, "migrations/"+l.db.Dialect.Name())
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(l.db.Dialect.Goose(), l.db.Write, sub, goose.WithDisableGlobalRegistry(true))
}

func (l *Ledger) refuseNewer(ctx context.Context) error {
	const doing = "read the version of the ledger"
	there, err := l.db.Dialect.Exists(ctx, l.db.Write, goose.DefaultTablename)
	if err != nil || !there {
		return l.fault(doing, err)
	}
	var version sql.NullInt64
	err = l.db.Write.QueryRowContext(ctx, `
		SELECT MAX(version_id)
		FROM goose_db_version`).Scan(&version)
	if err != nil {
		return l.fault(doing, err)
	}
	p, err := l.provider()
	if err != nil {
		return err
	}
	sources := p.ListSources()
	if known := sources[len(sources)-1].Version; version.Int64 > known {
		return fmt.Errorf("the ledger has version %d and this program knows %d: use the newer program", version.Int64, known)
	}
	return nil
}
