package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
)

// ErrMigrated means that another process applied the same migration first; this one was rolled back.
var ErrMigrated = errors.New("another process applied this migration first")

// How long a process waits for another that migrates a Postgres: asked once a second, so that nobody waits inside a
// statement, which would hold up the building of an index.
const (
	migrateEvery = 1   // s
	migrateTries = 900 // 15 min
)

// Migrator gives the migrations of fsys, safe to be applied by many processes at once: on Postgres one at a time holds a
// lock of its session, one lock a schema; on SQLite, where every migration is a transaction that holds the file, a
// migration that somebody applied meanwhile ends in ErrMigrated and leaves nothing.
func (db *DB) Migrator(ctx context.Context, fsys fs.FS) (*goose.Provider, error) {
	if db.Dialect.Goose() == goose.DialectPostgres {
		id, err := migrateLock(ctx, db.Write)
		if err != nil {
			return nil, err
		}
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(id), lock.WithLockTimeout(migrateEvery, migrateTries))
		if err != nil {
			return nil, err
		}
		return goose.NewProvider(goose.DialectPostgres, db.Write, fsys, goose.WithDisableGlobalRegistry(true),
			goose.WithSessionLocker(locker))
	}
	store, err := database.NewStore(db.Dialect.Goose(), goose.DefaultTablename)
	if err != nil {
		return nil, err
	}
	return goose.NewProvider("", db.Write, fsys, goose.WithDisableGlobalRegistry(true), goose.WithStore(onceStore{store}))
}

// migrateLock is the number of the lock of the schema that is migrated: ledgers of one database do not wait for each
// other.
func migrateLock(ctx context.Context, db *sql.DB) (int64, error) {
	var schema sql.NullString
	err := db.QueryRowContext(ctx, `
		SELECT current_schema()`).Scan(&schema)
	h := fnv.New64a()
	h.Write([]byte("concilia/migrate/" + schema.String))
	return int64(h.Sum64() >> 1), err
}

// onceStore notes a version once. It notes it in the transaction of the migration itself, which is rolled back when
// the version is there already.
type onceStore struct{ database.Store }

func (s onceStore) Insert(ctx context.Context, db database.DBTxConn, req database.InsertRequest) error {
	_, err := s.GetMigration(ctx, db, req.Version)
	switch {
	case err == nil:
		return fmt.Errorf("version %d: %w", req.Version, ErrMigrated)
	case errors.Is(err, database.ErrVersionNotFound):
		return s.Store.Insert(ctx, db, req)
	}
	return err
}
