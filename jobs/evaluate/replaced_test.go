package evaluate

import (
	"testing"

	"concilia/store/facts"
	"concilia/store/ledger"
)

// Which of the slips that share a reference code took another one's place: the later one, whatever became of it, and of
// one day those that are registered.
func TestReplacedSlips(t *testing.T) {
	t.Parallel()
	on, after := ledger.NewDate(2026, 11, 2), ledger.NewDate(2026, 11, 3)
	for _, c := range []struct {
		says         string
		slip, second facts.ReissuedSlip
		want         bool
	}{
		{"issued again later", facts.ReissuedSlip{Issued: on}, facts.ReissuedSlip{Issued: after}, true},
		{"registered, and issued again later", facts.ReissuedSlip{Issued: on, Registered: true}, facts.ReissuedSlip{Issued: after}, true},
		{"issued again the same day, and registered", facts.ReissuedSlip{Issued: on}, facts.ReissuedSlip{Issued: on, Registered: true}, true},
		{"issued again the same day, and no better", facts.ReissuedSlip{Issued: on}, facts.ReissuedSlip{Issued: on}, false},
		{"both registered the same day", facts.ReissuedSlip{Issued: on, Registered: true}, facts.ReissuedSlip{Issued: on, Registered: true}, false},
		{"issued before it", facts.ReissuedSlip{Issued: after}, facts.ReissuedSlip{Issued: on, Registered: true}, false},
		{"without a day of issue", facts.ReissuedSlip{}, facts.ReissuedSlip{Issued: on}, false},
		{"of another reference code", facts.ReissuedSlip{Issued: on}, facts.ReissuedSlip{Issued: after, Reference: "R-2"}, false},
	} {
		c.slip.ID, c.second.ID = "a", "b"
		if got := findReplaced([]facts.ReissuedSlip{c.slip, c.second}); got["a"] != c.want {
			t.Errorf("%s: %v", c.says, got)
		}
	}
}
