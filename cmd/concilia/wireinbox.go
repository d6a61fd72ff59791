package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"concilia/jobs"
	"concilia/store"
)

// wireInbox gives the worker the inbox of the receiver where there is one: on SQLite its file is made by serve, on
// Postgres it is always there. The closer may be called in any case.
func wireInbox(ctx context.Context, w *jobs.Worker, dsn string) (closer func(), err error) {
	if path, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		if _, err := os.Stat(store.InboxPath(path)); errors.Is(err, fs.ErrNotExist) {
			return func() {}, nil
		}
	}
	inbox, err := store.OpenInbox(ctx, dsn)
	if err != nil {
		return func() {}, err
	}
	w.Inbox = inbox
	return func() { _ = inbox.Close() }, nil // a worker keeps nothing in it: a failed close loses nothing
}
