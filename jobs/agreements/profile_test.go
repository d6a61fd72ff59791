package agreements_test

import (
	"strings"
	"testing"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

func TestProfile(t *testing.T) {
	t.Parallel()
	got, err := agreements.ParseProfile("profile.yaml", []byte(`
rate_unit: fraction
received_net_of_splits: true
fee_spread: first
mdr_rounding: sale
anticipation: {formula: compound, base: gross}
split: {base: gross, coverage: whole}
slip: {penalty: fixed, interest: daily_fixed}
day_cut: UTC
forecast: raw
`))
	if err != nil {
		t.Fatal(err)
	}
	want := agreements.Profile{
		Unit: ledger.Fraction, NetOfSplits: true, FeeSpread: agreements.FeesOnFirst, MDRRounding: agreements.MDRPerSale,
		Anticipation: agreements.AnticipationInterpretation{Formula: agreements.AnticipationCompound, Base: agreements.AnticipationOnGross},
		Split:        agreements.SplitInterpretation{Base: agreements.SplitOfGross, Coverage: agreements.SplitWhole},
		Slip:         agreements.SlipInterpretation{Penalty: agreements.PenaltyFixed, Interest: agreements.InterestDailyFixed},
		DayCut:       "UTC", Forecast: agreements.ForecastRaw,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	again, err := agreements.ParseProfile("profile.yaml", got.Text())
	if err != nil || again != got || again.Hash() != got.Hash() {
		t.Errorf("the canonical text reads as %+v (%v)", again, err)
	}
	if got.Hash() == agreements.DefaultProfile().Hash() {
		t.Error("two profiles have one hash")
	}
}

func TestProfileDefaults(t *testing.T) {
	t.Parallel()
	golden(t, "profile.yaml", string(agreements.DefaultProfile().Text()))
	for _, text := range []string{"", "# nothing\n", "slip:\n", "anticipation: {formula: simple}", string(agreements.DefaultProfile().Text())} {
		p, err := agreements.ParseProfile("profile.yaml", []byte(text))
		if err != nil || p != agreements.DefaultProfile() {
			t.Errorf("%q: %+v %v", text, p, err)
		}
	}
	if p := agreements.DefaultProfile(); p.Unit != ledger.Percent || p.NetOfSplits || p.Anticipation.Base != agreements.AnticipationOnNetOfMDR {
		t.Errorf("defaults: %+v", p)
	}
}

func TestProblemsOfAProfile(t *testing.T) {
	t.Parallel()
	_, err := agreements.ParseProfile("profile.yaml", []byte(`rate_unit: percentage
received_net_of_splits: yes
fee_spread: [first]
anticipations: {}
slip:
  penalty: Percent
day_cut: Local
`))
	want := strings.Join([]string{
		`profile.yaml line 1 rate_unit: "percentage": one of percent, fraction`,
		`profile.yaml line 2 received_net_of_splits: "yes": true or false`,
		`profile.yaml line 3 fee_spread: not a single value: one of spread, first`,
		`profile.yaml line 4 anticipations: unknown key: did you mean anticipation?`,
		`profile.yaml line 6 slip.penalty: "Percent": one of percent, fixed`,
		`profile.yaml line 7 day_cut: "Local": the name of a time zone, such as America/Sao_Paulo`,
	}, "\n")
	if err == nil {
		t.Fatal("accepted")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Error(diff)
	}
}

func TestTerm(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text string
		want agreements.Term
	}{
		{"D+0", agreements.Term{}},
		{"D+30", agreements.Term{Days: 30}},
		{"D+1 bd", agreements.Term{Days: 1, Business: true}},
		{"D+400", agreements.Term{Days: 400}},
		{"D+2bd", agreements.Term{Days: 2, Business: true}},
	} {
		got, err := agreements.ParseTerm(row.text)
		if err != nil || got != row.want {
			t.Errorf("%q: %v %v", row.text, got, err)
		}
		if again, err := agreements.ParseTerm(got.String()); err != nil || again != got {
			t.Errorf("%q is printed as %q", row.text, got)
		}
	}
	for _, text := range []string{"", "30", "D30", "D+", "D+-1", "D+1.5", "D+401", "d+1", "D+1 du", "D+ 1", "D+1 bd bd", "D++1"} {
		if got, err := agreements.ParseTerm(text); err == nil {
			t.Errorf("%q is accepted as %s", text, got)
		}
	}
}

func TestProfileFile(t *testing.T) {
	t.Parallel()
	p, err := agreements.DefaultProfile().With(agreements.KeyAnticipationBase, "gross")
	if err != nil {
		t.Fatal(err)
	}
	p.DayCut = "UTC"
	got := p.RenderFile([]agreements.ProfileKey{agreements.KeyUnit, agreements.KeyAnticipationFormula}, func(k agreements.ProfileKey) string {
		return map[agreements.ProfileKey]string{agreements.KeyUnit: "30 of 30\nrows"}[k]
	})
	want := `# How the service is read where it documents nothing. A key left out keeps its default.
rate_unit: percent  # 30 of 30 rows
anticipation:
  formula: simple
  base: gross
day_cut: UTC
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// Whatever the profile and the keys asked for, the file reads as the profile, and each key as its value.
func TestProfileFileReadsAsTheProfile(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := agreements.DefaultProfile()
		p.DayCut = rapid.SampledFrom([]string{"America/Sao_Paulo", "UTC", "America/Manaus"}).Draw(t, "cut")
		for _, k := range agreements.ProfileKeys() {
			v := rapid.SampledFrom(k.Candidates()).Draw(t, string(k))
			var err error
			if p, err = p.With(k, v); err != nil || p.Value(k) != v {
				t.Fatalf("%s %s: %v", k, p.Value(k), err)
			}
		}
		for _, payer := range rapid.SliceOfN(rapid.StringMatching(`[a-z0-9][a-z0-9-]{0,5} [a-z0-9-]{1,3}`), 0, 3).Draw(t, "payers") {
			id, name, _ := strings.Cut(payer, " ")
			for _, k := range agreements.BankKeys() {
				value := rapid.SampledFrom(k.Candidates()).Draw(t, payer+string(k))
				if p.Banks = p.Banks.With(id, name, k, value); p.Banks.Value(id, name, k) != value {
					t.Fatalf("%s of %s is %s", k, payer, p.Banks.Value(id, name, k))
				}
			}
		}
		keys := rapid.SliceOf(rapid.SampledFrom(agreements.ProfileKeys())).Draw(t, "keys")
		text := p.RenderFile(keys, func(agreements.ProfileKey) string { return rapid.String().Draw(t, "note") })
		again, err := agreements.ParseProfile("f.yaml", text)
		if err != nil || again != p {
			t.Fatalf("%s\nreads as %+v: %v", text, again, err)
		}
	})
}

// What statements decided of payers is read by bank account, payer and key; a key left out has its default.
func TestBanksOfAProfile(t *testing.T) {
	t.Parallel()
	p, err := agreements.ParseProfile("profile.yaml", []byte("banks: {itau-12345: {service: {grain: brand, net_of_splits: true}}, bb: {other: {slip_tariff: none}}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bank, payer string
		key         agreements.BankKey
		want        string
	}{
		{"itau-12345", "service", agreements.BankGrain, "brand"},
		{"itau-12345", "service", agreements.BankNetOfSplits, "true"},
		{"itau-12345", "service", agreements.BankSlipTariff, "net"},
		{"itau-12345", "other", agreements.BankGrain, "day"},
		{"bb", "other", agreements.BankSlipTariff, "none"},
		{"bb", "other", "color", ""},
	} {
		if got := p.Banks.Value(c.bank, c.payer, c.key); got != c.want {
			t.Errorf("%s of %s %s is %q, want %q", c.key, c.bank, c.payer, got, c.want)
		}
	}
	_, err = agreements.ParseProfile("profile.yaml", []byte("banks:\n  Itau: {service: {grain: week, color: red}}\n"))
	want := `profile.yaml line 2 banks.Itau: a name of lower-case letters, digits and -, as in banks of the configuration
profile.yaml line 2 banks.Itau.service.grain: "week": one of day, brand, brand_product, slip
profile.yaml line 2 banks.Itau.service.color: unknown key: one of grain, per_account, net_of_splits, slip_tariff`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}

func TestProfileWithRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, value, want string }{
		{"rate_unit", "permille", `rate_unit: "permille": one of percent, fraction`},
		{"rate", "percent", `"rate": no reading of a profile with candidates`},
		{"day_cut", "UTC", `"day_cut": no reading of a profile with candidates`},
	} {
		if _, err := agreements.DefaultProfile().With(agreements.ProfileKey(c.key), c.value); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v", c.key, err)
		}
	}
	if agreements.DefaultProfile().Value("rate") != "" || agreements.ProfileKey("rate").Candidates() != nil {
		t.Error("a key there is none of has a value")
	}
}
