package publish_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"concilia/export/manifest"
	archive "concilia/export/publish"
	"concilia/jobs/publish"
	"concilia/store/ledger"
	"concilia/store/published"
)

// rendered is a set of one file and its manifest in a folder of its own, as a rendering leaves it, with the path of the file there.
func rendered(t *testing.T, s *publish.Session, text string) (set *published.Set, from *publish.Outgoing, file string) {
	t.Helper()
	from, err := s.NewOutgoing()
	must(t, err)
	put := func(name, text string) published.File {
		local := filepath.Join(s.Staging, name)
		must(t, os.WriteFile(local, []byte(text), 0o600))
		must(t, from.Put(t.Context(), name, local))
		return published.File{Path: "1/" + name, SHA256: hashOf(text)}
	}
	set = &published.Set{Account: "1", Basis: "credit", Period: ledger.Period{From: 1, To: 30}, Run: "r", Digest: "d"}
	set.Files = []published.File{put("a.csv", text)}
	set.Manifest = put("set_a.manifest.json", `{"files":[{"path":"a.csv","sha256":"`+hashOf(text)+`"}]}`)
	found, err := filepath.Glob(filepath.Join(s.Staging, "outgoing-*", "a.csv"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	return set, from, found[0]
}

// delivering is a shelf with a folder as its target.
func delivering(t *testing.T) (s *shelf, out string) {
	t.Helper()
	s, out = newShelf(t), filepath.Join(t.TempDir(), "out")
	target, err := archive.Open(out, archive.Options{})
	must(t, err)
	s.Target = target
	return s, out
}

// TestDeliverWhatWasHashed: bytes that take the place of a proved file in the staging folder are neither archived nor sent.
func TestDeliverWhatWasHashed(t *testing.T) {
	t.Parallel()
	s, out := delivering(t)
	session := s.open(t)
	set, from, file := rendered(t, session, "true")
	must(t, os.WriteFile(file, []byte("forged"), 0o600))
	if err := session.Keep(t.Context(), set, from); err == nil {
		t.Error("a file that was changed before it was archived was kept")
	}
	must(t, os.WriteFile(file, []byte("true"), 0o600))
	must(t, session.Keep(t.Context(), set, from))
	must(t, session.Record(t.Context(), set, ""))
	must(t, os.WriteFile(file, []byte("forged"), 0o600))
	must(t, session.Deliver(t.Context(), set, from))
	if got, err := os.ReadFile(filepath.Join(out, "1", "a.csv")); err != nil || string(got) != "true" {
		t.Errorf("published %q, %v", got, err)
	}
}

// TestAdoptNothing: after a kill what lies in archive and target under the right names is compared byte by byte: a file of the very
// bytes is left where it is, any other is named and neither overwritten nor taken over.
func TestAdoptNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forge func(t *testing.T, s *shelf, out string, set *published.Set)
		wants error
	}{
		"nothing was touched": {func(*testing.T, *shelf, string, *published.Set) {}, nil},
		"a cell of a published file": {func(t *testing.T, _ *shelf, out string, _ *published.Set) {
			forge(t, filepath.Join(out, "1", "a.csv"), "forged")
		}, archive.ErrTaken},
		"manifest and mark with it": {func(t *testing.T, _ *shelf, out string, set *published.Set) { forgeSet(t, out, set) }, archive.ErrTaken},
		"a file of the archive":     {func(t *testing.T, s *shelf, _ string, _ *published.Set) { forgeArchived(t, s, "true") }, archive.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, out := delivering(t)
			first := s.open(t)
			set, from, _ := rendered(t, first, "true")
			must(t, first.Keep(t.Context(), set, from))
			must(t, first.Copy(t.Context(), set)) // and killed before the ledger knew
			from.Remove()
			first.Close()
			c.forge(t, s, out, set)
			err := again(t.Context(), t, s)
			if !errors.Is(err, c.wants) {
				t.Errorf("error %v, should be %v", err, c.wants)
			}
		})
	}
}

// again does in another process what the killed one did.
func again(ctx context.Context, t *testing.T, s *shelf) error {
	t.Helper()
	second := s.open(t)
	set, from, _ := rendered(t, second, "true")
	if err := second.Keep(ctx, set, from); err != nil {
		return err
	}
	must(t, second.Record(ctx, set, ""))
	return second.Deliver(ctx, set, from)
}

func forge(t *testing.T, path, text string) {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

// forgeSet changes a cell and makes manifest and mark fit.
func forgeSet(t *testing.T, out string, set *published.Set) {
	t.Helper()
	body := `{"files":[{"path":"a.csv","sha256":"` + hashOf("forged") + `"}]}`
	forge(t, filepath.Join(out, "1", "a.csv"), "forged")
	forge(t, filepath.Join(out, "1", "set_a.manifest.json"), body)
	done := filepath.Join(out, publish.DoneName(set))
	forge(t, done, manifest.DoneText(hashOf(body), "set_a.manifest.json"))
}

func forgeArchived(t *testing.T, s *shelf, text string) {
	t.Helper()
	forge(t, filepath.Join(s.dir, hashOf(text)[:2], hashOf(text)+".gz"), "forged")
}
