package jobs_test

import (
	"testing"

	"concilia/jobs"
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
		slip, second facts.Reissue
		want         bool
	}{
		{"issued again later", facts.Reissue{Issued: on}, facts.Reissue{Issued: after}, true},
		{"registered, and issued again later", facts.Reissue{Issued: on, Registered: true}, facts.Reissue{Issued: after}, true},
		{"issued again the same day, and registered", facts.Reissue{Issued: on}, facts.Reissue{Issued: on, Registered: true}, true},
		{"issued again the same day, and no better", facts.Reissue{Issued: on}, facts.Reissue{Issued: on}, false},
		{"both registered the same day", facts.Reissue{Issued: on, Registered: true}, facts.Reissue{Issued: on, Registered: true}, false},
		{"issued before it", facts.Reissue{Issued: after}, facts.Reissue{Issued: on, Registered: true}, false},
		{"without a day of issue", facts.Reissue{}, facts.Reissue{Issued: on}, false},
		{"of another reference code", facts.Reissue{Issued: on}, facts.Reissue{Issued: after, Reference: "R-2"}, false},
	} {
		c.slip.ID, c.second.ID = "a", "b"
		if got := jobs.ReplacedAmong([]facts.Reissue{c.slip, c.second}); got["a"] != c.want {
			t.Errorf("%s: %v", c.says, got)
		}
	}
}
