package service_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// How the witness reads what the document leaves open, in arithmetic of its own.

// number is the installment a record is about: 0 of a sale paid at once is its first.
func (f *finder) number(r row) int {
	k, n := r.int("installmentNumber"), r.int("installmentsCount")
	if f.reading.InstallmentZero && n <= 1 && k == 0 {
		return 1
	}
	return k
}

func (f *finder) count(r row) int {
	n := r.int("installmentsCount")
	if f.reading.InstallmentZero && n == 0 {
		return 1
	}
	return n
}

// rate is a member in percent.
func (f *finder) rate(r row, name string) decimal.Decimal {
	if f.reading.Rates == world.RatesFraction {
		return r.num(name).Mul(dec("100"))
	}
	return r.num(name)
}

func (f *finder) anticipationBase(gross, mdr, fees decimal.Decimal) decimal.Decimal {
	switch f.reading.AnticipationBase {
	case world.BaseGross:
		return gross
	case world.BaseNetOfFees:
		return gross.Sub(mdr).Sub(fees)
	}
	return gross.Sub(mdr)
}

func (f *finder) anticipation(base, rate decimal.Decimal, days int64) decimal.Decimal {
	d := decimal.NewFromInt(days)
	switch f.reading.Anticipation {
	case world.AnticipationFlat:
		return pct(base, rate)
	case world.AnticipationCompound:
		growth, err := rate.Div(dec("100")).Add(dec("1")).PowWithPrecision(d.DivRound(dec("30"), 32), 28)
		if err != nil {
			panic(err)
		}
		return base.Sub(base.DivRound(growth, 28)).Round(2)
	}
	return base.Mul(rate).Mul(d).Div(dec("3000")).Round(2)
}

// flips are the readings one at a time.
var flips = map[string]func(*world.Interpretation){
	"rates as fractions":         func(r *world.Interpretation) { r.Rates = world.RatesFraction },
	"received net of splits":     func(r *world.Interpretation) { r.ReceivedNetOfSplits = true },
	"compound anticipation":      func(r *world.Interpretation) { r.Anticipation = world.AnticipationCompound },
	"flat anticipation":          func(r *world.Interpretation) { r.Anticipation = world.AnticipationFlat },
	"anticipation of gross":      func(r *world.Interpretation) { r.AnticipationBase = world.BaseGross },
	"anticipation net of fees":   func(r *world.Interpretation) { r.AnticipationBase = world.BaseNetOfFees },
	"fees on the first":          func(r *world.Interpretation) { r.Fees = world.FeesFirst },
	"MDR rounded on the sale":    func(r *world.Interpretation) { r.MDRRounding = world.MDRSale },
	"days cut in UTC":            func(r *world.Interpretation) { r.DayCut = world.CutUTC },
	"raw forecasts":              func(r *world.Interpretation) { r.Forecast = world.ForecastRaw },
	"installment 0":              func(r *world.Interpretation) { r.InstallmentZero = true },
	"splits of gross":            func(r *world.Interpretation) { r.SplitBase = world.SplitOfGross },
	"penalty in reais":           func(r *world.Interpretation) { r.SlipPenalty = world.PenaltyFixed },
	"interest a day":             func(r *world.Interpretation) { r.SlipInterest = world.InterestDaily },
	"interest in reais, per day": func(r *world.Interpretation) { r.SlipInterest = world.InterestDailyFixed },
}

// TestEveryInterpretationIsServed holds, for each reading and for mixtures of them: read that way, a
// clean world is clean and a planted one shows exactly what was planted; read by default, it does not.
func TestEveryInterpretationIsServed(t *testing.T) {
	t.Parallel()
	judge := func(t *testing.T, reading world.Interpretation, seed uint64) sandbox {
		t.Helper()
		var s sandbox
		for _, plant := range []bool{false, true} {
			o := world.Options{Seed: seed, Plant: plant, Interpretation: reading, Accounts: []world.Account{{Number: 1002, Splits: true}}}
			s = start(t, o, service.Options{})
			token := s.token(t, integrationLogin)
			for days := 0; days <= 40; days += 40 {
				s.world.SetNow(s.world.AsOf().At(6*3600).AddDate(0, 0, days))
				want := s.world.Planted()
				for i := range want {
					want[i].Note = ""
				}
				if plant == (len(want) == 0) {
					t.Errorf("planted %t: %d differences", plant, len(want))
				}
				if diff := cmp.Diff(want, s.witness(t, token, reading)); diff != "" {
					t.Errorf("planted %t, as of %+d days (-planted +found):\n%.3000s", plant, days, diff)
				}
			}
		}
		return s
	}
	for why, flip := range flips {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			var reading world.Interpretation
			flip(&reading)
			s := judge(t, reading, 21)
			if why == "days cut in UTC" || why == "MDR rounded on the sale" {
				return // seen by windows, and by cents that the default lets pass
			}
			if found := s.witness(t, s.token(t, integrationLogin), world.Interpretation{}); len(found) < len(s.world.Planted())+10 {
				t.Errorf("read by default it shows %d differences: nothing was flipped", len(found))
			}
		})
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("a mixture, %d", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			var reading world.Interpretation
			for _, why := range slices.Sorted(maps.Keys(flips)) {
				if r.IntN(2) == 0 {
					flips[why](&reading)
				}
			}
			judge(t, reading, seed)
		})
	}
}

// TestWindowsFollowTheDayCut asks for single days.
func TestWindowsFollowTheDayCut(t *testing.T) {
	t.Parallel()
	local := time.FixedZone("", -3*3600)
	for cut, zone := range map[string]*time.Location{world.CutSaoPaulo: local, world.CutUTC: time.UTC} {
		s := start(t, world.Options{Seed: 2, Days: 20, Interpretation: world.Interpretation{DayCut: cut}}, service.Options{})
		token := s.token(t, integrationLogin)
		late, all := 0, 0
		for day := s.world.AsOf() - 20; day <= s.world.AsOf(); day++ {
			path := fmt.Sprintf("/gateway/api/transaction/concil/search-by-operation-date-installments?accountNumber=1001&startDate=%s&endDate=%s", day, day)
			for _, r := range s.rows(t, "POST", path, token) {
				at, err := time.ParseInLocation("2006-01-02T15:04:05", row(r).text("transactionDate"), local)
				if err != nil {
					t.Fatal(err)
				}
				if got := at.In(zone).Format(time.DateOnly); got != day.String() {
					t.Errorf("cut in %s: the window of %s holds a sale of %s", cut, day, at)
				}
				all++
				if at.Format(time.DateOnly) != day.String() {
					late++
				}
			}
		}
		whole := 0
		for range s.world.Installments(1001, 1, s.world.AsOf()+1) {
			whole++
		}
		if all != whole || (late > 0) != (cut == world.CutUTC) {
			t.Errorf("cut in %s: %d rows by day, %d in one window, %d past midnight", cut, all, whole, late)
		}
	}
}
