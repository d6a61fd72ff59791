package daemon

import (
	"context"
	"time"

	"concilia/cmd/concilia/mailing"
	"concilia/cmd/concilia/wire"
)

// mailInterval is how often a daemon looks for mail that waits.
const mailInterval = 15 * time.Minute

// mailLoop sends the mail of a daemon while its jobs run, which do not wait for it. A nil one sends nothing.
type mailLoop struct {
	proc  *wire.Process
	awake chan struct{}
}

func newMailLoop(proc *wire.Process) *mailLoop {
	return &mailLoop{proc: proc, awake: make(chan struct{}, 1)}
}

// sendSoon makes the loop look now, such as at the end of a run.
func (m *mailLoop) sendSoon() {
	if m == nil {
		return
	}
	select {
	case m.awake <- struct{}{}:
	default: // it will look in any case
	}
}

// sendUntil sends what waits until ctx ends.
func (m *mailLoop) sendUntil(ctx context.Context) {
	tick := time.NewTicker(mailInterval)
	defer tick.Stop()
	for {
		mailing.SendWaiting(ctx, m.proc)
		select {
		case <-ctx.Done():
			return
		case <-m.awake:
		case <-tick.C:
		}
	}
}
