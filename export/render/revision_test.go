package render_test

import (
	"context"
	"maps"
	"testing"

	"concilia/export"
	"concilia/export/render"
	"concilia/export/report"
	"concilia/store/ledger"
)

// counted counts how often the rows of the ledger are passed over.
type counted struct {
	*feed
	cards, slips int
}

func (c *counted) Installments(ctx context.Context, yield func(*ledger.InstallmentVersion, *ledger.Expectation) error) error {
	c.cards++
	return c.feed.Installments(ctx, yield)
}

func (c *counted) Slips(ctx context.Context, yield func(*ledger.Slip, *ledger.SlipExpectation) error) error {
	c.slips++
	return c.feed.Slips(ctx, yield)
}

// Every format comes out of one pass over the installments and one over the slips.
func TestPassesOverTheLedger(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name         string
		formats      []report.Format
		cards, slips int
	}{
		{"one format", []report.Format{report.CSV}, 1, 1},
		{"every format but EDI", []report.Format{report.CSV, report.CSVBR, report.JSONL, report.XLSX}, 1, 1},
		{"EDI too", []report.Format{report.CSV, report.XLSX, report.EDI}, 1, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			tg, _ := target(t)
			j, c := job(), &counted{feed: everyClass()}
			j.Kinds = []report.Kind{report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.SlipsKind, report.ControlKind}
			j.Formats = row.formats
			if _, err := render.Set(t.Context(), j, c, tg); err != nil {
				t.Fatal(err)
			}
			if c.cards != row.cards || c.slips != row.slips {
				t.Errorf("%d passes over the installments and %d over the slips, should be %d and %d", c.cards, c.slips, row.cards, row.slips)
			}
		})
	}
}

// The content digest of a revision is computed once more from its rows and what was kept of its inputs, whatever the job of
// today would be; other rows have another digest.
func TestRecompute(t *testing.T) {
	t.Parallel()
	tg, _ := target(t)
	j := job()
	j.Formats = []report.Format{report.CSV, report.XLSX}
	first := renderJob(t, j, everyClass(), tg)
	text, err := export.InputsOf(&j)
	if err != nil {
		t.Fatal(err)
	}
	in, err := export.ReadInputs(text)
	if err != nil {
		t.Fatal(err)
	}
	if !in.HasCurrentLayout() {
		t.Error("what was rendered a moment ago has another layout")
	}
	for _, row := range []struct {
		name string
		edit func(*export.Inputs, *feed)
		same bool
	}{
		{"as it was", func(*export.Inputs, *feed) {}, true},
		{"another amount", func(_ *export.Inputs, f *feed) { f.cards[4].v.Received = opt("48.99") }, false},
		{"another account block", func(in *export.Inputs, _ *feed) { in.Parts["account block"] = "another" }, false},
		{"a kind less", func(in *export.Inputs, _ *feed) { in.Kinds = in.Kinds[1:] }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			in, f := *in, everyClass()
			in.Parts = maps.Clone(in.Parts)
			row.edit(&in, f)
			k := in.Job(j.Account, j.Basis, j.Period, j.Filter, j.AsOf)
			k.Agreed = j.Agreed
			digest, err := render.Recompute(t.Context(), k, f, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if same := digest == first.Digest; same != row.same {
				t.Errorf("the digest is %s, and was %s", digest, first.Digest)
			}
		})
	}
	if _, err := export.ReadInputs(`{"Unheard":1}`); err == nil {
		t.Error("a member that nothing knows was left out")
	}
}
