package sqldb

import (
	"errors"
	"strings"
)

const (
	// idleStatements bounds the statements a connection keeps prepared: those of a whole night are fewer.
	idleStatements = 100
	// idleText bounds their texts, in bytes: a longer one is mostly made for its number of values.
	idleText = 8 << 10
)

// idle are statements that are prepared and not used, by their text: preparing one anew takes SQLite longer than most of a
// night's small queries take to run. One that is in use is not among them, so that the same text may run within its own
// rows.
type idle struct {
	statements map[string]*sqliteStmt
	uses       int64 // of any statement, for the order
}

// take gives the statement of a text, nil when none is idle.
func (i *idle) take(query string) *sqliteStmt {
	s := i.statements[query]
	delete(i.statements, query)
	return s
}

// keep takes a statement back that is no longer used, and frees it, or the one not used for longest, where that is one too
// many.
func (i *idle) keep(s *sqliteStmt) error {
	if s.text == "" || i.statements[s.text] != nil {
		return s.s.Finalize()
	}
	// What Reset says may be the error of the last step once more; such a statement is not worth keeping.
	if err := errors.Join(s.s.Reset(), s.s.ClearBindings()); err != nil {
		return s.s.Finalize()
	}
	if i.statements == nil {
		i.statements = make(map[string]*sqliteStmt, idleStatements)
	}
	i.uses++
	s.used = i.uses
	i.statements[s.text] = s
	if len(i.statements) <= idleStatements {
		return nil
	}
	oldest := s
	for _, other := range i.statements {
		if other.used < oldest.used {
			oldest = other
		}
	}
	return i.take(oldest.text).s.Finalize()
}

// free frees them all, as before the connection ends.
func (i *idle) free() error {
	var err error
	for _, s := range i.statements {
		err = errors.Join(err, s.s.Finalize())
	}
	i.statements = nil
	return err
}

// reusable says whether a statement is one that is worth keeping: it reads or changes rows, and nothing else.
func reusable(query string) bool {
	if len(query) > idleText {
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
