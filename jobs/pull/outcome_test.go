package pull_test

import (
	"testing"

	"concilia/jobs/plan"
	"concilia/jobs/pull"
	"concilia/store/ledger"
)

// A window counts once, however often it was asked for and in how many parts it was answered.
func TestCountRequests(t *testing.T) {
	t.Parallel()
	ask := func(from, to ledger.Date, requests, size int64, complete bool, reason string) ledger.Pull {
		return ledger.Pull{
			Window: ledger.Window{Source: ledger.Cards, Period: ledger.Period{From: from, To: to}, Reason: reason},
			Counts: ledger.Counts{Requests: requests}, Bytes: size, Complete: complete,
		}
	}
	slips := ask(1, 1, 1, 5, false, "")
	slips.Window.Source = ledger.SlipsDue
	for _, c := range []struct {
		says  string
		pulls []ledger.Pull
		want  ledger.RequestCounts
	}{
		{"nothing was asked", nil, ledger.RequestCounts{}},
		{"a window that failed and was answered by the process that continued the run counts once", []ledger.Pull{
			ask(1, 1, 3, 0, false, ""), ask(1, 1, 1, 10, true, ""),
		}, ledger.RequestCounts{Windows: 1, Retries: 2, Bytes: 10}},
		{"one of several days whose halves were answered has not failed", []ledger.Pull{
			ask(1, 4, 1, 0, false, ""), ask(1, 2, 1, 10, true, ""), ask(3, 4, 1, 10, true, ""),
		}, ledger.RequestCounts{Windows: 3, Bytes: 20}},
		{"one of whose days one is missing has failed, and so has that day", []ledger.Pull{
			ask(1, 2, 1, 0, false, ""), ask(1, 1, 1, 10, true, ""), ask(2, 2, 1, 0, false, ""),
		}, ledger.RequestCounts{Windows: 3, Failed: 2, Bytes: 10}},
		{"each list has windows of its own", []ledger.Pull{ask(1, 1, 1, 10, true, ""), slips}, ledger.RequestCounts{Windows: 2, Failed: 1, Bytes: 15}},
		{"probe requests and rechecks are not windows, but requests", []ledger.Pull{
			ask(1, 3, 2, 7, false, plan.ReasonWider), ask(1, 1, 1, 3, true, pull.ReasonRecheck),
		}, ledger.RequestCounts{Retries: 1, Bytes: 10}},
		{"a window that was not asked for because the service was unreachable took no request", []ledger.Pull{ask(1, 1, 0, 0, false, "")}, ledger.RequestCounts{Windows: 1, Failed: 1}},
	} {
		if got := pull.CountRequests(c.pulls); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.says, got, c.want)
		}
	}
}
