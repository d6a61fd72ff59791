package publish_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"

	"concilia/export/publish"
	"concilia/export/words"
)

// openArchive opens the archive at a place, begun for ledger L.
func openArchive(t *testing.T, place string) *publish.Archive {
	t.Helper()
	a, err := publish.OpenArchive(place, publish.Options{})
	must(t, err)
	must(t, a.Begin(t.Context(), "L"))
	return a
}

func hashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// keep puts a text into the archive.
func keep(t *testing.T, a *publish.Archive, text string) (int64, error) {
	t.Helper()
	return a.Put(t.Context(), hashText(text), local(t, text))
}

// fetch reads a kept file by its hash.
func fetch(t *testing.T, a *publish.Archive, sum string) (string, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "fetched")
	if err := a.Fetch(t.Context(), sum, file); err != nil {
		if _, there := os.Stat(file); there == nil {
			t.Error("a file that could not be fetched was left")
		}
		return "", err
	}
	body, err := os.ReadFile(file)
	must(t, err)
	return string(body), nil
}

// TestArchiveKeepsWhole: a file is kept once, compressed, under the hash of its plain bytes, and comes back as it was; putting
// it again does nothing. So it is of every kind of place.
func TestArchiveKeepsWhole(t *testing.T) {
	t.Parallel()
	for _, kind := range []struct {
		name string
		open func(t *testing.T) *publish.Archive
	}{
		{"folder", func(t *testing.T) *publish.Archive {
			return openArchive(t, filepath.Join(t.TempDir(), "new", "archive"))
		}},
		{"s3", func(t *testing.T) *publish.Archive { return publish.ArchiveOver(s3Target(t)) }},
		{"sftp", func(t *testing.T) *publish.Archive { return publish.ArchiveOver(sftpTarget(t)) }},
	} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			a := kind.open(t)
			must(t, a.Begin(t.Context(), "L"))
			text := strings.Repeat("card,value\n", 200_000)
			var sizes []int64
			for range 2 {
				size, err := keep(t, a, text)
				must(t, err)
				sizes = append(sizes, size)
			}
			if sizes[0] == 0 || sizes[0] > int64(len(text)/10) || sizes[0] != sizes[1] {
				t.Errorf("%d bytes take %v bytes", len(text), sizes)
			}
			if got, err := fetch(t, a, hashText(text)); err != nil || got != text {
				t.Errorf("%d bytes came back, %v", len(got), err)
			}
			if _, err := fetch(t, a, hashText("another")); !errors.Is(err, fs.ErrNotExist) || errors.Is(err, publish.ErrArchive) {
				t.Errorf("what was never kept: %v", err)
			}
			id := publish.ArchiveIdentity{Ledger: "L", Publication: 7}
			must(t, a.Note(t.Context(), t.TempDir(), id))
			if got, err := a.Identity(t.Context()); err != nil || got != id {
				t.Errorf("the identity is %+v, %v", got, err)
			}
			must(t, a.PutManifest(t.Context(), "set_x_r0.manifest.json", local(t, manifestOf(text))))
			if _, err := keep(t, a, manifestOf(text)); err != nil {
				t.Error(err)
			}
			r, err := a.Verify(t.Context())
			if err != nil || r.Files != 2 || r.Manifests != 1 || len(r.Faults) > 0 {
				t.Errorf("verified %+v, %v", r, err)
			}
			must(t, a.Remove(t.Context(), hashText(text)))
			must(t, a.Remove(t.Context(), hashText(text)))
			if _, err := a.Size(t.Context(), hashText(text)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("removed: %v", err)
			}
		})
	}
}

func manifestOf(texts ...string) string {
	var files []string
	for i, text := range texts {
		files = append(files, fmt.Sprintf(`{"path":"file-%d.csv","sha256":%q}`, i, hashText(text)))
	}
	return `{"files":[` + strings.Join(files, ",") + `]}`
}

// TestArchiveNothingHalf breaks the keeping of a file off at each of its steps: nothing of it is there, no leftover, and keeping
// it again succeeds. A full disk is an archive that can't be used.
func TestArchiveNothingHalf(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"sync", "read back", "name"} {
		for _, fault := range []error{syscall.ENOSPC, syscall.EIO} {
			dir := filepath.Join(t.TempDir(), "archive")
			a := openArchive(t, dir)
			before := all(t, dir)
			publish.BetweenArchive(a, func(at string) error {
				if at == step {
					return fault
				}
				return nil
			})
			_, err := keep(t, a, "whole")
			if !errors.Is(err, fault) || !errors.Is(err, publish.ErrArchive) || !strings.Contains(err.Error(), dir) {
				t.Errorf("%v at %s: %v", fault, step, err)
			}
			want(t, dir, before)
			publish.BetweenArchive(a, func(string) error { return nil })
			if _, err := keep(t, a, "whole"); err != nil {
				t.Errorf("kept again: %v", err)
			}
			if got, err := fetch(t, a, hashText("whole")); err != nil || got != "whole" {
				t.Errorf("%q came back, %v", got, err)
			}
		}
	}
}

// TestArchiveTogether has many keep one file at once, as workers on several machines do.
func TestArchiveTogether(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	text := strings.Repeat("same\n", 50_000)
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		a, err := publish.OpenArchive(dir, publish.Options{})
		must(t, err)
		file := local(t, text)
		wg.Go(func() {
			if errs[i] = a.Begin(t.Context(), "L"); errs[i] == nil {
				_, errs[i] = a.Put(t.Context(), hashText(text), file)
			}
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
	if n := len(all(t, dir)); n != 2 {
		t.Errorf("%d files are there, want the identity and one file: %v", n, all(t, dir))
	}
}

// TestArchiveOfAnotherProgram: a file that was compressed by other rules is the same file by its plain bytes.
func TestArchiveOfAnotherProgram(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openArchive(t, dir)
	sum := hashText("plain")
	at := filepath.Join(dir, sum[:2], sum+".gz")
	must(t, os.MkdirAll(filepath.Dir(at), 0o700))
	f, err := os.Create(at)
	must(t, err)
	w, err := gzip.NewWriterLevel(f, gzip.NoCompression)
	must(t, err)
	_, err = w.Write([]byte("plain"))
	must(t, errors.Join(err, w.Close(), f.Close()))
	info, err := os.Stat(at)
	must(t, err)
	if size, err := keep(t, a, "plain"); err != nil || size != info.Size() {
		t.Errorf("kept with %d bytes, %v", size, err)
	}
}

// TestArchiveDamage: bytes that are not those of their name are found when they are read, and never overwritten.
func TestArchiveDamage(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{"other bytes": packedText(t, "other"), "no gzip": []byte("rotten"), "cut": packedText(t, "text")[:12]} {
		dir := filepath.Join(t.TempDir(), "archive")
		a := openArchive(t, dir)
		_, err := keep(t, a, "text")
		must(t, err)
		sum := hashText("text")
		at := filepath.Join(dir, sum[:2], sum+".gz")
		must(t, os.WriteFile(at, body, 0o600))
		if _, err := fetch(t, a, sum); !errors.Is(err, publish.ErrDamaged) || !errors.Is(err, publish.ErrArchive) {
			t.Errorf("%s, fetched: %v", name, err)
		}
		if _, err := keep(t, a, "text"); !errors.Is(err, publish.ErrDamaged) {
			t.Errorf("%s, kept again: %v", name, err)
		}
		if now, err := os.ReadFile(at); err != nil || string(now) != string(body) {
			t.Errorf("%s: it was overwritten, %v", name, err)
		}
		r, err := a.Verify(t.Context())
		if err != nil || len(r.Faults) != 1 || !strings.Contains(r.Faults[0].String(), sum) {
			t.Errorf("%s, verified: %+v, %v", name, r, err)
		}
	}
	a := openArchive(t, filepath.Join(t.TempDir(), "archive"))
	if _, err := a.Put(t.Context(), hashText("proven"), local(t, "changed since")); err == nil || !strings.Contains(err.Error(), "was changed before it was kept") {
		t.Errorf("a file with another hash: %v", err)
	}
}

func packedText(t *testing.T, text string) []byte {
	t.Helper()
	var b strings.Builder
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	must(t, errors.Join(err, w.Close()))
	return []byte(b.String())
}

// TestArchiveVerify names what lacks, what was changed and what does not belong.
func TestArchiveVerify(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	a := openArchive(t, dir)
	for _, text := range []string{"one", "two", manifestOf("one", "two")} {
		_, err := keep(t, a, text)
		must(t, err)
	}
	must(t, a.PutManifest(t.Context(), "set_a_r0.manifest.json", local(t, manifestOf("one", "two"))))
	must(t, a.PutManifest(t.Context(), "set_b_r0.manifest.json", local(t, manifestOf("one", "lost"))))
	must(t, os.WriteFile(filepath.Join(dir, "stray.csv"), nil, 0o600))
	must(t, os.Remove(filepath.Join(dir, hashText("two")[:2], hashText("two")+".gz")))
	r, err := a.Verify(t.Context())
	must(t, err)
	slices.SortFunc(r.Faults, func(a, b words.Message) int { return strings.Compare(a.String(), b.String()) })
	var short []string
	for _, f := range r.Faults {
		short = append(short, strings.Join(strings.Fields(f.String())[:3], " "))
	}
	if got, want := fmt.Sprint(short), "[set_a_r0.manifest.json: lists file-1.csv, set_b_r0.manifest.json: it is set_b_r0.manifest.json: lists file-1.csv, stray.csv: no file]"; got != want {
		t.Errorf("faults %s, want %s", got, want)
	}
	empty, err := publish.OpenArchive(filepath.Join(t.TempDir(), "nothing"), publish.Options{})
	must(t, err)
	if _, err := empty.Verify(t.Context()); !errors.Is(err, publish.ErrArchive) || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a place that is no archive was verified: %v", err)
	}
}

// TestArchiveBegins: an empty place becomes the archive of a ledger; that of another ledger, or a folder of other files, does not.
func TestArchiveBegins(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "archive")
	a, err := publish.OpenArchive(dir, publish.Options{})
	must(t, err)
	if _, err := a.Identity(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a place that is not there has an identity: %v", err)
	}
	for range 2 {
		must(t, a.Begin(t.Context(), "L"))
	}
	if err := a.Begin(t.Context(), "M"); !errors.Is(err, publish.ErrOtherLedger) || !errors.Is(err, publish.ErrArchive) {
		t.Errorf("another ledger began it anew: %v", err)
	}
	if id, err := a.Identity(t.Context()); err != nil || id.Ledger != "L" {
		t.Errorf("it is of %+v, %v", id, err)
	}
	used := t.TempDir()
	must(t, os.WriteFile(filepath.Join(used, "thesis.doc"), nil, 0o600))
	b, err := publish.OpenArchive(used, publish.Options{})
	must(t, err)
	if err := b.Begin(t.Context(), "L"); !errors.Is(err, publish.ErrArchive) || !strings.Contains(err.Error(), "thesis.doc") {
		t.Errorf("a folder with other files was begun: %v", err)
	}
}

// TestArchiveIsPrivate: its folders and files are for this user alone, and a folder that is open to others is refused.
func TestArchiveIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("rights are the system's own")
	}
	dir := filepath.Join(t.TempDir(), "archive")
	a := openArchive(t, dir)
	_, err := keep(t, a, "text")
	must(t, err)
	must(t, a.PutManifest(t.Context(), "set_a_r0.manifest.json", local(t, "{}")))
	must(t, a.Note(t.Context(), t.TempDir(), publish.ArchiveIdentity{Ledger: "L", Publication: 1}))
	must(t, filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := map[bool]fs.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; info.Mode().Perm() != want {
			t.Errorf("%s is %04o, want %04o", p, info.Mode().Perm(), want)
		}
		return err
	}))
	must(t, a.CheckPrivate())
	for _, mode := range []fs.FileMode{0o755, 0o710, 0o701} {
		must(t, os.Chmod(dir, mode))
		if err := a.CheckPrivate(); !errors.Is(err, publish.ErrNotPrivate) || !strings.Contains(err.Error(), dir) {
			t.Errorf("with %04o: %v", mode, err)
		}
	}
	must(t, os.Chmod(dir, 0o700))
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(dir, link))
	linked := openArchive(t, link)
	must(t, linked.CheckPrivate())
	if os.Geteuid() == 0 { // only root makes what belongs to others
		must(t, os.Lchown(link, 65534, 65534))
		if err := linked.CheckPrivate(); !errors.Is(err, publish.ErrNotPrivate) || !strings.Contains(err.Error(), "the link "+link+" belongs to user 65534") {
			t.Errorf("a link of somebody else: %v", err)
		}
		must(t, os.Chown(dir, 65534, 65534))
		if err := a.CheckPrivate(); !errors.Is(err, publish.ErrNotPrivate) || !strings.Contains(err.Error(), "belongs to user 65534") {
			t.Errorf("a folder of somebody else: %v", err)
		}
		must(t, os.Chown(dir, 0, 0))
	}
	none, err := publish.OpenArchive(filepath.Join(dir, "none"), publish.Options{})
	must(t, err)
	must(t, none.CheckPrivate())
}
