package catalogue

import (
	"testing"

	"concilia/store/ledger"
)

// Whatever may be a cause has words in both languages; nothing else has any.
func TestEveryCauseHasWords(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range All() {
		for _, lang := range []string{"pt-BR", "en"} {
			w, ok := PlainWords(r.Code, lang)
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

// A case in dispute is claimed already: its next step is to follow the dispute up, whatever the rule advises else.
func TestNextStepOfADispute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ says, code, state, lang, owner, next string }{
		{"an open case", "RECEIVED_PARTIAL", "open", "pt-BR", "Serviço", "Cobrar do serviço o restante da parcela."},
		{"a disputed case", "RECEIVED_PARTIAL", "disputed", "pt-BR", "Financeiro", "Acompanhar a contestação P-1 até a resposta."},
		{"in English", "RECEIVED_PARTIAL", "disputed", "en", "Finance", "Follow dispute P-1 up until it is answered."},
		{"of a rule without advice", "RECEIVED_LATE", "disputed", "en", "Finance", "Follow dispute P-1 up until it is answered."},
		{"a rule without advice", "RECEIVED_LATE", "open", "en", "", ""},
	} {
		step, ok := NextStep(ledger.Finding{Code: c.code, State: ledger.State(c.state), Reference: "P-1"}, c.lang)
		if step.Owner != c.owner || step.Next != c.next || ok != (c.next != "") {
			t.Errorf("%s: %+v, %t", c.says, step, ok)
		}
	}
}
