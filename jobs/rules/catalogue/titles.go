package catalogue

import (
	"concilia/store/ledger"
)

// Title is the name of a rule in plain words, in "pt-BR" or else in English; empty for an unknown code.
func Title(code, lang string) string { return textsOf(code).Title.inLanguage(languageOf(lang)) }

// PlainText is a finding in plain words: its title, who takes the next step, and the step.
type PlainText struct{ Title, Owner, Next string }

// PlainWords returns the words for a rule that owns a bracket, in "pt-BR" or else in English; false for any other code.
func PlainWords(code, lang string) (PlainText, bool) {
	t, of := languageOf(lang), textsOf(code)
	if of.Owner == "" {
		return PlainText{}, false
	}
	return PlainText{Title: of.Title.inLanguage(t), Owner: words().Owners[of.Owner].inLanguage(t), Next: of.Next.inLanguage(t)}, true
}

// NextStep returns the words of PlainWords for a case: one in dispute is claimed already, so that its next step is to follow the
// dispute up. False where the catalogue has no next step.
func NextStep(f ledger.Finding, lang string) (PlainText, bool) {
	w, ok := PlainWords(f.Code, lang)
	if f.State != ledger.Disputed {
		return w, ok
	}
	t := languageOf(lang)
	return PlainText{
		Title: Title(f.Code, lang),
		Owner: words().Owners["finance"].inLanguage(t),
		Next:  fillPlaceholders(words().Dispute.inLanguage(t), map[string]string{"reference": f.Reference}),
	}, true
}
