package mailing

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"concilia/cmd/concilia/desk"
	"concilia/cmd/concilia/wire"
	"concilia/config"
	"concilia/export/mail"
	"concilia/jobs"
	"concilia/store/ledger"
	"concilia/store/reports"
	"concilia/store/sqldb"
)

// digestKind is the kind of the rows of digests in the queue of alerts.
const digestKind = "digest"

// lifetime is for how long a message that was not delivered is tried again, and how old the night of a digest may be.
const lifetime = 24 * time.Hour

// recipient is a person to whom messages of one kind go.
type recipient struct {
	receiver string // names the person in the queue without an address
	address  string
	language string
}

// receiverOf names a receiver of mail: the start of a hash of the parts.
func receiverOf(parts ...string) string {
	sum := sha256.Sum256([]byte("mail\x00" + strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// AlertReceivers name those who get an alert by mail, in the order of their addresses.
func AlertReceivers(a *config.Alert) []string {
	var out []string
	for _, address := range a.Mail {
		out = append(out, receiverOf("alert", address))
	}
	return out
}

// digestRecipients are the people of an entry.
func digestRecipients(c *config.Config, d *config.MailDigest) []recipient {
	var accounts []string
	for _, n := range d.Accounts {
		accounts = append(accounts, strconv.FormatInt(n, 10))
	}
	slices.Sort(accounts)
	lang := languageOf(c, d)
	var out []recipient
	for _, address := range d.To {
		out = append(out, recipient{receiverOf(digestKind, address, lang, strings.Join(accounts, ",")), address, lang})
	}
	return out
}

func languageOf(c *config.Config, d *config.MailDigest) string {
	if d.Language != "" {
		return d.Language
	}
	return c.Reports.Language
}

// listRecipients are all people who get mail, by the name in the queue.
func listRecipients(c *config.Config) map[string]recipient {
	out := map[string]recipient{}
	for i := range c.Mail.Digest {
		for _, r := range digestRecipients(c, &c.Mail.Digest[i]) {
			out[r.receiver] = r
		}
	}
	for i := range c.Alerts {
		for n, receiver := range AlertReceivers(&c.Alerts[i]) {
			out[receiver] = recipient{receiver, c.Alerts[i].Mail[n], c.Reports.Language}
		}
	}
	return out
}

// night is what a digest is about, as its run left it.
type night struct {
	Run     string         `json:"run"`
	AsOf    ledger.Date    `json:"as_of"`
	Verdict ledger.Verdict `json:"verdict"`
	Figures ledger.Figures `json:"figures"`
}

// keptDigest is a digest in the queue: what it was about, and the message as it is sent.
type keptDigest struct {
	night
	Number  int           `json:"number"` // of the digests about the as-of, from 1
	Message *mail.Message `json:"message"`
}

// isDue reports whether a night is one to send, after the digest that the recipient was sent last (nil: none), and whether it is an
// update of it. hasChanges says whether cases of the night opened, were resolved or changed.
func isDue(when string, now *night, last *keptDigest, hasChanges func() (bool, error)) (send, isUpdate bool, err error) {
	switch {
	case last != nil && (last.Run == now.Run || last.AsOf > now.AsOf):
		return false, false, nil
	case last != nil && last.AsOf == now.AsOf: // the morning was run again
		changed := last.Verdict != now.Verdict || last.Figures.Missing() != now.Figures.Missing()
		return changed, changed, nil
	case when == "breaks":
		return now.Verdict == ledger.Breaks || now.Verdict == ledger.Incomplete, false, nil
	case when == "change" && last != nil && last.Verdict == now.Verdict && last.Figures == now.Figures:
		changed, err := hasChanges()
		return changed, false, err
	}
	return true, false, nil
}

// queueDigests keeps the digests of the last night that are not kept yet. It goes by the record of the night, so that doing it again, in
// another process or after a kill, adds nothing.
func queueDigests(ctx context.Context, proc *wire.Process, c *config.Config, w *jobs.Worker) error {
	run, err := w.Ledger.LastRun(ctx, ledger.Nightly)
	if errors.Is(err, sqldb.ErrNotFound) || err == nil && proc.Wall().Sub(run.Ended) > lifetime {
		return nil
	}
	if err != nil {
		return err
	}
	source := desk.NewSourceOf(proc, c, w)
	var wrong []error
	for i := range c.Mail.Digest {
		wrong = append(wrong, queueEntry(ctx, source, proc, c, w, run, &c.Mail.Digest[i]))
	}
	return errors.Join(wrong...)
}

// queueEntry keeps the digests of an entry, one a recipient.
func queueEntry(ctx context.Context, source *desk.Source, proc *wire.Process, c *config.Config, w *jobs.Worker, run *ledger.Run, d *config.MailDigest) error {
	var accounts []ledger.Account
	for _, n := range d.Accounts {
		accounts = append(accounts, ledger.Account(n))
	}
	now, err := nightOf(ctx, w, run, accounts)
	if err != nil {
		return err
	}
	messages := map[bool]*mail.Message{} // by whether it is an update
	for _, to := range digestRecipients(c, d) {
		last, err := lastDigest(ctx, w, to.receiver)
		if err != nil {
			return err
		}
		send, isUpdate, err := isDue(d.When, now, last, func() (bool, error) { return hasCaseChanges(ctx, w, run, accounts) })
		if err != nil || !send {
			if err != nil {
				return err
			}
			continue
		}
		if messages[isUpdate] == nil {
			if messages[isUpdate], err = WriteDigest(ctx, source, c, accounts, to.language, isUpdate); err != nil {
				return err
			}
		}
		kept := keptDigest{night: *now, Number: 1, Message: messages[isUpdate]}
		if isUpdate {
			kept.Number = last.Number + 1
		}
		body, err := json.Marshal(kept)
		if err != nil {
			return fmt.Errorf("keep a digest: %w", err)
		}
		// The run is no part of the key: two processes that look at once keep one row.
		if _, err := w.Ledger.RaiseAlert(ctx, ledger.Alert{
			Happened: digestKind, Cause: fmt.Sprintf("%s %d", now.AsOf, kept.Number), Receiver: to.receiver, Body: string(body), Raised: proc.Wall().UTC(),
		}); err != nil {
			return err
		}
	}
	return nil
}

// nightOf is the night for some accounts, or for all where none is named.
func nightOf(ctx context.Context, w *jobs.Worker, run *ledger.Run, accounts []ledger.Account) (*night, error) {
	now := &night{Run: run.ID, AsOf: run.AsOf, Verdict: run.Verdict}
	all := accounts
	if len(accounts) == 0 {
		for i := range w.Accounts {
			all = append(all, w.Accounts[i].Number)
		}
	} else {
		now.Verdict = ""
		for _, a := range accounts {
			now.Verdict = now.Verdict.Worse(run.Verdicts[a])
		}
	}
	if now.Verdict == "" {
		now.Verdict = ledger.Incomplete
	}
	var err error
	now.Figures, err = w.Ledger.Figures(ctx, all, run.ID)
	return now, err
}

// lastDigest is the digest that was kept last for a recipient; nil: none was.
func lastDigest(ctx context.Context, w *jobs.Worker, receiver string) (*keptDigest, error) {
	a, err := w.Ledger.LastAlert(ctx, digestKind, receiver)
	if errors.Is(err, sqldb.ErrNotFound) {
		return nil, nil //nolint:nilnil // there is none, which is no error
	}
	if err != nil {
		return nil, err
	}
	var d keptDigest
	if err := json.Unmarshal([]byte(a.Body), &d); err != nil {
		return nil, fmt.Errorf("read the last digest: %w", err)
	}
	return &d, nil
}

// hasCaseChanges reports whether the night opened, resolved or changed a case of the accounts.
func hasCaseChanges(ctx context.Context, w *jobs.Worker, run *ledger.Run, accounts []ledger.Account) (changed bool, err error) {
	for i := range w.Accounts {
		if a := w.Accounts[i].Number; len(accounts) == 0 || slices.Contains(accounts, a) {
			err = errors.Join(err, w.Ledger.CaseChanges(ctx, a, run.Previous, run.ID, func(*reports.CaseChange) error {
				changed = true
				return nil
			}))
		}
	}
	return changed, err
}

// composeMessage is a row of the queue as a message to its recipient.
func composeMessage(c *config.Config, to recipient, a *ledger.Alert) (*gomail.Msg, error) {
	var message *mail.Message
	if a.Happened == digestKind {
		var d keptDigest
		if err := json.Unmarshal([]byte(a.Body), &d); err != nil {
			return nil, fmt.Errorf("read a digest: %w", err)
		}
		message = d.Message
	} else {
		var err error
		if message, err = writeAlarm(c, to.language, a); err != nil {
			return nil, err
		}
	}
	return message.Compose(c.Mail.From, to.address, strings.Join([]string{a.Happened, a.Cause, a.Run, to.receiver}, "\x00"), a.Raised)
}
