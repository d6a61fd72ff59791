package export_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"concilia/export"
	"concilia/export/report"
	"concilia/store/ledger"
)

// Control's own file says where the logs of acts ended, and verify gives that back. An act by itself makes no revision
// and changes no other file.
func TestEndsOfActsStandInControlAlone(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("ab", 32)
	with := func(acts ...ledger.ActLogEnd) export.Job {
		j := job()
		j.Facts.Acts = acts
		return j
	}
	tg, out := target(t)
	first := render(t, with(ledger.ActLogEnd{}, ledger.ActLogEnd{Account: 1001, Number: 2, Hash: hash}), everyClass(), tg)
	control := body(t, out, first, "control", report.CSV)
	for _, row := range []string{"acts 0,last_act,count,0,", "acts 1001,last_act,count,2,", "acts 1001,last_act_hash,sha256," + hash} {
		if !strings.Contains(control, "1001,run,"+row) {
			t.Errorf("control has no row %s", row)
		}
	}
	ends := verify(t, out.root).ActLogEnds
	if len(ends) != 2 || ends[1].ActLogEnd != (ledger.ActLogEnd{Account: 1001, Number: 2, Hash: hash}) || ends[0].ActLogEnd != (ledger.ActLogEnd{}) ||
		ends[1].Set != "1001" || ends[1].Run != job().Facts.Run || !strings.HasSuffix(ends[1].File, ".manifest.json") {
		t.Errorf("verify found the ends %+v", ends)
	}

	later := with(ledger.ActLogEnd{Account: 1001, Number: 3, Hash: hash})
	later.Current = &export.CurrentRevision{Revision: first.Revision, Fingerprints: first.Fingerprints}
	if r := render(t, later, everyClass(), tg); !r.Unchanged {
		t.Errorf("an act by itself made a revision: %v", r.Why)
	}
	other, elsewhere := target(t)
	again := render(t, with(), everyClass(), other)
	for i, f := range first.Files {
		if f.Kind != report.ControlKind && !bytes.Equal(read(t, out, first, f), read(t, elsewhere, again, again.Files[i])) {
			t.Errorf("%s tells of acts", f.Path)
		}
	}
}

func read(t *testing.T, out *folder, r export.Result, f export.File) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(out.root, r.Dir, f.Path))
	if err != nil {
		t.Fatal(err)
	}
	return b
}
