package view_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"concilia/cmd/concilia/view"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ why, text, want string }{
		{"words and money are not touched", "São João: R$ 1.234,56 — ✓ 日本", "São João: R$ 1.234,56 — ✓ 日本"},
		{"a sequence that colours the terminal", "\x1b[31mred", `\u001b[31mred`},
		{"a bell and a C1 control", "\a\u009b2J", `\u0007\u009b2J`},
		{"text turned round", "a\u202egnp.exe", `a\u202egnp.exe`},
		{"characters that are not seen", "a\u200b\ufeffb", `a\u200b\ufeffb`},
		{"line ends, which would begin a line of our own", "a\nfault\u2028b\u2029c\r", `a\u000afault\u2028b\u2029c\u000d`},
		{"a tag beyond the first plane", "\U000e0041", `\udb40\udc41`},
		{"bytes that are no text", "a\xffb", `a\xffb`},
	} {
		if got := view.Escape(c.text); got != c.want {
			t.Errorf("%s: %q, want %q", c.why, got, c.want)
		}
	}
}

// FuzzEscapingWriter: however a text is cut into writes, the same comes out, nothing in it is obeyed by a terminal, and a JSON
// text still means what it meant.
func FuzzEscapingWriter(f *testing.F) {
	f.Add("São \x1b[31m\u202e\U000e0041", 3)
	f.Add("\xe3\x81", 1)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		cut = min(max(cut, 0), len(text))
		var whole, parts bytes.Buffer
		for out, pieces := range map[*bytes.Buffer][]string{&whole: {text}, &parts: {text[:cut], text[cut:]}} {
			w := view.NewEscapingWriter(out)
			for _, piece := range pieces {
				if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		if whole.String() != parts.String() {
			t.Errorf("whole %q, in two writes %q", whole.String(), parts.String())
		}
		bad := func(r rune) bool {
			return r != '\n' && r != '\t' && (r == utf8.RuneError && !strings.ContainsRune(text, r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp))
		}
		if strings.ContainsFunc(whole.String(), bad) {
			t.Errorf("%q is left in %q", text, whole.String())
		}
		coded, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if _, err := view.NewEscapingWriter(&out).Write(coded); err != nil {
			t.Fatal(err)
		}
		var want, got string
		if json.Unmarshal(coded, &want) != nil || json.Unmarshal(out.Bytes(), &got) != nil || got != want {
			t.Errorf("JSON %s became %s", coded, out.Bytes())
		}
	})
}
