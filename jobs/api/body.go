package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"time"

	"concilia/store/ledger"
)

// limitError says that an answer is beyond one of our bounds: asking again brings the same.
type limitError struct{ text string }

func (e *limitError) Error() string { return e.text }

// body counts, hashes and bounds what is read of an answer, and gives up when nothing comes for too long. What it reads
// it also masks and compresses on the way, when the answer is to be kept: it is never there as a whole.
type body struct {
	from  io.Reader
	watch *watch
	limit int64
	count int64
	hash  hash.Hash
	mask  *masker // into pack; nil: the answer is not kept
	pack  *ledger.BodyPacker
}

func newBody(r io.Reader, w *watch, limit int64) *body {
	return &body{from: r, watch: w, limit: limit, hash: sha256.New()}
}

// keep has what is read from now on kept.
func (b *body) keep() {
	b.pack = ledger.NewBodyPacker()
	b.mask = newMasker(b.pack)
}

// kept is the body as it is kept, once it has been read to its end; nil when it is not to be.
func (b *body) kept() (*ledger.Body, error) {
	if b.pack == nil {
		return nil, nil
	}
	if err := b.mask.Close(); err != nil {
		return nil, err
	}
	return b.pack.Pack(b.sum())
}

// Read reads. Its error is io.EOF only when the transport saw the whole body arrive.
func (b *body) Read(p []byte) (int, error) {
	b.watch.begin()
	n, err := b.from.Read(p)
	b.watch.end()
	b.count += int64(n)
	b.hash.Write(p[:n])
	if b.mask != nil {
		if _, err := b.mask.Write(p[:n]); err != nil {
			return n, err
		}
	}
	if b.count > b.limit {
		return n, &limitError{fmt.Sprintf("the answer is longer than %d bytes, the most that is read: ask for fewer days at once", b.limit)}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = b.watch.cause(err)
	}
	return n, err
}

// sum is the SHA-256 of what was read, in hex.
func (b *body) sum() string { return hex.EncodeToString(b.hash.Sum(nil)) }

// watch is the context of one request. It ends when the service is silent for too long or the request takes longer
// than maxTransfer, and remembers which.
type watch struct {
	parent  context.Context
	ctx     context.Context
	stop    func()
	timer   *time.Timer
	timeout time.Duration
}

func newWatch(parent context.Context, timeout time.Duration) *watch {
	long, endLong := context.WithTimeoutCause(parent, maxTransfer, errLong)
	ctx, cancel := context.WithCancelCause(long)
	w := &watch{parent: parent, ctx: ctx, timeout: timeout}
	w.timer = time.AfterFunc(timeout, func() { cancel(errSilent) })
	w.timer.Stop()
	w.stop = func() {
		w.timer.Stop()
		cancel(context.Canceled)
		endLong()
	}
	return w
}

// begin and end stand around every wait for the service; our own work in between is not its silence.
func (w *watch) begin() { w.timer.Reset(w.timeout) }
func (w *watch) end()   { w.timer.Stop() }

// cause puts the reason in the place of the "context canceled" that the transport reports.
func (w *watch) cause(err error) error {
	if w.parent.Err() != nil {
		return context.Cause(w.parent)
	}
	if c := context.Cause(w.ctx); errors.Is(c, errSilent) || errors.Is(c, errLong) {
		return c
	}
	return err
}
