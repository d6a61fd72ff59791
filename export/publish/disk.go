package publish

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"syscall"
)

// makeDirs makes a directory and those above it, each brought to the disk in the one it stands in.
func makeDirs(root *os.Root, dir string) error {
	if dir == "." {
		return nil
	}
	if info, err := root.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := makeDirs(root, path.Dir(dir)); err != nil {
		return err
	}
	if err := root.Mkdir(dir, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(root, path.Dir(dir))
}

// syncDir brings the names in a directory to the disk, where the system can.
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

// hashCopy copies and gives the SHA-256 of what was copied.
func hashCopy(ctx context.Context, to io.Writer, from io.Reader) (sum digest, err error) {
	h := sha256.New()
	buf := make([]byte, chunk)
	for {
		if err := ctx.Err(); err != nil {
			return sum, err
		}
		n, err := from.Read(buf)
		h.Write(buf[:n])
		if _, err := to.Write(buf[:n]); err != nil {
			return sum, err
		}
		if err == io.EOF {
			return digest(h.Sum(nil)), nil
		}
		if err != nil {
			return sum, err
		}
	}
}

// hashFile is the SHA-256 of a file of the target.
func hashFile(ctx context.Context, root *os.Root, name string) (digest, error) {
	file, err := root.Open(name)
	if err != nil {
		return digest{}, err
	}
	defer file.Close()
	return hashCopy(ctx, io.Discard, file)
}

// localFile is the file to be published: its errors are not the target's.
type localFile struct{ *os.File }

func (l localFile) Read(b []byte) (int, error) {
	n, err := l.File.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", errLocal, err)
	}
	return n, err
}
