package mailing

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	gomail "github.com/wneessen/go-mail"

	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/words"
	"concilia/store"
	"concilia/store/ledger"

	"github.com/rs/zerolog"
)

const (
	// sendingTime bounds the sending at the end of a run; the rest waits in the queue.
	sendingTime = time.Minute
	// claimTime is how long a process has the messages for itself that it sends: longer than sendingTime and the last message.
	claimTime = 5 * time.Minute
)

// Mailer sends what waits in the queue.
type Mailer struct {
	config *config.Config
	server *Server
	log    func() *zerolog.Logger
	meters *metrics.Meters
	wall   func() time.Time
}

// NewMailer sends by the configured server. log is asked for at each line: a run puts its name on it.
func NewMailer(c *config.Config, log func() *zerolog.Logger, m *metrics.Meters, wall func() time.Time) *Mailer {
	return &Mailer{config: c, server: NewServer(c.Mail), log: log, meters: m, wall: wall}
}

// SendWaiting keeps the digests of the last night that are not kept yet, and sends what waits, for a minute at most. What goes wrong is
// in the log, and waits.
func SendWaiting(ctx context.Context, proc *wire.Process) {
	c, err := config.LoadMailing(proc.ConfigPath, proc.Lookup)
	if err != nil || !c.Mail.IsEnabled() {
		return // what is wrong with a configuration the run has said
	}
	ctx, cancel := context.WithTimeout(ctx, sendingTime)
	defer cancel()
	quiet := *proc
	quiet.Quiet = true // its warnings were printed
	log := proc.NewRunLog(c).CurrentLogger
	w, done, err := quiet.WireWorker(ctx, wire.WantKept)
	if err != nil {
		log().Warn().AnErr("why", err).Msg("no mail is sent: the ledger cannot be read")
		return
	}
	defer done()
	if err := queueDigests(ctx, &quiet, c, w); err != nil {
		log().Warn().AnErr("why", err).Msg("the digest of the night could not be written")
	}
	NewMailer(c, log, proc.Meters, proc.Wall).DeliverWaiting(ctx, w.Ledger)
}

// DeliverWaiting sends the messages that are in the queue, on one connection. A server that is away is said once, and what is not sent
// waits.
func (m *Mailer) DeliverWaiting(ctx context.Context, l *store.Ledger) {
	to := listRecipients(m.config)
	now := m.wall().UTC()
	waiting, err := l.ClaimAlerts(ctx, slices.Sorted(maps.Keys(to)), now.Add(-lifetime), now, now.Add(claimTime))
	if err != nil {
		m.log().Warn().AnErr("why", err).Msg("the mail that waits could not be read")
		return
	}
	if len(waiting) == 0 {
		return
	}
	d := &delivery{Mailer: m}
	defer d.closeClient()
	left := 0
	for i := range waiting {
		a := &waiting[i]
		failure := d.sendAlert(ctx, to[a.Receiver], a)
		at := m.wall().UTC()
		var refused *RefusedError
		switch {
		case failure == nil:
		case errors.As(failure, &refused):
			m.log().Error().Str("on", a.Happened).AnErr("why", failure).Msg("a mail was refused and is not tried again")
		default:
			left++
			at = time.Time{}
		}
		text := ""
		if failure != nil {
			text = failure.Error()
		}
		// That a message was taken has to be kept even when the time is over, or it would be sent twice.
		if err := l.RecordAlertDelivery(context.WithoutCancel(ctx), *a, at, text); err != nil {
			m.log().Warn().Str("on", a.Happened).AnErr("why", err).Msg("it could not be kept that a mail was sent")
		}
	}
	if left > 0 {
		m.log().Warn().Int("messages", left).AnErr("why", d.failed).Msg("mail waits: it is tried again for 24 hours")
	}
}

// SendNow sends an alert that cannot be kept, because there is no ledger, to its receivers.
func (m *Mailer) SendNow(ctx context.Context, receiver string, a *ledger.Alert) error {
	d := &delivery{Mailer: m}
	defer d.closeClient()
	ctx, cancel := context.WithTimeout(ctx, sendingTime)
	defer cancel()
	return d.sendAlert(ctx, listRecipients(m.config)[receiver], a)
}

// delivery is a connection to the server, opened for the first message.
type delivery struct {
	*Mailer
	client *gomail.Client
	failed error // why no further message can be sent
}

// sendAlert sends a row of the queue.
func (d *delivery) sendAlert(ctx context.Context, to recipient, a *ledger.Alert) error {
	err := d.trySend(ctx, to, a)
	d.meters.CountMail(mailKind(a), err, isRefused(err))
	if err != nil && !isRefused(err) {
		d.failed = err
	}
	return err
}

func isRefused(err error) bool {
	var refused *RefusedError
	return errors.As(err, &refused)
}

func mailKind(a *ledger.Alert) string {
	if a.Happened == digestKind {
		return digestKind
	}
	return "alert"
}

func (d *delivery) trySend(ctx context.Context, to recipient, a *ledger.Alert) error {
	if d.failed != nil {
		return d.failed
	}
	if end, ok := ctx.Deadline(); ctx.Err() != nil || ok && time.Until(end) < stepTime && d.client != nil {
		return words.NewFault("publish_fault.mail_time", "")
	}
	msg, err := composeMessage(d.config, to, a)
	if err != nil {
		return &RefusedError{Answer: err.Error(), err: err} // it would be as wrong the next time
	}
	if d.client == nil {
		if d.client, err = d.server.dialServer(ctx); err != nil {
			return err
		}
	}
	_, err = sendOne(d.client, msg)
	return err
}

func (d *delivery) closeClient() {
	if d.client != nil {
		_ = d.client.Close() // every message is taken, or it is not
	}
}
