package agreements

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// File returns a profile file with the given keys and those that differ from the default, in the order of the
// documentation; parsing it gives p if all other keys of p have their default. note returns a comment to write behind a
// key, or empty; it may be nil.
func (p Profile) File(keys []ProfileKey, note func(ProfileKey) string) []byte {
	var b bytes.Buffer
	b.WriteString("# How the service is read where it documents nothing. A key left out keeps its default.\n")
	group := ""
	for _, k := range fileKeys() {
		if !slices.Contains(keys, k) && p.Value(k) == DefaultProfile().Value(k) {
			continue
		}
		name := string(k)
		if outer, inner, grouped := strings.Cut(name, "."); grouped {
			if outer != group {
				fmt.Fprintf(&b, "%s:\n", outer)
			}
			group, name = outer, "  "+inner
		}
		fmt.Fprintf(&b, "%s: %s", name, p.Value(k))
		if note != nil {
			if text := comment(note(k)); text != "" {
				fmt.Fprintf(&b, "  # %s", text)
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// comment keeps a note on one line, of what YAML allows there.
func comment(note string) string {
	plain := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, note)
	return strings.Join(strings.Fields(plain), " ")
}

// fileKeys are all keys of a file, in its order.
func fileKeys() []ProfileKey {
	keys := ProfileKeys()
	at := slices.Index(keys, KeyForecast)
	return slices.Insert(keys, at, KeyDayCut)
}
