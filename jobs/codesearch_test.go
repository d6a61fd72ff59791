package jobs_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"concilia/cmd/sandbox/world"
	"concilia/jobs/api"
	"concilia/jobs/jobstest"
	"concilia/jobs/plan"
	"concilia/store/ledger"
)

// searched are the searches by code of a run: how many, and how many requests they took.
func (n *notified) searched(t *testing.T, run string) (searches int, requests int64) {
	t.Helper()
	pulls, err := n.Ledger.PullsOfRun(t.Context(), n.Accounts[0].Number, run)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pulls {
		if p.Window.Reason != plan.ReasonByCode {
			continue
		}
		searches++
		requests += p.Counts.Requests
		if p.Complete || p.Counts.New+p.Counts.Changed+p.Counts.Same > 0 {
			t.Errorf("a search by code proves something: %+v", p)
		}
	}
	return searches, requests
}

// lateListener is a merchant that answers for the last three days alone, and hears of older sales.
func lateListener(t *testing.T) *notified {
	t.Helper()
	n := newNotified(t, world.Options{Seed: 51, Days: 40, Installments: 200})
	n.Accounts[0].Since = n.Today() - 3
	n.RunNight(t)
	n.World.SetNow(n.World.Now().AddDate(0, 0, 1))
	if n.deliver(false) == 0 {
		t.Fatal("nothing happened")
	}
	return n
}

// withoutSearch puts a service that has no search by code in the place of the merchant's.
func (n *notified) withoutSearch(t *testing.T) {
	t.Helper()
	behind, err := url.Parse(n.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(behind)
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/search-by-code") {
			http.NotFound(rw, r)
			return
		}
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(server.Close)
	n.Service, err = api.New(api.Options{
		GatewayURL: server.URL + "/gateway", IntegrationURL: server.URL + "/integration", UserName: "demo", Password: "not-a-secret",
		Now: time.Now, Zone: n.Zone, Backoff: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
}

// unlinked counts the notifications that are linked to no installment.
func (n *notified) unlinked(t *testing.T) (count int) {
	t.Helper()
	for _, l := range n.heard(t) {
		if l.Target == nil {
			count++
		}
	}
	return count
}

// The sale of a notification that fits nothing is searched for by its codes, where the operator has such a search: its day
// is asked for, and the notification is linked the same night. Off by default, it is asked for nothing.
func TestSearchByCodeLinksOldSales(t *testing.T) {
	t.Parallel()
	n := lateListener(t)
	s := n.RunNight(t)
	left := n.unlinked(t)
	if searches, _ := n.searched(t, s.Run); searches > 0 || left == 0 {
		t.Fatalf("without the key %d searches leave %d notifications without installment", searches, left)
	}
	n.SearchByCode = true
	s = n.RunNight(t)
	searches, requests := n.searched(t, s.Run)
	if n.unlinked(t) > 0 || searches == 0 || searches > left || requests != int64(searches) {
		t.Errorf("%d searches in %d requests for %d notifications leave %d", searches, requests, left, n.unlinked(t))
	}
	found := 0
	units, err := n.Ledger.PullsOfRun(t.Context(), n.Accounts[0].Number, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range units {
		if strings.Contains(p.Window.Reason, "search by code found") && p.Complete && p.Counts.New > 0 {
			found++
		}
	}
	if found == 0 {
		t.Error("no day was asked for because a search found its sale")
	}
	if again := n.RunNight(t); len(again.NewFindings) > 0 || again.Pulled.New+again.Pulled.Changed > 0 {
		t.Errorf("run again, %+v was pulled and %v found", *again.Pulled, again.NewFindings)
	} else if more, _ := n.searched(t, again.Run); more > 0 {
		t.Errorf("run again, %d searches", more)
	}
}

// A night searches for a hundred sales by code and no more, and a service that has no such search is asked once a night and
// leaves the night whole.
func TestSearchByCodeIsBounded(t *testing.T) {
	t.Parallel()
	jobstest.Spare(t)
	n := lateListener(t)
	n.SearchByCode = true
	for i := range 130 {
		n.box.Waiting = append(n.box.Waiting, ledger.Notification{
			Account: n.Accounts[0].Number, MovementID: int64(900_000 + i), NSU: fmt.Sprint(700_000 + i), Auth: "ABSENT", Installment: 1,
			Moment: ledger.LocalTimeOf(n.World.Now(), n.Zone), OldValue: "Authorized", NewValue: "Paid", Body: []byte("{}"),
			BodyHash: fmt.Sprint(i), ReceivedAt: n.World.Now().UTC(),
		})
	}
	// What no service can be asked for is left out: an answer that none can be would end the searches.
	n.box.Waiting[0].NSU, n.box.Waiting[1].Auth = strings.Repeat("9", 101), ""
	s := n.RunNight(t)
	if searches, requests := n.searched(t, s.Run); searches != 100 || requests != 100 || len(s.FailedWindows) > 0 {
		t.Errorf("%d searches in %d requests, failed %v", searches, requests, s.FailedWindows)
	}
	n.withoutSearch(t)
	s = n.RunNight(t)
	if searches, requests := n.searched(t, s.Run); searches != 1 || requests != 1 || len(s.FailedWindows) > 0 {
		t.Errorf("at a service without the search: %d searches in %d requests, failed %v", searches, requests, s.FailedWindows)
	}
}
