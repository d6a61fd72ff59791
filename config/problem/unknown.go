package problem

import "strings"

// UnknownKey is the Want of a key that is not among keys: the most similar one, or all of them if none is similar.
func UnknownKey(key string, keys []string) string {
	if near := Nearest(key, keys, len(key)/3+2); near != "" {
		return "unknown key: did you mean " + near + "?"
	}
	return "unknown key: one of " + strings.Join(keys, ", ")
}

// Nearest is the first of the names that are most similar to a name, with fewer than limit letters changed, added or
// dropped; empty if there is none.
func Nearest(name string, names []string, limit int) string {
	best := ""
	for _, n := range names {
		if d := distance(name, n, limit); d < limit {
			best, limit = n, d
		}
	}
	return best
}

// distance is the number of letters to change, add or drop between two keys (Levenshtein), or limit if it is not less.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return min(row[len(b)], limit)
}
