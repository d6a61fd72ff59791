package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// maxDelay caps the growing delay between two tries.
	maxDelay = 30 * time.Second
	// maxRetryAfter is the longest wait asked for by Retry-After that is waited; a night has other windows to pull.
	maxRetryAfter = 5 * time.Minute
	// maxTransfer bounds one request from first byte to last, so that a trickle cannot hold a worker for ever.
	maxTransfer = 30 * time.Minute
)

// question is one call as it is asked, once or more often.
type question struct {
	operation string // for errors and OnRequest
	method    string
	base      *url.URL
	path      string
	query     url.Values
	body      []byte
	family    Family // whose token it carries; empty: none
	limit     int64  // bytes of an accepted body
	keep      bool   // an accepted body is kept as evidence
	anyStatus bool   // accept reads the answer whatever its status
	detail    bool   // of a slip: a refusal may say success false under any status
	effect    effect
	secrets   []string // what was sent beside the credentials and must not come back in an error
}

// reply is an answer whose body is still to be read.
type reply struct {
	status  int
	header  http.Header
	began   time.Time
	body    *body
	secrets []string
}

// readAll is the whole body; only for bodies whose limit is small.
func (a *reply) readAll() ([]byte, error) { return io.ReadAll(a.body) }

// ask asks until accept has read an answer to its end without complaint, and returns how many requests that took.
// Everything from the request to the last byte is one try: a body that breaks is asked for again like an answer that
// never came. The error is always an *Error.
func (c *Client) ask(ctx context.Context, q question, accept func(*reply) error) (tries int, err error) {
	renewed, acted := false, false
	try := func() (struct{}, error) {
		var token string
		before := tries
		for {
			token, err = c.try(ctx, q, &tries, accept)
			e := (*Error)(nil)
			if renewed || !errors.As(err, &e) || e.Status != http.StatusUnauthorized || e.ofLogin() || q.family == "" {
				break
			}
			renewed = true
			c.tokens[q.family].drop(token)
		}
		err = c.decide(ctx, q, err)
		acted = acted || err != nil && tries > before && q.effect != reads && mayHaveActed(err)
		return struct{}{}, err
	}
	delays := &backoff.ExponentialBackOff{
		InitialInterval: c.opts.Backoff, RandomizationFactor: 0.5, Multiplier: 2, MaxInterval: maxDelay,
	}
	_, err = backoff.Retry(ctx, try, backoff.WithBackOff(delays), backoff.WithMaxTries(uint(c.opts.MaxTries)),
		backoff.WithMaxElapsedTime(0))
	if err == nil {
		return tries, nil
	}
	if acted {
		err = unsure(err)
	}
	return tries, c.failure(ctx, q, tries, err)
}

// try makes one request and counts it. It returns the token it carried.
func (c *Client) try(ctx context.Context, q question, n *int, accept func(*reply) error) (token string, err error) {
	if q.family != "" {
		if token, err = c.tokens[q.family].get(ctx); err != nil {
			return "", err
		}
	}
	return token, c.breakers[q.base.String()].pass(ctx, func() error { return c.turn(ctx, q, token, n, accept) })
}

// errNoTurn says that the limiter gave no turn: nothing was sent.
var errNoTurn = errors.New("wait for a turn")

// turn waits for the limiter and makes the request.
func (c *Client) turn(ctx context.Context, q question, token string, n *int, accept func(*reply) error) error {
	if c.opts.Limiter != nil {
		if err := c.opts.Limiter.Wait(ctx); err != nil {
			return &Error{Permanent: true, Err: fmt.Errorf("%w: %w", errNoTurn, err)}
		}
	}
	*n++
	seen := Request{Operation: q.operation, Try: *n, Began: c.opts.Now()}
	err := c.send(ctx, q, token, &seen, accept)
	if c.opts.OnRequest != nil {
		seen.Ended, seen.Err = c.opts.Now(), err
		c.opts.OnRequest(seen)
	}
	return err
}

func (c *Client) send(parent context.Context, q question, token string, seen *Request, accept func(*reply) error) error {
	watch := newWatch(parent, c.opts.Timeout)
	defer watch.stop()
	req, err := c.request(watch.ctx, q, token)
	if err != nil {
		return err
	}
	watch.begin()
	resp, err := c.http.Do(req)
	watch.end()
	if err != nil {
		// The url.Error around it would only repeat the address and the query.
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err
		}
		return watch.cause(err)
	}
	defer resp.Body.Close()
	a := &reply{
		status: resp.StatusCode, header: resp.Header, began: seen.Began, secrets: q.secrets,
		body: newBody(resp.Body, watch, q.limit),
	}
	seen.Status = a.status
	defer func() { seen.Bytes = a.body.count }()
	if !q.accepts(a.status) {
		text, _ := io.ReadAll(io.LimitReader(a.body, maxErrorBody))
		if err := c.unsuccessful(a.status, text); q.detail && err != nil {
			return err
		}
		return c.statusError(a, text)
	}
	if q.keep {
		a.body.keep()
	}
	if err := accept(a); err != nil {
		var e *Error
		if errors.As(err, &e) {
			return err
		}
		return &Error{Status: a.status, Err: err, Permanent: errors.As(err, new(*limitError))}
	}
	return nil
}

// accepts says whether an answer with a status is read by accept.
//
// Spec gap: the success statuses of the subscription and credential endpoints are not shown; 200 to 299 are.
func (q question) accepts(status int) bool {
	return q.anyStatus || status == http.StatusOK || q.effect != reads && status > 199 && status < 300
}

func (c *Client) request(ctx context.Context, q question, token string) (*http.Request, error) {
	u := q.base.JoinPath(q.path)
	u.RawQuery = q.query.Encode()
	var body io.Reader = http.NoBody
	if q.body != nil {
		body = bytes.NewReader(q.body)
	}
	req, err := http.NewRequestWithContext(ctx, q.method, u.String(), body)
	if err != nil {
		return nil, &Error{Permanent: true, Err: err}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.opts.UserAgent)
	if q.method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

// statusError is the error of an answer whose status is no success.
func (c *Client) statusError(a *reply, body []byte) error {
	e := &Error{Status: a.status, Text: c.errorText(body, a.secrets...), Permanent: permanentStatus(a.status)}
	if e.Permanent {
		return e
	}
	after, ok := retryAfter(a.header.Get("Retry-After"), c.opts.Now())
	switch {
	case !ok:
		return e
	case after > maxRetryAfter:
		e.Err = fmt.Errorf("it asks for a pause of %s, longer than is waited (%s)", after.Round(time.Second), maxRetryAfter)
		return backoff.Permanent(e)
	}
	return &pause{err: e, after: max(after, c.opts.Backoff)}
}

// pause is an error after which the service wants to be left alone for a while.
type pause struct {
	err   *Error
	after time.Duration
}

func (p *pause) Error() string { return p.err.Error() }

// Unwrap shows the error to callers and the pause to package backoff.
func (p *pause) Unwrap() []error {
	return []error{p.err, &backoff.RetryAfterError{Duration: p.after}}
}

// retryAfter reads seconds or an HTTP date (RFC 9110, 10.2.3).
func retryAfter(s string, now time.Time) (time.Duration, bool) {
	if n, err := strconv.ParseUint(s, 10, 31); err == nil {
		return time.Duration(n) * time.Second, true
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, t.Sub(now)), true
	}
	return 0, false
}

// failure names the operation in the error of a call.
func (c *Client) failure(ctx context.Context, q question, tries int, err error) error {
	if p := (*backoff.PermanentError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	e := &Error{Err: err}
	if inner := (*Error)(nil); errors.As(err, &inner) {
		if inner.ofLogin() {
			// It has its own name and had its own tries; what it means for callers is the same.
			e.Status, e.Permanent = inner.Status, inner.Permanent
		} else {
			*e = *inner
		}
	}
	if ctx.Err() != nil {
		ended := &Error{Err: context.Cause(ctx), Permanent: true}
		if errors.Is(err, ErrUnsure) {
			ended.Err = fmt.Errorf("%w; %w", ended.Err, ErrUnsure)
		}
		e = ended
	}
	e.Operation, e.Tries = q.operation, tries
	return e
}
