package reconcile

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"concilia/store/ledger"
)

// basis names what the standing beliefs of an account rest on, the rules not believed apart: when it is another than
// that of the last reconcile, everything is judged anew.
func (w *work) basis() string {
	text := w.hash
	if w.env.Notifications.From != 0 {
		text += " told " + w.env.Notifications.From.String()
	}
	if len(w.in.Closes) == 0 {
		return text
	}
	// A period that is closed, or reopened, is held against everything that changed since what was closed.
	h := sha256.New()
	for _, c := range w.in.Closes {
		fmt.Fprintf(h, "%s %s %s\n", c.Basis, c.Period, c.AsOf)
	}
	return text + " closed " + hex.EncodeToString(h.Sum(nil)[:8])
}

// readScope decides what is judged: everything when there is nothing to go on from, or what stands rests on something
// else, or time went back, or it is asked for; else what moved, what time turns, and what has a case that is not over.
func (w *work) readScope(ctx context.Context, standing []ledger.Finding) error {
	last := w.sink.LastReconcile()
	turned, err := w.unread(ctx)
	if err != nil {
		return err
	}
	w.continuity = continuity{start: last.Inputs == "", moved: map[openKey]*[ledger.MovementCount]ledger.Amount{}}
	if w.in.Full || last.Inputs != w.basis() || last.AsOf > w.in.AsOf || strings.Join(last.Shadow, " ") != strings.Join(w.shadow, " ") {
		w.all, w.scope = true, &ledger.Scope{Whole: true}
		return w.sink.RecordInputs(w.basis(), w.shadow)
	}
	var sales []ledger.SaleKey
	var slips []string
	for i := range standing {
		f := &standing[i]
		if !f.State.IsUnresolved() {
			continue
		}
		if k, ok := ledger.SaleOfSubject(f.Subject); ok {
			sales = append(sales, k)
		} else if id, ok := strings.CutPrefix(f.Subject, ledger.Subject("slip", w.account)+":"); ok {
			slips = append(slips, id)
		}
	}
	if w.scope, err = w.sink.Scope(turned, sales, slips); err != nil {
		return err
	}
	return w.sink.RecordInputs(w.basis(), w.shadow)
}

// unread counts the days of cards that hold a quarantined row now, and tells those on which that changed since the last
// reconcile: whether a sale of them is complete did.
func (w *work) unread(ctx context.Context) ([]ledger.Date, error) {
	bad, err := w.src.QuarantinedRows(ctx, w.account)
	if err != nil {
		return nil, err
	}
	counts, err := w.sink.CurrentPopulations()
	if err != nil {
		return nil, err
	}
	w.counts = counts
	now, turned := map[ledger.Date]bool{}, map[ledger.Date]bool{}
	for i := range bad {
		if q := &bad[i]; q.Source == ledger.Cards && q.Day != 0 {
			now[q.Day], turned[q.Day] = true, true
			w.unreadable[q.Day] = w.unreadable[q.Day] || !q.KeyRead
		}
	}
	w.unreadDays = now
	for _, p := range w.of(kindUnread) {
		d, err := ledger.ParseDate(p.Item)
		if err != nil {
			return nil, err
		}
		if w.wasUnread[d] = true; now[d] {
			delete(turned, d)
		} else {
			turned[d] = true
		}
	}
	return slices.Sorted(maps.Keys(turned)), nil
}

// countUnread counts the unread days: all of them where sums start from nothing, else what became another.
func (w *work) countUnread() error {
	for d := range w.unreadDays {
		if w.all || !w.wasUnread[d] {
			if err := w.sums.count(kindUnread, d.String(), 1, 0); err != nil {
				return err
			}
		}
	}
	for d := range w.wasUnread {
		if !w.all && !w.unreadDays[d] {
			if err := w.sums.count(kindUnread, d.String(), -1, 0); err != nil {
				return err
			}
		}
	}
	return nil
}
