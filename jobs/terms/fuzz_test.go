package terms_test

import (
	"errors"
	"testing"

	"concilia/config/problem"
	"concilia/jobs/terms"
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
		if p.Want == "" || p.File != "f.yaml" || p.Line < 0 {
			t.Fatalf("a problem that says nothing: %+v", p)
		}
	}
}

func FuzzParseContracts(f *testing.F) {
	f.Add([]byte(goodContract))
	f.Add([]byte("contracts: &c [*c]"))
	f.Add([]byte("contracts: [{account: 1, valid_from: 2024-01-01, rates: [{brand: *, mdr: 2,34}]}]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := terms.ParseContracts("f.yaml", data)
		if err != nil {
			refused(t, err)
			return
		}
		c.Line(1001, "visa", ledger.Credit, 1, 738000)
		again, err := terms.ParseContracts("f.yaml", c.Text())
		if err != nil || again.Hash() != c.Hash() {
			t.Fatalf("the canonical text reads as something else: %v\n%s", err, c.Text())
		}
	})
}

func FuzzParseMapping(f *testing.F) {
	f.Add([]byte("status: {received: [Compensado], open: [Em análise, \"\"]}\nbrand: {hipercard: [HIPER]}"))
	f.Add([]byte("product: {credit: [\"\\u1e9e\\u0130\\n\"]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := terms.ParseMapping("f.yaml", data)
		if err != nil {
			refused(t, err)
			return
		}
		if len(data) < 200 {
			m.Status(string(data))
			m.ReceivedType(string(data))
		}
		again, err := terms.ParseMapping("f.yaml", m.Text())
		if err != nil || again.Hash() != m.Hash() {
			t.Fatalf("the canonical text reads as something else: %v\n%s", err, m.Text())
		}
	})
}

func FuzzParseProfile(f *testing.F) {
	f.Add([]byte("rate_unit: fraction\nanticipation: {formula: flat, base: gross}\nday_cut: UTC"))
	f.Add([]byte("slip: [a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := terms.ParseProfile("f.yaml", data)
		if err != nil {
			refused(t, err)
			return
		}
		again, err := terms.ParseProfile("f.yaml", p.Text())
		if err != nil || again != p {
			t.Fatalf("the canonical text reads as %+v: %v", again, err)
		}
	})
}
