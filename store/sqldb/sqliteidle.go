package sqldb

import (
	"errors"
	"strings"
)

const (
	// maxCachedStmts bounds the statements a connection keeps prepared: those of a whole night are fewer.
	maxCachedStmts = 100
	// maxCachedText bounds their texts, in bytes: a longer one is mostly made for its number of values.
	maxCachedText = 8 << 10
)

// stmtCache are statements that are prepared and not used, by their text: preparing one anew takes SQLite longer than most of a
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

// isCacheable says whether a statement is one that is worth keeping: it reads or changes rows, and nothing else.
func isCacheable(query string) bool {
	if len(query) > maxCachedText {
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
