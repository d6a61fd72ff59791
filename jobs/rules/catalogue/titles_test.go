package catalogue

import (
	"testing"
)

// A page lists any rule that was not evaluated: each has a title of its own in both languages, once.
func TestEveryRuleHasATitle(t *testing.T) {
	t.Parallel()
	rules := map[string]bool{}
	for _, lang := range []string{"pt-BR", "en"} {
		of := map[string]string{}
		for _, r := range All() {
			rules[r.Code] = true
			title := Title(r.Code, lang)
			if title == "" {
				t.Errorf("%s has no title in %s", r.Code, lang)
			}
			if other := of[title]; other != "" {
				t.Errorf("%s and %s are both %q", r.Code, other, title)
			}
			of[title] = r.Code
		}
	}
	for _, w := range titles {
		if _, twice := PlainWords(w.code, "en"); !rules[w.code] || twice {
			t.Errorf("%s is no rule, or has its words among the causes", w.code)
		}
	}
	if got := Title("NO_RULE", "en"); got != "" {
		t.Errorf("a code that is no rule's is %q", got)
	}
}
