package render_test

import (
	"bytes"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/html"
	"concilia/export/manifest"
	"concilia/export/report"
	"concilia/store/ledger"
)

func allJob() (export.Job, *feed) {
	j, f := pageJob()
	j.Account, j.Kinds = manifest.AllAccounts, []report.Kind{report.SummaryKind, report.ControlKind}
	j.Facts.Accounts = []export.AccountFacts{{Account: 1001, Name: "Loja Centro", Verdict: ledger.Breaks}}
	return j, f
}

// The page of a month over all accounts tells of slips too, though its set is the summary of cards: what is missing is the
// same figure that the accounts' own pages add up to.
func TestPageOfAllAccountsCountsSlips(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := allJob()
	r := renderJob(t, j, f, tg)
	_, body := readPage(t, out, r)
	golden(t, "settlement_all_operation_20261101_20261130_r0.html", body)
	got, err := html.Read(bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"causes.missing": "108.37", "causes.count": "4", "cause.SLIP_CREDIT_OVERDUE": "30.00", "summary.gross": "600.00",
	} {
		if got[key] != int64(brl(want)) {
			t.Errorf("%s is %s, want %s", key, ledger.Amount(got[key]), want)
		}
	}
	if text := string(body); strings.Contains(text, "só cartões") || !strings.Contains(text, "Boletos pagos e creditados por dia") {
		t.Error("the page tells of cards alone")
	}
	for _, f := range r.Files {
		if f.Kind == report.SlipsKind {
			t.Errorf("%s is published: the set has no table of slips", f.Path)
		}
	}
	if v := verifyTree(t, out.root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
	// A slip that changed makes another revision, of the page and of nothing it does not stand in.
	j.Current = &export.CurrentRevision{Revision: r.Revision, Fingerprints: r.Fingerprints}
	if same := renderJob(t, j, f, tg); !same.Unchanged {
		t.Errorf("equal content made revision %d: %v", same.Revision, same.Why)
	}
	f.slips[len(f.slips)-1].e.Codes = append(f.slips[len(f.slips)-1].e.Codes, "SLIP_SHORT_PAID")
	if next := renderJob(t, j, f, tg); next.Revision != 1 || !strings.Contains(strings.Join(next.Why, ";"), "slips changed") {
		t.Errorf("another slip made revision %d: %v", next.Revision, next.Why)
	}
}

// What is withheld is shown as withheld: slips of an account that has critical findings on them are in no figure.
func TestPageOfAllAccountsWithoutWithheldSlips(t *testing.T) {
	t.Parallel()
	tg, out := target(t)
	j, f := allJob()
	j.Facts.Accounts[0].NoSlips = "PULL_INCOMPLETE"
	_, body := readPage(t, out, renderJob(t, j, f, tg))
	got, err := html.Read(bytes.NewReader(body))
	if err != nil || got["causes.missing"] != int64(brl("78.37")) {
		t.Errorf("missing is %s, %v", ledger.Amount(got["causes.missing"]), err)
	}
	if text := string(body); !strings.Contains(text, "sem os boletos de 1001 (PULL_INCOMPLETE)") || !strings.Contains(text, "Boletos (PULL_INCOMPLETE)") {
		t.Error("the page does not say whose slips it leaves out")
	}
}
