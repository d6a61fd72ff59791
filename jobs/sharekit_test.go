package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// errShareGone is a share that nobody can write to.
var errShareGone = errors.New("the share is gone")

// shareTarget is a folder as a real target behaves: it tells what it has, takes back what it is asked to, takes no name twice
// with other bytes, and is gone while a file stands in its place.
type shareTarget struct{ target }

func newShare(root string) shareTarget { return shareTarget{target{&folder{root: root}}} }

// there fails while the share is gone.
func (s shareTarget) there() error {
	if info, err := os.Stat(s.root); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %w", s.root, errShareGone)
	}
	return nil
}

// Stage, Put, Read and Withdraw make it a target.
func (s shareTarget) Stage(ctx context.Context) (string, func(), error) {
	if err := s.there(); err != nil {
		return "", nil, err
	}
	return s.target.Stage(ctx)
}

func (s shareTarget) Put(ctx context.Context, name, local string) error {
	if err := s.there(); err != nil {
		return err
	}
	fresh, err := os.ReadFile(local)
	if err != nil {
		return err
	}
	switch stood, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name))); {
	case err == nil && !bytes.Equal(stood, fresh):
		return fmt.Errorf("%s stands with other bytes", name)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return s.target.Put(ctx, name, local)
}

func (s shareTarget) Read(_ context.Context, name string) ([]byte, error) {
	if err := s.there(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
}

func (s shareTarget) Withdraw(_ context.Context, name string) error {
	err := errors.Join(s.there(), os.Remove(filepath.Join(s.root, filepath.FromSlash(name))))
	if errors.Is(err, fs.ErrNotExist) {
		return s.there()
	}
	return err
}
