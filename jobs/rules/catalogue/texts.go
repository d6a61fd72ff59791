package catalogue

import (
	"bytes"
	_ "embed"
	"fmt"
	"sync"

	"go.yaml.in/yaml/v3"
)

// language is a language with its way of writing numbers.
type language int

const (
	english    language = iota // 1,829.35
	portuguese                 // 1.829,35
)

// name is the language as messages know it.
func (t language) name() string {
	if t == english {
		return "en"
	}
	return "pt-BR"
}

// languageOf is Portuguese, or else English.
func languageOf(lang string) language {
	if lang == "pt-BR" {
		return portuguese
	}
	return english
}

// text is the same text in both languages, with placeholders.
type text struct {
	English    string `yaml:"en"`
	Portuguese string `yaml:"pt-BR"`
}

func (s text) inLanguage(t language) string {
	if t == portuguese {
		return s.Portuguese
	}
	return s.English
}

// ruleTexts are the texts of one rule; rules.yaml describes them.
type ruleTexts struct {
	Title    text   `yaml:"title"`
	Eligible text   `yaml:"eligible"`
	Fires    text   `yaml:"fires"`
	Sentence text   `yaml:"sentence"`
	Formula  text   `yaml:"formula"`
	Owner    string `yaml:"owner"`
	// OwnerByHint names who else it is, by the hint of a case.
	OwnerByHint    map[string]string `yaml:"owner_by_hint"`
	Next           text              `yaml:"next"`
	NextInFavour   text              `yaml:"next_in_favour"`
	Ending         text              `yaml:"ending"`
	EndingInFavour text              `yaml:"ending_in_favour"`
}

// commonWords are the words of words.yaml.
type commonWords struct {
	Service struct {
		Unnamed map[string]text `yaml:"unnamed"`
		Named   map[string]text `yaml:"named"`
	} `yaml:"service"`
	Owners map[string]text `yaml:"owners"`
	// OwnersInFavour are the words for the owners of cases in the merchant's favour, where they differ.
	OwnersInFavour map[string]text `yaml:"owners_in_favour"`
	Dispute        text            `yaml:"dispute"`
	Endings        struct {
		Pending       text `yaml:"pending"`
		Explained     text `yaml:"explained"`
		InFavour      text `yaml:"in_favour"`
		Lost          text `yaml:"lost"`
		WithoutImpact text `yaml:"without_impact"`
	} `yaml:"endings"`
	Formulas struct {
		Amounts text `yaml:"amounts"`
		Dates   text `yaml:"dates"`
		Texts   text `yaml:"texts"`
	} `yaml:"formulas"`
	Sources map[string]text `yaml:"sources"`
	Values  map[string]text `yaml:"values"`
	Bases   map[string]text `yaml:"bases"`
	Members map[string]text `yaml:"members"`
	Codes   map[string]text `yaml:"codes"`
	Checks  map[string]text `yaml:"checks"`
	Split   text            `yaml:"split_member"`
	Faults  map[string]text `yaml:"faults"`
	More    text            `yaml:"more"`
}

var (
	//go:embed rules.yaml
	rulesFile []byte
	//go:embed words.yaml
	wordsFile []byte
)

// textsByCode are the texts of rules.yaml; they must not be changed.
var textsByCode = sync.OnceValue(func() map[string]ruleTexts { return readTexts[map[string]ruleTexts]("rules.yaml", rulesFile) })

// words are those of words.yaml; they must not be changed.
var words = sync.OnceValue(func() *commonWords {
	w := readTexts[commonWords]("words.yaml", wordsFile)
	return &w
})

// readTexts reads an embedded file. A key that the program does not use is a spelling mistake.
func readTexts[T any](name string, content []byte) T {
	var out T
	d := yaml.NewDecoder(bytes.NewReader(content))
	d.KnownFields(true)
	if err := d.Decode(&out); err != nil {
		panic(fmt.Sprintf("%s of the catalogue: %v", name, err)) // part of the program: its tests read it
	}
	return out
}

// textsOf are the texts of a rule, all empty for an unknown code.
func textsOf(code string) ruleTexts { return textsByCode()[code] }
