package service_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

	"concilia/cmd/sandbox/service"
	"concilia/cmd/sandbox/world"
)

// The witness reads what the service serves, as JSON, and finds every difference from the contract by
// itself, in decimal arithmetic. What it finds must be exactly what the world says it planted.

func TestPlantedIsExactlyWhatTheRecordsShow(t *testing.T) {
	t.Parallel()
	for why, o := range map[string]world.Options{
		"the default as-of":                 {Seed: 1},
		"another seed":                      {Seed: 2},
		"a Sunday, the year just turned":    {Seed: 3, AsOf: world.NewDate(2027, 1, 3), Days: 90},
		"Ash Wednesday":                     {Seed: 4, AsOf: world.NewDate(2026, 2, 18)},
		"a world too short for most plants": {Seed: 5, Days: 2},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			o.Plant = true
			s := start(t, o, service.Options{})
			token := s.token(t, integrationLogin)
			for _, days := range []int{0, 1, 2, 40, -6} {
				s.world.SetNow(s.world.AsOf().At(6*3600).AddDate(0, 0, days))
				want := s.world.Planted()
				for i := range want {
					want[i].Note = ""
				}
				if diff := cmp.Diff(want, s.witness(t, token, o.Interpretation)); diff != "" {
					t.Errorf("as of %+d days (-planted +found):\n%s", days, diff)
				}
			}
		})
	}
}

func TestEveryKindIsPlanted(t *testing.T) {
	t.Parallel()
	want := []string{
		"CANCELLED_BUT_RECEIVED", "MDR_AMOUNT_MISMATCH", "MDR_RATE_MISMATCH", "MDR_TXN_TOTAL_MISMATCH", "RECEIVED_LATE", "RECEIVED_NEGATIVE",
		"RECEIVED_OVERDUE", "RECEIVED_VALUE_MISMATCH", "SLIP_CANCELLED_BUT_PAID", "SLIP_CODE_AMOUNT_MISMATCH", "SLIP_CODE_INVALID", "SLIP_CREDIT_OVERDUE",
		"SLIP_DOCUMENT_INVALID", "SLIP_INTEGRATION_FAILED", "SLIP_LATE_PENALTY_MISMATCH", "SLIP_LIST_FIELD_CONFLICT",
		"SLIP_OVERPAID", "SLIP_SHORT_PAID", "SPLIT_AMOUNT_MISMATCH", "SPLIT_EXCEEDS_NET", "TXN_INSTALLMENTS_MISSING", "TXN_TOTAL_MISMATCH",
	}
	for seed := uint64(0); seed < 50; seed++ {
		w, err := world.New(world.Options{Seed: seed, Plant: true})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		pending := 0
		for _, p := range w.Planted() {
			got[p.Code] = true
			if p.Impact == "0.00" {
				pending++
			}
		}
		if codes := slices.Sorted(maps.Keys(got)); !slices.Equal(codes, want) || pending != 1 {
			t.Errorf("seed %d: %d pending, codes %v", seed, pending, codes)
		}
	}
}

func TestCleanWorldShowsNoDifference(t *testing.T) {
	t.Parallel()
	asOf := world.NewDate(2026, 11, 18)
	for why, o := range map[string]world.Options{
		"the default world":                     {Seed: 1},
		"sales going on after the first as-of":  {Seed: 2, AsOf: asOf, To: asOf + 30, Days: 20},
		"one busy day":                          {Seed: 3, Days: 1, Installments: 500, SlipsPerDay: 5},
		"carnival, and an odd pair of accounts": {Seed: 4, AsOf: world.NewDate(2025, 2, 25), Days: 40, Accounts: []world.Account{{Number: 7, Splits: true}, {Number: 123456}}},
	} {
		t.Run(why, func(t *testing.T) {
			t.Parallel()
			s := start(t, o, service.Options{})
			if n := len(s.world.Planted()); n != 0 {
				t.Errorf("%d planted in a clean world", n)
			}
			token := s.token(t, integrationLogin)
			// Six weeks after the default as-of the year ends.
			for _, days := range []int{0, 1, 5, 44, 45} {
				s.world.SetNow(s.world.AsOf().At(6*3600).AddDate(0, 0, days))
				if found := s.witness(t, token, o.Interpretation); len(found) != 0 {
					t.Errorf("as of %+d days: %v", days, found)
				}
			}
		})
	}
}

// row is one record, numbers kept as the digits sent.
type row map[string]any

func (r row) text(name string) string {
	v, ok := r[name]
	if !ok {
		panic("the record lacks " + name)
	}
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// num reads a figure; absent is zero.
func (r row) num(name string) decimal.Decimal {
	if r.text(name) == "" {
		return decimal.Zero
	}
	return decimal.RequireFromString(r[name].(json.Number).String())
}

// day reads a date or the date of a moment; absent is zero.
func (r row) day(name string) world.Date {
	text := r.text(name)
	if text == "" {
		return 0
	}
	d, err := world.ParseDate(text[:10])
	if err != nil {
		panic(err)
	}
	return d
}

func (r row) int(name string) int { return int(r.num(name).IntPart()) }

// finder collects findings of one account as of a morning.
type finder struct {
	account int64
	asOf    world.Date
	splits  bool
	reading world.Interpretation
	found   []world.Planted
}

func (f *finder) add(code, subject, impact string) {
	f.found = append(f.found, world.Planted{Account: f.account, Code: code, Subject: subject, Impact: impact})
}

// when adds a finding without impact if the condition holds.
func (f *finder) when(condition bool, code, subject string) {
	if condition {
		f.add(code, subject, "")
	}
}

// witness fetches everything as a worker would and judges it as of the business clock.
func (s sandbox) witness(t *testing.T, token string, reading world.Interpretation) []world.Planted {
	t.Helper()
	all := []world.Planted{}
	for _, a := range s.world.Accounts() {
		f := &finder{account: a.Number, asOf: world.DateOf(s.world.Now()), splits: a.Splits, reading: reading}
		window := fmt.Sprintf("?accountNumber=%d&startDate=2024-01-01&endDate=2027-12-31", a.Number)
		sales := map[string][]row{}
		for _, r := range s.rows(t, "POST", "/gateway/api/transaction/concil/search-by-operation-date-installments"+window, token) {
			r := row(r)
			key := strings.Join([]string{fmt.Sprint(a.Number), r.text("transactionDate")[:10], r.text("nsu"), r.text("codAuth")}, ":")
			sales[key] = append(sales[key], r)
		}
		for key, rows := range sales {
			f.sale(key, rows)
		}
		f.doubleCharges(sales)
		lists := [3]map[string]row{}
		for i, list := range []string{"due-date", "payment-date", "credit-date"} {
			lists[i] = map[string]row{}
			for _, r := range s.rows(t, "GET", "/integration/api/billissuer/list/by/"+list+window, token) {
				id, ok := r["id"]
				if !ok {
					id = r["Id"]
				}
				lists[i][id.(string)] = row(r)
			}
		}
		f.slips(lists[0], lists[1], lists[2])
		all = append(all, f.found...)
	}
	slices.SortFunc(all, func(x, y world.Planted) int {
		if x.Account != y.Account {
			return int(x.Account - y.Account)
		}
		return strings.Compare(x.Subject+"\x00"+x.Code, y.Subject+"\x00"+y.Code)
	})
	return all
}

func hash8(s string) string {
	sum := sha256.Sum256([]byte(s))
	return fmt.Sprintf("%x", sum[:4])
}

func dec(s string) decimal.Decimal { return decimal.RequireFromString(s) }

// pct is amount × rate/100, to cents half away from zero.
func pct(amount, rate decimal.Decimal) decimal.Decimal {
	return amount.Mul(rate).Div(dec("100")).Round(2)
}
