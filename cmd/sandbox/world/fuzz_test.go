package world_test

import (
	"strings"
	"testing"

	"concilia/cmd/sandbox/world"
)

func FuzzParseMoney(f *testing.F) {
	for _, s := range []string{"1000", "0.0001", "99999999999.9999", "1.", ".5", "-1", "1e3", "1.00000", "１"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		m, err := world.ParseMoney(s)
		if err != nil {
			return
		}
		whole, frac, _ := strings.Cut(s, ".")
		whole = strings.TrimLeft(whole, "0")
		if whole == "" {
			whole = "0"
		}
		if want := whole + "." + frac + strings.Repeat("0", 4-len(frac)); m.Fixed() != want {
			t.Errorf("%q reads as %s, want %s", s, m.Fixed(), want)
		}
	})
}

func FuzzParseDate(f *testing.F) {
	for _, s := range []string{"2026-11-18", "2024-02-29", "2026-02-29", "2026-1-1", "0001-01-01", "9999-12-31"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if d, err := world.ParseDate(s); err == nil && d.String() != s {
			t.Errorf("%q reads as %s", s, d)
		}
	})
}
