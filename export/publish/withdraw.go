package publish

import (
	"context"
	"errors"
	"io/fs"
	"path"
)

// Withdraw takes a file back that was put for a set which was never finished, so that the set can be put again with
// other bytes. Whether it was finished only its caller knows; what was is never withdrawn. A name that is not there is
// withdrawn already.
func (f *Folder) Withdraw(ctx context.Context, name string) error {
	err := f.withdraw(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return failed("withdraw", name, err)
}

func (f *Folder) withdraw(ctx context.Context, name string) error {
	if err := checkName(name); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	root, err := f.open()
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
