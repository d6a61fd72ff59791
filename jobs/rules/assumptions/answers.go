package assumptions

import (
	"fmt"
	"slices"
	"strings"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// Verdict is what the rows say of a reading in force.
type Verdict string

// The verdicts.
const (
	Confirmed Verdict = "confirmed" // the reading in force fits, and clearly better than the others
	Better    Verdict = "better"    // another one does
	Undecided Verdict = "undecided" // the rows distinguish the candidates, but not clearly enough
	NoRows    Verdict = "no rows"   // no row distinguishes the candidates
)

// Decided says whether the rows settled the reading.
func (v Verdict) Decided() bool { return v == Confirmed || v == Better }

// Fit is how well one candidate reading fits.
type Fit struct {
	Value string // of each key in their order, between commas, where a question is of two
	Hits  int64  // of the rows that distinguish candidates
}

// Answer is the measured answer to one question: one key of the profile, or two that can only be measured together.
type Answer struct {
	Keys    []agreements.ProfileKey
	InForce []string // by key
	Rows    int64    // on which candidates give different values
	Fits    []Fit    // in the order of the profile file, the default first
	// Verdicts and Values are by key; the value in force where none was decided.
	Verdicts []Verdict
	Values   []string
	Why      string // of a verdict that decides nothing
}

// questionSpec is a question with its keys and candidates.
type questionSpec struct {
	question openQuestion
	keys     []agreements.ProfileKey
	values   [][]string // of each candidate, by key
	byUnit   bool       // it rests on the unit of rates
}

// listQuestions are the questions in the order they are decided.
func listQuestions() []questionSpec {
	one := func(q openQuestion, k agreements.ProfileKey, byUnit bool) questionSpec {
		a := questionSpec{question: q, keys: []agreements.ProfileKey{k}, byUnit: byUnit}
		for _, v := range k.Candidates() {
			a.values = append(a.values, []string{v})
		}
		return a
	}
	early := questionSpec{
		question: questionAnticipation, byUnit: true, keys: []agreements.ProfileKey{agreements.KeyAnticipationFormula, agreements.KeyAnticipationBase},
	}
	for _, a := range anticipationCandidates() {
		early.values = append(early.values, []string{string(a.Formula), string(a.Base)})
	}
	cut := questionSpec{question: questionDayCut, keys: []agreements.ProfileKey{agreements.KeyDayCut}}
	for _, zone := range DayCuts() {
		cut.values = append(cut.values, []string{zone})
	}
	return []questionSpec{
		one(questionUnit, agreements.KeyUnit, false),
		one(questionNetOfSplits, agreements.KeyNetOfSplits, false),
		one(questionFees, agreements.KeyFeeSpread, false),
		one(questionRounding, agreements.KeyMDRRounding, true),
		early,
		one(questionSplitBase, agreements.KeySplitBase, false),
		one(questionCoverage, agreements.KeySplitCoverage, false),
		one(questionPenalty, agreements.KeySlipPenalty, false),
		one(questionInterest, agreements.KeySlipInterest, false),
		cut,
		one(questionForecast, agreements.KeyForecast, false),
	}
}

// Answers returns the readings that the counts support, compared with those in force, in the order of the profile file.
// Each is measured under those decided before it; undecided ones stay as they are in force.
func (c *Calibration) Answers(inForce agreements.Profile) []Answer {
	var out []Answer
	unit := inForce.Unit
	for _, a := range listQuestions() {
		under := ledger.Unit(0)
		if a.byUnit {
			under = unit
		}
		ans := a.answerFrom(c.tallyOf(a.question, under), &inForce)
		if a.question == questionUnit && ans.Verdicts[0].Decided() {
			unit = rateUnits()[slices.Index(agreements.KeyUnit.Candidates(), ans.Values[0])]
		}
		out = append(out, ans)
	}
	return out
}

// answerFrom reads one tally.
func (a *questionSpec) answerFrom(t *tally, inForce *agreements.Profile) Answer {
	ans := Answer{Keys: a.keys, Rows: t.rows}
	for i := range a.values {
		ans.Fits = append(ans.Fits, Fit{Value: strings.Join(a.values[i], ", "), Hits: t.hits[i]})
	}
	left := t.findUnbeaten(len(a.values))
	for k, key := range a.keys {
		value, verdict := inForce.Value(key), Undecided
		ans.InForce = append(ans.InForce, value)
		switch {
		case t.rows == 0:
			verdict = NoRows
		case a.candidatesAgree(left, k):
			verdict = Confirmed
			if chosen := a.values[left[0]][k]; chosen != value {
				value, verdict = chosen, Better
			}
		}
		ans.Values, ans.Verdicts = append(ans.Values, value), append(ans.Verdicts, verdict)
	}
	if slices.Contains(ans.Verdicts, Undecided) {
		ans.Why = a.explainUndecided(t, left)
	}
	return ans
}

// candidatesAgree says whether the candidates that are left, some but not all, read key k alike.
func (a *questionSpec) candidatesAgree(left []int, k int) bool {
	if len(left) == 0 || len(left) == len(a.values) {
		return false
	}
	for _, i := range left {
		if a.values[i][k] != a.values[left[0]][k] {
			return false
		}
	}
	return true
}

// explainUndecided says what keeps the first of those left from being the answer.
func (a *questionSpec) explainUndecided(t *tally, left []int) string {
	name := func(i int) string { return strings.Join(a.values[i], ", ") }
	if len(left) < 2 { // each beaten by another: no data of one making do that
		return "the rows contradict each other"
	}
	i, j := left[0], left[1]
	apart := t.apart[i][j]
	switch {
	case apart < EnoughRows:
		return fmt.Sprintf("%d rows tell %s from %s, %d are needed", apart, name(i), name(j), EnoughRows)
	case t.right[i][j]*100 < apart*EnoughHits:
		return fmt.Sprintf("%s fits %d of %d rows, %d %% are needed", name(i), t.right[i][j], apart, EnoughHits)
	}
	return fmt.Sprintf("%s is within %d points of %s", name(j), ClearMargin, name(i))
}

// Withdraw withdraws a decision for a reason that the counts do not show: the reading stays as it is.
func (a *Answer) Withdraw(why string) {
	for i := range a.Verdicts {
		a.Verdicts[i], a.Values[i] = Undecided, a.InForce[i]
	}
	a.Why = why
}

// ApplyAnswers returns the profile with the decided answers.
func ApplyAnswers(p agreements.Profile, answers []Answer) (agreements.Profile, error) {
	for _, a := range answers {
		for i, key := range a.Keys {
			var err error
			switch {
			case !a.Verdicts[i].Decided():
			case key == agreements.KeyDayCut:
				p.DayCut = a.Values[i]
			default:
				if p, err = p.With(key, a.Values[i]); err != nil {
					return p, err
				}
			}
		}
	}
	return p, nil
}

// FitsBetter returns a function that gives, for the name of a reading, the answer that fits better than the one in
// force, as Doubt.Outcome expects it. It returns empty if the one in force fits or the reading was not decided.
func FitsBetter(answers []Answer) func(reading string) string {
	better := map[agreements.ProfileKey]string{}
	for _, a := range answers {
		for i, key := range a.Keys {
			if a.Verdicts[i] == Better {
				better[key] = a.Values[i]
			}
		}
	}
	return func(reading string) string {
		var parts []string
		for _, r := range Interpretations() {
			for _, key := range r.Keys {
				if v := better[key]; r.Name == reading && v != "" {
					parts = append(parts, v)
				}
			}
		}
		return strings.Join(parts, ", ")
	}
}
