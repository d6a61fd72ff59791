package alerts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"concilia/cmd/concilia/exit"
	"concilia/cmd/concilia/metrics"
	"concilia/cmd/concilia/view"
	"concilia/config"
	"concilia/jobs"
)

// pings report to another machine that a run began and how it ended, so that it notices a run that never ends. They change
// nothing of the run: what cannot be delivered is a line of the log.
type pings struct {
	config.Pings
	log    func() *zerolog.Logger
	meters *metrics.Meters
	begun  chan struct{} // closed when the first ping is over; nil: there was none
}

// sendStart pings start while the run begins, which does not wait for it.
func (p *pings) sendStart(ctx context.Context) {
	if p.Start == "" {
		return
	}
	p.begun = make(chan struct{})
	go func() {
		defer close(p.begun)
		p.sendPing(ctx, "start", p.Start, nil)
	}()
}

// sendEnd pings ok for a run that came to its end, whatever it found, and fail with the line for any other, an interrupted one
// too.
func (p *pings) sendEnd(ctx context.Context, code int, line string) {
	ctx = context.WithoutCancel(ctx)
	if p.begun != nil {
		<-p.begun // so that the end does not overtake the beginning
	}
	switch code {
	case exit.OK, jobs.ExitWarnings, exit.Breaks:
		if p.OK != "" {
			p.sendPing(ctx, "ok", p.OK, nil)
		}
	default:
		if p.Fail != "" {
			body := "exit " + strconv.Itoa(code) + "\n" + line + "\n"
			p.sendPing(ctx, "fail", failLink(p.Fail, code), []byte(body))
		}
	}
}

// failLink puts the exit code in the place of {code} in the address.
func failLink(link config.Link, code int) config.Link {
	return config.Link(strings.ReplaceAll(link.Reveal(), "{code}", strconv.Itoa(code)))
}

func (p *pings) sendPing(ctx context.Context, ping string, link config.Link, body []byte) {
	d := delivery{link: link, body: body, agent: "concilia/" + view.ReadBuildFacts().Version}
	if body != nil {
		d.kind = "text/plain; charset=utf-8"
	}
	err := d.send(ctx)
	// Some receivers accept GET alone, or are behind a redirect that does: the failure matters more than the line.
	if answer := (*answeredError)(nil); body != nil && errors.As(err, &answer) && wantsGet(answer.status) {
		d.body, d.kind = nil, ""
		err = d.send(ctx)
	}
	p.meters.CountDelivery("ping", ping, err)
	if err != nil {
		p.log().Warn().Str("ping", ping).Stringer("to", link).AnErr("why", err).Msg("a ping was not delivered")
	}
}

// wantsGet reports whether an answer to a POST asks for a GET.
func wantsGet(status int) bool {
	switch status {
	case http.StatusMethodNotAllowed, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		return true
	}
	return false
}

const (
	// deliverTimeout bounds one try of a ping or an alert, from the address looked up to the answer.
	deliverTimeout = 10 * time.Second
	// retryPause is the pause before the second and last try.
	retryPause = time.Second
	// maxAnswer bounds what is read of an answer.
	maxAnswer = 16 << 10
	// maxRedirects bounds the redirects of one try.
	maxRedirects = 5
)

// delivery is one message to an address that watches or that people read.
type delivery struct {
	link  config.Link
	body  []byte // nil: a GET
	kind  string // of the body
	agent string
}

// send tries twice. Its error names neither path nor query of the address, which are secret as often as not.
func (d delivery) send(ctx context.Context) error {
	err := d.sendOnce(ctx)
	if err == nil || errors.Is(ctx.Err(), context.Canceled) {
		return err
	}
	select {
	case <-ctx.Done():
		return err
	case <-time.After(retryPause):
	}
	return d.sendOnce(ctx)
}

func (d delivery) sendOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, deliverTimeout)
	defer cancel()
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if d.body != nil {
		method, body = http.MethodPost, strings.NewReader(string(d.body))
	}
	req, err := http.NewRequestWithContext(ctx, method, d.link.Reveal(), body)
	if err != nil {
		return errors.New("not an address")
	}
	req.Header.Set("User-Agent", d.agent)
	if d.kind != "" {
		req.Header.Set("Content-Type", d.kind)
	}
	client := &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true},
		CheckRedirect: checkRedirect,
	}
	resp, err := client.Do(req)
	if err != nil {
		// The url.Error around it would repeat the address.
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err
		}
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxAnswer)) // only the status matters
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return &answeredError{resp.StatusCode}
	}
	return nil
}

// checkRedirect lets a redirect be followed that asks for the same again, at most maxRedirects times. One that makes a GET of a POST
// (301, 302, 303) would lose the message and come to 200 at some page: it is the answer, and no success. So is one that leaves TLS: the
// message says what the merchant misses. Where it goes learns nothing of the address it came from, whose path is secret.
func checkRedirect(next *http.Request, before []*http.Request) error {
	next.Header.Del("Referer")
	leavesTLS := before[0].URL.Scheme == "https" && next.URL.Scheme != "https"
	if next.Method != before[0].Method || leavesTLS || len(before) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// isSilent reports whether nothing came back: the next request at once would wait as long again.
func isSilent(err error) bool {
	var answer *answeredError
	var ended *exec.ExitError
	return err != nil && !errors.As(err, &answer) && !errors.As(err, &ended)
}

// answeredError is an answer that is no success.
type answeredError struct{ status int }

func (e *answeredError) Error() string {
	return fmt.Sprintf("answered %d %s", e.status, strings.ToLower(http.StatusText(e.status)))
}
