package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/crypto/ssh/knownhosts"

	"concilia/export/words"
)

// Target is a place for finished files. Names are slash paths below it. Its methods may be called by several
// goroutines at once.
type Target interface {
	// Put publishes the local file under name, as the package comment promises. After nil the file is durable. It may be
	// repeated.
	Put(ctx context.Context, name, local string) error
	// Replace puts the local file in the place of what may lie under name: a reader sees the old bytes or the new ones. It
	// is for small files that change, which no set has.
	Replace(ctx context.Context, name, local string) error
	// Read returns a small published file whole, or an error that is fs.ErrNotExist.
	Read(ctx context.Context, name string) ([]byte, error)
	// Fetch copies a published file of any size to a writer, or fails with an error that is fs.ErrNotExist. An error of
	// the writer is returned as it is.
	Fetch(ctx context.Context, name string, to io.Writer) error
	// Stat describes a published file, or fails with an error that is fs.ErrNotExist.
	Stat(ctx context.Context, name string) (Entry, error)
	// List calls fn for every published file below a directory, in any order; hidden ones are left out. An empty dir is
	// the target itself; one that does not exist has no files. An error of fn ends the listing and is returned as it is.
	List(ctx context.Context, dir string, fn func(Entry) error) error
	// Withdraw removes a published file: of a set that was never finished, so that it can be published again with other
	// bytes, or of one that is past its retention. A file that does not exist is no error.
	Withdraw(ctx context.Context, name string) error
	// Stage makes a directory for files being written, on the target's own file system where it has one. release removes it.
	Stage(ctx context.Context) (dir string, release func(), err error)
}

// Entry is a published file as a target lists it.
type Entry struct {
	Name     string // slash path below the target
	Size     int64  // in bytes
	Modified time.Time
}

// ErrURL is a target URL that is not valid: an error of the configuration.
var ErrURL error = words.NewFault("target_fault.no_target", "")

// newURLError is ErrURL with the reason, by the id of its text and the text's values.
func newURLError(text string, values ...any) error {
	return fmt.Errorf("%w: %w", ErrURL, words.NewFault(text, "", values...))
}

// Options are the settings of targets that are not part of their URLs.
type Options struct {
	S3   S3Options
	SFTP SFTPOptions
	// Now is the wall clock, by which unfinished uploads of killed processes are aborted. nil: they are left.
	Now func() time.Time
	// Private makes files that only this user may read (0600), in directories that only this user may enter (0700).
	// Folders and SFTP servers follow it; in a bucket the keys decide.
	Private bool
	// IdleTimeout is how long a server may neither receive nor send a byte until it counts as unreachable; 0: two minutes.
	IdleTimeout time.Duration
}

// openers open the target of a URL, by its scheme: file:///path, s3://bucket/prefix or sftp://user@host/path.
var openers = map[string]func(*url.URL, Options) (Target, error){
	"file": func(u *url.URL, o Options) (Target, error) { return openFileURL(u, o) },
	"s3":   func(u *url.URL, o Options) (Target, error) { return newBucket(u, o) },
	"sftp": func(u *url.URL, o Options) (Target, error) { return newSFTPServer(u, o) },
}

// Schemes are those of the URLs that Open takes, in order.
func Schemes() []string { return slices.Sorted(maps.Keys(openers)) }

// Open returns the target of a path or of a URL of one of Schemes. It neither connects nor creates anything; a folder is created when it is needed, a bucket never.
func Open(target string, o Options) (Target, error) {
	scheme, _, isURL := strings.Cut(target, "://")
	switch {
	case target == "":
		return nil, newURLError("target_fault.empty")
	case !isURL:
		return newFolder(target, o)
	}
	open := openers[scheme]
	if open == nil {
		known := strings.Join(Schemes(), "://, ") + "://"
		return nil, newURLError("target_fault.scheme", "scheme", words.Quote(scheme, 10), "known", known)
	}
	u, err := url.Parse(target)
	if err != nil { // the URL may carry a password: no error shows more than its scheme
		return nil, newURLError("target_fault.malformed", "scheme", scheme)
	}
	return open(u, o)
}

// openFileURL returns the folder of a file:// URL.
func openFileURL(u *url.URL, o Options) (Target, error) {
	switch {
	case u.Host != "" && u.Host != "localhost":
		return nil, newURLError("target_fault.file_host")
	case u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return nil, newURLError("target_fault.file_path")
	case u.Path == "" || u.Path == "/":
		return nil, newURLError("target_fault.file_folder")
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/") // file:///C:/settlement
	}
	return newFolder(filepath.FromSlash(p), o)
}

var (
	// ErrUnreachable is a target that cannot be written or read now: full, read-only, without permission, or not connected.
	ErrUnreachable error = words.NewFault("target_fault.unreachable", "")
	// ErrTaken is a name that was published with other bytes.
	ErrTaken error = words.NewFault("target_fault.taken", "")
	// ErrName is a name that no file of a target can have.
	ErrName error = words.NewFault("target_fault.name", "")
)

// Error is a failure of the target. It is ErrUnreachable and wraps the system's error.
type Error struct {
	Op, Name string
	Err      error
}

func (e *Error) Error() string { return e.In("en") }

// In is Error in a language.
func (e *Error) In(language string) string {
	step := words.Labelled{Kind: "target_step", ID: e.Op}
	if e.Name == "" {
		return words.NewMessage("target_fault.step", "step", step, "cause", e.Err).In(language)
	}
	return words.NewMessage("target_fault.step_of", "step", step, "name", e.Name, "cause", e.Err).In(language)
}

// Unwrap makes the error both what it is for the caller and what it was for the system.
func (e *Error) Unwrap() []error { return []error{ErrUnreachable, e.Err} }

// Hint is the id of what to do about it, among the texts of export/words; its value place is what the target is for.
func (e *Error) Hint() string {
	switch {
	case errors.As(e.Err, new(*knownhosts.KeyError)):
		return "hint.target_key"
	case errors.Is(e.Err, syscall.ENOSPC), errors.Is(e.Err, syscall.EDQUOT):
		return "hint.target_full"
	case errors.Is(e.Err, syscall.EROFS):
		return "hint.target_read_only"
	case errors.Is(e.Err, fs.ErrPermission):
		return "hint.target_permission"
	case errors.Is(e.Err, fs.ErrNotExist):
		return "hint.target_not_mounted"
	}
	return "hint.target_way"
}

// wrapTargetError makes an Error of an error of the target; one of the context, of the name or of the local file is only
// prefixed.
func wrapTargetError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	for _, ours := range []error{context.Canceled, context.DeadlineExceeded, ErrTaken, ErrName, ErrUnreachable, errLocal, ErrTemporary} {
		if errors.Is(err, ours) {
			return words.NewFault("target_fault.step_of", "", "step", words.Labelled{Kind: "target_step", ID: op}, "name", name, "cause", err)
		}
	}
	return &Error{Op: op, Name: name, Err: err}
}

// errLocal marks an error of the local file to be published.
var errLocal error = words.NewFault("target_fault.local", "")
