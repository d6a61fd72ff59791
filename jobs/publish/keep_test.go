package publish_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"concilia/export/manifest"
	archive "concilia/export/publish"
	"concilia/export/words"
	"concilia/jobs/publish"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
	"concilia/store/sqldb"
	"concilia/store/storetest"
)

// shelf is a ledger with an archive in a folder, and no target.
type shelf struct {
	*publish.Publisher
	dir  string
	days int // that have gone by
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	return newShelfOf(t, storetest.FreshSQLite(t))
}

func newShelfOf(t *testing.T, dsn string) *shelf {
	t.Helper()
	l, err := store.Open(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	s := &shelf{dir: filepath.Join(t.TempDir(), "archive")}
	a, err := archive.OpenArchive(s.dir, archive.Options{})
	must(t, err)
	s.Publisher = &publish.Publisher{
		Ledger: l, Archive: a, Place: "out", Wall: func() time.Time { return time.Now().AddDate(0, 0, s.days) },
	}
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *shelf) open(t *testing.T) *publish.Session {
	t.Helper()
	session, err := s.Open(t.Context(), true)
	must(t, err)
	t.Cleanup(session.Close)
	return session
}

// keep archives a revision of these files, and records it unless a kill comes before that.
func keep(t *testing.T, s *publish.Session, revision int, killed bool, texts ...string) *published.Set {
	t.Helper()
	out, err := s.NewOutgoing()
	must(t, err)
	defer out.Remove()
	put := func(name, text string) published.File {
		local := filepath.Join(s.Staging, name)
		must(t, os.WriteFile(local, []byte(text), 0o600))
		must(t, out.Put(t.Context(), name, local))
		return published.File{Path: "1/" + name, SHA256: hashOf(text), Revision: revision}
	}
	set := &published.Set{
		Account: "1", Basis: "credit", Period: ledger.Period{From: 1, To: 30}, Revision: revision, Run: "r", Digest: "d",
	}
	ends, err := s.Ledger.ChainEnds(t.Context(), nil)
	must(t, err)
	m := &manifest.Manifest{
		Account: "1", Basis: "credit", From: 1, To: 30, Filter: strings.Join(texts, " "), Revision: &revision, Run: "r", Ledger: manifest.ListChainEnds(ends),
	}
	m.Set = manifest.SetName(m.Account, m.Basis, m.Period(), m.Filter)
	for _, text := range texts {
		set.Files = append(set.Files, put(text+".csv", text))
		m.Files = append(m.Files, manifest.File{Path: text + ".csv", SHA256: hashOf(text)})
	}
	body, err := m.EncodeJSON()
	must(t, err)
	set.Manifest = put(m.ManifestName(), string(body))
	must(t, s.Keep(t.Context(), set, out))
	if !killed {
		must(t, s.Record(t.Context(), set, ""))
		must(t, s.Archive.PutManifest(t.Context(), m.ManifestName(), local(t, string(body))))
		must(t, s.NoteDelivered(t.Context(), set))
	}
	return set
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func local(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "local")
	must(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func (s *shelf) has(t *testing.T, text string) bool {
	t.Helper()
	_, err := s.Archive.Size(t.Context(), hashOf(text))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}

// TestRemoveOld: files of revisions that the target has no more go after their days, but for what a close, a later revision or a
// waiting delivery needs; what remains verifies.
func TestRemoveOld(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	session := s.open(t)
	gone := keep(t, session, 0, false, "gone", "shared")
	closed := keep(t, session, 1, false, "closed")
	keep(t, session, 2, false, "shared", "current")
	for _, set := range []*published.Set{gone, closed} {
		must(t, s.Ledger.Retire(t.Context(), set, 40))
	}
	spared := func(set *published.Set) bool { return set.Revision == 1 }
	if n, err := session.RemoveOld(t.Context(), time.Now().Add(-time.Hour), 50, spared); n != 0 || err != nil {
		t.Errorf("%d files went before their days, %v", n, err)
	}
	n, err := session.RemoveOld(t.Context(), time.Now().Add(time.Hour), 50, spared)
	if n != 2 || err != nil { // gone, and the manifest
		t.Errorf("%d files went, %v", n, err)
	}
	for text, stays := range map[string]bool{"gone": false, "shared": true, "closed": true, "current": true} {
		if s.has(t, text) != stays {
			t.Errorf("%s is in the archive: %t", text, !stays)
		}
	}
	if v, err := s.Archive.Verify(t.Context()); err != nil || len(v.Faults) > 0 {
		t.Errorf("the archive without them: %v, %v", v, err)
	}
	if r, err := s.Check(t.Context()); err != nil || len(r.Faults) > 0 || r.Files != 5 {
		t.Errorf("held against the ledger: %+v, %v", r, err)
	}
}

// TestOrphans: files of a run that was killed between archive and ledger are found again by the same bytes; those that no revision
// came to name are swept when they are older than a day, and not before.
func TestOrphans(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	session := s.open(t)
	keep(t, session, 0, true, "again", "never")
	keep(t, session, 0, false, "again")
	if n, err := session.SweepOrphans(t.Context()); n != 0 || err != nil {
		t.Errorf("%d files of today were swept, %v", n, err)
	}
	s.days = 2
	if n, err := session.SweepOrphans(t.Context()); n != 2 || err != nil || s.has(t, "never") || !s.has(t, "again") {
		t.Errorf("%d files were swept, %v; named: %t, orphan: %t", n, err, s.has(t, "again"), s.has(t, "never"))
	}
}

// TestCheck: each file that the ledger names has to be in the archive with its size, and the archive has to be the ledger's.
func TestCheck(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	if r, err := s.Check(t.Context()); err != nil || r.Files != 0 {
		t.Errorf("nothing was published: %+v, %v", r, err)
	}
	keep(t, s.open(t), 0, false, "lost", "cut", "whole")
	file := func(text string) string { sum := hashOf(text); return filepath.Join(s.dir, sum[:2], sum+".gz") }
	must(t, os.Remove(file("lost")))
	must(t, os.Truncate(file("cut"), 10))
	r, err := s.Check(t.Context())
	must(t, err)
	text := words.JoinMessages("en", r.Faults)
	if len(r.Faults) != 2 || r.Files != 4 || !strings.Contains(text, "lacks 1/lost.csv") || !strings.Contains(text, "1/cut.csv") ||
		!strings.Contains(text, "takes 10 bytes") {
		t.Errorf("the check of %d files found:\n%s", r.Files, text)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "archive.json"), []byte(`{"ledger":"another"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, says := range []string{"another ledger", "not there, or was emptied"} {
		if r, err := s.Check(t.Context()); err != nil || len(r.Faults) != 1 || !strings.Contains(r.Faults[0].String(), says) {
			t.Errorf("the check found %v, %v, should be that it is %s", r, err, says)
		}
		must(t, os.RemoveAll(s.dir))
	}
}

// TestCheckComparesChains: the ledger has to have the ends of the records of runs that were published last, unless it was put back to
// before the run that published them.
func TestCheckComparesChains(t *testing.T) {
	t.Parallel()
	dsn := storetest.FreshSQLite(t)
	s := newShelfOf(t, dsn)
	end := func(id string) {
		run := &ledger.Run{ID: id, Kind: ledger.Nightly, Began: time.Now()}
		must(t, s.Ledger.BeginRun(t.Context(), run))
		run.Ended = run.Began.Add(time.Minute)
		must(t, s.Ledger.EndRun(t.Context(), run))
	}
	end("q")
	keep(t, s.open(t), 0, false, "one")
	holds := func(faults int) {
		t.Helper()
		r, err := s.Check(t.Context())
		must(t, err)
		if len(r.Faults) != faults || faults > 0 && !strings.Contains(r.Faults[0].String(), "_r0.manifest.json: was made when the records of runs ended with number 1, ") {
			t.Errorf("the check found %q, should be %d faults", r.Faults, faults)
		}
	}
	end("r")
	holds(0)
	db, err := sqldb.Open(t.Context(), dsn)
	must(t, err)
	defer func() { must(t, db.Close()) }()
	do := func(query string) {
		_, err := db.Write.ExecContext(t.Context(), query)
		must(t, err)
	}
	do("UPDATE run SET digest = 'f' WHERE id = 'q'")
	holds(1)
	do("DELETE FROM run WHERE id = 'r'")
	holds(0)
}
