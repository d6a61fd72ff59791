package agreements

import (
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// fold is what two spellings of one word share: no accents, no case, no blanks at the ends, single blanks inside.
func fold(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(s))
	return strings.Join(strings.Fields(s), " ")
}

// spellings answers what a spelling means. The service repeats a handful of spellings on every row, so answers are
// kept under the raw text: a spelling seen before costs one map read and no allocation.
type spellings[V any] struct {
	folded map[string]V
	// otherwise answers for a folded spelling that is not listed; nil: nothing does.
	otherwise func(folded string) (V, bool)

	seen atomic.Pointer[map[string]answer[V]] // replaced whole, never written to
	mu   sync.Mutex                           // held while seen is replaced
}

type answer[V any] struct {
	v  V
	ok bool
}

const (
	// maxSeen and maxSeenText bound what is kept of raw spellings: beyond them each is folded again.
	maxSeen     = 1024
	maxSeenText = 128
)

func (s *spellings[V]) of(raw string) (V, bool) {
	seen := s.seen.Load()
	if seen != nil {
		if a, ok := (*seen)[raw]; ok {
			return a.v, a.ok
		}
	}
	a := s.fresh(raw)
	if len(raw) <= maxSeenText && (seen == nil || len(*seen) < maxSeen) {
		s.keep(strings.Clone(raw), a)
	}
	return a.v, a.ok
}

func (s *spellings[V]) fresh(raw string) answer[V] {
	f := fold(raw)
	v, ok := s.folded[f]
	if !ok && s.otherwise != nil {
		v, ok = s.otherwise(f)
	}
	return answer[V]{v, ok}
}

func (s *spellings[V]) keep(raw string, a answer[V]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := map[string]answer[V]{}
	if seen := s.seen.Load(); seen != nil {
		if len(*seen) >= maxSeen {
			return
		}
		next = maps.Clone(*seen)
	}
	next[raw] = a
	s.seen.Store(&next)
}
