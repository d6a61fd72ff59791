package publish

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"concilia/export"
	archive "concilia/export/publish"
	"concilia/export/words"
	"concilia/store"
	"concilia/store/ledger"
	"concilia/store/published"
)

// Target is where reports are published.
type Target interface {
	export.Publisher
	// Withdraw deletes a file of a set that was never finished, or is older than its retention. It does nothing if there is no
	// such file.
	Withdraw(ctx context.Context, name string) error
	// Replace puts the local file in the place of what may lie under name: a reader sees the old bytes or the new ones.
	Replace(ctx context.Context, name, local string) error
	// Stage creates a directory for files on their way, in a folder directly below the target, and removes what killed
	// processes left there; release removes it.
	Stage(ctx context.Context) (dir string, release func(), err error)
}

// Publisher has what publishing needs. Its fields are required unless they say otherwise.
type Publisher struct {
	Ledger  *store.Ledger
	Archive *archive.Archive
	Target  Target // nil: this process archives files and delivers none
	Place   string // of the target; see PlaceName
	// Unreachable reports whether an error is caused by the target itself, full or missing, so that delivering anything else
	// would fail too. nil: no error is.
	Unreachable func(error) bool
	// Retry decides after the n-th failed attempt at the target whether to try again, and waits before it returns true. nil: no
	// retries.
	Retry func(ctx context.Context, n int, err error) bool
	Wall  func() time.Time // wall clock
	// Agreements are those with banks under which the EDI files of accounts are numbered.
	Agreements map[ledger.Account]string
	// SigningKey signs the manifests of what is delivered. nil: they are not signed.
	SigningKey ed25519.PrivateKey
}

// PlaceName names a target in the ledger: the absolute path of a folder, or a URL without its query.
func PlaceName(out string) string {
	if strings.Contains(out, "://") {
		out, _, _ = strings.Cut(out, "?")
		return strings.TrimRight(out, "/")
	}
	if abs, err := filepath.Abs(out); err == nil {
		return abs
	}
	return out
}

// MakeTemporary makes a folder for this user alone among the system's temporary files, for what is not published.
func MakeTemporary(purpose string) (dir string, err error) { return archive.MakeTemporary(purpose) }

// Session is one publication: a run's, or that of a report.
type Session struct {
	*Publisher
	// Staging is a folder for this user alone, for files that are not in the archive yet.
	Staging string
	// Warning is what people should know about the archive; none: nothing.
	Warning []words.Message
	release func()
	gone    error // why nothing more is delivered; nil: the target is reachable
	known   published.Archive
	noted   int64 // number of the last publication that the archive knows
	// allowed fails if another process publishes the sets now. nil: none can.
	allowed func(context.Context) error
}

// IsArchiveError reports whether an error is caused by the archive, so that publishing anything else would fail too.
func IsArchiveError(err error) bool { return errors.Is(err, archive.ErrArchive) }

// Open checks the archive and makes a staging folder in it. The process that leads a run begins the archive of a new
// ledger, or of one whose archive was moved to another, empty place; any other process uses it as it is. An archive
// that cannot be used is an error that IsArchiveError reports; one that others may read is a fault of the
// configuration.
func (p *Publisher) Open(ctx context.Context, leads bool) (*Session, error) {
	s := &Session{Publisher: p, release: func() {}}
	if err := p.Archive.CheckPrivate(); err != nil {
		return nil, err
	}
	if err := s.checkIdentity(ctx, leads); err != nil {
		return nil, err
	}
	var err error
	if s.Staging, s.release, err = p.Archive.Stage(ctx); err != nil {
		return nil, err
	}
	if err := s.takeBackLost(ctx); err != nil {
		s.release()
		return nil, err
	}
	return s, nil
}

// Close removes the staging folder.
func (s *Session) Close() { s.release() }

// checkIdentity compares the archive with what the ledger knows about it.
func (s *Session) checkIdentity(ctx context.Context, leads bool) (err error) {
	if s.known, err = s.Ledger.ArchiveOf(ctx); err != nil {
		return err
	}
	place := s.Archive.Place()
	id, err := s.Archive.Identity(ctx)
	switch {
	case errors.Is(err, fs.ErrNotExist) && (!leads || s.known.Place == place):
		return s.newArchiveError(words.NewFault("publish_fault.emptied", ""))
	case errors.Is(err, fs.ErrNotExist):
		if err := s.Archive.Begin(ctx, s.known.Ledger); err != nil {
			return err
		}
		if s.known.Place != "" {
			s.Warning = []words.Message{words.NewMessage("steps.archive_begun", "place", place, "before", s.known.Place)}
		}
	case err != nil:
		return err
	case id.Ledger != s.known.Ledger:
		return s.newArchiveError(archive.ErrOtherLedger)
	case id.Publication > s.known.Publication && !leads:
		return s.newArchiveError(s.errBehind(id.Publication, words.NewMessage("publish_fault.leader_takes_back")))
	}
	s.noted = id.Publication
	if s.known.Place == place || !leads {
		return nil
	}
	s.known.Place = place
	return s.Ledger.SetArchivePlace(ctx, place)
}

func (s *Session) newArchiveError(why error) error {
	return &archive.ArchiveError{Place: s.Archive.Place(), Err: why}
}

// StagingFailed turns an error of writing to the staging folder into one of the archive, which contains the folder.
func (s *Session) StagingFailed(err error) error {
	if s.Unreachable == nil || !s.Unreachable(err) || IsArchiveError(err) {
		return err
	}
	return s.newArchiveError(err)
}

// Allow sets a check that is called before each step that cannot be undone; nil removes it.
func (s *Session) Allow(allowed func(context.Context) error) { s.allowed = allowed }

// Allowed fails if another process publishes the sets now.
func (s *Session) Allowed(ctx context.Context) error {
	if s.allowed == nil {
		return nil
	}
	return s.allowed(ctx)
}

// Gone returns why nothing more is delivered; nil: the target is reachable.
func (s *Session) Gone() error { return s.gone }

// Outgoing is a folder for the proven files of one set, to which a rendering publishes them.
type Outgoing struct{ dir string }

// NewOutgoing makes such a folder in the staging folder.
func (s *Session) NewOutgoing() (*Outgoing, error) {
	dir, err := os.MkdirTemp(s.Staging, "outgoing-")
	if err != nil {
		return nil, s.StagingFailed(words.NewFault("publish_fault.staging", "", "cause", err))
	}
	return &Outgoing{dir}, nil
}

// Remove removes the folder; nil has none.
func (o *Outgoing) Remove() {
	if o != nil {
		_ = os.RemoveAll(o.dir)
	}
}

// Put moves a file into the folder.
func (o *Outgoing) Put(_ context.Context, name, local string) error {
	return os.Rename(local, o.localPath(name))
}

// Read makes it an export.Publisher. No file lies there before a rendering.
func (o *Outgoing) Read(_ context.Context, name string) ([]byte, error) {
	return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
}

func (o *Outgoing) localPath(name string) string { return filepath.Join(o.dir, path.Base(name)) }

// Keep puts the files of a rendered set into the archive, several at once, the manifest last, and notes their sizes there.
func (s *Session) Keep(ctx context.Context, kept *published.Set, from *Outgoing) error {
	body, err := os.ReadFile(from.localPath(kept.Manifest.Path))
	if err != nil {
		return s.StagingFailed(err)
	}
	sum := sha256.Sum256(body)
	kept.Manifest.SHA256, kept.Manifest.Bytes = hex.EncodeToString(sum[:]), int64(len(body))
	put := func(ctx context.Context, f *published.File) (err error) {
		f.Archived, err = s.Archive.Put(ctx, f.SHA256, from.localPath(f.Path))
		return err
	}
	group, packing := errgroup.WithContext(ctx)
	group.SetLimit(min(runtime.GOMAXPROCS(0), maxPackedAtOnce))
	for i := range kept.Files {
		group.Go(func() error { return put(packing, &kept.Files[i]) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return put(ctx, &kept.Manifest)
}

// maxPackedAtOnce is how many files of a set are compressed at once: each takes a megabyte.
const maxPackedAtOnce = 4

// Record writes the revision into the ledger, with a delivery that waits. Its files were archived before, by this
// process or by a worker; if one is not in the archive, that is an error of the archive.
func (s *Session) Record(ctx context.Context, kept *published.Set, keptBy string) error {
	for _, f := range kept.All() {
		if keptBy == "" {
			break // by this process, a moment ago
		}
		_, err := s.Archive.Size(ctx, f.SHA256)
		if errors.Is(err, fs.ErrNotExist) {
			return s.newArchiveError(words.NewFault("publish_fault.elsewhere", "", "worker", keptBy, "file", path.Base(f.Path), "host", hostName()))
		}
		if err != nil {
			return err
		}
	}
	if err := s.Allowed(ctx); err != nil {
		return err
	}
	return s.Ledger.KeepSet(ctx, kept, s.Place, s.Wall())
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "this machine"
	}
	return name
}

// GiveUp stops deliveries because of an error of the target in another session; nil changes nothing.
func (s *Session) GiveUp(err error) {
	if err != nil {
		s.gone = err
	}
}

// Archive keeps every published file by its hash.
type Archive = archive.Archive
