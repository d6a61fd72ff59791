package main

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view/caseview"
)

// onlySnapshots is the source of a desk that answers pages in a snapshot alone: what a page asks it otherwise panics. Files are sent, and
// people sign in, without one.
type onlySnapshots struct {
	console.Source // nil
	of             console.Source
}

func (s *onlySnapshots) Snapshot(ctx context.Context, show func(console.Source) error) error {
	return s.of.Snapshot(ctx, show)
}

func (s *onlySnapshots) Heading(ctx context.Context) (console.Heading, error) {
	return s.of.Heading(ctx)
}

func (s *onlySnapshots) Sets(ctx context.Context, account string, old bool) ([]caseview.PublishedSet, error) {
	return s.of.Sets(ctx, account, old)
}

func (s *onlySnapshots) CopyFile(ctx context.Context, sum, local string) error {
	return s.of.CopyFile(ctx, sum, local)
}

// disturbed is the source of a desk whose ledger changes while a page is read: after its head and before all else.
type disturbed struct {
	console.Source
	change func()
}

func (s *disturbed) Snapshot(ctx context.Context, show func(console.Source) error) error {
	return s.Source.Snapshot(ctx, func(at console.Source) error { return show(&disturbed{at, s.change}) })
}

func (s *disturbed) Heading(ctx context.Context) (console.Heading, error) {
	h, err := s.Source.Heading(ctx)
	s.change()
	return h, err
}

// Whatever is written while a page is read, the page is as of the instant at which it began.
func TestConsolePageIsOfOneInstant(t *testing.T) {
	t.Parallel()
	dir := copyDemo(t, 5)
	d := openDeskOf(t, dir, withPeople(t))
	ana := d.signIn(t, "ana")
	ids := d.openCases(t, "account=1001", ana)
	source := &disturbed{change: func() {}}
	other := openDeskOf(t, dir, withPeople(t), func(o *console.Options) {
		source.Source = o.Source
		o.Source = source
	})
	otherAna := other.signIn(t, "ana")
	for i, path := range []string{"/cases", "/"} {
		_, before := other.ask(t, "en", path, otherAna)
		source.change = func() {
			source.change = func() {}
			form := url.Values{"verb": {"close"}, "case": {ids[i]}, "confirm": {"1"}, "reason": {"seen"}}
			if got, body := d.act(t, ana, form); got.StatusCode != http.StatusSeeOther {
				t.Errorf("closing a case beside a page: %d\n%s", got.StatusCode, body)
			}
		}
		if _, during := other.ask(t, "en", path, otherAna); during != before {
			t.Errorf("%s is not as it was when it began:\n%s", path, during)
		}
		_, after := other.ask(t, "en", path, otherAna)
		if after == before || path == "/cases" && strings.Contains(after, "/cases/"+ids[i]) {
			t.Errorf("%s does not show what was done before it:\n%s", path, after)
		}
	}
}
