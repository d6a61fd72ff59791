package jobs_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"concilia/export"
	"concilia/export/index"
	"concilia/store/reports"
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

func (s shareTarget) Replace(ctx context.Context, name, local string) error {
	if err := s.there(); err != nil {
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

// bank gives the accounts what EDI files need.
func (m *merchant) bank() {
	for i := range m.Accounts {
		m.Accounts[i].Block = bankBlock()
	}
}

// bankBlock is what EDI files say of an account.
func bankBlock() export.AccountBlock {
	return export.AccountBlock{
		Name: "LOJA EXEMPLO LTDA", Document: "11222333000181", Bank: export.Bank{
			Code: "001", Branch: "1234", BranchDigit: "5", Account: "567890", AccountDigit: "1", Agreement: "1234567",
			Name: "BANCO DO BRASIL",
		},
	}
}

// hashes are the SHA-256 of every file below a folder but the indexes, none when it is not there.
func hashes(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if p == root && os.IsNotExist(err) {
			return nil
		}
		if err != nil || d.IsDir() || d.Name() == index.FileName("") {
			return err
		}
		b, err := os.ReadFile(p)
		sum := sha256.Sum256(b)
		rel, _ := filepath.Rel(root, p)
		out[rel] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// recorded are all revisions that the ledger recorded of an account.
func (m *merchant) recorded(t *testing.T, account string) []*reports.Set {
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
