package rules_test

import (
	"testing"

	"concilia/jobs/rules"
)

// One sale of three through every rule: facts, stars, outcomes.
func BenchmarkSale(b *testing.B) {
	e := world{}.env(b)
	h := rows()
	b.ReportAllocs()
	for b.Loop() {
		s := rules.NewSale(e, h[0].Current().Sale(), h, true)
		for i := range e.Rules() {
			e.OnSale(i, s)
			for _, r := range s.Rows {
				e.OnRow(i, r)
			}
		}
	}
}

func BenchmarkFactsOfSale(b *testing.B) {
	e := world{}.env(b)
	h := rows()
	b.ReportAllocs()
	for b.Loop() {
		rules.NewSale(e, h[0].Current().Sale(), h, true)
	}
}
