package publish

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"

	"concilia/export/words"
)

// Folder is a target in the file system. Files and directories are made with the rights that the process's umask leaves, or,
// of a private one, for this user alone.
type Folder struct {
	dir     string // absolute
	private bool

	// beforeStep is called before each step of Put; tests make it fail or interfere.
	beforeStep func(step string) error
}

const (
	// partPrefix begins the name of a file that is not whole yet, stagingPrefix that of a directory of files on their way.
	// The dot keeps both out of sight, and a name that begins with one cannot be published.
	partPrefix    = ".part-"
	stagingPrefix = ".staging-"
	// localStagingPrefix begins the name of a staging directory among this machine's temporary files, for remote targets.
	localStagingPrefix = temporaryPrefix + "staging-"
	// maxRead is the most bytes of a file that Read returns: it is for manifests.
	maxRead = 64 << 20
	// chunk is the number of bytes copied between two checks of the context.
	chunk = 256 << 10
)

type digest [sha256.Size]byte

func (d digest) String() string { return hex.EncodeToString(d[:8]) }

// checkEqual fails with errOtherBytes if the digest, in hex, is not the one that is wanted; empty: any is.
func (d digest) checkEqual(want string) error {
	if want != "" && want != hex.EncodeToString(d[:]) {
		return errOtherBytes
	}
	return nil
}

func newFolder(dir string, o Options) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	return &Folder{dir: abs, private: o.Private, beforeStep: func(string) error { return nil }}, nil
}

// dirMode and fileMode are the rights of what the folder makes, before the umask.
func (f *Folder) dirMode() fs.FileMode {
	if f.private {
		return 0o700
	}
	return 0o777
}

func (f *Folder) fileMode() fs.FileMode {
	if f.private {
		return 0o600
	}
	return 0o666
}

// Put publishes a file; see Target.
func (f *Folder) Put(ctx context.Context, name, local string) error {
	return wrapTargetError("publish", name, f.putFile(ctx, name, local, ""))
}

// PutHashed is Put for a file that must have a SHA-256, in hex, which is taken of the bytes that are sent. published is false, and nothing is
// published, where the local file has other bytes or cannot be read.
func (f *Folder) PutHashed(ctx context.Context, name, local, sum string) (published bool, err error) {
	err = f.putFile(ctx, name, local, sum)
	if errors.Is(err, errOtherBytes) || errors.Is(err, errLocal) {
		return false, nil
	}
	return err == nil, wrapTargetError("publish", name, err)
}

// errOtherBytes means that a local file has another hash than it must have.
var errOtherBytes = errors.New("other bytes")

// putFile publishes a local file, if it has the SHA-256, in hex; empty: whichever it has.
func (f *Folder) putFile(ctx context.Context, name, local, want string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	file, err := os.Open(local)
	if err != nil {
		return fmt.Errorf("%w: %w", errLocal, err)
	}
	defer file.Close()
	source := localFile{file}
	root, err := f.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	if err := makeDirs(root, path.Dir(name), f.dirMode()); err != nil {
		return err
	}
	if _, err := root.Lstat(name); err == nil {
		sum, err := hashCopy(ctx, io.Discard, source)
		if err == nil {
			err = sum.checkEqual(want)
		}
		if err != nil {
			return err
		}
		return verifyPublished(ctx, root, name, sum)
	}
	part := path.Join(path.Dir(name), partPrefix+rand.Text())
	// After a successful link this removes the second name, and after an error the partial file.
	defer func() { _ = root.Remove(part) }()
	sum, err := f.writePart(ctx, root, part, source)
	if err == nil {
		err = sum.checkEqual(want)
	}
	if err != nil {
		return err
	}
	if err := f.beforeStep("name"); err != nil {
		return err
	}
	return f.linkPart(ctx, root, part, name, sum)
}

// writePart writes the partial file, syncs it, reads it back and compares the hashes.
func (f *Folder) writePart(ctx context.Context, root *os.Root, part string, source io.Reader) (sum digest, err error) {
	to, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, f.fileMode())
	if err != nil {
		return sum, err
	}
	if sum, err = hashCopy(ctx, to, source); err == nil {
		err = f.beforeStep("sync")
	}
	if err == nil {
		err = to.Sync()
	}
	if err := errors.Join(err, to.Close()); err != nil {
		return sum, err
	}
	if err := f.beforeStep("read back"); err != nil {
		return sum, err
	}
	back, err := hashFile(ctx, root, part)
	if err == nil && back != sum {
		err = words.NewFault("target_fault.read_back", "", "sum", sum, "back", back)
	}
	return sum, err
}

// linkPart gives the partial file its name. If another process has used the name meanwhile, its content is verified.
func (f *Folder) linkPart(ctx context.Context, root *os.Root, part, name string, sum digest) error {
	err := f.beforeStep("link")
	if err == nil {
		err = root.Link(part, name)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return verifyPublished(ctx, root, name, sum)
	case err != nil:
		// The file system has no hard links. Between this check and the rename another process may still use the name.
		if _, err := root.Lstat(name); err == nil {
			return verifyPublished(ctx, root, name, sum)
		}
		if err := root.Rename(part, name); err != nil {
			return err
		}
	}
	return syncDir(root, path.Dir(name))
}

// verifyPublished compares a published file with the hash it should have; ErrTaken when they differ.
func verifyPublished(ctx context.Context, root *os.Root, name string, sum digest) error {
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return words.NewFault("target_fault.taken_no_file", "", "taken", ErrTaken)
	}
	have, err := hashFile(ctx, root, name)
	if err != nil {
		return err
	}
	if have != sum {
		return words.NewFault("target_fault.taken_hash", "", "taken", ErrTaken, "have", have, "want", sum)
	}
	// The process that wrote it may have been killed before this step.
	return syncDir(root, path.Dir(name))
}

// Read reads a published file; see Target.
func (f *Folder) Read(ctx context.Context, name string) ([]byte, error) {
	b, err := f.readFile(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, words.NewFault("target_fault.read", "", "name", name, "cause", err)
	}
	return b, wrapTargetError("read", name, err)
}

func (f *Folder) readFile(ctx context.Context, name string) ([]byte, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	file, err := openRegular(name, root.Lstat, root.OpenFile)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(&boundedReader{ctx: ctx, from: file, left: maxRead, limit: maxRead})
}

// openRoot opens the folder, and creates it if it does not exist.
func (f *Folder) openRoot() (*os.Root, error) {
	if err := os.MkdirAll(f.dir, f.dirMode()); err != nil {
		return nil, err
	}
	return os.OpenRoot(f.dir)
}

// checkName checks that a name is relative, with slashes, and that no part of it is hidden.
func checkName(name string) error {
	if !fs.ValidPath(name) || name == "." || !filepath.IsLocal(filepath.FromSlash(name)) {
		return ErrName
	}
	for part := range strings.SplitSeq(name, "/") {
		if strings.HasPrefix(part, ".") || strings.Contains(part, `\`) {
			return ErrName
		}
	}
	return nil
}

// Withdraw removes a published file: of a set that was never finished, so that it can be published again with other
// bytes, or of one that is past its retention. Callers never withdraw a file of a current revision. A file that does not
// exist is no error.
func (f *Folder) Withdraw(ctx context.Context, name string) error {
	err := f.removeFile(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return wrapTargetError("withdraw", name, err)
}

func (f *Folder) removeFile(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	root, err := f.openRoot()
	if err != nil {
		return err
	}
	defer root.Close()
	info, err := root.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return ErrTaken
	}
	if err := root.Remove(name); err != nil {
		return err
	}
	return syncDir(root, path.Dir(name))
}

// makeDirs makes a directory and its parents, and syncs the parent of each new one.
func makeDirs(root *os.Root, dir string, mode fs.FileMode) error {
	if dir == "." {
		return nil
	}
	if info, err := root.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := makeDirs(root, path.Dir(dir), mode); err != nil {
		return err
	}
	if err := root.Mkdir(dir, mode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(root, path.Dir(dir))
}

// syncDir syncs a directory, where the system supports it.
func syncDir(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil // directories cannot be opened for it
	}
	d, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // some shares have no such thing
	}
	return err
}

// firstChunk holds most files of a set whole: a full chunk for each is more work to clear than to copy.
const firstChunk = 32 << 10

// hashCopy copies until the end of from and returns the SHA-256 of the bytes copied.
func hashCopy(ctx context.Context, to io.Writer, from io.Reader) (sum digest, err error) {
	h := sha256.New()
	buf := make([]byte, firstChunk)
	for {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		n, err := from.Read(buf)
		if err := hashAndWrite(h, to, buf[:n]); err != nil {
			return sum, err
		}
		if err == io.EOF {
			return digest(h.Sum(nil)), nil
		}
		if err != nil {
			return sum, err
		}
		if n == len(buf) && n < chunk {
			buf = make([]byte, 2*n)
		}
	}
}

// hashAndWrite hashes and writes the bytes; those of a large file both at once, since each takes as long as the other.
func hashAndWrite(h hash.Hash, to io.Writer, b []byte) error {
	var hashing sync.WaitGroup
	if len(b) < chunk {
		h.Write(b)
	} else {
		hashing.Go(func() { h.Write(b) })
	}
	_, err := to.Write(b)
	hashing.Wait()
	return err
}

// hashFile returns the SHA-256 of a file of the target.
func hashFile(ctx context.Context, root *os.Root, name string) (digest, error) {
	file, err := openRegular(name, root.Lstat, root.OpenFile)
	if err != nil {
		return digest{}, err
	}
	defer file.Close()
	return hashCopy(ctx, io.Discard, file)
}

// localFile is the file to be published. Its read errors are errLocal, not errors of the target.
type localFile struct{ *os.File }

func (l localFile) Read(b []byte) (int, error) {
	n, err := l.File.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", errLocal, err)
	}
	return n, err
}
