package proof_test

import (
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"concilia/jobs/jobstest"
	"concilia/store/ledger"
)

// What the proofs found, each under its own name.

// A slip that vanished from every list used not to be asked for, so that it was never said to be gone. Its list is asked
// once more for the day, and its detail, and then it is gone; a second answer that shows it again clears it at once.
func TestVanishedSlipIsAskedForAgain(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	for _, c := range []struct {
		says string
		back bool // the second answer shows it
		want []string
	}{
		{"nobody shows it", false, []string{"SRC_VANISHED E - overdue"}},
		{"the list shows it when asked again", true, []string{"RUN_TRUNCATION_SUSPECTED I - day:slips.due:2026-03-06"}},
	} {
		l := newLab(t, jobstest.OnSQLite())
		l.next(nil)
		for range 2 {
			details, lists := 0, 0
			l.next(func(l *lab) {
				l.answers = func(list ledger.Source, from, _ string, rows []record) []record {
					is := func(r record) bool { return r.text("id") == "overdue" }
					switch {
					case list == ledger.SlipDetail && c.back:
						details++
					case list == ledger.SlipDetail:
						details++
						return []record{{"success": false, "message": "not found"}}
					case list == ledger.SlipsDue && from == "2026-03-06":
						if lists++; lists == 1 || !c.back {
							return slices.DeleteFunc(rows, is)
						}
					}
					return rows
				}
			})
			if diff := cmp.Diff(c.want, l.standing()); diff != "" {
				t.Errorf("%s: wanted (-) and found (+) differ:\n%s", c.says, diff)
			}
			if l.morning == 2 && (lists != 2 || details != 1 && !c.back || details != 0 && c.back) || l.morning == 3 && !c.back && (lists != 1 || details != 0) {
				t.Errorf("%s: on morning %d the list was asked %d times and the detail %d times", c.says, l.morning, lists, details)
			}
		}
	}
}

// A slip that is gone used to be given up when the second question was not answered that night: no later night asked. It is
// asked for until somebody has said that it is gone.
func TestVanishedSlipIsNotGivenUp(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	l := newLab(t, jobstest.OnSQLite())
	l.next(nil)
	for range 3 {
		l.next(func(l *lab) {
			hide("overdue", ledger.SlipLists()...)(l)
			asked := map[string]int{}
			l.fails = func(list ledger.Source, from, _ string) int {
				asked[string(list)+from]++
				if l.morning == 2 && (list == ledger.SlipDetail || asked[string(list)+from] > 1) {
					return http.StatusInternalServerError
				}
				return 0
			}
			l.answers = func(list ledger.Source, _, _ string, rows []record) []record {
				if list == ledger.SlipDetail {
					return []record{{"success": false, "message": "not found"}}
				}
				return rows
			}
		})
		want := []string{}
		if l.morning > 2 {
			want = append(want, "SRC_VANISHED E - overdue")
		}
		if diff := cmp.Diff(want, l.standing()); diff != "" {
			t.Errorf("morning %d: wanted (-) and found (+) differ:\n%s", l.morning, diff)
		}
	}
}
