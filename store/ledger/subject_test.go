package ledger_test

import (
	"testing"

	"pgregory.net/rapid"

	"concilia/store/ledger"
)

func TestSubjects(t *testing.T) {
	day := ledger.NewDate(2024, 10, 21)
	key := func(nsu, auth string, n, occurrence int) ledger.InstallmentKey {
		return ledger.InstallmentKey{
			SaleKey: ledger.SaleKey{Account: 1001, Day: day, NSU: nsu, Auth: auth, Occurrence: occurrence}, Number: n,
		}
	}
	for _, tt := range []struct{ why, got, want string }{
		{"an installment", key("000123", "A1B2C3", 2, 1).Subject(), "card:1001:2024-10-21:000123:A1B2C3:2"},
		{"its twin", key("000123", "A1B2C3", 2, 2).Subject(), "card:1001:2024-10-21:000123:A1B2C3:2~2"},
		{"signs of the form are escaped", key("12:3%", "A1B2C3", 2, 1).Subject(), "card:1001:2024-10-21:12%3A3%25:A1B2C3:2"},
		{"an absent part is empty", key("000123", "", 2, 1).Subject(), "card:1001:2024-10-21:000123::2"},
		{"a sale's twin", key("000123", "A1B2C3", 1, 2).SaleKey.Subject(), "sale:1001:2024-10-21:000123:A1B2C3~2"},
		{
			"a split hides its beneficiary", ledger.SplitSubject(key("000123", "A1B2C3", 2, 1), "12345678000195", "P", 1),
			"split:1001:2024-10-21:000123:A1B2C3:2:ae9351af:P:1",
		},
		{
			"a slip in lower case", ledger.SlipSubject(1001, "3FA85F64-5717-4562-B3FC-2C963F66AFA6"),
			"slip:1001:3fa85f64-5717-4562-b3fc-2c963f66afa6",
		},
		{
			"a value keeps its accents", ledger.Subject("value", 1001, "receivedStatus", "Em análise"),
			"value:1001:receivedStatus:Em análise",
		},
		{"a line feed and a tilde are escaped", ledger.Subject("value", 1, "a\nb~"), "value:1:a%0Ab%7E"},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %s, want %s", tt.why, tt.got, tt.want)
		}
	}
}

func TestCaseID(t *testing.T) {
	const subject = "card:1001:2024-10-21:000123:A1B2C3:2"
	for code, want := range map[string]string{
		"MDR_RATE_MISMATCH":       "2c656e22aebcd17a",
		"RECEIVED_VALUE_MISMATCH": "6c68830df01e2aab",
	} {
		if got := ledger.CaseID(1001, subject, code); got != want {
			t.Errorf("CaseID(%s) = %s, want %s", code, got, want)
		}
	}
}

func TestInstallmentKeyOfAUniqueInstallment(t *testing.T) {
	one := ledger.Installment{Account: 1, Number: 0, Count: 1}
	if got := one.Key().Number; got != 1 {
		t.Errorf("installment 0 of 1 has key %d, want 1", got)
	}
	odd := ledger.Installment{Account: 1, Number: 0, Count: 3}
	if got := odd.Key().Number; got != 0 {
		t.Errorf("installment 0 of 3 has key %d, want the 0 it was sent with", got)
	}
}

func TestContentHashIgnoresTheOccurrenceAndSeesEveryMember(t *testing.T) {
	a := ledger.Installment{Account: 1, NSU: "1", Gross: ledger.Real}
	b := a
	b.Occurrence = 2
	if a.ContentHash() != b.ContentHash() {
		t.Error("the occurrence, which is ours, is in the hash of what the service said")
	}
	b.Received = ledger.Some(ledger.Amount(0))
	if a.ContentHash() == b.ContentHash() {
		t.Error("a received value of zero hashes like none")
	}
	c, d := a, a
	c.NSU, c.Auth = "12", "3"
	d.NSU, d.Auth = "1", "23"
	if c.ContentHash() == d.ContentHash() {
		t.Error("text moved from one member to the next leaves the hash as it was")
	}
}

func TestNotificationSubject(t *testing.T) {
	n := ledger.Notification{Account: 1001, MovementID: 991}
	if got := n.Subject(); got != "webhook:1001:991" {
		t.Errorf("a notification is %s", got)
	}
}

// What was put together comes apart as it was.
func TestParseSubject(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`[A-Za-z0-9:%~ é\n-]{0,12}`)
		k := ledger.InstallmentKey{Number: rapid.IntRange(1, 24).Draw(t, "number")}
		k.SaleKey = ledger.SaleKey{
			Account: 1001, Day: ledger.NewDate(2026, 11, rapid.IntRange(1, 30).Draw(t, "day")), NSU: text.Draw(t, "nsu"),
			Auth: text.Draw(t, "auth"), Occurrence: rapid.IntRange(1, 3).Draw(t, "twin"),
		}
		for subject, number := range map[string]int{
			k.Subject(): k.Number, k.SaleKey.Subject(): 0, ledger.SplitSubject(k, "x", text.Draw(t, "type"), 2): k.Number,
		} {
			p, ok := ledger.ParseSubject(subject)
			sale, n, isSale := p.SaleKey()
			if !ok || !isSale || sale != k.SaleKey || n != number {
				t.Fatalf("%q comes apart as %+v, %d", subject, sale, n)
			}
		}
	})
	for _, s := range []string{"", "card", "card:x:2026-11-01", "card:0:1", "card:1001:2026-11-01:1:2:3~x", "slip:1001:%zz"} {
		if _, ok := ledger.ParseSubject(s); ok {
			t.Errorf("%q comes apart", s)
		}
	}
	if p, ok := ledger.ParseSubject("card:1001:2026-11-01:1"); ok {
		if _, _, isSale := p.SaleKey(); isSale {
			t.Error("a card without a number is one")
		}
	}
}

// TestTitleNumber: a title's number is known by its subject alone, whatever ledger gives it.
func TestTitleNumber(t *testing.T) {
	t.Parallel()
	if n := ledger.TitleNumber("card:1001:2026-10-19:000123456789:A1B2C3:1"); n != 73604965072 {
		t.Errorf("the number is %d, should be 73604965072", n)
	}
	rapid.Check(t, func(t *rapid.T) {
		if n := ledger.TitleNumber(rapid.String().Draw(t, "subject")); n < 1 || n > ledger.MaxTitleNumber {
			t.Fatalf("%d is not of eleven digits", n)
		}
	})
}
