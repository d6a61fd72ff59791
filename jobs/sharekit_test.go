package jobs_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"concilia/jobs/jobstest"
	"concilia/store/published"
)

// errShareGone is the error of a share that cannot be written to.
var errShareGone = errors.New("the share is gone")

// shareTarget is a folder as a real target behaves: it tells what it has, takes back what it is asked to, takes no name twice
// with other bytes, and is gone while a file is in its place.
type shareTarget struct{ jobstest.Target }

func newShare(root string) shareTarget { return shareTarget{jobstest.NewTarget(root)} }

// there fails while the share is gone.
func (s shareTarget) there() error {
	if info, err := os.Stat(s.Root); err == nil && !info.IsDir() {
		return fmt.Errorf("%s: %w", s.Root, errShareGone)
	}
	return nil
}

// Stage, Put, Read and Withdraw make it a target.
func (s shareTarget) Stage(ctx context.Context) (string, func(), error) {
	if err := s.there(); err != nil {
		return "", nil, err
	}
	return s.Target.Stage(ctx)
}

func (s shareTarget) Put(ctx context.Context, name, local string) error {
	if err := s.there(); err != nil {
		return err
	}
	fresh, err := os.ReadFile(local)
	if err != nil {
		return err
	}
	switch stood, err := os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(name))); {
	case err == nil && !bytes.Equal(stood, fresh):
		return fmt.Errorf("%s stands with other bytes", name)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return s.Target.Put(ctx, name, local)
}

func (s shareTarget) Replace(ctx context.Context, name, local string) error {
	if err := s.there(); err != nil {
		return err
	}
	return s.Target.Put(ctx, name, local)
}

func (s shareTarget) Read(_ context.Context, name string) ([]byte, error) {
	if err := s.there(); err != nil {
		return nil, err
	}
	return os.ReadFile(filepath.Join(s.Root, filepath.FromSlash(name)))
}

func (s shareTarget) Withdraw(_ context.Context, name string) error {
	err := errors.Join(s.there(), os.Remove(filepath.Join(s.Root, filepath.FromSlash(name))))
	if errors.Is(err, fs.ErrNotExist) {
		return s.there()
	}
	return err
}

// bank gives the accounts what EDI files need.
func (m *merchant) bank() {
	for i := range m.Accounts {
		m.Accounts[i].Block = jobstest.BankBlock()
	}
}

// recorded are all revisions that the ledger recorded of an account.
func (m *merchant) recorded(t *testing.T, account string) []*published.Set {
	t.Helper()
	waiting, err := m.Ledger.WaitingSets(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Ledger.PublishedSets(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range waiting {
		if set.Account == account {
			out = append(out, set)
		}
	}
	return out
}
