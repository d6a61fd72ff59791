package report

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// The average is what exact arithmetic gives, whatever goes in.
func TestWeightedMean(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Int64Range(-1<<62, 1<<62), 1, 8).Draw(t, "values")
		weights := rapid.SliceOfN(rapid.Int64Range(1, 1<<59), len(values), len(values)).Draw(t, "weights")
		sum, weight := new(big.Int), new(big.Int)
		least, most := values[0], values[0]
		for i, v := range values {
			w := big.NewInt(weights[i])
			sum.Add(sum, new(big.Int).Mul(big.NewInt(v), w))
			weight.Add(weight, w)
			least, most = min(least, v), max(most, v)
		}
		var w weightedMean
		for i := range values {
			if err := w.addValue(values[i], weights[i]); err != nil {
				t.Fatal(err)
			}
		}
		got := [3]int64{w.roundedMean(), w.least, w.greatest}
		// Half away from zero: twice the sum and the weight over twice the weight, cut.
		twice := new(big.Int).Mul(new(big.Int).Abs(sum), big.NewInt(2))
		want := twice.Add(twice, weight).Quo(twice, new(big.Int).Mul(weight, big.NewInt(2)))
		if sum.Sign() < 0 {
			want.Neg(want)
		}
		if !want.IsInt64() || got != [3]int64{want.Int64(), least, most} {
			t.Fatalf("%v, want %v between %d and %d", got, want, least, most)
		}
	})
}
