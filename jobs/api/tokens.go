package api

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"concilia/export/words"
	"concilia/store/ledger"
)

const (
	// renewBefore and renewPart: a token is renewed when less than a minute, or less than a tenth of its life, is left.
	renewBefore = time.Minute
	renewPart   = 10
	// defaultTokenLife is how long a token is used if its answer states no lifetime; a 401 ends it sooner.
	defaultTokenLife = 5 * time.Minute
	// refusalPause is the pause after a refused login: repeated logins of many workers could lock the credential.
	refusalPause = time.Minute
	// maxLoginBody bounds the answer to a login: five short members.
	maxLoginBody = 64 << 10
)

// tokenSource holds the token of a family. However many callers need one, at most one login runs at a time.
type tokenSource struct {
	caller         *caller
	family         Family
	path           string
	user, password string

	mu           sync.Mutex
	token        string
	renewAt      time.Time
	pending      *pendingLogin
	refusal      error
	refusedUntil time.Time
}

// pendingLogin is a running login. It is cancelled when no caller waits for it any more.
type pendingLogin struct {
	done    chan struct{}
	err     error // written before done is closed
	waiters int
	cancel  context.CancelFunc
}

// currentToken returns the present token, empty if there is none.
func (t *tokenSource) currentToken() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.token
}

// getToken returns a token with enough lifetime left, and logs in if there is none.
func (t *tokenSource) getToken(ctx context.Context) (string, error) {
	for {
		t.mu.Lock()
		now := t.caller.opts.Now()
		if t.token != "" && now.Before(t.renewAt) {
			defer t.mu.Unlock()
			return t.token, nil
		}
		if t.refusal != nil && now.Before(t.refusedUntil) {
			defer t.mu.Unlock()
			return "", t.refusal
		}
		f := t.pending
		if f == nil {
			f = t.startLogin(ctx)
		}
		f.waiters++
		t.mu.Unlock()
		if err := t.waitForLogin(ctx, f); err != nil {
			return "", err
		}
		// Returned even if it has expired since: otherwise a token with a very short lifetime would never be used.
		if text := t.currentToken(); text != "" {
			return text, nil
		}
	}
}

// dropToken forgets a token that the service refused, unless another caller has renewed it already.
func (t *tokenSource) dropToken(stale string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.token == stale {
		t.token = ""
	}
}

// startLogin starts a login with a context that outlives the caller's. The caller holds the lock.
func (t *tokenSource) startLogin(ctx context.Context) *pendingLogin {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &pendingLogin{done: make(chan struct{}), cancel: cancel}
	t.pending = f
	go func() {
		defer cancel()
		text, renewAt, err := t.caller.requestToken(ctx, t)
		t.mu.Lock()
		if err == nil {
			t.token, t.renewAt, t.refusal = text, renewAt, nil
		} else if IsRefused(err) {
			t.refusal, t.refusedUntil = err, t.caller.opts.Now().Add(refusalPause)
		}
		if t.pending == f {
			t.pending = nil
		}
		f.err = err
		t.mu.Unlock()
		close(f.done)
	}()
	return f
}

func (t *tokenSource) waitForLogin(ctx context.Context, f *pendingLogin) error {
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if f.waiters--; f.waiters == 0 {
		f.cancel()
		// The next caller must not join a login that is being cancelled.
		if t.pending == f {
			t.pending = nil
		}
	}
	return context.Cause(ctx)
}

// requestToken logs in and returns the token and when to renew it.
//
// Spec gap: the status of a failed login is not shown; authenticated false is a refusal whatever the status, and so
// are 400, 401 and 403 whatever the body.
func (c *caller) requestToken(ctx context.Context, t *tokenSource) (text string, renewAt time.Time, err error) {
	body, err := json.Marshal(map[string]string{"userName": t.user, "password": t.password})
	if err != nil {
		return "", time.Time{}, err
	}
	call := apiCall{
		operation: words.NewMessage("call.login", "family", t.family), method: http.MethodPost, base: c.bases[t.family], path: t.path,
		body: body, limit: maxLoginBody, anyStatus: true,
	}
	_, err = c.askUntilAccepted(ctx, call, func(a *reply) error {
		var life time.Duration
		text, life, err = c.readLogin(a)
		renewAt = a.began.Add(life - min(renewBefore, life/renewPart))
		return err
	})
	return text, renewAt, err
}

func (c *caller) readLogin(a *reply) (string, time.Duration, error) {
	body, err := a.readAll()
	if err != nil {
		return "", 0, err
	}
	var result struct {
		Authenticated       *bool
		Created, Expiration string
		AccessToken         string
		Message             string
	}
	jsonErr := json.Unmarshal(body, &result)
	refused := a.status == http.StatusBadRequest || a.status == http.StatusUnauthorized || a.status == http.StatusForbidden
	if refused || jsonErr == nil && result.Authenticated != nil && !*result.Authenticated {
		said := c.redactText(result.Message)
		if said == "" {
			said = c.errorText(body)
		}
		return "", 0, &Error{Status: a.status, Text: said, Permanent: true, Err: ErrRefusedCredentials}
	}
	if a.status < 200 || a.status > 299 {
		return "", 0, c.statusError(a, body)
	}
	if jsonErr != nil || result.Authenticated == nil || result.AccessToken == "" {
		return "", 0, words.NewFault("service_fault.no_token", "")
	}
	life, ok := tokenLife(result.Created, result.Expiration)
	if !ok {
		life = defaultTokenLife
	}
	return result.AccessToken, life, nil
}

// tokenLife is expiration less created. Measured on our own clock, it does not depend on the service's.
//
// Spec gap: the lifetime of a token is not shown; it is expiration less created, counted from the request for the
// login, and 5 minutes when those two do not say.
// Spec gap: created and expiration without an offset are taken as UTC.
func tokenLife(created, expiration string) (time.Duration, bool) {
	from, err1 := parseInstant(created)
	to, err2 := parseInstant(expiration)
	if err1 != nil || err2 != nil || !from.Before(to) {
		return 0, false
	}
	return to.Sub(from), true
}

func parseInstant(s string) (time.Time, error) {
	if t, err := ledger.ParseInstant(s); err == nil {
		return t, nil
	}
	return ledger.ParseInstant(s + "Z")
}
