package rules_test

import (
	"strings"
	"testing"

	"concilia/jobs/agreements"
	"concilia/jobs/rules"
	"concilia/jobs/rules/cards"
	"concilia/store/ledger"
)

func TestBoundariesOfSplits(t *testing.T) {
	t.Parallel()
	split := func(change func(*ledger.Split)) func(histories) histories {
		return func(h histories) histories { change(&h[1].Current().Splits[0]); return h }
	}
	more := func(all ...ledger.Split) func(histories) histories {
		return func(h histories) histories { h[1].Current().Splits = append(h[1].Current().Splits, all...); return h }
	}
	share := func(who, p, base, value string) ledger.Split {
		return ledger.Split{Beneficiary: who, Type: "P", Pct: pct(p), Base: some(base), Value: some(value)}
	}
	change := func(f func(*agreements.Profile)) world {
		return world{change: func(o *rules.Options) { f(&o.Profile) }}
	}
	whole := change(func(p *agreements.Profile) { p.Split.Coverage = agreements.SplitWhole })
	ofGross := change(func(p *agreements.Profile) { p.Split.Base = agreements.SplitOfGross })
	netted := change(func(p *agreements.Profile) { p.NetOfSplits = true })
	fraction := change(func(p *agreements.Profile) { p.Unit = ledger.Fraction })
	value := func(v string) func(histories) histories { return split(func(s *ledger.Split) { s.Value = some(v) }) }
	all := func(values ...string) func(histories) histories {
		return func(h histories) histories {
			for _, x := range h {
				x.Current().Splits = nil
				for n, v := range values {
					x.Current().Splits = append(x.Current().Splits, share(string(rune('a'+n)), "50", "97.11", v))
				}
			}
			return h
		}
	}
	noShares := world{contract: strings.ReplaceAll(contractText, "    splits: [{beneficiary: \"12345678000195\", pct: 10}]\n", "")}
	runCards(t, []cardCase{
		{code: "SPLIT_AMOUNT_MISMATCH", says: "not the last, a cent", make: func(h histories) histories {
			return value("9.72")(more(share("x", "1", "97.11", "0.97"))(h))
		}, want: within},
		{code: "SPLIT_AMOUNT_MISMATCH", says: "not the last, two cents", make: func(h histories) histories {
			return value("9.73")(more(share("x", "1", "97.11", "0.97"))(h))
		}, want: fires},
		{code: "SPLIT_AMOUNT_MISMATCH", says: "the last of two bears two cents", make: more(share("x", "1", "97.11", "0.99")), want: within},
		{code: "SPLIT_AMOUNT_MISMATCH", says: "the last of two, more than two cents", make: more(share("x", "1", "97.11", "0.9901")), want: fires},
		{code: "SPLIT_AMOUNT_MISMATCH", says: "no base stated", make: func(h histories) histories {
			for _, x := range h {
				x.Current().Splits[0].Base = ledger.Opt[ledger.Amount]{}
			}
			return h
		}, want: rules.NotEvaluable},
		{code: "SPLIT_AMOUNT_MISMATCH", says: "shares as fractions", make: func(h histories) histories {
			for _, x := range h {
				x.Current().Splits[0].Pct = pct("0.1")
			}
			return h
		}, w: fraction, want: passes},
		{code: "SPLIT_BASE_MISMATCH", says: "a cent", make: split(func(s *ledger.Split) { s.Base = some("97.12") }), want: within},
		{code: "SPLIT_BASE_MISMATCH", says: "a cent and a ten-thousandth", make: split(func(s *ledger.Split) { s.Base = some("97.1201") }), want: fires},
		{code: "SPLIT_BASE_MISMATCH", says: "the net where the gross is read", w: ofGross, want: fires},
		{code: "SPLIT_BASE_MISMATCH", says: "splits in the receipt leave the base before them", w: netted, want: passes},
		{code: "SPLIT_BASE_INCONSISTENT", says: "one base twice", make: more(share("x", "1", "97.11", "0.97")), want: passes},
		{code: "SPLIT_BASE_INCONSISTENT", says: "a ten-thousandth", make: more(share("x", "1", "97.1101", "0.97")), want: fires},
		{code: "SPLIT_SUM_MISMATCH", says: "two cents over two", make: all("48.56", "48.57"), w: whole, want: within},
		{code: "SPLIT_SUM_MISMATCH", says: "three cents over two", make: all("48.57", "48.57"), w: whole, want: fires},
		{code: "SPLIT_PCT_SUM", says: "0.0001 of a point above 100", make: split(func(s *ledger.Split) { s.Pct = pct("100.0001") }), want: passes},
		{code: "SPLIT_PCT_SUM", says: "0.000101 of a point above", make: split(func(s *ledger.Split) { s.Pct = pct("100.000101") }), want: fires, severity: "E"},
		{code: "SPLIT_PCT_SUM", says: "100, where all should be", make: all("48.55", "48.56"), w: whole, want: passes},
		{code: "SPLIT_PCT_SUM", says: "0.0001 of a point below 100, where all should be", make: every(func(i *ledger.Installment) {
			i.Splits[0].Pct = pct("99.9999")
		}), w: whole, want: passes},
		{code: "SPLIT_PCT_SUM", says: "0.000101 of a point below", make: every(func(i *ledger.Installment) {
			i.Splits[0].Pct = pct("99.999899")
		}), w: whole, want: fires, severity: "W"},
		{code: "SPLIT_PCT_SUM", says: "10, where part may be", want: passes},
		{code: "SPLIT_EXCEEDS_NET", says: "a cent more", make: value("97.12"), want: passes},
		{code: "SPLIT_EXCEEDS_NET", says: "a cent and a ten-thousandth more", make: value("97.1201"), want: fires},
		{code: "SPLIT_EXCEEDS_NET", says: "splits in the receipt are no part of the net they exceed", make: value("90"), w: netted, want: passes},
		{code: "SPLIT_DUPLICATE_BENEFICIARY", says: "another type", make: more(ledger.Split{Beneficiary: "12345678000195", Type: "S"}), want: passes},
		{code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", says: "0.0001 of a point", make: split(func(s *ledger.Split) { s.Pct = pct("10.0001") }), want: passes},
		{code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", says: "0.000101 of a point", make: split(func(s *ledger.Split) { s.Pct = pct("10.000101") }), want: fires},
		{code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", says: "another type of the same share", make: split(func(s *ledger.Split) { s.Type = "S" }), want: passes},
		{
			code: "SPLIT_UNEVEN_ACROSS_INSTALLMENTS", says: "a share not stated",
			make: split(func(s *ledger.Split) { s.Pct = ledger.Opt[ledger.Rate]{} }), want: rules.NotEvaluable,
		},
		{code: "SPLIT_CONTRACT_PCT_MISMATCH", says: "0.0001 of a point", make: split(func(s *ledger.Split) { s.Pct = pct("10.0001") }), want: within},
		{code: "SPLIT_CONTRACT_PCT_MISMATCH", says: "0.000101 of a point", make: split(func(s *ledger.Split) { s.Pct = pct("10.000101") }), want: fires},
		{code: "SPLIT_CONTRACT_PCT_MISMATCH", says: "a contract that agrees to no shares", w: noShares, want: none},
		{code: "SPLIT_MISSING", says: "another beneficiary does not stand in", make: split(func(s *ledger.Split) { s.Beneficiary = "x" }), want: fires},
		{code: "SPLIT_MISSING", says: "of a cancelled row nothing is", make: every(func(i *ledger.Installment) { i.Status, i.Splits = "Cancelada", nil }), want: none},
	})
}

// What should have been, with a contract line and without one, where a rule could tell and where none could.
func TestStars(t *testing.T) {
	t.Parallel()
	perSale := world{contract: strings.NewReplacer("    rates:", "    fee_basis: sale\n    rates:", "transaction_fee: 0.10", "transaction_fee: 0.31").Replace(contractText)}
	noLine := world{contract: strings.ReplaceAll(contractText, "brand: visa", "brand: elo")}
	noRate := world{contract: strings.ReplaceAll(contractText, ", anticipation: 1.09", "")}
	onFirst := perSale
	onFirst.change = func(o *rules.Options) { o.Profile.FeeSpread = agreements.FeesOnFirst }
	first31 := func(h histories) histories {
		h[0].Current().Fee, h[1].Current().Fee, h[2].Current().Fee = some("0.31"), some("0"), some("0")
		return h
	}
	every100 := every(func(i *ledger.Installment) { i.MDR, i.Fee, i.MDRRate = some("5"), some("7"), pct("2.99") })
	early := func(c, rate string) func(histories) histories {
		return func(h histories) histories {
			paid(h[1], "2024-11-20", "96")
			i := &h[1].Current().Installment
			i.Anticipation, i.ReceivedType, i.AnticipationRate = some(c), "Antecipado", ledger.Opt[ledger.Rate]{}
			if rate != "" {
				i.AnticipationRate = pct(rate)
			}
			return h
		}
	}
	on := func(date string, make func(histories) histories) func(histories) histories {
		return func(h histories) histories { h = make(h); h[1].Current().Effective = day(date); return h }
	}
	for _, c := range []struct {
		says       string
		make       func(histories) histories
		w          world
		partial    bool
		m, f, c, s string
	}{
		{says: "the contract's, whatever the row says", make: every100, m: "2.49", f: "0.10", c: "0", s: "8.77"},
		{says: "without a line the row's own rate, its own fee", make: every100, w: noLine, m: "2.99", f: "7", c: "0", s: "8.77"},
		{says: "no rate either: its own value", make: func(h histories) histories {
			h[1].Current().MDR, h[1].Current().MDRRate = some("5"), ledger.Opt[ledger.Rate]{}
			return h
		}, w: world{contract: "none"}, m: "5", f: "0.10", c: "0", s: "9.46"},
		{says: "31 cents over three: the odd one on the first", w: perSale, m: "2.49", f: "0.10", c: "0", s: "9.71"},
		{says: "all on the first", make: first31, w: onFirst, m: "2.49", f: "0", c: "0", s: "9.72"},
		{says: "right on the sale, on other rows than the reading says: its own", w: onFirst, m: "2.49", f: "0.10", c: "0", s: "9.71"},
		{says: "a sale that is not complete bears its own fee", make: every100, w: perSale, partial: true, m: "2.49", f: "7", c: "0", s: "8.77"},
		{says: "the contract's rate for the days", make: early("1.26", "1.29"), m: "2.49", f: "0.10", c: "1.06", s: "9.59"},
		{says: "without a line the row's rate", make: early("1.30", "1.29"), w: noLine, m: "2.49", f: "0.10", c: "1.26", s: "9.58"},
		{says: "a line without a rate, too", make: early("1.30", "1.29"), w: noRate, m: "2.49", f: "0.10", c: "1.26", s: "9.58"},
		{says: "no rate at all: nobody can tell", make: early("1.30", ""), m: "2.49", f: "0.10", c: "1.30", s: "9.58"},
		{says: "no day gained: nothing", make: on("2024-12-20", early("1.30", "1.09")), m: "2.49", f: "0.10", c: "0", s: "9.58"},
		{says: "not paid yet: its own", make: on("", early("1.30", "1.09")), m: "2.49", f: "0.10", c: "1.30", s: "9.58"},
		{says: "a split nobody agreed to should be nothing, and the agreed one is lacking", make: func(h histories) histories {
			h[1].Current().Splits[0].Beneficiary = "x"
			return h
		}, m: "2.49", f: "0.10", c: "0", s: "9.71"},
		{says: "taken back: its own, and no net", make: every(func(i *ledger.Installment) {
			i.Status, i.MDR = "Cancelada", some("5")
		}), m: "5", f: "0.10", c: "0", s: "9.71"},
	} {
		e := c.w.env(t)
		h := rows()
		if c.make != nil {
			h = c.make(h)
		}
		r := rules.NewSale(e, h[0].Current().SaleKey(), h, !c.partial).Rows[1]
		if r.ExpectedMDR != reais(c.m) || r.ExpectedFee != reais(c.f) || r.ExpectedAnticipation != reais(c.c) || r.ExpectedSplitTotal != reais(c.s) {
			t.Errorf("%s: M* %s F* %s C* %s S* %s", c.says, r.ExpectedMDR, r.ExpectedFee, r.ExpectedAnticipation, r.ExpectedSplitTotal)
		}
		net := r.Gross - r.ExpectedMDR - r.ExpectedFee - r.ExpectedAntifraud - r.ExpectedAnticipation
		if !r.Live() {
			net = 0
		}
		if r.ExpectedNet != net {
			t.Errorf("%s: N* %s, want %s", c.says, r.ExpectedNet, net)
		}
	}
}

// A brand that is not listed suppresses the rules of a contract only where the line depends on it.
func TestLineOfAnUnknownBrand(t *testing.T) {
	t.Parallel()
	lines := func(all ...string) string {
		return "contracts:\n  - account: 1001\n    valid_from: 2024-01-01\n    rates: [" + strings.Join(all, ", ") + "]\n"
	}
	const every, visa, debit, single = `{mdr: 2.49}`, `{brand: visa, mdr: 1}`, `{product: debit, mdr: 1}`, `{brand: visa, installments: 1, mdr: 1}`
	brand := func(i *ledger.Installment) { i.CardName = "NOVA" }
	product := func(i *ledger.Installment) { i.CardType = "PRE" }
	none := func(i *ledger.Installment) { i.CardName = "" }
	for _, c := range []struct {
		says     string
		contract string
		change   func(*ledger.Installment)
		want     rules.LineState
	}{
		{"one line for all", lines(every), brand, rules.LineFound},
		{"it may be the visa of the line before", lines(visa, every), brand, rules.LineUnmapped},
		{"the line for visa is of another number of installments", lines(single, every), brand, rules.LineFound},
		{"the line before is of another product", lines(debit, every), brand, rules.LineFound},
		{"an unknown product may be that one", lines(debit, every), product, rules.LineUnmapped},
		{"no line of its number", lines(single), brand, rules.LineMissing},
		{"no brand sent is no other brand", lines(visa, every), none, rules.LineFound},
	} {
		h := rows()
		for _, x := range h {
			c.change(&x.Current().Installment)
		}
		e := world{contract: c.contract}.env(t)
		r := rules.NewSale(e, h[0].Current().SaleKey(), h, true).Rows[1]
		if r.LineState != c.want {
			t.Errorf("%s: state %d, want %d", c.says, r.LineState, c.want)
		}
		want := map[rules.LineState]rules.Status{rules.LineFound: passes, rules.LineUnmapped: rules.Unmapped, rules.LineMissing: rules.NotEligible}[c.want]
		if o := e.EvaluateRow(e.Index("MDR_RATE_MISMATCH"), r); o.Status != want {
			t.Errorf("%s: status %d, want %d", c.says, o.Status, want)
		}
		wants := map[rules.LineState]rules.Status{rules.LineFound: passes, rules.LineUnmapped: rules.Unmapped, rules.LineMissing: fires}[c.want]
		if got := cards.CheckContractLine(e, r); got != wants {
			t.Errorf("%s: month %d, want %d", c.says, got, wants)
		}
	}
}

// Where no line names a band, the number of installments does.
func TestBandWithoutALine(t *testing.T) {
	t.Parallel()
	e := world{contract: "none"}.env(t)
	for n, want := range map[int]string{0: "1", 1: "1", 2: "2-6", 6: "2-6", 7: "7-12", 12: "7-12", 13: "13-99"} {
		h := rows()[:1]
		h[0].Current().Count = n
		if r := rules.NewSale(e, h[0].Current().SaleKey(), h, true).Rows[0]; r.Band != want {
			t.Errorf("%d installments: %s, want %s", n, r.Band, want)
		}
	}
}
