package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/wire"
	"concilia/jobs/explain"
	"concilia/store/ledger"
)

// stepAmount is an amount of a step that is there.
func stepAmount(t *testing.T, text string) ledger.Amount {
	t.Helper()
	a, err := ledger.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Of every sale of a demo the cost adds up, for each installment and in total, and what is due is what the night expected.
func TestExplainedCostIsTheNights(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the night, the demo and the webhooks")
	}
	dir := copyDemo(t, allDays)
	g := newInvocation(environment{
		stdout: &bytes.Buffer{}, stderr: &bytes.Buffer{}, lookup: func(string) (string, bool) { return "", false }, wall: time.Now,
	})
	g.ConfigPath, g.Quiet = filepath.Join(dir, "concilia.yaml"), true
	w, done, err := g.WireWorker(t.Context(), wire.WantKept)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	x, sales, slips := wire.NewExplainer(w), 0, 0
	for _, a := range w.Accounts {
		err := w.Ledger.Sales(t.Context(), a.Number, func(s *ledger.Sale) error {
			page, err := x.ExplainItem(t.Context(), s.Key.Subject(), "pt-BR")
			if err != nil {
				return err
			}
			sales++
			checkSteps(t, page)
			return w.Ledger.SaleRows(t.Context(), s.Key, func(v *ledger.InstallmentVersion, e *ledger.Expectation) error {
				for _, step := range page.Steps {
					if step.Installment == v.Key().Number && step.Step == explain.StepReceived && v.SaleKey() == s.Key && len(s.Rows) == v.InstallmentCount() &&
						stepAmount(t, step.Due) != e.NetContract && !e.Class.IsReversal() {
						t.Errorf("%s: due %s, the night expected %s", v.Key().Subject(), step.Due, e.NetContract)
					}
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		err = w.Ledger.Slips(t.Context(), a.Number, func(s *ledger.Slip) error {
			page, err := x.ExplainItem(t.Context(), s.Subject(), "en")
			if err != nil {
				return err
			}
			slips++
			e, err := w.Ledger.SlipExpectation(t.Context(), a.Number, s.ID)
			for _, step := range page.Steps {
				if step.Step == explain.StepPaid && stepAmount(t, step.Due) != e.Face {
					t.Errorf("%s: due %s, the night expected %s", s.Subject(), step.Due, e.Face)
				}
			}
			shown, _ := json.Marshal(page)
			for _, secret := range []string{s.PayerDocument, s.PayerName, s.PayerStreet, s.PayerPhone} {
				if secret != "" && strings.Contains(string(shown), secret) {
					t.Errorf("%s shows something of a payer", s.Subject())
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if sales < 500 || slips < 300 {
		t.Errorf("only %d sales and %d slips were explained", sales, slips)
	}
}

// checkSteps: gross less every fee is net, in what was charged and in what was due, and the totals are the sums.
func checkSteps(t *testing.T, page *explain.ItemPage) {
	t.Helper()
	type sums struct{ charged, due ledger.Amount }
	net, rest, totals, added := map[int]sums{}, map[int]sums{}, map[string]sums{}, map[string]sums{}
	for _, s := range page.Steps {
		charged, due := stepAmount(t, s.Charged), stepAmount(t, s.Due)
		if s.Difference != "" && stepAmount(t, s.Difference) != charged-due {
			t.Errorf("%s: %s of %d differs by %s", page.Subject, s.Step, s.Installment, s.Difference)
		}
		if s.Installment == 0 {
			totals[s.Step] = sums{charged, due}
		} else {
			added[s.Step] = sums{added[s.Step].charged + charged, added[s.Step].due + due}
		}
		switch s.Step {
		case explain.StepGross:
			rest[s.Installment] = sums{rest[s.Installment].charged + charged, rest[s.Installment].due + due}
		case explain.StepNet:
			net[s.Installment] = sums{net[s.Installment].charged + charged, net[s.Installment].due + due}
		case explain.StepMDR, explain.StepTransaction, explain.StepAntifraud, explain.StepAnticipation:
			rest[s.Installment] = sums{rest[s.Installment].charged - charged, rest[s.Installment].due - due}
		}
	}
	for k, want := range rest {
		if net[k] != want {
			t.Errorf("%s: net of %d is %v, not %v", page.Subject, k, net[k], want)
		}
	}
	for step, want := range added {
		if got, ok := totals[step]; ok && got != want {
			t.Errorf("%s: the total of %s is %v, the sum %v", page.Subject, step, got, want)
		}
	}
}

// The page about a sale and about a slip says it all, in both languages.
func TestExplainItemPages(t *testing.T) {
	t.Parallel()
	if raced {
		t.Skip("the race detector watches the night, the demo and the webhooks")
	}
	dir := copyDemo(t, allDays)
	for name, query := range map[string]string{
		"sale": "card:1001:2026-09-22:071800006:97STBZ:1", "split-sale": "sale:1002:2026-10-31:075700001:AREJYA",
		"slip": "slip:1001:ac3a4301-c629-4a35-bba9-2a4bedbcee74",
	} {
		for _, lang := range []string{"en", "pt-BR"} {
			var out bytes.Buffer
			code := run(t.Context(), environment{
				args: []string{"--config", filepath.Join(dir, "concilia.yaml"), "explain", query, "--lang", lang}, stdout: &out, stderr: &out,
				lookup: func(string) (string, bool) { return "", false }, wall: time.Now,
			})
			if code != exit.OK {
				t.Fatalf("%s: exit %d:\n%s", name, code, out.String())
			}
			golden := filepath.Join("..", "..", "testdata", "explain", name+"."+lang+".txt")
			got := settled(out.String())
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("%s: %s", golden, d)
			}
		}
	}
}
