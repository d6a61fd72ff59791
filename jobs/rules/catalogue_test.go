package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"concilia/jobs/rules"
	"concilia/jobs/rules/catalogue"
	"concilia/jobs/rules/deposits"
	"concilia/jobs/rules/shops"
	"concilia/store/ledger"
)

func TestCatalogue(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range catalogue.Whole() {
		if seen[r.Code] {
			t.Errorf("%s is declared twice", r.Code)
		}
		seen[r.Code] = true
		if r.Version < 1 || r.Family == "" || r.Subject == "" || r.Tier == "" {
			t.Errorf("%s is not declared whole", r.Code)
		}
		for _, s := range append([]ledger.Severity{r.Severity}, r.Grades...) {
			if s.Rank() > ledger.Info.Rank() {
				t.Errorf("%s: severity %q", r.Code, s)
			}
		}
		page := catalogue.Show(r.Code)
		for _, want := range []string{r.Code, r.Family, catalogue.Voice{}.DescribeTrigger(r.Code)} {
			if !strings.Contains(page, want) {
				t.Errorf("the page of %s lacks %q", r.Code, want)
			}
		}
	}
	if catalogue.Show("NO_SUCH_RULE") != "" {
		t.Error("a page for a rule that does not exist")
	}
}

// Every owner of a line is a rule with an impact, and every rule with an impact owns a line.
func TestOwnersAreRulesWithAnImpact(t *testing.T) {
	t.Parallel()
	owns := map[string]bool{}
	for _, o := range slices.Concat(catalogue.CardOwners(), catalogue.SlipOwners(), deposits.Owners(), shops.Owners()) {
		for _, code := range o.Owners {
			owns[code] = true
			if r, ok := catalogue.Find(code); !ok || !r.HasImpact() {
				t.Errorf("%s owns %s and has no impact", code, o.Line)
			}
			if want := string(o.Line) + ": " + strings.Join(o.Owners, " > "); !strings.Contains(catalogue.Show(code), want) {
				t.Errorf("the page of %s does not say %q", code, want)
			}
		}
	}
	for _, r := range catalogue.Whole() {
		if r.HasImpact() != owns[r.Code] {
			t.Errorf("%s: impact %v, owner %v", r.Code, r.HasImpact(), owns[r.Code])
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	tolerance := func(text string) rules.Setting {
		return rules.Setting{Tolerance: ledger.Some(decimal.RequireFromString(text))}
	}
	for _, c := range []struct {
		says string
		s    rules.Settings
		err  string
	}{
		{"money tolerance", rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("0.05")}, ""},
		{"four decimals of a real", rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("0.0001")}, ""},
		{"points tolerance", rules.Settings{"MDR_RATE_MISMATCH": tolerance("0.01")}, ""},
		{"six decimals of a point", rules.Settings{"MDR_RATE_MISMATCH": tolerance("0.000001")}, ""},
		{"no tolerance at all", rules.Settings{"MDR_RATE_MISMATCH": tolerance("0")}, ""},
		{"grace", rules.Settings{"RECEIVED_OVERDUE": {Grace: ledger.Some(3)}}, ""},
		{"severity", rules.Settings{"RECEIVED_LATE": {Severity: ledger.Error}}, ""},
		{"no such rule", rules.Settings{"RECEIVED_LAT": {}}, "rules.RECEIVED_LAT: no such rule; rules list names them"},
		{"no such severity", rules.Settings{"RECEIVED_LATE": {Severity: "X"}}, `rules.RECEIVED_LATE.severity "X": C, E, W or I`},
		{"negative grace", rules.Settings{"RECEIVED_OVERDUE": {Grace: ledger.Some(-1)}}, `rules.RECEIVED_OVERDUE.grace "-1": 0 to 90 days`},
		{
			"five decimals of a real",
			rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("0.00001")},
			`rules.MDR_AMOUNT_MISMATCH.tolerance "0.00001": more than 4 decimals: reais from 0, such as 0.01`,
		},
		{
			"seven decimals of a point",
			rules.Settings{"MDR_RATE_MISMATCH": tolerance("0.0000001")},
			`rules.MDR_RATE_MISMATCH.tolerance "0.0000001": more than 6 decimals: percentage points from 0, such as 0.005`,
		},
		{
			"below zero",
			rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("-1")},
			`rules.MDR_AMOUNT_MISMATCH.tolerance "-1": reais from 0, such as 0.01`,
		},
		{
			"more than there is",
			rules.Settings{"MDR_AMOUNT_MISMATCH": tolerance("1e13")},
			`rules.MDR_AMOUNT_MISMATCH.tolerance "10000000000000": beyond 1000000000000: reais from 0, such as 0.01`,
		},
	} {
		err := c.s.Check(catalogue.All())
		if (err == nil) != (c.err == "") || err != nil && err.Error() != c.err {
			t.Errorf("%s: %v, want %q", c.says, err, c.err)
		}
	}
	both := rules.Settings{"A": {}, "B": {}}.Check(catalogue.All())
	if both == nil || !strings.Contains(both.Error(), "A:") || !strings.Contains(both.Error(), "B:") {
		t.Errorf("not every problem is told: %v", both)
	}
	// How a tolerance is spelled is no matter: the hash of the settings is in every manifest.
	if a, b := (rules.Settings{"X_Y": tolerance("0.050")}).Text(), (rules.Settings{"X_Y": tolerance("5e-2")}).Text(); a != b {
		t.Errorf("two texts of one tolerance: %q, %q", a, b)
	}
}
