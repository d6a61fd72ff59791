package rules

import "testing"

// Whatever may be a cause has words in both languages; nothing else has any.
func TestEveryCauseHasWords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range All() {
		for _, lang := range []string{"pt-BR", "en"} {
			w, ok := Plain(r.Code, lang)
			if ok != r.HasImpact() {
				t.Errorf("%s in %s: has words %v, has an impact %v", r.Code, lang, ok, r.HasImpact())
			}
			if ok && (w.Title == "" || w.Owner == "" || w.Next == "") {
				t.Errorf("%s in %s: %+v", r.Code, lang, w)
			}
		}
		seen[r.Code] = true
	}
	for i, w := range plainWords {
		if !seen[w.code] {
			t.Errorf("words for %s, which is no rule", w.code)
		}
		for _, o := range plainWords[:i] {
			if o.code == w.code || o.pt == w.pt || o.en == w.en {
				t.Errorf("%s and %s have the same words", o.code, w.code)
			}
		}
	}
}
