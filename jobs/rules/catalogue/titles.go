package catalogue

import (
	"cmp"
	"strings"

	"concilia/store/ledger"
)

// Title is the name of a rule in plain words, in "pt-BR" or else in English; empty for an unknown code.
func Title(code, lang string) string { return textsOf(code).Title.inLanguage(languageOf(lang)) }

// PlainText is a finding in plain words: its title, who takes the next step, and the step.
type PlainText struct{ Title, Owner, Next string }

// PlainWords returns the words for a rule that owns a bracket; false for any other code.
func (v Voice) PlainWords(code string) (PlainText, bool) {
	of := textsOf(code)
	if of.Owner == "" {
		return PlainText{}, false
	}
	return PlainText{Title: Title(code, v.Language), Owner: v.fillService(words().Owners[of.Owner]), Next: v.fillService(of.Next)}, true
}

// OwnerKeys are the words that OwnerKey has.
func OwnerKeys() []string { return []string{"service", "shop", "finance", "contract"} }

// OwnerKey is who takes the next step of a case, by the catalogue's word: service, shop, finance or contract; empty where it has none.
func OwnerKey(f *ledger.Finding) string {
	if f.State == ledger.Disputed {
		return "finance"
	}
	of := textsOf(f.Code)
	return cmp.Or(of.OwnerByHint[f.Hint], of.Owner)
}

// NextStep returns the words of PlainWords for a case: one in dispute is claimed already, so that its next step is to follow the
// dispute up; by one in the merchant's favour nothing is claimed. False where the catalogue has no next step.
func (v Voice) NextStep(f ledger.Finding) (PlainText, bool) {
	w, ok := v.PlainWords(f.Code)
	of := textsOf(f.Code)
	if other := of.OwnerByHint[f.Hint]; other != "" {
		w.Owner = v.fillService(words().Owners[other])
	}
	if f.Impact.V < 0 {
		if settle, found := words().OwnersInFavour[OwnerKey(&f)]; found {
			w.Owner = v.fillService(settle)
		}
		if of.NextInFavour != (text{}) {
			w.Next = v.fillService(of.NextInFavour)
		}
	}
	if f.State != ledger.Disputed {
		return w, ok
	}
	t := v.language()
	return PlainText{
		Title: Title(f.Code, v.Language),
		Owner: words().Owners["finance"].inLanguage(t),
		Next:  fillPlaceholders(words().Dispute.inLanguage(t), map[string]string{"reference": f.Reference}),
	}, true
}

// DescribeSentence returns what a case of the rule says, with … in the place of each of its figures; empty for an unknown code.
func (v Voice) DescribeSentence(code string) string {
	whole := strings.NewReplacer("[", "", "]", "").Replace(textsOf(code).Sentence.inLanguage(v.language()))
	return strings.ReplaceAll(fillPlaceholders(whole, v.addServiceWords(nil)), "–", "…") // the dash of an unknown figure
}
