package storetest

import (
	"strings"

	"pgregory.net/rapid"

	"concilia/store/ledger"
)

// charged are the fees by the names that reports have for them.
var charged = map[string]struct {
	line ledger.BridgeLine
	of   func(*ledger.InstallmentVersion) ledger.Opt[ledger.Amount]
}{
	"mdr":          {ledger.LineMDR, func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.MDR }},
	"transaction":  {ledger.LineFee, func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Fee }},
	"antifraud":    {ledger.LineAntifraud, func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Antifraud }},
	"anticipation": {ledger.LineAnticipation, func(v *ledger.InstallmentVersion) ledger.Opt[ledger.Amount] { return v.Anticipation }},
}

// drawBrackets are brackets on the lines of the fees, some with a case, and on lines that are no fee's; or none at all,
// which is kept in another way.
func drawBrackets(r *rapid.T) []ledger.Bracket {
	if rapid.Bool().Draw(r, "no brackets") {
		return nil
	}
	out := []ledger.Bracket{{Line: ledger.LineReceived, Amount: 7, Code: "RECEIVED_PARTIAL", Case: "0f"}}
	for _, line := range []ledger.BridgeLine{
		ledger.LineMDR, ledger.LineFee, ledger.LineAntifraud, ledger.LineAnticipation, ledger.LineRounding,
	} {
		b := ledger.Bracket{Line: line, Amount: ledger.Amount(rapid.SampledFrom([]int64{-151, -50, 1, 49, 50, 10_049}).Draw(r, "off"))}
		switch {
		case rapid.Bool().Draw(r, "none"):
			continue
		case line != ledger.LineRounding && rapid.Bool().Draw(r, "owned"):
			b.Code, b.Case = "CODE", "0a"
		}
		out = append(out, b)
	}
	return out
}

// charges counts the fees of a live row in both tables.
func (c *counters) charges(v *ledger.InstallmentVersion, e *ledger.Expectation) {
	fees, claims := c.of("fees"), c.of("claims")
	for id, fee := range charged {
		took, off, found := fee.of(v).Or(0), ledger.Amount(0), false
		for _, b := range e.Brackets {
			if b.Line == fee.line && b.Case != "" && e.ContractLine != "" {
				off, found = b.Amount, true
			}
		}
		if id != "mdr" && took == 0 && !found {
			continue
		}
		c.line("fees", strings.Join([]string{id, e.Brand, string(e.Product), e.Band, e.ContractLine}, "|"))
		fees["installments"]++
		fees["gross"] += e.GrossCents * 100
		fees["charged"] += rd(took)
		if e.ContractLine != "" {
			fees["due"] += rd(took - off)
			fees["difference"] += rd(took) - rd(took-off)
			fees["overcharged"] += max(rd(took)-rd(took-off), 0)
			fees["undercharged"] += max(rd(took-off)-rd(took), 0)
		}
		if !found {
			continue
		}
		key := v.Key()
		fees["deviating"]++
		c.line("claims", key.Subject()+id)
		claims["installment"] += int64(key.Number)
		claims["installments"] += int64(v.InstallmentCount())
		claims["gross"] += int64(v.Gross)
		claims["due"] += rd(took - off)
		claims["charged"] += rd(took)
		claims["difference"] += rd(took) - rd(took-off)
	}
}
