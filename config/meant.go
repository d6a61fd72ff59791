package config

import "strings"

// unknownKey says that a key is none of those there are, and which was perhaps meant.
func unknownKey(key string, keys []string) string {
	best, least := "", len(key)/3+2
	for _, k := range keys {
		if d := distance(key, k, least); d < least {
			best, least = k, d
		}
	}
	if best != "" {
		return "unknown key: did you mean " + best + "?"
	}
	return "unknown key: one of " + strings.Join(keys, ", ")
}

// distance is the number of letters to change, add or drop between two keys, or limit when it is no less.
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
