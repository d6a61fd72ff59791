package assumptions

import (
	"slices"
)

// When one candidate is decided to be better: the better of two is right on at least EnoughHits of the rows on which the two give
// different values, there are EnoughRows such rows, and the other is right on at least ClearMargin less of them.
const (
	EnoughRows  = 30
	EnoughHits  = 98 // percent
	ClearMargin = 5  // points
)

// maxCandidates is how many a measure may hold: three anticipation formulas on three bases.
const maxCandidates = 9

// tally counts, of the rows on which candidates give different values, on how many each is right: against each
// other candidate, and on the rows that distinguish any two.
type tally struct {
	rows int64
	hits [maxCandidates]int64
	// apart[i][j] are the rows on which i and j differ, right[i][j] those of them that agree with i.
	apart, right [maxCandidates][maxCandidates]int64
}

// measurement is what one row says: the value each candidate gives, and which of them the row agrees with.
type measurement struct {
	n      int
	values [maxCandidates]int64
	hit    [maxCandidates]bool
}

// addCandidate appends a candidate.
func (s *measurement) addCandidate(value int64, hit bool) {
	s.values[s.n], s.hit[s.n] = value, hit
	s.n++
}

// addRow takes a row in. Values that are at most slack apart are one value.
func (t *tally) addRow(s *measurement, slack int64) {
	distinguishes := false
	for i := range s.n {
		for j := range s.n {
			if spanOf(s.values[i], s.values[j]) <= slack {
				continue
			}
			distinguishes = true
			t.apart[i][j]++
			if s.hit[i] {
				t.right[i][j]++
			}
		}
	}
	if !distinguishes {
		return
	}
	t.rows++
	for i := range s.n {
		if s.hit[i] {
			t.hits[i]++
		}
	}
}

func spanOf(a, b int64) int64 { return max(a, b) - min(a, b) }

func (t *tally) addTally(o *tally) {
	t.rows += o.rows
	for i := range t.hits {
		t.hits[i] += o.hits[i]
		for j := range t.hits {
			t.apart[i][j] += o.apart[i][j]
			t.right[i][j] += o.right[i][j]
		}
	}
}

// isBetter says whether candidate i is clearly better than j.
func (t *tally) isBetter(i, j int) bool {
	apart := t.apart[i][j]
	return apart >= EnoughRows && t.right[i][j]*100 >= apart*EnoughHits &&
		(t.right[i][j]-t.right[j][i])*100 >= apart*ClearMargin
}

// findUnbeaten are the candidates none of the n beats, the likeliest first: one alone is the answer.
func (t *tally) findUnbeaten(n int) []int {
	var left []int
	for i := range n {
		beaten := false
		for j := range n {
			beaten = beaten || t.isBetter(j, i)
		}
		if !beaten {
			left = append(left, i)
		}
	}
	slices.SortStableFunc(left, func(a, b int) int { return int(t.hits[b] - t.hits[a]) })
	return left
}
