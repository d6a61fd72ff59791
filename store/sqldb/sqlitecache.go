package sqldb

import (
	"errors"
	"fmt"
	"sync"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// How large the page caches are, in KiB: what a night rereads and dirties, and what a stream rereads.
const (
	writerCache = 16 << 10
	readerCache = 2 << 10
)

// reservedPages are left free by all caches together.
const reservedPages = 3072

// cacheSize is the PRAGMA for a cache of so many KiB.
func cacheSize(kib int) string { return fmt.Sprintf("cache_size = -%d", kib) }

// reserveCachePages makes room for the page caches that none of them uses. This build of SQLite has all the caches of the process
// in one account (SQLITE_ENABLE_MEMORY_MANAGEMENT): one that is full takes the oldest page of any of them, and as long as
// together they hold as much as all may, one that is not full, because a stream beside it took its pages, loses every
// page the moment it is let go, the roots of its trees among them: a writer then reads from the file what it has just
// read, at each step. A connection to no file, which has a cache and puts nothing in it, keeps the sum below what all may
// hold.
func reserveCachePages() (closing func() error, err error) {
	c, err := sqlite.OpenConn("", sqlite.OpenReadWrite|sqlite.OpenCreate)
	if err != nil {
		return nil, err
	}
	if err := sqlitex.ExecuteTransient(c, fmt.Sprintf("PRAGMA cache_size = %d", reservedPages), nil); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return sync.OnceValue(c.Close), nil // closing a database again is no error
}
