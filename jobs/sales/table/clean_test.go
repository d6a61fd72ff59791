package table

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Every id is cleaned as by the expression alone, though most are not looked at by it.
func TestCleanIDDropsWhatIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, want string }{
		{"123.456.789-09", ""},
		{"ped 12.345.678/0001-95", "ped"},
		{"4111 11 11", ""},
		{"41111111-11-1111", "41111111-11-1111"},
		{"550e8400-e29b-41d4-a716-446655440000", "550e8400-e29b-41d4-a716-446655440000"},
		{"2026-11-27-0001", "2026-11-27-0001"},
	} {
		if got := cleanID(c.id); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.id, got, c.want)
		}
	}
	id := rapid.OneOf(
		rapid.StringMatching(`[0-9.\-/ a]{0,30}`),
		rapid.StringMatching(`[a4 ]?\d{3}\.\d{3}\.\d{3}-\d{2}[0-9 a]?`),
		rapid.StringMatching(`[a4]?\d{2}\.\d{3}\.\d{3}/\d{4}-\d{2}[0-9 a]?`),
		rapid.StringMatching(`[a-]?[3-6]\d{3}([ -]\d{2,6}){2,3}[ a-]?`),
	)
	rapid.Check(t, func(t *rapid.T) {
		s := id.Draw(t, "id")
		if got, want := cleanID(s), strings.TrimSpace(written.ReplaceAllString(cleanText(s), "")); got != want {
			t.Errorf("%q becomes %q, want %q", s, got, want)
		}
	})
}
