package catalogue

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"go.yaml.in/yaml/v3"

	"concilia/jobs/rules/runs"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

var placeholderName = regexp.MustCompile(`\{([a-z_]+)(:[^}]*)?\??\}`)

// checkText reports a text that is missing in one language, and one whose languages name different figures.
func checkText(t *testing.T, what string, s text) {
	t.Helper()
	if s.English == "" || s.Portuguese == "" {
		t.Errorf("%s: en %q, pt-BR %q", what, s.English, s.Portuguese)
	}
	var named [2][]string
	for i, in := range []string{s.English, s.Portuguese} {
		for _, m := range placeholderName.FindAllStringSubmatch(in, -1) {
			named[i] = append(named[i], m[1])
		}
		slices.Sort(named[i])
		named[i] = slices.Compact(named[i])
	}
	if !slices.Equal(named[0], named[1]) {
		t.Errorf("%s: en names %v, pt-BR %v", what, named[0], named[1])
	}
}

func TestEveryRuleHasItsTexts(t *testing.T) {
	t.Parallel()
	titles := map[string]string{}
	var codes []string
	for _, r := range All() {
		codes = append(codes, r.Code)
		of := textsOf(r.Code)
		checkText(t, r.Code+": title", of.Title)
		checkText(t, r.Code+": sentence", of.Sentence)
		if of.Eligible == "" || of.Fires == "" {
			t.Errorf("%s: eligible %q, fires %q", r.Code, of.Eligible, of.Fires)
		}
		for what, optional := range map[string]text{
			"formula": of.Formula, "next": of.Next, "ending": of.Ending, "ending_in_favour": of.EndingInFavour,
		} {
			if optional != (text{}) {
				checkText(t, r.Code+": "+what, optional)
			}
		}
		for _, title := range []string{of.Title.English, of.Title.Portuguese} {
			if other, taken := titles[title]; taken && other != r.Code {
				t.Errorf("%s and %s are both %q", r.Code, other, title)
			}
			titles[title] = r.Code
		}
		if _, known := words().Owners[of.Owner]; known != r.HasImpact() || (of.Next != text{}) != r.HasImpact() {
			t.Errorf("%s: owner %q, next step %q, but an impact is %v", r.Code, of.Owner, of.Next.English, r.HasImpact())
		}
	}
	var file yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(rulesFile)).Decode(&file); err != nil {
		t.Fatal(err)
	}
	var inFile []string
	for i := 0; i < len(file.Content[0].Content); i += 2 {
		inFile = append(inFile, file.Content[0].Content[i].Value)
	}
	if !slices.Equal(inFile, codes) {
		t.Errorf("rules.yaml has the codes\n%v\nthe catalogue\n%v", inFile, codes)
	}
	if Title("NO_RULE", "en") != "" || DescribeTrigger("NO_RULE") != "" {
		t.Error("a code that is no rule's has texts")
	}
}

func TestEveryWordIsInBothLanguages(t *testing.T) {
	t.Parallel()
	var walk func(what string, v reflect.Value)
	walk = func(what string, v reflect.Value) {
		switch s := v.Interface().(type) {
		case text:
			checkText(t, what, s)
		case map[string]text:
			if len(s) == 0 {
				t.Errorf("%s is empty", what)
			}
			for key, w := range s {
				checkText(t, what+" "+key, w)
			}
		default:
			for i := range v.NumField() {
				walk(what+" "+v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
	walk("words", reflect.ValueOf(*words()))
	for _, source := range []ledger.Source{ledger.Cards, ledger.SlipsDue, ledger.SlipsPayment, ledger.SlipsCredit, ledger.SlipDetail} {
		if words().Sources[string(source)] == (text{}) {
			t.Errorf("the source %s has no words", source)
		}
	}
	for _, id := range []string{
		runs.NotStated, runs.OutsidePeriod, runs.BasisOperation, runs.BasisCredit, slips.NotADocument, slips.DocumentWithLetters,
	} {
		if words().Values[id] == (text{}) {
			t.Errorf("the value %q has no words", id)
		}
	}
}

// A corrected file must not lose a text because of a misspelt key.
func TestMisspeltKeyIsRefused(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("accepted")
		}
	}()
	readTexts[map[string]ruleTexts]("rules.yaml", []byte("A:\n  titel: {en: a}\n"))
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
