package wire

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"concilia/config"
	"concilia/config/problem"
	"concilia/export/manifest"
	"concilia/export/publish"
	"concilia/export/words"
)

// attempts is how often the target is asked before what is published waits in the archive, firstPause the time between the
// first two; each later pause is four times the one before.
const (
	attempts   = 3
	firstPause = 2 * time.Second
)

// OpenArchive gives the configured archive of published files, which nothing is asked of yet. A folder that is open to others is
// a fault of the configuration, as is none with a ledger on PostgreSQL.
func OpenArchive(c *config.Config, wall func() time.Time) (*publish.Archive, error) {
	a, err := OpenUnguardedArchive(c, wall)
	if err != nil {
		return nil, err
	}
	if err := a.CheckPrivate(); errors.Is(err, publish.ErrNotPrivate) {
		return nil, problem.List{c.Problem("reports.archive", c.Reports.Archive, words.NewMessage("problem.text", "cause", err))}
	}
	return a, nil // another error is found again when it is used
}

// readSigningKey reads the key that signs what is published; nil if none is configured.
func readSigningKey(c *config.Config) (ed25519.PrivateKey, error) {
	path := c.Reports.SigningKeyFile
	if path == "" {
		return nil, nil
	}
	key, err := manifest.ReadSigningKey(path)
	if err != nil {
		return nil, problem.List{c.Problem("reports.signing_key_file", path, words.NewMessage("problem.text", "cause", err))}
	}
	return key, nil
}

// OpenUnguardedArchive gives the configured archive, even if others can read it: enough for what only reads.
func OpenUnguardedArchive(c *config.Config, wall func() time.Time) (*publish.Archive, error) {
	place := c.ArchivePlace()
	if place == "" {
		return nil, problem.List{c.Problem("reports.archive", "", words.NewMessage("problem.missing", "want", words.NewMessage("want.shared_archive")))}
	}
	a, err := publish.OpenArchive(place, TargetOptions(c, wall))
	if err != nil {
		return nil, fmt.Errorf("reports.archive: %w", err)
	}
	return a, nil
}

// retryTarget waits before another attempt at a target that may come back by itself. One that is full, read-only or forbidden
// does not.
func retryTarget(ctx context.Context, n int, err error) bool {
	if n >= attempts || !errors.Is(err, publish.ErrUnreachable) {
		return false
	}
	for _, stays := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, fs.ErrPermission} {
		if errors.Is(err, stays) {
			return false
		}
	}
	pause := firstPause
	for range n - 1 {
		pause *= 4
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
