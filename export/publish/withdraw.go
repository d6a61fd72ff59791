package publish

import (
	"context"
	"errors"
	"io/fs"
	"path"
)

// Withdraw takes a file back: of a set that was never finished, so that it can be put again with other bytes, or of one
// that is past its days. Which it is only its caller knows; what stands is never withdrawn. A name that is not there is
// withdrawn already.
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
