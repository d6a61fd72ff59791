package jobs_test

import (
	"testing"

	"concilia/jobs"
	"concilia/store"
	"concilia/store/ledger"
)

// Which of the slips that share a reference code took another one's place: the later one, whatever became of it, and of
// one day those that are registered.
func TestReplacedSlips(t *testing.T) {
	t.Parallel()
	on, after := ledger.NewDate(2026, 11, 2), ledger.NewDate(2026, 11, 3)
	for _, c := range []struct {
		says         string
		slip, second store.Reissue
		want         bool
	}{
		{"issued again later", store.Reissue{Issued: on}, store.Reissue{Issued: after}, true},
		{"registered, and issued again later", store.Reissue{Issued: on, Registered: true}, store.Reissue{Issued: after}, true},
		{"issued again the same day, and registered", store.Reissue{Issued: on}, store.Reissue{Issued: on, Registered: true}, true},
		{"issued again the same day, and no better", store.Reissue{Issued: on}, store.Reissue{Issued: on}, false},
		{"both registered the same day", store.Reissue{Issued: on, Registered: true}, store.Reissue{Issued: on, Registered: true}, false},
		{"issued before it", store.Reissue{Issued: after}, store.Reissue{Issued: on, Registered: true}, false},
		{"without a day of issue", store.Reissue{}, store.Reissue{Issued: on}, false},
		{"of another reference code", store.Reissue{Issued: on}, store.Reissue{Issued: after, Reference: "R-2"}, false},
	} {
		c.slip.ID, c.second.ID = "a", "b"
		if got := jobs.ReplacedAmong([]store.Reissue{c.slip, c.second}); got["a"] != c.want {
			t.Errorf("%s: %v", c.says, got)
		}
	}
}
