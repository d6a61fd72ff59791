package api_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"concilia/jobs/api"
	"concilia/store/ledger"
)

// TestCardsInFreeTextsAreMasked puts a card number into every text of an installment and of a slip: rows hold it masked, and
// where it identifies the row it stays and is reported.
func TestCardsInFreeTextsAreMasked(t *testing.T) {
	t.Parallel()
	const pan = "4111111111111111"
	for _, member := range []string{
		"terminal", "cardNumber", "cardType", "cardName", "installmentStatus", "receivedType", "receivedStatus", "transactionReference",
		"transactionPaymentIdWeb",
	} {
		for _, scan := range []bool{true, false} {
			list, err := api.ReadInstallments(strings.NewReader("["+record(member, `"`+pan+`"`)+"]"), time.UTC, scan)
			if err != nil || len(list.Rows) != 1 {
				t.Fatalf("%s: %+v, %v", member, list, err)
			}
			if text := fmt.Sprintf("%+v", list.Rows); strings.Contains(text, pan) || !strings.Contains(text, "411111******1111") {
				t.Errorf("%s, scanned %t: %s", member, scan, text)
			}
		}
	}
	splits, err := api.ReadInstallments(strings.NewReader("["+record("splits", `[{"beneficiario":"`+pan+`","tipoSplit":"x `+pan+`"}]`)+"]"), time.UTC, true)
	if text := fmt.Sprintf("%+v", splits.Rows); err != nil || strings.Contains(text, pan) || strings.Count(text, "411111******1111") != 3 { // the card, too
		t.Errorf("splits: %s, %v", text, err)
	}
	for _, member := range []string{"nsu", "codAuth"} {
		list, err := api.ReadInstallments(strings.NewReader("["+record(member, `"`+pan+`"`)+"]"), time.UTC, true)
		if err != nil || len(list.Rows) != 1 || !list.Rows[0].CardClear {
			t.Errorf("%s: %+v, %v", member, list.Rows, err)
		}
	}
	for _, member := range []string{"payerName", "payerStreetAndNumber", "payerCity", "payerNeighborhood", "cancellationReason", "referenceCode"} {
		rows, _, err := api.ReadSlips(strings.NewReader(`[{"id":"a","value":1,"dueDate":"2026-11-02","`+member+`":"n. `+pan+`"}]`), ledger.SlipsCredit, time.UTC)
		if text := fmt.Sprintf("%+v", rows); err != nil || strings.Contains(text, pan) || !strings.Contains(text, "411111******1111") {
			t.Errorf("%s: %s, %v", member, text, err)
		}
	}
}
