package agreements_test

import (
	"errors"
	"math/big"
	"strings"
	"testing"

	"concilia/config/problem"
	"concilia/jobs/agreements"
	"concilia/store/ledger"
)

// refused checks that an error is a list of problems, each of which says something.
func refused(t *testing.T, err error) {
	t.Helper()
	var problems problem.List
	if !errors.As(err, &problems) || len(problems) == 0 {
		t.Fatalf("an error that is no list of problems: %v", err)
	}
	for _, p := range problems {
		if p.Want.ID == "" || p.File != "f.yaml" || p.Line < 0 {
			t.Fatalf("a problem that says nothing: %+v", p)
		}
	}
}

func FuzzParseContracts(f *testing.F) {
	f.Add([]byte(goodContract))
	f.Add([]byte("contracts: &c [*c]"))
	f.Add([]byte("contracts: [{account: 1, valid_from: 2024-01-01, rates: [{brand: *, mdr: 2,34}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := agreements.ParseContracts("f.yaml", data)
		if err != nil {
			refused(t, err)
			return
		}
		c.FindRateLine(1001, "visa", ledger.Credit, 1, 738000)
		again, err := agreements.ParseContracts("f.yaml", c.Text())
		if err != nil || again.Hash() != c.Hash() {
			t.Fatalf("the canonical text reads as something else: %v\n%s", err, c.Text())
		}
	})
}

// FuzzContractNumber: of all that can be written where the contract has a rate, what a rate holds exactly within its bounds is
// taken as it is; all else is refused with its key, its line and the text. The reference is math/big.
func FuzzContractNumber(f *testing.F) {
	for _, seed := range []string{"2.34", "2.3400000", "2.34000001", "100", "100.000001", "-0.01", "0", "1e1", "1e-7", "2,34", "2.34%", "+1", "01", "1e999"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Trim(text, "0123456789.,eE+-% ") != "" {
			return // what needs escapes in YAML is for FuzzParseContracts
		}
		c, err := agreements.ParseContracts("f.yaml", []byte("contracts:\n- account: 1\n  valid_from: 2024-01-01\n  rates:\n  - mdr: \""+text+"\"\n"))
		var want *big.Rat
		if _, short := problem.ParseDecimal(text); short {
			want, _ = new(big.Rat).SetString(text)
		}
		if want == nil || want.Sign() < 0 || want.Cmp(big.NewRat(100, 1)) > 0 || !want.Mul(want, big.NewRat(ledger.RateScale, 1)).IsInt() {
			refused(t, err)
			var problems problem.List
			errors.As(err, &problems)
			if p := problems[0]; len(problems) != 1 || p.Line != 5 || p.Key != "contracts[0].rates[0].mdr" || p.Value != problem.Shown(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q is refused: %v", text, err)
		}
		line, ok := c.FindRateLine(1, "visa", ledger.Credit, 1, ledger.NewDate(2024, 6, 1))
		if got := new(big.Rat).SetInt64(int64(line.MDR)); !ok || got.Cmp(want) != 0 {
			t.Fatalf("%q is %s millionths, want %s", text, got, want)
		}
	})
}

func FuzzParseMapping(f *testing.F) {
	f.Add([]byte("status: {received: [Compensado], open: [Em análise, \"\"]}\nbrand: {hipercard: [HIPER]}"))
	f.Add([]byte("product: {credit: [\"\\u1e9e\\u0130\\n\"]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := agreements.ParseMapping("f.yaml", data)
		if err != nil {
			refused(t, err)
			return
		}
		if len(data) < 200 {
			m.Status(string(data))
			m.ReceivedType(string(data))
		}
		again, err := agreements.ParseMapping("f.yaml", m.Text())
		if err != nil || again.Hash() != m.Hash() {
			t.Fatalf("the canonical text reads as something else: %v\n%s", err, m.Text())
		}
	})
}

func FuzzParseProfile(f *testing.F) {
	f.Add([]byte("rate_unit: fraction\nanticipation: {formula: flat, base: gross}\nday_cut: UTC"))
	f.Add([]byte("slip: [a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := agreements.ParseProfile("f.yaml", data)
		if err != nil {
			refused(t, err)
			return
		}
		again, err := agreements.ParseProfile("f.yaml", p.Text())
		if err != nil || again != p {
			t.Fatalf("the canonical text reads as %+v: %v", again, err)
		}
	})
}
