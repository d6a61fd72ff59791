package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
	"github.com/pressly/goose/v3/lock"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/rivermigrate"
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
// migration that another process applied meanwhile ends in ErrMigrated and leaves nothing.
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

// MigrateQueue brings the tables of the job queue to the version of the program. They are River's own, in the schema of the
// ledger, and River numbers their versions by itself. On SQLite there is no such queue. Any number of processes may do
// it at once: one at a time holds the same lock as for the ledger's migrations.
func (db *DB) MigrateQueue(ctx context.Context) error {
	if db.pool == nil {
		return nil
	}
	m, err := rivermigrate.New(riverpgxv5.New(db.pool), &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	versions := m.AllVersions()
	newest := versions[len(versions)-1].Version
	// This is how every command begins: queues that lack nothing, or are of a newer program, are not locked.
	if has, err := db.readQueueVersion(ctx); err != nil || has >= newest {
		return err
	}
	unlock, err := db.lockMigrations(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if has, err := db.readQueueVersion(ctx); err != nil || has >= newest {
		return err
	}
	if _, err := m.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return fmt.Errorf("job queue: %w", err)
	}
	return nil
}

// undefinedColumn is the SQLSTATE of a column that a table does not have.
const undefinedColumn = "42703"

// readQueueVersion is the version the queue's tables have, 0 when there are none, or when they are those of River's first
// versions, which have no lines: another process that is migrating them leaves them so for a moment, a killed one for good.
func (db *DB) readQueueVersion(ctx context.Context) (version int, err error) {
	there, err := db.Dialect.TableExists(ctx, db.Read, "river_migration")
	if err != nil || !there {
		return 0, err
	}
	err = db.Read.QueryRowContext(ctx, `
		SELECT COALESCE(MAX(version), 0)
		FROM river_migration
		WHERE line = $1`, riverdriver.MigrationLineMain).Scan(&version)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && refused.Code == undefinedColumn {
		return 0, nil
	}
	return version, err
}

// lockMigrations takes the lock under which this schema is migrated. It is held by a connection of its own, which the
// pool need not have to spare, and asked for again and again: who waits inside a statement holds up the building of
// an index.
func (db *DB) lockMigrations(ctx context.Context) (unlock func(), err error) {
	id, err := migrationLockID(ctx, db.Write)
	if err != nil {
		return nil, err
	}
	conn, err := connectApart(ctx, db.pool.Config())
	if err != nil {
		return nil, err
	}
	unlock = func() { _ = conn.Close(context.WithoutCancel(ctx)) } // the lock goes with its connection
	for range migrationLockTries * int(time.Second/queueLockInterval) {
		var got bool
		if err := conn.QueryRow(ctx, `
			SELECT pg_try_advisory_lock($1)`, id).Scan(&got); err != nil || got {
			if err != nil {
				unlock()
			}
			return unlock, err
		}
		select {
		case <-ctx.Done():
			unlock()
			return nil, ctx.Err()
		case <-time.After(queueLockInterval):
		}
	}
	unlock()
	return nil, errors.New("another process has been migrating the job queue for too long")
}

// queueLockInterval is how often a process looks whether the queue's tables are free to be migrated.
const queueLockInterval = 200 * time.Millisecond

// Pool is the pool of a Postgres behind both handles; nil on SQLite.
func (db *DB) Pool() *pgxpool.Pool { return db.pool }
