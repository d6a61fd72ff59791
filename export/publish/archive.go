package publish

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"concilia/export/words"
)

// Archive keeps the files of every published set, each once, compressed, under the SHA-256 of its plain bytes. Publishing,
// publishing late and publishing once more are copies from it. It is a folder, a bucket or a directory of an SFTP server.
// Its methods may be called by several goroutines at once, and by several processes.
type Archive struct {
	target  Target
	place   string
	packers sync.Pool // of *blockPacker, for the next files
}

// ArchiveIdentity says whose an archive is.
type ArchiveIdentity struct {
	// Ledger is the id of the ledger whose files it keeps.
	Ledger string `json:"ledger"`
	// Publication is the number of the last revision that was noted here; 0: none was. An archive with a higher number than
	// its ledger has seen revisions that the ledger lost.
	Publication int64 `json:"publication"`
}

const (
	identityName   = "archive.json"
	manifestFolder = "sets"
	packedExt      = ".gz"
)

var (
	// ErrArchive is an archive that can't be used now: unreachable, full, emptied, not mounted, or another ledger's. Whatever
	// fails with it, nothing was published.
	ErrArchive error = words.NewFault("target_fault.archive", "")
	// ErrNotPrivate is an archive folder that other users may read, or that belongs to another: a fault of the configuration.
	ErrNotPrivate error = words.NewFault("target_fault.not_private", "")
	// ErrDamaged is a file of an archive whose bytes are not those of its name.
	ErrDamaged error = words.NewFault("target_fault.damaged", "")
)

// ArchiveError is an archive that can't be used, and why. It is ErrArchive, and what the system said.
type ArchiveError struct {
	Place string
	Err   error
}

// Error names the place and the reason.
func (e *ArchiveError) Error() string { return e.In("en") }

// In is Error in a language.
func (e *ArchiveError) In(language string) string {
	return words.NewMessage("target_fault.the_archive", "place", e.Place, "cause", e.Err).In(language)
}

// Unwrap makes the error both what it is for the caller and what it was for the system.
func (e *ArchiveError) Unwrap() []error { return []error{ErrArchive, e.Err} }

// OpenArchive gives the archive at a place, written as for Open. Nothing is touched yet.
func OpenArchive(place string, o Options) (*Archive, error) {
	o.Private = true
	target, err := Open(place, o)
	if err != nil {
		return nil, err
	}
	shown, _, _ := strings.Cut(place, "?")
	if f, ok := target.(*Folder); ok {
		shown = f.dir
	}
	return &Archive{target: target, place: shown}, nil
}

// IsArchiveFolder reports whether a folder is an archive's.
func IsArchiveFolder(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, identityName))
	return err == nil
}

// Place names the archive for people: the absolute path of a folder, or a URL without its query.
func (a *Archive) Place() string { return a.place }

// CheckPrivate fails with ErrNotPrivate for a folder that is there and belongs to another user or is open to others, and for a link
// to one that another user made.
func (a *Archive) CheckPrivate() error {
	f, ok := a.target.(*Folder)
	if !ok {
		return nil
	}
	info, err := os.Lstat(f.dir)
	if err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := checkLinkOwner(f.dir, info); err != nil {
			return err
		}
		info, err = os.Stat(f.dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return a.wrapFailure(wrapTargetError("stat", "", err))
	}
	if !info.IsDir() {
		return a.wrapFailure(words.NewFault("target_fault.no_folder", ""))
	}
	return checkOwner(f.dir, info)
}

// Identity reads whose the archive is. A place that has no identity fails with an error that is fs.ErrNotExist.
func (a *Archive) Identity(ctx context.Context) (id ArchiveIdentity, err error) {
	body, err := a.target.Read(ctx, identityName)
	if errors.Is(err, fs.ErrNotExist) {
		return id, err
	}
	if err != nil {
		return id, a.wrapFailure(err)
	}
	if err := json.Unmarshal(body, &id); err != nil || id.Ledger == "" {
		return id, a.wrapFailure(words.NewFault("target_fault.no_identity", "", "name", identityName))
	}
	return id, nil
}

// ErrOtherLedger is an archive that keeps the files of another ledger.
var ErrOtherLedger error = words.NewFault("target_fault.other_ledger", "")

// Begin makes an empty place the archive of a ledger; one that is the ledger's stays as it is. A place that is another
// ledger's, or holds other files, fails. Two processes may begin an archive at once.
func (a *Archive) Begin(ctx context.Context, ledger string) error {
	begun := func() (bool, error) {
		id, err := a.Identity(ctx)
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err == nil && id.Ledger != ledger {
			err = a.wrapFailure(ErrOtherLedger)
		}
		return err == nil, err
	}
	if done, err := begun(); done || err != nil {
		return err
	}
	staging, release, err := a.Stage(ctx)
	if err != nil {
		return err
	}
	defer release()
	err = a.target.List(ctx, "", func(e Entry) error { return words.NewFault("target_fault.foreign_files", "", "name", e.Name) })
	if err != nil {
		// Unless another process began it meanwhile, and has kept files already.
		if done, err := begun(); done || err != nil {
			return err
		}
		return a.wrapFailure(err)
	}
	local, err := writeIdentity(staging, ArchiveIdentity{Ledger: ledger})
	if err != nil {
		return a.wrapFailure(err)
	}
	if err = a.target.Put(ctx, identityName, local); errors.Is(err, ErrTaken) {
		_, err = begun()
	}
	return a.wrapFailure(err)
}

// Note records the identity anew, with the number of a later publication.
func (a *Archive) Note(ctx context.Context, staging string, id ArchiveIdentity) error {
	local, err := writeIdentity(staging, id)
	if err != nil {
		return a.wrapFailure(err)
	}
	return a.wrapFailure(a.target.Replace(ctx, identityName, local))
}

func writeIdentity(staging string, id ArchiveIdentity) (local string, err error) {
	body, err := json.Marshal(id)
	if err != nil {
		return "", err
	}
	local = filepath.Join(staging, identityName)
	return local, os.WriteFile(local, append(body, '\n'), 0o600)
}

// Stage makes a directory for files on their way, for this user alone: in an archive folder itself, else among the system's
// temporary files. Release removes it.
func (a *Archive) Stage(ctx context.Context) (dir string, release func(), err error) {
	dir, release, err = a.target.Stage(ctx)
	return dir, release, a.wrapFailure(err)
}

// Put keeps a local file whose SHA-256, in hex, the caller knows, and returns how many bytes it takes there. A file that is
// there already stays; one that is damaged there is an error, and so is a local file with another hash.
func (a *Archive) Put(ctx context.Context, sum, local string) (size int64, err error) {
	name := packedName(sum)
	if e, err := a.target.Stat(ctx, name); err == nil {
		return e.Size, a.compareWithHash(ctx, sum)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, a.wrapFailure(err)
	}
	packed := local + packedExt
	defer func() { _ = os.Remove(packed) }() // what stays is swept with the staging folder
	if err := a.packFile(ctx, sum, local, packed); err != nil {
		return 0, a.wrapFailure(err)
	}
	err = a.target.Put(ctx, name, packed)
	if errors.Is(err, ErrTaken) { // by another process, whose program compresses otherwise
		err = a.compareWithHash(ctx, sum)
	}
	if err != nil {
		return 0, a.wrapFailure(err)
	}
	return a.Size(ctx, sum)
}

// Fetch writes the plain bytes of a kept file to a new local one. A file that is not there fails with an error that is
// fs.ErrNotExist, one whose bytes are not those of its hash with ErrDamaged; the local file is not left then.
func (a *Archive) Fetch(ctx context.Context, sum, local string) error {
	to, err := os.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return a.wrapFailure(err)
	}
	err = errors.Join(a.unpackFile(ctx, sum, to), to.Close())
	if err != nil {
		_ = os.Remove(local)
	}
	return err
}

// compareWithHash reads a kept file and holds it against its hash.
func (a *Archive) compareWithHash(ctx context.Context, sum string) error {
	return a.unpackFile(ctx, sum, io.Discard)
}

func (a *Archive) unpackFile(ctx context.Context, sum string, to io.Writer) error {
	// The target pushes what it reads, the decompressor pulls it.
	out, in := io.Pipe()
	fetched := make(chan error, 1)
	go func() {
		err := a.target.Fetch(ctx, packedName(sum), in)
		_ = in.CloseWithError(err) // nil is the end of the file
		fetched <- err
	}()
	have, err := unpackTo(ctx, to, out)
	_ = out.CloseWithError(errBroken) // what was not read is not wanted
	got := <-fetched
	switch {
	case errors.Is(got, fs.ErrNotExist):
		return words.NewFault("target_fault.lacks", "", "place", a.place, "sum", sum, "cause", got)
	case got != nil && !errors.Is(got, errBroken):
		return a.wrapFailure(got)
	case err != nil && (ctx.Err() != nil || errors.Is(err, errOut)):
		return a.wrapFailure(err)
	case err != nil:
		return a.wrapFailure(words.NewFault("target_fault.damaged_file", "", "name", packedName(sum), "damaged", ErrDamaged, "cause", err))
	case hex.EncodeToString(have[:]) != sum:
		return a.wrapFailure(words.NewFault("target_fault.damaged_hash", "", "name", packedName(sum), "damaged", ErrDamaged, "sum", hex.EncodeToString(have[:])))
	}
	return nil
}

// errBroken ends a fetch whose bytes are no longer needed.
var errBroken = errors.New("broken off")

func unpackTo(ctx context.Context, to io.Writer, from io.Reader) (sum digest, err error) {
	r, err := gzip.NewReader(from)
	if err != nil {
		return sum, err
	}
	sum, err = hashCopy(ctx, outWriter{to}, r)
	return sum, errors.Join(err, r.Close())
}

// Size is how many bytes a kept file takes there; a file that is not there fails with an error that is fs.ErrNotExist.
func (a *Archive) Size(ctx context.Context, sum string) (int64, error) {
	e, err := a.target.Stat(ctx, packedName(sum))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, err
	}
	return e.Size, a.wrapFailure(err)
}

// PutManifest keeps a manifest by its file name, so that the archive explains itself without its ledger. It was kept by its
// hash before, as a file of its set.
func (a *Archive) PutManifest(ctx context.Context, name, local string) error {
	return a.wrapFailure(a.target.Put(ctx, path.Join(manifestFolder, name), local))
}

// Remove takes a kept file away. One that is not there is removed already.
func (a *Archive) Remove(ctx context.Context, sum string) error {
	return a.wrapFailure(a.target.Withdraw(ctx, packedName(sum)))
}

// NoteRemoved keeps, next to a manifest by its name, the SHA-256 of those of its files, itself included, that are removed for
// their age, so that Verify does not look for them. It comes before they are removed.
func (a *Archive) NoteRemoved(ctx context.Context, staging, manifest string, sums []string) error {
	local := filepath.Join(staging, "removed")
	if err := os.WriteFile(local, []byte(strings.Join(sums, "\n")+"\n"), 0o600); err != nil {
		return a.wrapFailure(err)
	}
	defer func() { _ = os.Remove(local) }() // what stays goes with the staging folder
	return a.wrapFailure(a.target.Replace(ctx, path.Join(manifestFolder, manifest+removedExt), local))
}

// WasRemoved reports whether files of a manifest were removed for their age.
func (a *Archive) WasRemoved(ctx context.Context, manifest string) (bool, error) {
	_, err := a.target.Read(ctx, path.Join(manifestFolder, manifest+removedExt))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, a.wrapFailure(err)
}

// Sweep removes the kept files that were written before an instant and that keep does not want, and returns how many they were.
// The age of a file is by the clock of the archive.
func (a *Archive) Sweep(ctx context.Context, before time.Time, keep func(sum string) bool) (removed int, err error) {
	var old []string
	err = a.Files(ctx, func(sum string, e Entry) error {
		if e.Modified.Before(before) && !keep(sum) {
			old = append(old, sum)
		}
		return nil
	})
	for _, sum := range old {
		if err != nil {
			break
		}
		if err = a.Remove(ctx, sum); err == nil {
			removed++
		}
	}
	return removed, err
}

// Files calls fn for every kept file, with its SHA-256; a name that is none is passed over.
func (a *Archive) Files(ctx context.Context, fn func(sum string, e Entry) error) error {
	var ours error
	err := a.target.List(ctx, "", func(e Entry) error {
		if m := packedPattern.FindStringSubmatch(e.Name); m != nil && strings.HasPrefix(m[2], m[1]) {
			ours = fn(m[2], e)
		}
		return ours
	})
	if ours != nil {
		return ours
	}
	return a.wrapFailure(err)
}

// manifestExt ends the name of a manifest.
const manifestExt = ".manifest.json"

// Manifests calls fn for every manifest that was kept by its name, with its bytes.
func (a *Archive) Manifests(ctx context.Context, fn func(name string, body []byte) error) error {
	return a.eachOfSets(ctx, manifestExt, fn)
}

// eachOfSets calls fn for every file that was kept by its name, when that ends with ext.
func (a *Archive) eachOfSets(ctx context.Context, ext string, fn func(name string, body []byte) error) error {
	var names []string
	err := a.target.List(ctx, manifestFolder, func(e Entry) error {
		if strings.HasSuffix(e.Name, ext) {
			names = append(names, e.Name)
		}
		return nil
	})
	if err != nil {
		return a.wrapFailure(err)
	}
	for _, name := range names {
		body, err := a.target.Read(ctx, name)
		if err != nil {
			return a.wrapFailure(err)
		}
		if err := fn(path.Base(name), body); err != nil {
			return err
		}
	}
	return nil
}

// packedPattern is the name of a kept file.
var packedPattern = regexp.MustCompile(`^([0-9a-f]{2})/([0-9a-f]{64})\.gz$`)

// packedName is where a file with that SHA-256, in hex, is kept.
func packedName(sum string) string {
	if len(sum) != 2*sha256.Size {
		return "" // which no file has: the target refuses it
	}
	return path.Join(sum[:2], sum+packedExt)
}

// wrapFailure names an error of the archive; one of the context stays what it is.
func (a *Archive) wrapFailure(err error) error {
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, ErrArchive):
		return err
	}
	return &ArchiveError{Place: a.place, Err: err}
}
