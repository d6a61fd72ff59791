package main

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"concilia/cmd/concilia/console"
	"concilia/cmd/concilia/view/runview"
	"concilia/store/ledger"
)

// goingOn is the source of a desk whose last night still goes on.
type goingOn struct {
	console.Source
	run string
}

func (s *goingOn) Snapshot(ctx context.Context, show func(console.Source) error) error {
	return s.Source.Snapshot(ctx, func(at console.Source) error { return show(&goingOn{at, s.run}) })
}

func (s *goingOn) Heading(ctx context.Context) (console.Heading, error) {
	h, err := s.Source.Heading(ctx)
	h.Running = s.run
	return h, err
}

func (s *goingOn) Run(ctx context.Context, id string) (*runview.RunPage, error) {
	page, err := s.Source.Run(ctx, id)
	if err == nil {
		page.Took, page.Verdict = nil, ""
	}
	return page, err
}

func (s *goingOn) Progress(context.Context, []ledger.Account, string) (*console.Progress, error) {
	return &console.Progress{Run: s.run, Step: "pull", Done: 30, Planned: 120, Rows: 12345, SecondsLeft: 90, Leader: "cofre"}, nil
}

// A run that goes on says how far it is, with its rows, the time left and who leads it, and loads itself again; every page leads to it.
func TestConsoleRunThatGoesOn(t *testing.T) {
	t.Parallel()
	running := &goingOn{}
	d := openTestDesk(t, func(o *console.Options) {
		running.Source = o.Source
		o.Source = running
	})
	_, runs := d.ask(t, "en", "/runs")
	running.run = regexp.MustCompile(`href="/runs/([^"/]+)"`).FindStringSubmatch(runs)[1]
	got, page := d.ask(t, "pt-BR", "/runs/"+running.run)
	for _, want := range []string{"30 de 120", "registros: 12.345", "faltam cerca de 1m30s", "conduzido por cofre", `value="30"`} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if got.Header.Get("Refresh") != "5" {
		t.Errorf("it loads itself again after %q", got.Header.Get("Refresh"))
	}
	if _, other := d.ask(t, "en", "/cases"); !strings.Contains(other, `<a href="/runs/`+running.run+`">`) {
		t.Error("the other pages do not lead to it")
	}
}
