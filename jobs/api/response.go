package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"concilia/export/words"
	"concilia/jobs/api/mask"
	"concilia/store/ledger"
)

// limitError means that an answer exceeds one of our limits: a retry would get the same answer.
type limitError struct{ *words.Fault }

// newLimitError is the error of a limit, by the id of its text and the text's values.
func newLimitError(text string, values ...any) error {
	return &limitError{words.NewFault(text, "", values...)}
}

// responseBody counts and hashes what is read of an answer, and fails when it is longer than the limit or stalls. If the
// answer is to be kept, it also masks and compresses what is read, so that the body is never in memory as a whole.
type responseBody struct {
	from   io.Reader
	timer  *requestTimer
	pace   pace
	limit  int64
	count  int64
	hash   hash.Hash        // of an answer that is not kept
	masker *mask.BodyWriter // into kept; nil: the answer is not kept
	kept   *arrivedHash     // into packer
	packer *ledger.BodyPacker
}

func newResponseBody(r io.Reader, w *requestTimer, limit int64, minRate int) *responseBody {
	return &responseBody{from: r, timer: w, pace: newPace(minRate, w.timeout), limit: limit, hash: sha256.New()}
}

// pace finds out that an answer comes too slowly: in each interval of waiting for it enough bytes must come. It is no average, so that
// an answer that began fast is given up as soon as one that did not.
type pace struct {
	rate     int // bytes a minute; 0: any
	interval time.Duration
	waited   time.Duration // in this interval
	bytes    int64         // that came in it
}

func newPace(rate int, timeout time.Duration) pace {
	return pace{rate: rate, interval: min(timeout, time.Minute)}
}

// add adds a wait and what it brought, and reports whether the answer is too slow.
func (p *pace) add(waited time.Duration, n int) error {
	p.waited += waited
	p.bytes += int64(n)
	if p.rate == 0 || p.waited < p.interval {
		return nil
	}
	if p.bytes*time.Minute.Milliseconds() < int64(p.rate)*p.waited.Milliseconds() {
		return newLimitError("service_fault.slow", "rate", p.rate)
	}
	p.waited, p.bytes = 0, 0
	return nil
}

// startKeeping starts to mask and compress what is read.
func (b *responseBody) startKeeping(packer *ledger.BodyPacker) {
	b.packer, b.kept = packer, &arrivedHash{packer: packer}
	b.masker = mask.NewBodyWriter(b.kept)
}

// keptBody returns the body as it is kept, after it has been read to its end; nil if startKeeping was not called.
func (b *responseBody) keptBody() (*ledger.Body, error) {
	if b.packer == nil {
		return nil, nil
	}
	if err := b.masker.Close(); err != nil {
		return nil, err
	}
	return b.packer.Pack(b.hexSHA256())
}

// Read returns io.EOF only when the transport saw the whole body arrive.
func (b *responseBody) Read(p []byte) (int, error) {
	b.timer.startWaiting()
	since := b.timer.now()
	n, err := b.from.Read(p)
	b.timer.stopWaiting()
	slow := b.pace.add(b.timer.now().Sub(since), n)
	b.count += int64(n)
	if b.masker == nil {
		b.hash.Write(p[:n])
	} else {
		b.kept.addArrived(p[:n])
		if _, err := b.masker.Write(p[:n]); err != nil {
			return n, err
		}
	}
	if b.count > b.limit {
		return n, newLimitError("service_fault.long", "most", b.limit)
	}
	switch {
	case err == nil:
		err = slow
	case !errors.Is(err, io.EOF):
		err = b.timer.replaceCause(err)
	}
	return n, err
}

// hexSHA256 is the SHA-256 of what was read, in hex.
func (b *responseBody) hexSHA256() string {
	if b.kept != nil {
		return b.kept.hexSum()
	}
	return hex.EncodeToString(b.hash.Sum(nil))
}

// requestTimer holds the context of one request. The context ends when the service sends nothing for too long or the
// request takes longer than maxTransfer; its cause says which.
type requestTimer struct {
	parent  context.Context
	ctx     context.Context
	release func()
	timer   *time.Timer
	timeout time.Duration
	now     func() time.Time
}

func newRequestTimer(parent context.Context, timeout time.Duration, now func() time.Time) *requestTimer {
	long, endLong := context.WithTimeoutCause(parent, maxTransfer, errTransferTimeout)
	ctx, cancel := context.WithCancelCause(long)
	w := &requestTimer{parent: parent, ctx: ctx, timeout: timeout, now: now}
	w.timer = time.AfterFunc(timeout, func() { cancel(errIdleTimeout) })
	w.timer.Stop()
	w.release = func() {
		w.timer.Stop()
		cancel(context.Canceled)
		endLong()
	}
	return w
}

// startWaiting and stopWaiting enclose every wait for the service, so that our own work does not count as its silence.
func (w *requestTimer) startWaiting() { w.timer.Reset(w.timeout) }
func (w *requestTimer) stopWaiting()  { w.timer.Stop() }

// replaceCause returns the reason instead of the "context canceled" that the transport reports.
func (w *requestTimer) replaceCause(err error) error {
	if w.parent.Err() != nil {
		return context.Cause(w.parent)
	}
	if c := context.Cause(w.ctx); errors.Is(c, errIdleTimeout) || errors.Is(c, errTransferTimeout) {
		return c
	}
	return err
}

// Receipt describes one complete answer.
type Receipt struct {
	Bad        []ledger.Quarantined // rows that could not be read exactly, in the order they came
	Unknown    []string             // members the interface document does not name, sorted; those of splits as splits.NAME
	Bytes      int64                // of the body, content encoding undone
	SHA256     string               // of those bytes, hex
	Body       *ledger.Body         // those bytes as they are to be kept, masked
	Began      time.Time            // of the request that was answered
	Ended      time.Time
	ServerDate time.Time // of the answer's Date header, UTC; zero when there was none
	Requests   int       // made for this answer, including retries, without logins
}

// Answer is the answer of the card search for a window.
type Answer struct {
	Rows []ledger.Installment // in the order they came; empty if they went to a sink
	Receipt
}

// SlipAnswer is the answer of a list of slips for a window, or the detail of one slip.
type SlipAnswer struct {
	Rows []ledger.SlipView // in the order they came
	// Conflicting are the ids of slips that occur more than once in the answer with different content, in the order of
	// the second occurrence; at most maxConflicting. Rows holds every occurrence.
	Conflicting []string
	Receipt
}

// maxConflicting caps SlipAnswer.Twice: a list that repeats more slips than that is wrong as a whole.
const maxConflicting = 50

// conflictingSlips returns the ids of slips that occur more than once in rows with different content.
func conflictingSlips(rows []ledger.SlipView) []string {
	var out []string
	first := make(map[string]int, len(rows))
	for i := range rows {
		id := rows[i].ID
		at, again := first[id]
		switch {
		case !again:
			first[id] = i
		case rows[at].ContentHash() == rows[i].ContentHash(), slices.Contains(out, id):
		case len(out) == maxConflicting:
			return out
		default:
			out = append(out, id)
		}
	}
	return out
}

// fillFromReply fills the receipt after the body has been read to its end.
func (r *Receipt) fillFromReply(a *reply, now time.Time, unknown memberNames) (err error) {
	r.Bytes, r.SHA256, r.Began, r.Ended = a.body.count, a.body.hexSHA256(), a.began, now
	r.Unknown = unknown.sortedNames()
	if t, err := http.ParseTime(a.header.Get("Date")); err == nil {
		r.ServerDate = t.UTC()
	}
	r.Body, err = a.body.keptBody()
	return err
}

// setOrigin sets account, source and first day of the window of the quarantined rows.
func (r *Receipt) setOrigin(account ledger.Account, source ledger.Source, day ledger.Date) {
	for i := range r.Bad {
		r.Bad[i].Account, r.Bad[i].Source, r.Bad[i].Day = account, source, day
	}
}

const (
	// maxReasons caps the members that a reason names.
	maxReasons = 12
	// maxUnknown caps the unknown member names of an answer, and maxName the length of one.
	maxUnknown, maxName = 64, 64
)

// quarantineRow returns a row that could not be read exactly as it is kept: the reason, and its bytes with card numbers
// masked.
func quarantineRow(raw []byte, bad []badMember) ledger.Quarantined {
	body := mask.Cards(mask.Members(raw))
	sum := sha256.Sum256(body)
	return ledger.Quarantined{Body: body, Hash: hex.EncodeToString(sum[:]), Reason: joinReasons(bad)}
}

func joinReasons(bad []badMember) string {
	parts := make([]string, 0, len(bad))
	for i, p := range bad {
		if i == maxReasons {
			parts = append(parts, fmt.Sprintf("and %d more", len(bad)-i))
			break
		}
		parts = append(parts, p.member+": "+p.why)
	}
	return strings.Join(parts, "; ")
}

// memberNames is a set of unknown member names.
type memberNames map[string]bool

func (n memberNames) addNames(list ...string) {
	for _, s := range list {
		if len(n) >= maxUnknown {
			return
		}
		// A name can be any text, even a card number.
		s = string(mask.Cards([]byte(strings.ToValidUTF8(s, "?"))))
		if r := []rune(s); len(r) > maxName {
			s = string(r[:maxName]) + "…"
		}
		n[s] = true
	}
}

func (n memberNames) sortedNames() []string {
	if len(n) == 0 {
		return nil
	}
	out := make([]string, 0, len(n))
	for s := range n {
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// readList reads a list out of an answer with status 200, to the last byte.
//
// Spec gap: a list is a bare array. null, an object or a page of HTML with status 200 is a failure of the whole window.
func (c *Client) readList(a *reply, scan func([]byte) int, decode func([]byte) error) error {
	if media, _, err := mime.ParseMediaType(a.header.Get("Content-Type")); err == nil && strings.Contains(media, "html") {
		return words.NewFault("service_fault.html", "")
	}
	list := newArrayReader(a.body)
	err := list.readRecords(scan, decode)
	if errors.Is(err, errNotList) {
		rest, _ := io.ReadAll(io.LimitReader(a.body, maxErrorBody))
		text := append(list.buf[list.pos:list.end:list.end], rest...)
		return &Error{Status: a.status, Text: c.errorText(text), Err: err}
	}
	return err
}

// windowQuery is the three parameters that every list takes.
func windowQuery(account ledger.Account, from, to ledger.Date) url.Values {
	return url.Values{"accountNumber": {account.String()}, "startDate": {from.String()}, "endDate": {to.String()}}
}

// checkWindow returns an error for a window that no list accepts, before anything is sent.
func checkWindow(operation words.Message, account ledger.Account, from, to ledger.Date) error {
	err := ledger.Period{From: from, To: to}.Valid()
	if account <= 0 {
		err = errors.Join(words.NewFault("service_fault.wants_account", ""), err)
	}
	if err != nil {
		return &Error{Operation: operation, Permanent: true, Err: err}
	}
	return nil
}
