package setpublish

import (
	"testing"

	"concilia/jobs/publish"
	"concilia/store/ledger"
	"concilia/store/published"
)

// Of many sets that wait, the one that keeps all others waiting is named, in every night the same.
func TestTheEarliestWaitingSetIsNamed(t *testing.T) {
	t.Parallel()
	made := &published.Set{Period: ledger.Period{To: 9}, Waiting: true}
	sets := map[string]*published.Set{"made": made, "came": {Period: ledger.Period{To: 1}}}
	for day := ledger.Date(2); day < 9; day++ {
		for revision := range 3 {
			sets[setKey(day, revision)] = &published.Set{Period: ledger.Period{To: day}, Revision: revision, Waiting: true}
		}
	}
	m := &mover{publication: &publication{Session: &publish.Session{}}, published: sets}
	if s := m.firstWaiting(made); s == nil || s.Period.To != 2 || s.Revision != 0 {
		t.Errorf("named: %+v", s)
	}
}
