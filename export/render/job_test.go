package render_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/store/ledger"
)

// TestSetOfAllTakesCardRows renders a set over all accounts once from rows and once from what the rows left to the account's
// own set, with a feed that has no rows any more: every published byte is the same, and its sums tie with the ledger's.
func TestSetOfAllTakesCardRows(t *testing.T) {
	t.Parallel()
	all, f := allJob()
	own := all
	own.Account = "1001"
	own.Formats = []report.Format{report.CSV}
	own.Facts.Accounts = nil
	tg, _ := target(t)
	rows := renderJob(t, own, f, tg).CardRows
	if rows == nil || rows.Summary.Lines() == 0 {
		t.Fatal("the account's set left nothing")
	}
	tgRows, outRows := target(t)
	fromRows := renderJob(t, all, f, tgRows)
	if fromRows.CardRows != nil {
		t.Error("a set of several accounts leaves rows as if it were of one")
	}
	all.CardRows = map[ledger.Account]*export.CardRows{1001: rows}
	tgTaken, outTaken := target(t)
	for range 2 { // taking changes nothing of what is taken
		taken := renderFrom(t, all, withoutCards{f}, tgTaken)
		if taken.Digest != fromRows.Digest || taken.Totals.Cards == nil || *taken.Totals.Cards != *fromRows.Totals.Cards {
			t.Errorf("%+v, from rows %+v", taken, fromRows)
		}
	}
	for _, file := range fromRows.Files {
		want, err := os.ReadFile(filepath.Join(outRows.root, fromRows.Dir, file.Path))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(outTaken.root, fromRows.Dir, file.Path))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s differs: %v", file.Path, err)
		}
	}
}

// TestFactsAreCollectedBesideTheRows renders a set whose facts are collected while its rows are read: every file has the bytes that
// it has with the facts in the job. What collecting fails with is the error of the rendering, and when rows fail it is ended.
func TestFactsAreCollectedBesideTheRows(t *testing.T) {
	t.Parallel()
	tgThere, outThere := target(t)
	there := renderJob(t, job(), everyClass(), tgThere)
	later := job()
	facts := later.Facts
	later.Facts = export.Facts{}
	later.CollectFacts = func(context.Context) (export.Facts, error) { return facts, nil }
	tgLater, outLater := target(t)
	if r := renderJob(t, later, everyClass(), tgLater); r.Digest != there.Digest || len(r.Files) != len(there.Files) {
		t.Errorf("%+v, with the facts in the job %+v", r, there)
	}
	for _, file := range there.Files {
		want, fault := os.ReadFile(filepath.Join(outThere.root, there.Dir, file.Path))
		got, err := os.ReadFile(filepath.Join(outLater.root, there.Dir, file.Path))
		if err != nil || fault != nil || string(got) != string(want) {
			t.Errorf("%s differs: %v, %v", file.Path, err, fault)
		}
	}

	lost := errors.New("the ledger is lost")
	later.CollectFacts = func(context.Context) (export.Facts, error) { return export.Facts{}, lost }
	if _, err := render.Set(t.Context(), later, everyClass(), tgLater); !errors.Is(err, lost) {
		t.Errorf("a set without its facts: %v", err)
	}
	var ended error
	later.CollectFacts = func(ctx context.Context) (export.Facts, error) {
		<-ctx.Done()
		ended = ctx.Err()
		return export.Facts{}, ended
	}
	if _, err := render.Set(t.Context(), later, brokenCards{everyClass(), lost}, tgLater); !errors.Is(err, lost) || ended == nil {
		t.Errorf("a set whose rows cannot be read: %v, collecting: %v", err, ended)
	}
}

// brokenCards is a feed whose card rows cannot be read.
type brokenCards struct {
	*feed
	err error
}

func (b brokenCards) Installments(context.Context, func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return b.err
}

// withoutCards is a feed whose card rows are not read again.
type withoutCards struct{ *feed }

func (withoutCards) Installments(context.Context, func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return nil
}
