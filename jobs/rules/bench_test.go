package rules_test

import (
	"slices"
	"testing"

	"concilia/jobs/rules"
	"concilia/jobs/rules/assumptions"
)

// One sale of three with a contract through every rule that evaluates sales, installments or their splits, as a reconcile
// puts them: facts, stars, outcomes.
func BenchmarkSale(b *testing.B) {
	e := world{}.env(b)
	h := rows()
	var onSale, onRow, onSplit []int
	for i, r := range e.Rules() {
		if r.EvaluatesSales() {
			onSale = append(onSale, i)
		}
		if slices.Contains(r.Subjects(), rules.OnInstallment) {
			onRow = append(onRow, i)
		}
		if slices.Contains(r.Subjects(), rules.OnSplit) {
			onSplit = append(onSplit, i)
		}
	}
	outs := make([]rules.Outcome, len(e.Rules()))
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		s := rules.NewSale(e, h[0].Current().SaleKey(), h, true)
		n += len(s.Rows)
		for _, i := range onSale {
			outs[i].Take(e.EvaluateSale(i, s))
		}
		for _, r := range s.Rows {
			for _, i := range onRow {
				outs[i].Take(e.EvaluateRow(i, r))
			}
			for x := range r.SplitCount() {
				for _, i := range onSplit {
					outs[i].Take(e.EvaluateSplit(i, r, x))
				}
			}
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkFactsOfSale(b *testing.B) {
	e := world{}.env(b)
	h := rows()
	b.ReportAllocs()
	for b.Loop() {
		rules.NewSale(e, h[0].Current().SaleKey(), h, true)
	}
}

// What a sale of three is measured for while everything is evaluated.
func BenchmarkMeasure(b *testing.B) {
	e := world{}.env(b)
	h := rows()
	s := rules.NewSale(e, h[0].Current().SaleKey(), h, true)
	c := assumptions.NewCalibration()
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		c.AddSale(e, s)
		n += len(s.Rows)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkMeasureEarly(b *testing.B) {
	e := world{}.env(b)
	h := rows()
	for k := range h {
		h[k][0].Anticipation, h[k][0].AnticipationRate = some("1.06"), pct("1.09")
		h[k][0].Effective, h[k][0].Received = day("2024-10-22"), some("96.05")
	}
	s := rules.NewSale(e, h[0].Current().SaleKey(), h, true)
	c := assumptions.NewCalibration()
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		c.AddSale(e, s)
		n += len(s.Rows)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "rows/s")
}
