package alerts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"concilia/cmd/concilia/mailing"
	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/view"
	"concilia/config"
	"concilia/jobs/casework"
	"concilia/store"
	"concilia/store/ledger"

	"github.com/rs/zerolog"
)

const (
	// commandTimeout bounds the command of an alert.
	commandTimeout = time.Minute
	// alertLifetime is for how long an undelivered alert is tried again, with every run that ends.
	alertLifetime = 24 * time.Hour
	// alertClaimTime is how long a process has the alerts for itself that it delivers: longer than one delivery takes.
	alertClaimTime = 10 * time.Minute
)

// Sender sends people what should not wait until they look. It changes nothing of a run.
type Sender struct {
	configured []config.Alert
	dir        string // commands are started in
	log        func() *zerolog.Logger
	meters     *metrics.Meters
	wall       func() time.Time
	// mailer sends what cannot be kept to those who get it by mail; nil: nothing does. What is kept package mailing sends.
	mailer *mailing.Mailer
}

// NewSender sends the configured alerts. log is asked for at each line: a run puts its name on it.
func NewSender(configured []config.Alert, log func() *zerolog.Logger, m *metrics.Meters, wall func() time.Time) *Sender {
	return &Sender{configured: configured, log: log, meters: m, wall: wall}
}

func (a *Sender) isWanted(on string) bool {
	for _, c := range a.configured {
		if c.On == on {
			return true
		}
	}
	return false
}

// raiseAlarms keeps an alert for each receiver of the alarms, then delivers what is not delivered yet. Without a ledger the
// alerts are delivered at once, and nothing prevents that they are delivered again.
func (a *Sender) raiseAlarms(ctx context.Context, l *store.Ledger, alarms []casework.Alarm) {
	for _, alarm := range alarms {
		body, err := json.Marshal(alarm)
		if err != nil {
			a.log().Error().AnErr("why", err).Msg("an alert could not be written")
			continue
		}
		for _, c := range a.configured {
			if c.On != alarm.On || c.By != alarm.By {
				continue
			}
			for _, receiver := range receiversOf(c) {
				a.keepOrDeliver(ctx, l, c, ledger.Alert{
					Account: alarm.Account, Happened: alarm.On, Cause: alarm.Cause, Run: alarm.Run, Receiver: receiver,
					Body: string(body), Raised: a.wall().UTC(),
				})
			}
		}
	}
	if l != nil {
		a.deliverKept(ctx, l)
	}
}

// keepOrDeliver keeps an alert for a receiver, or delivers it at once where it cannot be kept.
func (a *Sender) keepOrDeliver(ctx context.Context, l *store.Ledger, c config.Alert, kept ledger.Alert) {
	if l != nil {
		_, err := l.RaiseAlert(ctx, kept)
		if err == nil {
			return
		}
		a.log().Warn().Str("on", kept.Happened).AnErr("why", err).Msg("an alert could not be kept, and is delivered at once")
	}
	_ = a.deliverAlert(ctx, c, kept) // it logs what went wrong
}

// deliverKept delivers the alerts that were raised and not delivered: now, by a run that was killed, or to a receiver that was
// unreachable. A receiver that does not answer is waited for once, however many alerts there are for it: a run must not end
// hours late because of it.
func (a *Sender) deliverKept(ctx context.Context, l *store.Ledger) {
	by := map[string]config.Alert{}
	var receivers []string
	for _, c := range a.configured {
		if len(c.Mail) == 0 {
			by[receiverOf(c)] = c
			receivers = append(receivers, receiverOf(c))
		}
	}
	now := a.wall().UTC()
	waiting, err := l.ClaimAlerts(ctx, receivers, now.Add(-alertLifetime), now, now.Add(alertClaimTime))
	if err != nil {
		a.log().Warn().AnErr("why", err).Msg("the alerts that wait could not be read")
		return
	}
	silent := map[string]string{} // receivers that let us wait for nothing, and with what error
	for _, w := range waiting {
		var delivered time.Time
		failure, skip := silent[w.Receiver]
		if !skip {
			err := a.deliverAlert(ctx, by[w.Receiver], w)
			if err == nil {
				delivered = a.wall().UTC()
			} else if failure = err.Error(); isSilent(err) {
				silent[w.Receiver] = failure
			}
		}
		if err := l.RecordAlertDelivery(ctx, w, delivered, failure); err != nil {
			a.log().Warn().Str("on", w.Happened).AnErr("why", err).Msg("it could not be kept that an alert was delivered")
		}
	}
}

// deliverAlert delivers one alert to one receiver.
func (a *Sender) deliverAlert(ctx context.Context, c config.Alert, kept ledger.Alert) error {
	var err error
	to := c.URL.String()
	switch {
	case len(c.Command) > 0:
		to = c.Command[0]
		err = a.runCommand(ctx, c.Command, kept)
	case len(c.Mail) > 0:
		to = "mail"
		if err = errors.New("the configuration of mail cannot be read"); a.mailer != nil {
			err = a.mailer.SendNow(ctx, kept.Receiver, &kept)
		}
	default:
		err = delivery{
			link: c.URL, body: []byte(kept.Body), kind: "application/json", agent: "concilia/" + view.ReadBuildFacts().Version,
		}.send(ctx)
	}
	a.meters.CountDelivery("alert", kept.Happened, err)
	if err != nil {
		a.log().Warn().Str("on", kept.Happened).Str("to", to).AnErr("why", err).Msg("an alert was not delivered")
	}
	return err
}

// runCommand starts a program with the alert on its standard input, in our environment without what withheldFromCommands
// names.
func (a *Sender) runCommand(ctx context.Context, argv []string, kept ledger.Alert) error {
	ctx, cancel := context.WithTimeout(ctx, commandTimeout)
	defer cancel()
	//nolint:gosec // who writes the configuration may start programs
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.WaitDelay = a.dir, time.Second
	cmd.Stdin = strings.NewReader(kept.Body + "\n")
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !withheldFromCommands(name) {
			cmd.Env = append(cmd.Env, v)
		}
	}
	var alarm casework.Alarm
	if err := json.Unmarshal([]byte(kept.Body), &alarm); err != nil {
		return fmt.Errorf("read the alert: %w", err)
	}
	cmd.Env = append(cmd.Env, "CONCILIA_ALERT_ON="+alarm.On, "CONCILIA_ALERT_TEXT="+alarm.Text, "CONCILIA_ALERT_RUN="+alarm.Run)
	if alarm.Account != 0 {
		cmd.Env = append(cmd.Env, "CONCILIA_ALERT_ACCOUNT="+alarm.Account.String())
	}
	if alarm.AsOf != 0 {
		cmd.Env = append(cmd.Env, "CONCILIA_ALERT_AS_OF="+alarm.AsOf.String())
	}
	err := cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("it ran longer than %s", commandTimeout)
	}
	return err
}

// withheldFromCommands says whether a variable is kept from the command of an alert: our own settings, some of which are
// passwords, and the passwords that the ledger's database and the reports' bucket are opened with.
func withheldFromCommands(name string) bool {
	switch name {
	case "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "AWS_SECRET_KEY", "AWS_SESSION_TOKEN":
		return true
	}
	return strings.HasPrefix(name, "CONCILIA_")
}

// receiversOf names the receivers of an alert: each person who gets it by mail is one.
func receiversOf(c config.Alert) []string {
	if len(c.Mail) > 0 {
		return mailing.AlertReceivers(&c)
	}
	return []string{receiverOf(c)}
}

// receiverOf names a receiver without naming its address: the start of a hash of it.
func receiverOf(c config.Alert) string {
	sum := sha256.Sum256([]byte(c.URL.Reveal() + "\x00" + strings.Join(c.Command, "\x00")))
	return hex.EncodeToString(sum[:8])
}

const (
	// missingRunInterval is how often a daemon looks whether a night is missing, redeliveryInterval whether an alert waits that its receiver
	// did not take.
	missingRunInterval = 20 * time.Second
	redeliveryInterval = 5 * time.Minute
)

// MissingRunWatch raises what no run can: that none came. It keeps no ledger open.
type MissingRunWatch struct {
	*Sender
	open func(context.Context) (*store.Ledger, error)
	now  func() time.Time // business clock
	zone *time.Location
	// Raised is called when an alarm was raised, so that mail about it is sent; nil: nothing is.
	Raised func()

	checkedOn    map[string]ledger.Date // the last day that was checked, by time of day
	lastDelivery time.Time              // when it was last looked for what waits
}

// NewMissingRunWatch looks by the business clock now, in the zone.
func NewMissingRunWatch(
	sender *Sender, open func(context.Context) (*store.Ledger, error), now func() time.Time, zone *time.Location,
) *MissingRunWatch {
	return &MissingRunWatch{Sender: sender, open: open, now: now, zone: zone, checkedOn: map[string]ledger.Date{}}
}

// WatchUntil looks until ctx ends.
func (o *MissingRunWatch) WatchUntil(ctx context.Context) {
	if len(o.configured) == 0 {
		return
	}
	tick := time.NewTicker(missingRunInterval)
	defer tick.Stop()
	for {
		o.checkDue(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// checkDue checks every time of day that has come and was not checked today, and delivers what waits.
func (o *MissingRunWatch) checkDue(ctx context.Context) {
	now := o.now().In(o.zone)
	today := ledger.DateOf(now, o.zone)
	var due []string
	for _, c := range o.configured {
		if c.On == casework.OnNoRun && c.By <= now.Format("15:04") && o.checkedOn[c.By] < today {
			due = append(due, c.By)
			o.checkedOn[c.By] = today
		}
	}
	wall := o.wall()
	if len(due) == 0 && wall.Sub(o.lastDelivery) < redeliveryInterval {
		return
	}
	o.lastDelivery = wall
	l, err := o.open(ctx)
	if err == nil {
		defer func() { _ = l.Close() }() // what was kept is committed
	}
	var alarms []casework.Alarm
	if len(due) > 0 {
		alarms = o.findMissingRuns(ctx, l, err, today, due)
	}
	o.raiseAlarms(ctx, l, alarms)
	if len(alarms) > 0 && o.Raised != nil {
		o.Raised()
	}
}

// findMissingRuns are the alarms of the times of day by which a night should have come to its end, when none has.
func (o *MissingRunWatch) findMissingRuns(ctx context.Context, l *store.Ledger, failed error, today ledger.Date, due []string) []casework.Alarm {
	text := "no night has come to its end on %s by %s"
	if failed == nil {
		var came bool
		if came, failed = casework.NightlyRunEnded(ctx, l, today); came {
			return nil
		}
	}
	if failed != nil {
		o.log().Warn().AnErr("why", failed).Msg("the ledger does not say whether a night has run")
		text = "it is not known whether a night has come to its end on %s by %s: the ledger cannot be read"
	}
	var out []casework.Alarm
	for _, by := range due {
		out = append(out, casework.Alarm{
			On: casework.OnNoRun, By: by, AsOf: today, Text: fmt.Sprintf(text, today, by), Cause: today.String() + " " + by,
		})
	}
	return out
}
