package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// documented is the sample of the service's documentation: visa, net 1000.00, reproduced by an MDR of 2.34 % for one
// installment, 2.90 % for two to six and 3.50 % for seven to twelve, and by anticipation of 1.09 % a month.
var documented = []string{
	"1035.24", "1046.98", "1052.82", "1058.72", "1064.68", "1070.71", "1083.51", "1089.72", "1096.00", "1102.36", "1108.78", "1115.29",
}

const documentedContract = `contracts:
  - account: 1001
    valid_from: 2024-01-01
    rates:
      - {brand: visa, product: credit, installments: 1, mdr: 2.34, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}
      - {brand: visa, product: credit, installments: 2-6, mdr: 2.90, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}
      - {brand: visa, product: credit, installments: 7-12, mdr: 3.50, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09}
    settlement: {credit: D+30}
`

// withoutAnticipation is what the sample would be by MDR alone.
var withoutAnticipation = []string{
	"1023.96", "1029.87", "1029.87", "1029.87", "1029.87", "1029.87", "1036.27", "1036.27", "1036.27", "1036.27", "1036.27", "1036.27",
}

func simulationOf(gross []string) *ledger.Simulation {
	s := &ledger.Simulation{Brand: "visa", Net: reais("1000")}
	for i, g := range gross {
		s.Options = append(s.Options, ledger.SimulatedOption{Installments: i + 1, Gross: reais(g)})
	}
	return s
}

// raised is a copy in which one option, counted from one, is charged otherwise.
func raised(gross []string, option int, to string) []string {
	out := append([]string(nil), gross...)
	out[option-1] = to
	return out
}

// practisedOf are credit installments of sales in so many, at an MDR in percent, with anticipation at a rate a month when
// that is not empty.
func practisedOf(e *rules.Env, many, installments int, mdr, anticipation string) *cards.Practised {
	p := &cards.Practised{}
	for range many {
		v := *second(func(i *ledger.Installment) {
			i.Count, i.MDR = installments, some(mdr)
			if anticipation != "" {
				i.Anticipation, i.AnticipationRate = some("1"), pct(anticipation)
			}
		})(rows())[1].Current()
		p.Add(e, &v)
	}
	return p
}

// What the simulator charges is held to the contract, option by option.
func TestSimulatorAgainstTheContract(t *testing.T) {
	t.Parallel()
	never := func() (*cards.Practised, error) {
		return nil, fmt.Errorf("what was practised is not asked for where the contract has a line")
	}
	for _, c := range []struct {
		says     string
		contract string
		gross    []string
		fired    string // the options that fire
		passed   int
	}{
		{"the documented sample and the rates that make it", documentedContract, documented, "", 12},
		{"six installments a tenth of a point dearer", documentedContract, raised(documented, 6, "1071.91"), "6", 11},
		{"six installments a tenth of a point cheaper", documentedContract, raised(documented, 6, "1069.50"), "6", 11},
		{"six installments within 0.05 point", documentedContract, raised(documented, 6, "1071.20"), "", 12},
		{"another MDR agreed for one installment", strings.Replace(documentedContract, "mdr: 2.34", "mdr: 2.50", 1), documented, "1", 11},
		{"another anticipation agreed for two to six", strings.Replace(documentedContract, "2.90, transaction_fee: 0.10, antifraud_fee: 0.30, anticipation: 1.09", "2.90, anticipation: 1.19", 1), documented, "2 3 4 5 6", 7},
		{"a simulator that leaves anticipation out of every option", documentedContract, withoutAnticipation, "", 12},
		{"which charges a point more on one", documentedContract, raised(withoutAnticipation, 3, "1040.60"), "3", 11},
		{"anticipation was not agreed, and the simulator charges it", strings.ReplaceAll(documentedContract, ", anticipation: 1.09", ""), documented, "", 0},
		{"anticipation was not agreed, and the simulator charges none", strings.ReplaceAll(documentedContract, ", anticipation: 1.09", ""), withoutAnticipation, "", 12},
		{"a thirteenth option is left alone", documentedContract, append(append([]string(nil), documented...), "2000.00"), "", 12},
	} {
		e := world{contract: c.contract}.env(t)
		got, err := cards.EvaluateSimulation(e, simulationOf(c.gross), never)
		if err != nil {
			t.Fatal(err)
		}
		fired, passed := []string{}, 0
		for i, o := range got {
			if want := fmt.Sprintf("option:1001:visa:%d", i+1); o.Subject != want {
				t.Errorf("%s: subject %s, want %s", c.says, o.Subject, want)
			}
			switch o.Status {
			case fires:
				fired = append(fired, fmt.Sprint(i+1))
				told(t, cards.SimulatorDrift, o.Outcome)
			case passes, within:
				passed++
			}
		}
		if strings.Join(fired, " ") != c.fired || passed != c.passed {
			t.Errorf("%s: %v fire and %d pass, want %s and %d", c.says, fired, passed, c.fired, c.passed)
		}
	}
}

// Without a contract line the simulator is held to what thirty installments of the last days cost, or more.
func TestSimulatorAgainstWhatWasPractised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says         string
		rows         int
		mdr          string
		anticipation string
		gross        []string
		want         rules.Status // of two installments
	}{
		{"the same cost, anticipated", 30, "2.90", "1.09", documented, passes},
		{"29 installments are too few", 29, "2.90", "1.09", documented, rules.NotEvaluable},
		{"an MDR that was lower", 30, "2.49", "1.09", documented, fires},
		{"an MDR that was higher", 30, "3.10", "1.09", documented, fires},
		{"an anticipation that was cheaper", 30, "2.90", "0.99", documented, fires},
		{"nothing was anticipated, and the simulator charges no anticipation", 30, "2.90", "", withoutAnticipation, passes},
		{"nothing was anticipated, and the rest may be anticipation", 30, "2.90", "", documented, rules.NotEvaluable},
		{"nothing was anticipated, and the simulator charges less than the MDR", 30, "4.90", "", documented, fires},
	} {
		e := world{contract: "none"}.env(t)
		p := practisedOf(e, c.rows, 2, c.mdr, c.anticipation)
		got, err := cards.EvaluateSimulation(e, simulationOf(c.gross), func() (*cards.Practised, error) { return p, nil })
		if err != nil {
			t.Fatal(err)
		}
		o := got[1]
		if o.Status == within {
			o.Status = passes
		}
		if o.Status != c.want {
			t.Errorf("%s: status %d, want %d (expected %s, actual %s)", c.says, o.Status, c.want, o.Expected.Text, o.Actual.Text)
		}
		if got[2].Status != rules.NotEvaluable {
			t.Errorf("%s: three installments, of which none were sold: status %d", c.says, got[2].Status)
		}
	}
}

// Only live credit installments whose words are known say what is practised.
func TestWhatIsPractised(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says   string
		change func(*ledger.Installment)
		counts bool
	}{
		{"an open one", func(*ledger.Installment) {}, true},
		{"not a debit", func(i *ledger.Installment) { i.CardType = "DEBIT" }, false},
		{"not a cancelled one", func(i *ledger.Installment) { i.Status = "Cancelada" }, false},
		{"not one of a status that is not in the mapping", func(i *ledger.Installment) { i.Status = "Xyz" }, false},
		{"not one of another brand", func(i *ledger.Installment) { i.CardName = "ELO" }, false},
		{"not one of a brand that is not in the mapping", func(i *ledger.Installment) { i.CardName = "Xyz" }, false},
	} {
		e := world{contract: "none"}.env(t)
		p := &cards.Practised{}
		for range 30 {
			v := *second(c.change)(rows())[1].Current()
			v.MDR = some("2.90")
			p.Add(e, &v)
		}
		got, err := cards.EvaluateSimulation(e, simulationOf(withoutAnticipation), func() (*cards.Practised, error) { return p, nil })
		if err != nil {
			t.Fatal(err)
		}
		if counted := got[2].Status != rules.NotEvaluable; counted != c.counts {
			t.Errorf("%s: counted %v", c.says, counted)
		}
	}
}

// The cost follows the formula of anticipation that the profile names.
func TestSimulatorFollowsTheProfile(t *testing.T) {
	t.Parallel()
	flat := world{contract: documentedContract, change: func(o *rules.Options) { o.Profile.Anticipation.Formula = agreements.AnticipationFlat }}.env(t)
	// 1 % flat on what 2.34 % leave: 1000 / (0.9766 × 0.9891).
	got, err := cards.EvaluateSimulation(flat, simulationOf([]string{"1035.24"}), nil)
	if err != nil || got[0].Status == fires {
		t.Errorf("one installment, flat: status %d, error %v", got[0].Status, err)
	}
	// Of two installments flat takes 1.09 %, simple a month and a half.
	got, err = cards.EvaluateSimulation(flat, simulationOf(documented[:2]), nil)
	if err != nil || got[1].Status != fires {
		t.Errorf("two installments, flat: status %d, error %v", got[1].Status, err)
	}
}

func TestSimulatorSentence(t *testing.T) {
	t.Parallel()
	e := world{contract: documentedContract}.env(t)
	agreed, err := cards.EvaluateSimulation(e, simulationOf(raised(documented, 6, "1071.91")), nil)
	if err != nil {
		t.Fatal(err)
	}
	e = world{contract: "none"}.env(t)
	p := practisedOf(e, 31, 2, "2.49", "1.09")
	measured, err := cards.EvaluateSimulation(e, simulationOf(documented), func() (*cards.Practised, error) { return p, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o      cards.OptionOutcome
		en, pt string
	}{
		{
			agreed[5],
			"The settlement simulator charges 6.7085 % of a visa sale in 6 installments; the contract's MDR of 2.90 % and anticipation of 1.09 % a month come to 6.6022 %.",
			"O simulador de liquidação cobra 6,7085% de uma venda visa em 6 parcelas; o MDR de 2,90% do contrato e a antecipação de 1,09% ao mês dão 6,6022%.",
		},
		{
			measured[1],
			"The settlement simulator charges 4.4871 % of a visa sale in 2 installments; MDR of 2.49 % in the last 30 days (31 installments) and anticipation of 1.09 % a month come to 4.0831 %.",
			"O simulador de liquidação cobra 4,4871% de uma venda visa em 2 parcelas; o MDR de 2,49% dos últimos 30 dias (31 parcelas) e a antecipação de 1,09% ao mês dão 4,0831%.",
		},
	} {
		f := ledger.Finding{Code: cards.SimulatorDrift, Expected: c.o.Expected, Actual: c.o.Actual, Numbers: c.o.Numbers}
		for lang, want := range map[string]string{"en": c.en, "pt-BR": c.pt} {
			if got := (catalogue.Voice{Language: lang}).Explain(f); got != want {
				t.Errorf("%s:\n%s\nwant\n%s", lang, got, want)
			}
		}
	}
}
