package export_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"concilia/export"
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
	rows := render(t, own, f, tg).CardRows
	if rows == nil || rows.Summary.Lines() == 0 {
		t.Fatal("the account's set left nothing")
	}
	tgRows, outRows := target(t)
	fromRows := render(t, all, f, tgRows)
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

// withoutCards is a feed whose card rows are not read again.
type withoutCards struct{ *feed }

func (withoutCards) Installments(context.Context, func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	return nil
}
