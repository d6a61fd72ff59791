package export

import (
	"errors"
	"fmt"
	"hash/fnv"
)

const (
	// rootsHeld is how many unresolved cases are held in memory, some 250 bytes each, until their rows pass: a night on which a
	// rule fires on everything has as many as the account has rows.
	rootsHeld = 50_000
	// rootParts is how many files more than these are parted into, by subject: one of them is held at a time.
	rootParts = 32
	// rootBits is the size of the filter before the subjects that pass: a megabyte, by which of a million rows of which one
	// in a hundred has a root few more than those are written.
	rootBits = 1 << 23
)

// rootShelf keeps the unresolved cases of a period until the row of each passes; what no row takes is of another period. More of them
// than are held go to staging, and so do the subjects that pass and may have one: they meet when all have passed.
type rootShelf struct {
	limit int
	path  func(string) string

	held map[string][]UnresolvedCase // by the subject whose row takes them; consumed as the subjects pass
	n    int

	maybe  []uint64 // a bit for each subject that has roots; nil until there are too many to hold
	roots  [rootParts]*spool[shelvedRoot]
	passed [rootParts]*spool[string]
}

type shelvedRoot struct {
	Subject string
	Case    UnresolvedCase
}

func newRootShelf(limit int, path func(string) string) *rootShelf {
	if limit == 0 {
		limit = rootsHeld
	}
	return &rootShelf{limit: limit, path: path, held: make(map[string][]UnresolvedCase)}
}

// empty says that no root waits: nothing needs to pass.
func (s *rootShelf) empty() bool { return s.maybe == nil && len(s.held) == 0 }

// add keeps a root for the row of the subject. All roots are added before any subject passes.
func (s *rootShelf) add(subject string, root *UnresolvedCase) error {
	if s.maybe != nil {
		return s.shelve(subject, root)
	}
	s.held[subject] = append(s.held[subject], *root)
	if s.n++; s.n <= s.limit {
		return nil
	}
	s.maybe = make([]uint64, rootBits/64)
	for i := range rootParts {
		var err1, err2 error
		s.roots[i], err1 = newSpool[shelvedRoot](s.path(fmt.Sprintf("roots-%d", i)))
		s.passed[i], err2 = newSpool[string](s.path(fmt.Sprintf("subjects-%d", i)))
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
	}
	for subject, roots := range s.held {
		for i := range roots {
			if err := s.shelve(subject, &roots[i]); err != nil {
				return err
			}
		}
	}
	s.held = nil
	return nil
}

func (s *rootShelf) shelve(subject string, root *UnresolvedCase) error {
	h := subjectHash(subject)
	bit := h % rootBits
	s.maybe[bit/64] |= 1 << (bit % 64)
	return s.roots[partOf(h)].add(&shelvedRoot{subject, *root})
}

// pass gives the roots of the subject to take, now or when all have passed.
func (s *rootShelf) pass(subject string, take func(*UnresolvedCase) error) error {
	if s.maybe != nil {
		h := subjectHash(subject)
		if bit := h % rootBits; s.maybe[bit/64]&(1<<(bit%64)) == 0 {
			return nil
		}
		return s.passed[partOf(h)].add(&subject)
	}
	roots := s.held[subject]
	for i := range roots {
		if err := take(&roots[i]); err != nil {
			return err
		}
	}
	delete(s.held, subject)
	return nil
}

// settle gives what was shelved to take, when every subject has passed.
func (s *rootShelf) settle(take func(*UnresolvedCase) error) error {
	if s.maybe == nil {
		return nil
	}
	for i := range rootParts {
		part := rootShelf{held: make(map[string][]UnresolvedCase)}
		err := s.roots[i].each(func(r *shelvedRoot) error {
			part.held[r.Subject] = append(part.held[r.Subject], r.Case)
			return nil
		})
		if err == nil {
			err = s.passed[i].each(func(subject *string) error { return part.pass(*subject, take) })
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *rootShelf) close() error {
	var err error
	for i := range rootParts {
		err = errors.Join(err, s.roots[i].close(), s.passed[i].close())
	}
	return err
}

func subjectHash(subject string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(subject)) // a hash never fails
	return h.Sum64()
}

// partOf takes other bits of the hash than the filter does.
func partOf(h uint64) int { return int(h >> 40 % rootParts) }

// takenCases are the cases that the rows of a period took: beyond the limit they are in staging.
type takenCases struct {
	limit int
	path  string
	held  []string
	rest  *spool[string] // nil until it is needed
}

func (c *takenCases) add(id string) (err error) {
	if len(c.held) < c.limit {
		c.held = append(c.held, id)
		return nil
	}
	if c.rest == nil {
		if c.rest, err = newSpool[string](c.path); err != nil {
			return err
		}
	}
	return c.rest.add(&id)
}

// each hands on the cases, as many at a time as are held; at least once, if there are none.
func (c *takenCases) each(yield func([]string) error) error {
	if err := yield(append([]string{}, c.held...)); err != nil || c.rest == nil {
		return err
	}
	some := make([]string, 0, c.limit)
	err := c.rest.each(func(id *string) error {
		if some = append(some, *id); len(some) < c.limit {
			return nil
		}
		err := yield(some)
		some = some[:0]
		return err
	})
	if err == nil && len(some) > 0 {
		err = yield(some)
	}
	return err
}
