package export_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/publish"
	"concilia/export/report"
)

// unmarked is a folder whose process is killed before the mark of a set.
type unmarked struct{ *publish.Folder }

func (u *unmarked) Put(ctx context.Context, name, local string) error {
	if strings.HasSuffix(name, ".done") {
		return errKilled
	}
	return u.Folder.Put(ctx, name, local)
}

// A set of which fewer kinds and formats are asked for than when its writing was killed keeps nothing of that: the page and
// the workbook, which are of no kind, go too.
func TestKilledSetThatIsAskedForLess(t *testing.T) {
	t.Parallel()
	kinds := []report.Kind{report.SummaryKind, report.InstallmentsKind, report.SplitsKind, report.FeesKind, report.SlipsKind, report.ControlKind}
	formats := []report.Format{report.CSV, report.CSVBR, report.JSONL, report.XLSX, report.HTML, report.EDI}
	for _, row := range []struct {
		because string
		kinds   []report.Kind
		formats []report.Format
	}{
		{"fewer kinds", []report.Kind{report.SummaryKind, report.ControlKind}, formats},
		{"fewer kinds and one format", []report.Kind{report.SlipsKind, report.ControlKind}, []report.Format{report.CSV}},
		{"all but control is withheld now", []report.Kind{report.ControlKind}, formats},
		{"the same kinds without page and workbook", kinds, []report.Format{report.CSV, report.EDI}},
	} {
		t.Run(row.because, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			target, err := publish.Open(root, publish.Options{})
			if err != nil {
				t.Fatal(err)
			}
			tg := export.Target{Staging: t.TempDir(), Numbers: &numbers{}}
			j, f := pageJob()
			j.Kinds, j.Formats = kinds, formats
			// Killed before the mark: every other file is there.
			tg.Publisher = &unmarked{target.(*publish.Folder)}
			if _, err := export.Render(t.Context(), j, f, tg); !errors.Is(err, errKilled) {
				t.Fatal(err)
			}
			names := strings.Join(files(t, root), " ")
			if !strings.Contains(names, "_r0.html") || !strings.Contains(names, "_r0.xlsx") || !strings.Contains(names, ".manifest.json") {
				t.Fatalf("what was left is %s", names)
			}
			j.Kinds, j.Formats = row.kinds, row.formats
			tg.Publisher = target
			r := render(t, j, f, tg)
			if n := len(files(t, root)); n != len(r.Files)+2 || r.Revision != 0 {
				t.Errorf("%d files are there, %d were published as revision %d: %v", n, len(r.Files), r.Revision, files(t, root))
			}
			if v := verify(t, root); len(v.Faults) > 0 {
				t.Error(v.Faults)
			}
		})
	}
}

// A later revision of fewer kinds leaves what stands of the earlier one: nothing published is taken back for it.
func TestRevisionOfFewerKinds(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	target, err := publish.Open(root, publish.Options{})
	if err != nil {
		t.Fatal(err)
	}
	tg := export.Target{Staging: t.TempDir(), Numbers: &numbers{}, Publisher: target}
	j, f := pageJob()
	j.Formats = []report.Format{report.CSV, report.HTML}
	first := render(t, j, f, tg)
	j.Standing = &export.Standing{Revision: first.Revision, Marks: first.Marks}
	j.Kinds, j.Formats = []report.Kind{report.SummaryKind, report.ControlKind}, []report.Format{report.CSV}
	f.cards[4].v.Received = opt("48.99")
	second := render(t, j, f, tg)
	if second.Revision != 1 || second.Marks["file:settlement.html"] != first.Marks["file:settlement.html"] {
		t.Errorf("revision %d: the page of revision 0 stands no more", second.Revision)
	}
	if v := verify(t, root); len(v.Faults) > 0 || len(files(t, root)) != len(first.Files)+len(second.Files)+4 {
		t.Errorf("%d files, %v", len(files(t, root)), v.Faults)
	}
	// Asked for again, the page is of what is so now.
	j.Standing = &export.Standing{Revision: second.Revision, Marks: second.Marks}
	j.Kinds, j.Formats = job().Kinds, []report.Format{report.CSV, report.HTML}
	third := render(t, j, f, tg)
	if third.Revision != 2 || len(third.Files) != len(first.Files) {
		t.Errorf("revision %d of %d files", third.Revision, len(third.Files))
	}
	if v := verify(t, root); len(v.Faults) > 0 {
		t.Error(v.Faults)
	}
}
