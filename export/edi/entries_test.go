package edi_test

import (
	"fmt"
	"slices"
	"testing"

	"concilia/export/edi"
	"concilia/store/ledger"
)

func TestSlipEntries(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		why        string
		slip       slip
		gross, net []string
	}{
		{"a payment and its tariff", paid("159.90", "163.10", "3.50"), []string{"C 202 163.10 LIQUIDACAO BOLETO", "D 105 3.50 TARIFA BOLETO"}, []string{"C 202 159.60 LIQUIDACAO BOLETO"}},
		{"less than its tariff", paid("159.90", "2.00", "2.50"), []string{"C 202 2.00 LIQUIDACAO BOLETO", "D 105 2.50 TARIFA BOLETO"}, []string{"D 105 0.50 TARIFA BOLETO"}},
		{"taken back", paid("159.90", "-5.005", ""), []string{"D 103 5.01 ESTORNO BOLETO"}, []string{"D 103 5.01 ESTORNO BOLETO"}},
		{"without a contract", paid("159.90", "7.00", ""), []string{"C 202 7.00 LIQUIDACAO BOLETO"}, []string{"C 202 7.00 LIQUIDACAO BOLETO"}},
	} {
		for net, want := range map[bool][]string{false: tc.gross, true: tc.net} {
			var got []string
			for _, e := range edi.SlipEntries(&tc.slip.s, &tc.slip.e, net) {
				got = append(got, fmt.Sprintf("%s %s %s %s", map[bool]string{false: "C", true: "D"}[e.Debit], e.Category, e.Amount, e.Text))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, net %t: %v, want %v", tc.why, net, got, want)
			}
		}
	}
}

// The received amount is an entry on the side of its sign, whatever the class of the row; a received amount of zero is no
// entry.
func TestCardEntry(t *testing.T) {
	t.Parallel()
	row := sale{
		at: "2026-11-02T09:00:00", nsu: "123", number: 2, of: 3, gross: "100.00", cents: 10000, credit: "2026-11-04", class: ledger.Received,
	}
	for _, tc := range []struct {
		why, received, want string
	}{
		{"received", "97.005", "C 222 97.01 CARTAO VISA 02/03 000000000123 AUT A123 P02/03"},
		{"taken back", "-97.00", "D 103 97.00 ESTORNO VISA 02/03 000000000123 AUT A123 P02/03"},
		{"nothing", "0.00", ""},
		{"less than half a cent", "0.0049", ""},
	} {
		s := row
		s.received = tc.received
		got := ""
		if e, ok := edi.CardEntry(s.card()); ok {
			got = fmt.Sprintf("%s %s %s %s %s", map[bool]string{false: "C", true: "D"}[e.Debit], e.Category, e.Amount, e.Text, e.Document)
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", tc.why, got, tc.want)
		}
	}
}
