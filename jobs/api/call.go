package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"concilia/export/words"
	"concilia/store/ledger"
)

const (
	// maxDelay caps the growing delay between two tries.
	maxDelay = 30 * time.Second
	// maxRetryAfter is the longest Retry-After that a call waits for; a nightly run has other windows to pull.
	maxRetryAfter = 5 * time.Minute
	// maxTransfer bounds one request from first byte to last, so that a slow answer cannot occupy a worker for ever.
	maxTransfer = 30 * time.Minute
)

// apiCall is one call of the service, whether it takes one request or several.
type apiCall struct {
	operation  words.Message // for errors and OnRequest
	method     string
	base       *url.URL
	path       string
	query      url.Values
	body       []byte
	family     Family // whose token it carries; empty: none
	limit      int64  // maximum bytes of an accepted body
	keepBody   bool   // an accepted body is kept as evidence
	anyStatus  bool   // accept reads the answer, whatever its status
	slipDetail bool   // the detail of a slip: a refusal may have success false under any status
	effect     effect
	secrets    []string // sent in addition to the credentials; must not appear in an error
}

// reply is an answer whose body has not been read yet.
type reply struct {
	status  int
	header  http.Header
	began   time.Time
	body    *responseBody
	secrets []string
}

// readAll returns the whole body. It is for bodies with a small limit.
func (a *reply) readAll() ([]byte, error) { return io.ReadAll(a.body) }

// caller sends requests until the service has accepted them: with a token, in turn, within the limits, again where that may help.
type caller struct {
	opts   Options
	http   *http.Client
	bases  map[Family]*url.URL
	tokens map[Family]*tokenSource
	// breakers has one breaker for each base address; the search shares the gateway's if their addresses are equal.
	breakers map[string]*breaker
	packers  *sync.Pool // of *ledger.BodyPacker, for the next answers
}

// askUntilAccepted sends the request until accept has read an answer to its end without error, and returns the number of
// requests. Everything from the request to the last byte is one try: a body that breaks off is retried like an answer
// that never came. The error is always an *Error.
func (c *caller) askUntilAccepted(ctx context.Context, call apiCall, accept func(*reply) error) (tries int, err error) {
	renewed, acted := false, false
	try := func() (struct{}, error) {
		var token string
		before := tries
		for {
			token, err = c.tryOnce(ctx, call, &tries, accept)
			e := (*Error)(nil)
			if renewed || !errors.As(err, &e) || e.Status != http.StatusUnauthorized || e.isOfLogin() || call.family == "" {
				break
			}
			renewed = true
			c.tokens[call.family].dropToken(token)
		}
		err = c.stopIfFinal(ctx, call, err)
		acted = acted || err != nil && tries > before && call.effect != readOnly && mayHaveActed(err)
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
		err = withUnknownOutcome(err)
	}
	return tries, c.nameFailure(ctx, call, tries, err)
}

// tryOnce sends one request, counts it in n, and returns the token that the request carried.
func (c *caller) tryOnce(ctx context.Context, call apiCall, n *int, accept func(*reply) error) (token string, err error) {
	if call.family != "" {
		if token, err = c.tokens[call.family].getToken(ctx); err != nil {
			return "", err
		}
	}
	return token, c.breakers[call.base.String()].guardRequest(ctx, func() error { return c.sendInTurn(ctx, call, token, n, accept) })
}

// errLimiter means that the limiter returned an error, so nothing was sent.
var errLimiter error = words.NewFault("service_fault.turn", "")

// sendInTurn waits for the limiter, sends the request, and reports it to OnRequest.
func (c *caller) sendInTurn(ctx context.Context, call apiCall, token string, n *int, accept func(*reply) error) error {
	if c.opts.Limiter != nil {
		if err := c.opts.Limiter.Wait(ctx); err != nil {
			return &Error{Permanent: true, Err: fmt.Errorf("%w: %w", errLimiter, err)}
		}
	}
	*n++
	seen := Request{Operation: call.operation.String(), Try: *n, Began: c.opts.Now()}
	err := c.sendRequest(ctx, call, token, &seen, accept)
	if c.opts.OnRequest != nil {
		seen.Ended, seen.Err = c.opts.Now(), err
		c.opts.OnRequest(seen)
	}
	return err
}

func (c *caller) sendRequest(parent context.Context, call apiCall, token string, seen *Request, accept func(*reply) error) error {
	watch := newRequestTimer(parent, c.opts.Timeout, c.opts.Now)
	defer watch.release()
	req, err := c.newRequest(watch.ctx, call, token)
	if err != nil {
		return err
	}
	watch.startWaiting()
	resp, err := c.http.Do(req)
	watch.stopWaiting()
	if err != nil {
		// The url.Error around the cause only repeats the address and the query.
		if u := (*url.Error)(nil); errors.As(err, &u) {
			err = u.Err
		}
		return watch.replaceCause(err)
	}
	defer resp.Body.Close()
	a := &reply{
		status: resp.StatusCode, header: resp.Header, began: seen.Began, secrets: call.secrets,
		body: newResponseBody(resp.Body, watch, call.limit, c.opts.MinRate),
	}
	seen.Status = a.status
	defer func() { seen.Bytes = a.body.count }()
	if !call.acceptsStatus(a.status) {
		text, _ := io.ReadAll(io.LimitReader(a.body, maxErrorBody))
		if err := c.unsuccessfulError(a.status, text); call.slipDetail && err != nil {
			return err
		}
		return c.statusError(a, text)
	}
	if call.keepBody {
		packer := c.takePacker()
		defer c.packers.Put(packer)
		a.body.startKeeping(packer)
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

// takePacker returns an empty packer for an answer that is to be kept.
func (c *caller) takePacker() *ledger.BodyPacker {
	p, ok := c.packers.Get().(*ledger.BodyPacker)
	if !ok {
		return ledger.NewBodyPacker()
	}
	p.Reset()
	return p
}

// acceptsStatus reports whether an answer with a status is read by accept.
//
// Spec gap: the success statuses of the subscription and credential endpoints are not shown; 200 to 299 are.
func (call apiCall) acceptsStatus(status int) bool {
	return call.anyStatus || status == http.StatusOK || call.effect != readOnly && status > 199 && status < 300
}

func (c *caller) newRequest(ctx context.Context, call apiCall, token string) (*http.Request, error) {
	u := call.base.JoinPath(call.path)
	u.RawQuery = call.query.Encode()
	var body io.Reader = http.NoBody
	if call.body != nil {
		body = bytes.NewReader(call.body)
	}
	req, err := http.NewRequestWithContext(ctx, call.method, u.String(), body)
	if err != nil {
		return nil, &Error{Permanent: true, Err: err}
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", c.opts.UserAgent)
	if call.method != http.MethodGet {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return req, nil
}

// statusError is the error for an answer whose status is not a success.
func (c *caller) statusError(a *reply, body []byte) error {
	e := &Error{Status: a.status, Text: c.errorText(body, a.secrets...), Permanent: permanentStatus(a.status)}
	if e.Permanent {
		return e
	}
	after, ok := parseRetryAfter(a.header.Get("Retry-After"), c.opts.Now())
	switch {
	case !ok:
		return e
	case after > maxRetryAfter:
		e.Err = words.NewFault("service_fault.long_pause", "", "pause", after.Round(time.Second), "most", maxRetryAfter)
		return backoff.Permanent(e)
	}
	return &retryAfterError{err: e, after: max(after, c.opts.Backoff)}
}

// retryAfterError is an error of an answer that asks for a pause before the next try.
type retryAfterError struct {
	err   *Error
	after time.Duration
}

func (p *retryAfterError) Error() string { return p.err.Error() }

// Unwrap returns the error for callers and the pause for package backoff.
func (p *retryAfterError) Unwrap() []error {
	return []error{p.err, &backoff.RetryAfterError{Duration: p.after}}
}

// parseRetryAfter reads seconds or an HTTP date (RFC 9110, 10.2.3). Seconds beyond any number count as the longest time.
func parseRetryAfter(s string, now time.Time) (time.Duration, bool) {
	n, err := strconv.ParseUint(s, 10, 31)
	switch {
	case err == nil:
		return time.Duration(n) * time.Second, true
	case errors.Is(err, strconv.ErrRange):
		return math.MaxInt64, true
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, t.Sub(now)), true
	}
	return 0, false
}

// nameFailure turns the last error of a call into an *Error that names the operation.
func (c *caller) nameFailure(ctx context.Context, call apiCall, tries int, err error) error {
	if p := (*backoff.PermanentError)(nil); errors.As(err, &p) {
		err = p.Err
	}
	e := &Error{Err: err}
	if inner := (*Error)(nil); errors.As(err, &inner) {
		if inner.isOfLogin() {
			// The login has its own operation and tries; only its status and permanence apply to this call.
			e.Status, e.Permanent = inner.Status, inner.Permanent
		} else {
			*e = *inner
		}
	}
	if ctx.Err() != nil {
		ended := &Error{Err: context.Cause(ctx), Permanent: true}
		if errors.Is(err, ErrOutcomeUnknown) {
			ended.Err = fmt.Errorf("%w; %w", ended.Err, ErrOutcomeUnknown)
		}
		e = ended
	}
	e.Operation, e.Tries = call.operation, tries
	return e
}
