package sqldb

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

// How long a process waits for another that migrates a Postgres: asked once a second, so that no process waits
// inside a statement, which would hold up the building of an index.
const (
	migrationLockInterval = 1   // s
	migrationLockTries    = 900 // 15 min
)

// Migrator gives the migrations of fsys, safe to be applied by many processes at once: on Postgres one at a time holds a
// lock of its session, one lock a schema; on SQLite, where every migration is a transaction that holds the file, a
// migration that somebody applied meanwhile ends in ErrMigrated and leaves nothing.
//
// The transaction of the first migration also writes digest into the table schema_digest, which that migration makes.
func (db *DB) Migrator(ctx context.Context, fsys fs.FS, digest string) (*goose.Provider, error) {
	store, err := database.NewStore(db.Dialect.GooseDialect(), goose.DefaultTablename)
	if err != nil {
		return nil, err
	}
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true), goose.WithStore(versionStore{store, digest})}
	if db.Dialect.GooseDialect() == goose.DialectPostgres {
		id, err := migrationLockID(ctx, db.Write)
		if err != nil {
			return nil, err
		}
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(id), lock.WithLockTimeout(migrationLockInterval, migrationLockTries))
		if err != nil {
			return nil, err
		}
		options = append(options, goose.WithSessionLocker(locker))
	}
	return goose.NewProvider("", db.Write, fsys, options...)
}

// migrationLockID is the number of the lock of the schema that is migrated: ledgers of one database do not wait for each
// other.
func migrationLockID(ctx context.Context, db *sql.DB) (int64, error) {
	var schema sql.NullString
	err := db.QueryRowContext(ctx, `
		SELECT current_schema()`).Scan(&schema)
	h := fnv.New64a()
	h.Write([]byte("concilia/migrate/" + schema.String))
	return int64(h.Sum64() >> 1), err
}

// versionStore records a version once. It records it in the transaction of the migration itself, which is rolled back if the
// version is there already, and with the first version the digest of the schema.
type versionStore struct {
	database.Store
	digest string
}

// firstMigration is the version of the migration that makes the table schema_digest.
const firstMigration = 1

func (s versionStore) Insert(ctx context.Context, db database.DBTxConn, req database.InsertRequest) error {
	_, err := s.GetMigration(ctx, db, req.Version)
	if err == nil {
		return fmt.Errorf("version %d: %w", req.Version, ErrMigrated)
	}
	if !errors.Is(err, database.ErrVersionNotFound) {
		return err
	}
	if req.Version == firstMigration {
		if _, err := db.ExecContext(ctx, `
			INSERT INTO schema_digest (sha256)
			VALUES ($1)`, s.digest); err != nil {
			return err
		}
	}
	return s.Store.Insert(ctx, db, req)
}
