package config

import (
	"maps"
	"slices"
	"strings"

	"concilia/config/problem"
)

// mistyped is how many wrong letters a variable must stay below to be taken for one that exists.
const mistyped = 3

// Strays returns warnings about variables in environ (NAME=value) that begin with CONCILIA_ and set no key: one that is
// mistyped, or belongs to an account that does not exist. They show no value. The known variables are those that loading
// the file at path looks up, whether or not the file is valid.
func Strays(path string, lookup func(string) (string, bool), environ []string) []string {
	asked := map[string]bool{}
	_, _ = LoadOffline(path, func(name string) (string, bool) {
		asked[name] = true
		return lookup(name)
	})
	known := slices.Sorted(maps.Keys(asked))
	var out []string
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, prefix) || asked[name] {
			continue
		}
		if near := problem.Nearest(name, known, mistyped); near != "" {
			out = append(out, name+": no key has this variable: did you mean "+near+"?")
		} else if slices.ContainsFunc(known, func(k string) bool { return section(k) == section(name) }) {
			out = append(out, name+": no key has this variable")
		}
	}
	slices.Sort(out)
	return out
}

// section is the first word of a variable behind ours: LEDGER of CONCILIA_LEDGER_DSN.
func section(name string) string {
	word, _, _ := strings.Cut(strings.TrimPrefix(name, prefix), "_")
	return word
}
