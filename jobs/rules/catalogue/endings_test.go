package catalogue

import (
	"strings"
	"testing"

	"concilia/store/ledger"
)

// An ending names no figure that its cases do not have.
func TestEndings(t *testing.T) {
	t.Parallel()
	for _, r := range All() {
		for _, impact := range []ledger.Amount{ledger.Real, -ledger.Real} {
			f := ledger.Finding{Code: r.Code, State: ledger.Opened, Expected: ledger.Money(ledger.Real)}
			if r.HasImpact() {
				f.Impact = ledger.Some(impact)
			}
			for _, lang := range []string{"en", "pt-BR"} {
				if s := (Voice{Language: lang}).DescribeEnding(f); s == "" || strings.Contains(s, "–") || strings.Contains(s, "{") {
					t.Errorf("%s at %s in %s: %q", r.Code, impact, lang, s)
				}
			}
		}
	}
}

// What would close a case used to be that the service pays, also where a payer owed it or the merchant did.
func TestSettlesNamesWhoActs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		code   string
		impact ledger.Amount
		says   string
	}{
		{"SLIP_SHORT_PAID", ledger.Real, "claim R$ 1.00 from the payer"},
		{"SLIP_OVERPAID", -ledger.Real, "give R$ 1.00 back to the payer"},
		{"CANCELLED_BUT_RECEIVED", -ledger.Real, "The service takes R$ 1.00 back"},
		{"MDR_RATE_MISMATCH", ledger.Real, "The service corrects the charge"},
		{"MDR_CHARGED_ZERO", -ledger.Real, "The service charges the R$ 1.00 it left out"},
		{"RECEIVED_OVERDUE", ledger.Real, "date and value of the receipt"},
	} {
		f := ledger.Finding{Code: c.code, State: ledger.Opened, Impact: ledger.Some(c.impact)}
		if s := (Voice{Language: "en"}).DescribeEnding(f); !strings.Contains(s, c.says) {
			t.Errorf("%s: %q does not say %q", c.code, s, c.says)
		}
	}
}
