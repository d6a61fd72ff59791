package publish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"concilia/export/words"
)

// ErrNotRegular is what lies under the name of a file and is none: a link, a pipe, a device or a directory. Reading it may
// never end, or show what lies elsewhere.
var ErrNotRegular error = words.NewFault("target_fault.not_regular", "")

// ReadRegular calls fn with the content of a file at a place that others can write to. It fails with ErrNotRegular for anything
// but a regular file, and its reads fail once there are more than limit bytes, or the context has ended.
func ReadRegular(ctx context.Context, path string, limit int64, fn func(io.Reader) error) error {
	file, err := openRegular(path, os.Lstat, os.OpenFile)
	if err != nil {
		return err
	}
	return errors.Join(fn(&boundedReader{ctx: ctx, from: file, left: limit, limit: limit}), file.Close())
}

// openRegular opens a regular file with the calls of a directory or of the system. It looks before it opens, since opening alone
// has effects on some devices, and compares afterwards, since another file may have come between.
func openRegular(
	name string, lstat func(string) (fs.FileInfo, error), open func(string, int, fs.FileMode) (*os.File, error),
) (*os.File, error) {
	seen, err := lstat(name)
	if err != nil {
		return nil, err
	}
	if !seen.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", name, ErrNotRegular)
	}
	file, err := open(name, os.O_RDONLY|openWithoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(seen, opened) {
		err = words.NewFault("target_fault.replaced", "", "name", name, "cause", ErrNotRegular)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// boundedReader reads up to a limit, and as long as its context lasts.
type boundedReader struct {
	ctx         context.Context //nolint:containedctx // io.Reader has no place for it
	from        io.Reader
	left, limit int64
}

func (r *boundedReader) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if int64(len(b)) > r.left+1 {
		b = b[:r.left+1]
	}
	n, err := r.from.Read(b)
	r.left -= int64(n)
	if r.left < 0 {
		return 0, words.NewFault("target_fault.more", "", "most", r.limit)
	}
	return n, err
}
