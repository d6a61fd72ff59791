package proof_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"time"

	"concilia/jobs/webhook"
	"concilia/store"
	"concilia/store/ledger"
)

// delivery is one notification as the service posts it, and when it arrives.
type delivery struct {
	body    record
	arrives time.Time
}

// notice tells at noon of a day of a change, and arrives a minute later.
func notice(id int64, nsu string, k int, on ledger.Date, before, after string) delivery {
	return delivery{
		record{
			"movementId": id, "nsu": nsu, "codAuth": "X", "installmentNumber": k, "moment": on.String() + "T12:00:00",
			"type": "Status", "oldValue": before, "newValue": after,
		},
		on.Time().Add(15*time.Hour + time.Minute), // noon in São Paulo is 15:00 UTC
	}
}

// receiver is the program's own receiver before the inbox of a lab's ledger.
type receiver struct {
	*store.Inbox
	http.Handler
	now time.Time
}

const proofAccessKey = "not-a-secret-either"

// receive posts notifications to the receiver in the order given; the night takes them from the inbox. A delivery that is
// not answered with 200 fails the test.
func (l *lab) receive(all []delivery) {
	l.t.Helper()
	if l.inbox == nil {
		l.inbox = newReceiver(l)
		l.Inbox = l.inbox
	}
	for _, d := range all {
		body, err := json.Marshal(d.body)
		if err != nil {
			l.t.Fatal(err)
		}
		r := httptest.NewRequestWithContext(l.t.Context(), http.MethodPost, "/notifications/1001", bytes.NewReader(body))
		r.Header.Set("Access-Key", proofAccessKey)
		w := httptest.NewRecorder()
		l.inbox.now = d.arrives
		if l.inbox.ServeHTTP(w, r); w.Code != http.StatusOK {
			l.t.Fatalf("the receiver answers %d to %s", w.Code, body)
		}
	}
}

func newReceiver(l *lab) *receiver {
	inbox, err := store.OpenInbox(l.t.Context(), l.dsn)
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = inbox.Close() })
	r := &receiver{Inbox: inbox}
	r.Handler, err = webhook.Handler(webhook.Options{
		Accounts: []ledger.Account{1001}, AccessKey: proofAccessKey, Store: inbox.Keep, Zone: l.Zone, Now: func() time.Time { return r.now },
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return r
}
