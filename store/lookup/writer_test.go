package lookup

import (
	"testing"

	"concilia/store/ledger"
)

func TestWordBlock(t *testing.T) {
	entries := []wordEntry{
		{"n71", Item{Day: ledger.NewDate(2026, 11, 1), NSU: "0071", Auth: "A0071"}},
		{"opedido 9", Item{Day: ledger.NewDate(2026, 11, 1), NSU: "", Auth: "é"}},
		{"is1", Item{Slip: "s1"}},
	}
	var block []byte
	for i := range entries {
		block = entries[i].appendTo(block)
	}
	rest := string(block)
	for i := range entries {
		e, after, err := cutWordEntry(rest)
		if err != nil || e != entries[i] {
			t.Errorf("entry %d: %v, %v", i, e, err)
		}
		rest = after
	}
	if len(rest) > 0 {
		t.Errorf("%d bytes are left of the block", len(rest))
	}
	last := string(entries[2].appendTo(nil))
	for n := range last {
		if _, _, err := cutWordEntry(last[:n]); err == nil {
			t.Errorf("an entry cut off after %d bytes is read", n)
		}
	}
}
