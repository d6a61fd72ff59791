// Package sqldb opens the database under the ledger and hides the differences between SQLite and Postgres: opening and
// locking, the meaning of driver error codes, and JSON functions. The statements themselves are one text for both
// databases and are in the packages below store, with the code that reads their rows.
//
// It refers to no table of the ledger.
//
// # Two pools
//
// SQLite has one writer at a time, so the pool for writing is a single connection whose transactions take the write lock
// when they begin: two processes wait for each other instead of failing halfway. Readers have connections of their own
// that cannot write. In WAL mode they see a snapshot from before the writer's transaction and never wait for it. WAL does
// not work on network file systems.
//
// # Poolers
//
// A pooler in front of Postgres must keep sessions whole: migrations hold a session lock, the job queue listens, and pgx
// prepares statements. PgBouncer does so with pool_mode=session; with pool_mode=transaction or statement it does not, and
// opening such an address fails. PgBouncer also rejects connections with startup parameters it does not know, search_path
// among them: a ledger behind it needs a database of its own instead of a schema, or a user for whom search_path is set.
//
// # Beyond database/sql
//
// SQLite runs in pure Go (modernc.org's translation) behind a driver of this package, built on zombiezen.com/go/sqlite.
// database/sql boxes every value, so Bulk reaches the connection behind it and moves rows by the ten thousand, inside the
// transaction that is open on that connection: by binary COPY on Postgres, by one prepared statement on SQLite.
//
// # Placeholders
//
// Both databases take $1, $2, … in any order and more than once.
package sqldb
