package agreements_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"concilia/jobs/agreements"
)

func TestProfileFile(t *testing.T) {
	t.Parallel()
	p, err := agreements.DefaultProfile().With(agreements.KeyAnticipationBase, "gross")
	if err != nil {
		t.Fatal(err)
	}
	p.DayCut = "UTC"
	got := p.File([]agreements.ProfileKey{agreements.KeyUnit, agreements.KeyAnticipationFormula}, func(k agreements.ProfileKey) string {
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
		keys := rapid.SliceOf(rapid.SampledFrom(agreements.ProfileKeys())).Draw(t, "keys")
		text := p.File(keys, func(agreements.ProfileKey) string { return rapid.String().Draw(t, "note") })
		again, err := agreements.ParseProfile("f.yaml", text)
		if err != nil || again != p {
			t.Fatalf("%s\nreads as %+v: %v", text, again, err)
		}
	})
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
