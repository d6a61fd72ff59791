package jobs

import (
	"context"
	"fmt"
	"os"
)

// Outbox is a folder on this machine where what is proven waits while the target is full or out of reach (operations
// 11). What waits counts as published: nothing is rendered twice, and the next revision comes after it.
type Outbox struct {
	Target
	Dir string // of its files, so that they can be put from there
}

// delivery puts the files of one set to the target; or, from the first that it does not take, all of them to the outbox.
type delivery struct {
	w     *Worker
	waits error // why the target takes nothing; nil: it does
	done  []struct{ name, local string }
	mine  func(context.Context) error // fails once the sets are another process's to publish; nil: they are this one's
}

// still fails once the sets are another process's to publish.
func (d *delivery) still(ctx context.Context) error {
	if d.mine == nil {
		return nil
	}
	return d.mine(ctx)
}

// Put, Read and Withdraw make it what export asks of a publisher.
func (d *delivery) Put(ctx context.Context, name, local string) error {
	if err := d.still(ctx); err != nil {
		return err
	}
	err := d.try(ctx, func() error { return d.w.Target.Put(ctx, name, local) })
	d.done = append(d.done, struct{ name, local string }{name, local})
	if err == nil || d.waits == nil {
		return err
	}
	// What the target took of the set before is the first to be put again, and lies there already.
	for _, f := range d.done {
		if err := d.w.Outbox.Put(ctx, f.name, f.local); err != nil {
			return err
		}
	}
	d.done = d.done[:0]
	return nil
}

func (d *delivery) Read(ctx context.Context, name string) (body []byte, err error) {
	err = d.try(ctx, func() (err error) {
		body, err = d.w.Target.Read(ctx, name)
		return err
	})
	if d.w.Outbox != nil && d.waits != nil {
		return d.w.Outbox.Read(ctx, name)
	}
	return body, err
}

func (d *delivery) Withdraw(ctx context.Context, name string) error {
	if err := d.still(ctx); err != nil {
		return err
	}
	err := d.try(ctx, func() error { return d.w.Target.Withdraw(ctx, name) })
	if d.w.Outbox != nil && d.waits != nil {
		return d.w.Outbox.Withdraw(ctx, name)
	}
	return err
}

// try asks the target, again where that may help, and gives it up for the rest of the run when it is gone. Of a target
// that was given up it returns why.
func (d *delivery) try(ctx context.Context, fn func() error) error {
	if d.waits != nil {
		return d.waits
	}
	err := fn()
	again := func(n int) bool {
		return err != nil && d.w.Retry != nil && d.w.TargetGone != nil && d.w.TargetGone(err) && d.w.Retry(ctx, n, err)
	}
	for n := 1; again(n); n++ {
		err = fn()
	}
	d.giveUp(err)
	return err
}

// giveUp says whether what follows waits in the outbox because of the error.
func (d *delivery) giveUp(err error) bool {
	if err == nil || d.w.Outbox == nil || d.w.TargetGone == nil || !d.w.TargetGone(err) {
		return false
	}
	if d.waits == nil {
		d.waits = err
	}
	return true
}

// stage is a place for what is not proven: on the target's file system, or in the outbox while that is gone.
func (d *delivery) stage(ctx context.Context) (dir string, release func(), err error) {
	err = d.try(ctx, func() (err error) {
		dir, release, err = d.w.Target.Stage(ctx)
		return err
	})
	if d.waits == nil {
		return dir, release, err
	}
	// Reports are nobody else's business on this machine either.
	if err := os.MkdirAll(d.w.Outbox.Dir, 0o700); err != nil {
		return "", nil, fmt.Errorf("outbox: %w", err)
	}
	return d.w.Outbox.Stage(ctx)
}

// noteGone tells of a target that was given up, once.
func (s *Summary) noteGone(err error) {
	if s.gone = err; err != nil && !s.Gone {
		s.Gone, s.Unpublished = true, append(s.Unpublished, fmt.Errorf("%w; what is proven waits in the outbox for the next run", err))
	}
}
