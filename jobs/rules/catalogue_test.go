package rules_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"concilia/jobs/rules"
	"concilia/store/ledger"
)

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

func TestCatalogue(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range rules.All() {
		if seen[r.Code] {
			t.Errorf("%s is declared twice", r.Code)
		}
		seen[r.Code] = true
		if r.Version < 1 || r.Family == "" || r.Eligible == "" || r.Fires == "" || r.Subject == "" || r.Tier == "" {
			t.Errorf("%s is not declared whole", r.Code)
		}
		for _, s := range append([]ledger.Severity{r.Severity}, r.Grades...) {
			if s.Rank() > ledger.Info.Rank() {
				t.Errorf("%s: severity %q", r.Code, s)
			}
		}
		en, pt := placeholder.FindAllString(r.Text.En, -1), placeholder.FindAllString(r.Text.Pt, -1)
		slices.Sort(en)
		slices.Sort(pt)
		if r.Text.En == "" || r.Text.Pt == "" || !slices.Equal(slices.Compact(en), slices.Compact(pt)) {
			t.Errorf("%s: the sentences name %v and %v", r.Code, en, pt)
		}
		page := rules.Show(r.Code)
		for _, want := range []string{r.Code, r.Text.En, r.Text.Pt, r.Fires} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of %s lacks %q", r.Code, want)
			}
		}
	}
	if rules.Show("NO_SUCH_RULE") != "" {
		t.Error("a page for a rule that does not exist")
	}
}

// Every owner of a line is a rule with an impact, and every rule with an impact owns a line.
func TestOwnersAreRulesWithAnImpact(t *testing.T) {
	t.Parallel()
	owns := map[string]bool{}
	for _, o := range append(rules.CardOwners(), rules.SlipOwners()...) {
		for _, code := range o.Owners {
			owns[code] = true
			if r, ok := rules.Find(code); !ok || !r.HasImpact() {
				t.Errorf("%s owns %s and has no impact", code, o.Line)
			}
			if want := string(o.Line) + ": " + strings.Join(o.Owners, " > "); !strings.Contains(rules.Show(code), want) {
				t.Errorf("the page of %s does not say %q", code, want)
			}
		}
	}
	for _, r := range rules.All() {
		if r.HasImpact() != owns[r.Code] {
			t.Errorf("%s: impact %v, owner %v", r.Code, r.HasImpact(), owns[r.Code])
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		says string
		s    rules.Settings
		ok   bool
	}{
		{"money tolerance", rules.Settings{"MDR_AMOUNT_MISMATCH": {Tolerance: "0.05"}}, true},
		{"points tolerance", rules.Settings{"MDR_RATE_MISMATCH": {Tolerance: "0.01"}}, true},
		{"grace", rules.Settings{"RECEIVED_OVERDUE": {Grace: ledger.Some(3)}}, true},
		{"severity", rules.Settings{"RECEIVED_LATE": {Severity: ledger.Error}}, true},
		{"no such rule", rules.Settings{"RECEIVED_LAT": {}}, false},
		{"no such severity", rules.Settings{"RECEIVED_LATE": {Severity: "X"}}, false},
		{"negative grace", rules.Settings{"RECEIVED_OVERDUE": {Grace: ledger.Some(-1)}}, false},
		{"tolerance with a comma", rules.Settings{"MDR_AMOUNT_MISMATCH": {Tolerance: "0,05"}}, false},
	} {
		if err := c.s.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %v", c.says, err)
		}
	}
	both := rules.Settings{"A": {}, "B": {}}.Check()
	if both == nil || !strings.Contains(both.Error(), "A:") || !strings.Contains(both.Error(), "B:") {
		t.Errorf("not every problem is told: %v", both)
	}
}
