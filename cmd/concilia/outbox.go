package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"concilia/export/publish"
	"concilia/jobs"
)

// attempts is how often the target is asked before what is proven goes to the outbox, firstPause the time between the
// first two; each later pause is four times the one before.
const (
	attempts   = 3
	firstPause = 2 * time.Second
)

// newOutbox is the folder where what is proven waits for the target: beside the ledger's file, or, where the ledger is on
// a server, among this user's own data of programs.
func newOutbox(dsn string) (*jobs.Outbox, error) {
	dir, ok := strings.CutPrefix(dsn, "sqlite:")
	if dir, _, _ = strings.Cut(dir, "?"); ok {
		dir += "-outbox"
	} else {
		home, err := os.UserCacheDir()
		if err != nil {
			home = os.TempDir() // a service without a home
		}
		// A DSN may hold a password, and two ledgers must not share what waits.
		sum := sha256.Sum256([]byte(dsn))
		dir = filepath.Join(home, "concilia", "outbox-"+hex.EncodeToString(sum[:4]))
	}
	target, err := publish.Open(dir, publish.Options{})
	if err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("outbox: %w", err)
	}
	return &jobs.Outbox{Target: target, Dir: dir}, nil
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
