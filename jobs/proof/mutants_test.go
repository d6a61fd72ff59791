package proof_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/jobstest"
	"concilia/jobs/rules/catalogue"
	"concilia/store/ledger"
)

// days are dates by their names.
func days(names ...string) []ledger.Date {
	var all []ledger.Date
	for _, n := range names {
		all = append(all, proofDay(n))
	}
	return all
}

// shadows are the cases of so many receipts of a suppressed rule.
func shadows(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("RECEIVED_VALUE_MISMATCH E 0.00 card:2026-03-05:V%03d:X:1 shadow", i))
	}
	return all
}

func mutants() []mutant {
	return slices.Concat(
		feeMutants(), anticipationMutants(), simulatorMutants(), recordMutants(), receiptMutants(), splitMutants(), slipMutants(), slipListMutants(),
		runMutants(), closeMutants(), webhookMutants(),
	)
}

// unreached are the rules that no data can make fire, each with the reason.
var unreached = map[string]string{}

// The places a defect is put into. Answers are JSON that the program's own client reads, without a socket between them;
// notifications are posted to its own receiver. What only a fault of the program or of the disk can cause is forged: in the
// tables of the ledger, or in the sums a report is held against.
const (
	inAnswers       = "answers"
	inNotifications = "notifications"
	inLedger        = "ledger"
	inSums          = "sums"
)

// Recall: of everything that can be wrong, alone in a world that is right, the rule that is there for it says so, of
// that very subject, with what it costs; and nothing else is said but what follows from it.
func TestRecall(t *testing.T) {
	t.Parallel()
	all := mutants()
	found := map[string]map[string]int{"sqlite": {}, "postgres": {}}
	places := make([]string, len(all))
	lived := map[string]int{}
	var mu sync.Mutex
	suite := func(t *testing.T, on jobstest.Database) {
		for i, m := range all {
			t.Run(m.code+" "+m.says, func(t *testing.T) {
				t.Parallel()
				if jobstest.Raced && i%48 != 0 {
					t.Skip("a lab does one thing at a time: the race detector watches one mutant of four dozen")
				}
				ok, place := m.found(t, on)
				mu.Lock()
				defer mu.Unlock()
				places[i] = place
				if lived[on.Name]++; ok {
					found[on.Name][m.code]++
				}
			})
		}
	}
	t.Run("sqlite", func(t *testing.T) { suite(t, jobstest.OnSQLite().Below(t)) })
	t.Run("postgres", func(t *testing.T) { suite(t, jobstest.OnPostgres().Below(t)) })
	if lived["sqlite"] < len(all) || lived["postgres"] < len(all) {
		recallTable(t, all, places, found)
		t.Skip("the table is of every mutant on both databases")
	}
	jobstest.CompareGolden(t, "recall.golden", recallTable(t, all, places, found))
}

// found lives the mutant's mornings and compares the cases. It also says where the defect was put, as it was seen to be.
func (m *mutant) found(t *testing.T, on jobstest.Database) (ok bool, place string) {
	l := newLab(t, on)
	l.tell = m.tell
	if m.setup != nil {
		m.setup(l)
	}
	l.nights(max(1, m.nights), m.edit)
	want := append([]string{m.code + " " + m.want}, m.also...)
	slices.Sort(want)
	got := l.standing()
	if m.after != nil {
		got = append(got, m.after(l)...)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("wanted (-) and found (+) differ:\n%s", diff)
	}
	switch {
	case l.forged:
		place = inLedger
	case m.after != nil:
		place = inSums
	case m.tell:
		place = inNotifications
	default:
		place = inAnswers
	}
	return slices.Contains(got, m.code+" "+m.want), place
}

// recallTable is what is published: a line a rule, in the order of the catalogue. It fails for a rule without a mutant.
func recallTable(t *testing.T, all []mutant, places []string, found map[string]map[string]int) string {
	by, puts, put := map[string][]mutant{}, map[string]map[string]bool{}, map[string]int{}
	for i, m := range all {
		by[m.code] = append(by[m.code], m)
		if puts[m.code] == nil {
			puts[m.code] = map[string]bool{}
		}
		puts[m.code][places[i]] = true
		put[places[i]]++
	}
	var b strings.Builder
	const layout = "%-38s %8s %8s %8s  %-13s  %-9s %s\n"
	fmt.Fprintf(&b, layout, "code", "mutants", "sqlite", "postgres", "put into", "severity", "impact")
	total, hit := 0, map[string]int{}
	for _, r := range catalogue.All() {
		of := by[r.Code]
		delete(by, r.Code)
		if len(of) == 0 {
			if unreached[r.Code] == "" {
				t.Errorf("%s has no mutant: nothing shows that it finds what it is there for; add one to a list of mutants, such as recordMutants of mutants_cards_test.go", r.Code)
			}
			fmt.Fprintf(&b, layout, r.Code, "-", "-", "-", "-", "-", unreached[r.Code])
			continue
		}
		if unreached[r.Code] != "" {
			t.Errorf("%s has a mutant and is said to have none", r.Code)
		}
		severities, impacts := map[string]bool{}, []string{}
		for _, m := range of {
			parts := strings.Fields(m.want)
			severities[parts[0]] = true
			if !slices.Contains(impacts, parts[1]) {
				impacts = append(impacts, parts[1])
			}
		}
		total += len(of)
		for name := range found {
			hit[name] += found[name][r.Code]
		}
		fmt.Fprintf(&b, layout, r.Code, fmt.Sprint(len(of)), fmt.Sprint(found["sqlite"][r.Code]), fmt.Sprint(found["postgres"][r.Code]),
			strings.Join(slices.Sorted(maps.Keys(puts[r.Code])), ","), strings.Join(slices.Sorted(maps.Keys(severities)), ","), strings.Join(impacts, ", "))
	}
	for code := range by {
		t.Errorf("%s has mutants and is no rule", code)
	}
	fmt.Fprintf(&b, layout, fmt.Sprint(len(catalogue.All()), " rules"), fmt.Sprint(total), fmt.Sprint(hit["sqlite"]), fmt.Sprint(hit["postgres"]), "", "", "")
	for _, place := range []string{inAnswers, inNotifications, inLedger, inSums} {
		fmt.Fprintf(&b, layout, "put into "+place, fmt.Sprint(put[place]), "", "", "", "", "")
	}
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(b.String(), "")
}
