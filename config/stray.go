package config

import (
	"maps"
	"slices"
	"strings"
)

// Strays are warnings of variables, each NAME=value, that are meant for the configuration by their name and set no key of
// it: a letter is wrong, or they count an account that is not there. Nothing of their values is in them. What is known is
// what reading the file at path looks for, whether it is fine or not.
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
		if near := nearest(name, known); near != "" {
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

// nearest is the variable that is a letter or two from a name, or empty.
func nearest(name string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(name, k, least); d < least {
			best, least = k, d
		}
	}
	return best
}
