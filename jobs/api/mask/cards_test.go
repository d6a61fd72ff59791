package mask

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestNothingToHide: a text that is taken for masked at a glance has nothing that would be hidden, however it is spelled.
func TestNothingToHide(t *testing.T) {
	t.Parallel()
	glyphs := rapid.SampledFrom([]string{"0", "7", "*", "-", " ", ".", "é", "٤", `\u0034`, `\n`, "x"})
	rapid.Check(t, func(t *rapid.T) {
		head, tail := rapid.SliceOfN(glyphs, 0, 8).Draw(t, "head"), rapid.SliceOfN(glyphs, 0, 6).Draw(t, "tail")
		text := strings.Join(head, "") + strings.Repeat("*", rapid.IntRange(0, 12).Draw(t, "stars")) + strings.Join(tail, "")
		for name, read := range map[string]glyphReader{"plain": readPlain, "JSON": readJSON} {
			if isMasked(text) && maskMiddle([]byte(text), read) {
				t.Errorf("%s: %q is taken for masked", name, text)
			}
		}
	})
}
