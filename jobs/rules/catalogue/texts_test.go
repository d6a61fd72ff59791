package catalogue

import (
	"bytes"
	"cmp"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"concilia/jobs/rules/runs"
	"concilia/jobs/rules/slips"
	"concilia/store/ledger"
)

var placeholderName = regexp.MustCompile(`\{([A-Za-z_]+)(:[^}]*)?\??\}`)

// formOf are the names of one figure in the forms of the two languages.
var formOf = map[string]string{"Service": "service", "of_service": "service", "to_service": "service", "at_service": "service", "provider": "service"}

// checkText reports a text that is missing in one language, and one whose languages name different figures.
func checkText(t *testing.T, what string, s text) {
	t.Helper()
	if s.English == "" || s.Portuguese == "" {
		t.Errorf("%s in rules.yaml: en %q, pt-BR %q", what, s.English, s.Portuguese)
	}
	var named [2][]string
	for i, in := range []string{s.English, s.Portuguese} {
		for _, m := range placeholderName.FindAllStringSubmatch(in, -1) {
			named[i] = append(named[i], cmp.Or(formOf[m[1]], m[1]))
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
	for _, r := range Whole() {
		codes = append(codes, r.Code)
		of := textsOf(r.Code)
		checkText(t, r.Code+": title", of.Title)
		checkText(t, r.Code+": sentence", of.Sentence)
		checkText(t, r.Code+": eligible", of.Eligible)
		checkText(t, r.Code+": fires", of.Fires)
		for what, optional := range map[string]text{
			"formula": of.Formula, "next": of.Next, "next in favour": of.NextInFavour, "ending": of.Ending, "ending_in_favour": of.EndingInFavour,
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
			t.Errorf("%s: owner %q and next %q in rules.yaml: a rule with an impact (%v) has both, one of words.yaml as owner, and no other rule has", r.Code, of.Owner, of.Next.English, r.HasImpact())
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
	if diff := gocmp.Diff(codes, inFile); diff != "" {
		t.Errorf("codes in the order of the catalogue (-) and in rules.yaml (+):\n%s", diff)
	}
	if Title("NO_RULE", "en") != "" || (Voice{}).DescribeTrigger("NO_RULE") != "" {
		t.Error("a code that is no rule's has texts")
	}
}

// What a rule looks at and when it fires used to be in English alone.
func TestRulesAreDescribedInTheirLanguage(t *testing.T) {
	t.Parallel()
	english := regexp.MustCompile(`\b(the|of|is|are|which|with|and|when|not|slips?|installments?)\b`)
	in := Voice{Language: "pt-BR"}
	for _, r := range Whole() {
		for _, text := range []string{Title(r.Code, "pt-BR"), in.DescribeScope(r.Code), in.DescribeTrigger(r.Code), in.DescribeSentence(r.Code)} {
			if word := english.FindString(text); text == "" || word != "" || regexp.MustCompile(`[{}\[\]]`).MatchString(text) {
				t.Errorf("%s: %q is not Portuguese: %q", r.Code, text, word)
			}
		}
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
		runs.NotStated, runs.OutsidePeriod, slips.NotADocument, slips.DocumentWithLetters,
	} {
		if words().Values[id] == (text{}) {
			t.Errorf("the value %q has no words", id)
		}
	}
	for _, basis := range []string{runs.BasisOperation, runs.BasisCredit} {
		if words().Bases[basis] == (text{}) {
			t.Errorf("the basis %q has no words", basis)
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
	for _, c := range []struct{ says, code, state, lang, service, owner, next string }{
		{"an open case", "RECEIVED_PARTIAL", "open", "pt-BR", "", "Cobrar de: operadora", "Cobrar da operadora o restante da parcela."},
		{"in English", "RECEIVED_PARTIAL", "open", "en", "", "Claim from: the service", "Claim the rest of the installment from the service."},
		{"of a service with a name", "RECEIVED_PARTIAL", "open", "pt-BR", "PagX", "Cobrar de: PagX", "Cobrar de PagX o restante da parcela."},
		{"with a name, in English", "RECEIVED_PARTIAL", "open", "en", "PagX", "Claim from: PagX", "Claim the rest of the installment from PagX."},
		{"who is asked for it", "SPLIT_BASE_MISMATCH", "open", "pt-BR", "PagX", "Cobrar de: PagX", "Pedir a PagX a base usada em cada parcela."},
		{"what finance does", "SLIP_OVERPAID", "open", "pt-BR", "PagX", "Quem faz: financeiro", "Devolver ao pagador ou reservar o valor."},
		{"a name that looks like a placeholder", "RECEIVED_PARTIAL", "open", "en", "{impact} [", "Claim from: {impact} [", "Claim the rest of the installment from {impact} [."},
		{"a disputed case", "RECEIVED_PARTIAL", "disputed", "pt-BR", "", "Quem faz: financeiro", "Acompanhar a contestação P-1 até a resposta."},
		{"in English, too", "RECEIVED_PARTIAL", "disputed", "en", "", "Done by: finance", "Follow dispute P-1 up until it is answered."},
		{"of a rule without advice", "RECEIVED_LATE", "disputed", "en", "", "Done by: finance", "Follow dispute P-1 up until it is answered."},
		{"a rule without advice", "RECEIVED_LATE", "open", "en", "", "", ""},
	} {
		step, ok := Voice{Language: c.lang, Service: c.service}.NextStep(ledger.Finding{Code: c.code, State: ledger.State(c.state), Reference: "P-1"})
		if step.Owner != c.owner || step.Next != c.next || ok != (c.next != "") {
			t.Errorf("%s: %+v, %t", c.says, step, ok)
		}
	}
}

// What the merchant received in excess is not claimed from the service: it is kept apart and settled.
func TestNothingIsClaimedByACaseInTheMerchantsFavour(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says, code string
		impact     ledger.Amount
		owner      string
		next       string
	}{
		{"received too little", "RECEIVED_VALUE_MISMATCH", 2_0000, "Cobrar de: operadora", "Pedir a composição do crédito e cobrar a diferença."},
		{"received too much", "RECEIVED_VALUE_MISMATCH", -2_0000, "Acertar com: operadora", "Pedir a composição do valor e reservá-lo: a operadora pode cobrá-lo de volta."},
		{"a rate below the contract's is the contracts' matter still", "MDR_RATE_MISMATCH", -1_0000, "Quem faz: contratos", "Pedir a composição do valor e reservá-lo: a operadora pode cobrá-lo de volta."},
		{"advice that fits either way stays", "SALE_CANCELLED_ONE_SIDE", -376_7300, "Acertar com: operadora", "Cancelar a venda no lado em que ela ainda vale."},
		{"what finance does in any case", "SLIP_OVERPAID", -10_0000, "Quem faz: financeiro", "Devolver ao pagador ou reservar o valor."},
	} {
		step, ok := Voice{Language: "pt-BR"}.NextStep(ledger.Finding{Code: c.code, State: ledger.Opened, Impact: ledger.Some(c.impact)})
		if step.Owner != c.owner || step.Next != c.next || !ok {
			t.Errorf("%s: %+v, %t", c.says, step, ok)
		}
	}
}

// Every owner of the catalogue is one that people choose cases by.
func TestOwnerKeysAreThoseOfTheCatalogue(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, r := range Whole() {
		of := textsOf(r.Code)
		used[of.Owner] = true
		for _, owner := range of.OwnerByHint {
			used[owner] = true
		}
	}
	delete(used, "") // of rules without a next step
	got := slices.Sorted(maps.Keys(used))
	if diff := gocmp.Diff(slices.Sorted(slices.Values(OwnerKeys())), got); diff != "" {
		t.Errorf("offered (-) and used (+):\n%s", diff)
	}
}
